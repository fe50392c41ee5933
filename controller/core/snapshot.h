/*
 * snapshot: what is known about one task at one moment; what reconcile decides on.
 *
 * Facts that matter for safety come live, not from a cache: a Pod or a task that is merely absent
 * from a watch is unknown. The snapshot is put together by the caller for one pass, and everything
 * in it is borrowed.
 */
#ifndef CORE_SNAPSHOT_H
#define CORE_SNAPSHOT_H

#include "plan.h"
#include "pod.h"
#include "podstatus.h"
#include "reason.h"
#include "session_view.h"
#include "task.h"

#include <stdbool.h>
#include <stdint.h>

#define SNAPSHOT_MESSAGE_SIZE  1024
#define SNAPSHOT_START_SECONDS 120 /* while the class, which says how many, is missing */
/* What a Pod that has to end gets for it: its grace of 30 s, and the kubelet as much to say so. */
#define SNAPSHOT_OVERDUE_MS 60000

enum knowledge {
	KNOWN_UNSEEN, /* not in the cache, and not looked for: may exist */
	KNOWN_ABSENT, /* a live read has just said that it does not exist */
	KNOWN_PRESENT,
};

enum admission { ADMISSION_WAITING, ADMISSION_FULL, ADMISSION_GRANTED };

struct refusal {
	enum reason reason; /* REASON_NONE: nothing was found wrong */
	char message[SNAPSHOT_MESSAGE_SIZE];
};

/* All times are milliseconds of one monotonic clock. Pointers are borrowed for the call. */
struct snapshot {
	int64_t now_ms;
	bool leading; /* the Lease is ours and far enough from its end */

	struct str task_uid; /* the key */
	enum knowledge task_known;
	const struct task *task; /* when present */

	const struct refusal *refusal; /* by validate, of the task and, if it is there, its class */
	const struct plan *plan;       /* of both; NULL while the class is missing, or refused */
	int64_t class_missing_since_ms;
	bool are_labels_missing; /* of the namespace, by which the class chooses: as good as none */

	enum admission admission;
	int64_t queued_since_ms, admitted_since_ms;
	bool network_ready; /* the policies that close the Pod's network are in place */

	/* The Pod that is looked at: of all that have a name of this task's only one at a time. */
	enum knowledge pod_known;
	const struct pod *pod;	       /* present: as it is; absent: as it was seen last, or NULL */
	int64_t pod_attempt;	       /* from its name */
	int64_t pod_since_ms;	       /* its creation */
	int64_t pod_deleting_since_ms; /* when it is being deleted */
	const char *pod_difference; /* the field in which it is not the planned Pod; NULL: it is */
	int64_t attempts_seen; /* the highest attempt whose Pod is known to have existed, or 0 */
	bool is_other_pod_in_sight; /* the watches show one that may be looked at in its place */
	bool is_event_read;	    /* the last Event about the Pod was asked for: */
	struct str event_reason, event_message; /* it, or empty */

	const struct podstatus
		*create_refused; /* the last creation was refused; NULL: it was not */
	int64_t create_again_ms; /* and may be tried again from then on */

	const struct session_view *session; /* never NULL */
	bool are_outputs_missing;	    /* SandboxOutputs that the final status will refer to */
	bool final_too_large; /* the API server refused the final status for its size */
};

/* The text of the Pod's plan has this hash. Needs the Pod, as does the next one. */
bool snapshot_pod_has_plan(const struct snapshot *snapshot, struct str sha256);

/*
 * Its label says so, or the task's status, which nobody else writes, or its plan: a label can be
 * stripped, and the Pod has to be deleted all the same. All Pods asked here have a name that was
 * made from the task's UID.
 */
bool snapshot_pod_is_ours(const struct snapshot *snapshot);

/* A session has its runner on the line, and has not sent it away. */
bool snapshot_runner_hears_us(const struct snapshot *snapshot);

/* How long a start may take: as the plan says, else the task, else a constant. */
int64_t snapshot_start_budget_ms(const struct snapshot *snapshot);

/* When it would have ended, if a kubelet saw to it: by its deadline, or for its deletion. */
int64_t snapshot_overdue_ms(const struct snapshot *snapshot);

#endif
