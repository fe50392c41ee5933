/*
 * reconcile: the life of a task as one function of what is known about it.
 *
 *	reconcile(&snapshot, &decision);
 *
 * It can't fail, keeps nothing, reads no clock, and asks for at most one effect: an API write,
 * a live read, or a command to the attach session. The caller carries the effect out, learns what
 * became of it, and calls again; while an effect of a task is under way the task is not reconciled.
 * So each step stands on facts, a crash between any two of them loses nothing, and reading
 * reconcile.c from top to bottom is reading the rules.
 */
#ifndef CORE_RECONCILE_H
#define CORE_RECONCILE_H

#include "reason.h"
#include "snapshot.h"

#include <stdbool.h>
#include <stdint.h>

#define RECONCILE_ATTEMPTS_MAX	  3    /* Pods before a mark */
#define RECONCILE_QUEUE_NOTICE_MS 1000 /* a shorter wait is not written into status */
#define RECONCILE_FULL_MS	  5000 /* so often one asks who is neither queued nor refused */
#define RECONCILE_NEVER		  INT64_MAX /* of a wake-up */

/* X(name): what a decision asks for. */
#define RECONCILE_EFFECTS(X)                                                              \
	X(NONE)                                                                           \
	X(READ_TASK)	  /* live */                                                      \
	X(READ_POD)	  /* live, by its name, or that of the last attempt */            \
	X(READ_OTHER_POD) /* live: one that is in sight beside it, and takes its place */ \
	X(READ_EVENT)	  /* the last one about the Pod */                                \
	X(WRITE_NETWORK_POLICY)                                                           \
	X(CREATE_POD)	 /* of `attempt` */                                               \
	X(DELETE_POD)	 /* with its UID as precondition */                               \
	X(WRITE_QUEUED)	 /* status: phase Queued */                                       \
	X(WRITE_ATTEMPT) /* status: phase Starting, `attempt` is given up for `reason` */ \
	X(WRITE_MARK)	 /* status: phase Running, startedAt, attempt, Pod, session */    \
	X(WRITE_OUTPUT)	 /* the next SandboxOutput */                                     \
	X(WRITE_FINAL)	 /* status: phase Succeeded or Failed, and all that is known */   \
	X(ATTACH)                                                                         \
	X(UPLOAD)                                                                         \
	X(START)                                                                          \
	X(PULL)                                                                           \
	X(RELEASE)

enum effect {
#define X(name) EFFECT_##name,
	RECONCILE_EFFECTS(X)
#undef X
		EFFECT_COUNT
};

struct decision {
	enum effect effect;
	int64_t attempt;		     /* of CREATE_POD, WRITE_ATTEMPT, WRITE_MARK */
	enum reason reason;		     /* of WRITE_ATTEMPT, WRITE_FINAL */
	char message[SNAPSHOT_MESSAGE_SIZE]; /* likewise: what happened, without full stop */
	bool with_ending;		     /* WRITE_FINAL: from the session's ending */
	bool without_texts;		     /* WRITE_FINAL: leave the streams out, and say so */
	int64_t wake_at_ms; /* look again then, if nothing happens before; also of effects */
	const char *why;    /* static, for the log */
};

void reconcile(const struct snapshot *snapshot, struct decision *decision);

const char *reconcile_effect_name(enum effect effect);

#endif
