/*
 * conditions: the conditions of a task's status, always all of them.
 *
 * A merge patch replaces a list as a whole, so each write repeats the list. What must not change
 * with every write is lastTransitionTime: it is kept where the status stays (KEP-1623). Polarity is
 * that of kstatus, which Argo CD, Flux and Helm look at: Reconciling is True until the end, Stalled
 * is True in failure.
 */
#ifndef BUILD_CONDITIONS_H
#define BUILD_CONDITIONS_H

#include "core/task.h"
#include "out.h"

#include <stdint.h>

/* X(type), in the order in which they stand. */
#define CONDITIONS(X) \
	X(Finished) X(Succeeded) X(Isolated) X(OutputComplete) X(Reconciling) X(Stalled)

enum condition {
#define X(type) CONDITION_##type,
	CONDITIONS(X)
#undef X
		CONDITION_COUNT
};

enum condition_status { CONDITION_UNKNOWN, CONDITION_FALSE, CONDITION_TRUE };

struct conditions {
	enum condition_status status[CONDITION_COUNT];
	const char *reason; /* the task's reason or, while there is none, its phase */
};

/* Writes the member `conditions`; `before` is the status as it was read. */
void conditions_write(struct out *o, const struct conditions *conditions,
		      const struct task_status *before, int64_t now_us);

#endif
