/*
 * podstatus: from what Kubernetes says about a Pod to one reason that a user can act on.
 *
 * The sources are scattered (Pod phase and reason, conditions, container states, exit codes,
 * Events) and contradict each other: a Pod evicted for its disk has a container that "Completed"
 * with exit code 0. So this is an ordered table; the first row that holds wins, Pod-level facts
 * first (API reference: PodStatus, KEP-3329 for DisruptionTarget).
 *
 * Two rules keep it honest. A Limit reason stands only where the Pod's status itself says so: exit
 * code 137 alone is no OutOfMemory, 124 no time-out. And the same end has another reason once the
 * code may have started: what was PodLost before the mark is Interrupted after it.
 */
#ifndef CORE_PODSTATUS_H
#define CORE_PODSTATUS_H

#include "base/buf.h"
#include "pod.h"
#include "reason.h"

/* Exit codes of the runner (design: names). */
#define RUNNER_EXIT_INTERNAL	 70
#define RUNNER_EXIT_NOT_ISOLATED 78

enum podstatus_stage {
	PODSTATUS_WAITING, /* on its way to running */
	PODSTATUS_RUNNING,
	PODSTATUS_ENDED,
};

struct podstatus_evidence {
	const struct pod *pod; /* the last that was seen of it; NULL: nothing ever */
	bool over;	       /* it is gone, or given up: whatever it says, it has ended */
	bool marked;	       /* the code may have started */
	bool hello_seen;       /* the runner has answered once */
	/* The last Event about it, which is text for the message and, in one row, the only sign. */
	struct str event_reason, event_message;
};

struct podstatus {
	enum podstatus_stage stage;
	/*
	 * ENDED: why. WAITING: what to say if it never gets further; StartTimeout when nothing is
	 * known. RUNNING: REASON_NONE.
	 */
	enum reason reason;
	bool hopeless;	       /* neither waiting nor another Pod can help */
	const char *what;      /* what was found, a static clause without full stop */
	struct str word, text; /* Kubernetes' own reason and message, borrowed, may be empty */
};

void podstatus(const struct podstatus_evidence *evidence, struct podstatus *status);

/*
 * What refused the creation of a Pod, or kept it from happening: a server in trouble, or, with
 * http_status 0, none that answered. Admission says Forbidden for a quota that frees itself and for
 * a policy that does not, and only the text tells them apart; texts vary by version. So a text only
 * ever shortens the wait: what is not known to be hopeless is tried again until the start budget
 * ends.
 */
void podstatus_of_refusal(int http_status, struct str message, struct podstatus *status);

/* Appends "what (word: text)", cut on a character with "..." where the buffer ends. */
void podstatus_describe(const struct podstatus *status, struct buf *out);

#endif
