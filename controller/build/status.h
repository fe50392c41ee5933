/*
 * status: the writes to a task's status, each a merge patch (RFC 7386) for /status that carries the
 * resourceVersion which it was decided on. /status has no other precondition: without it a late
 * write by name would land on another task of that name.
 *
 * Every part has a cap, so that the whole stays under STATUS_BYTES_MAX as it is stored: the inline
 * texts (excerpt.h) 128 KiB each, everything else is small. Nothing that the user did not write, or
 * the program print, is longer than the schema allows.
 */
#ifndef BUILD_STATUS_H
#define BUILD_STATUS_H

#include "base/buf.h"
#include "base/err.h"
#include "core/ending.h"
#include "core/isolation.h"
#include "core/plan.h"
#include "core/pod.h"
#include "core/reconcile.h"
#include "core/task.h"
#include "output.h"

#include <stdbool.h>
#include <stdint.h>

#define STATUS_BYTES_MAX   (384u << 10)
#define STATUS_NOT_KNOWN   (-1)
#define STATUS_MESSAGE_MAX 2000 /* bytes; the schema allows 2048 characters */

/* Milliseconds of the phases, each by one clock; STATUS_NOT_KNOWN where there is none. */
struct status_durations {
	int64_t queued_ms, start_ms, install_ms, collect_ms, total_ms;
};

struct status_refs {
	const struct output_ref *refs;
	int count;
};

struct status_request {
	const struct task *task; /* as it was read: its version, its conditions */
	int64_t now_us;		 /* wall clock */
	const struct plan *plan; /* NULL when none was made */
	const struct pod *pod;	 /* ours; NULL when there was none, or it is not ours */
	int64_t attempt;	 /* Pods that were made so far */
	/* Of the mark: */
	struct str session;		   /* decimal */
	const struct isolation *isolation; /* NULL: nothing was reported */
	/* Of the final status: */
	const struct ending *ending; /* NULL: the runner's record is not known */
	struct status_refs stdout_refs, stderr_refs;
	struct status_durations durations;
};

/* All append the patch; ERR_TOO_LARGE and ERR_INVALID are faults of ours. */
int status_write_queued(struct buf *text, const struct status_request *request, int64_t position,
			struct err *err);

/* EFFECT_WRITE_ATTEMPT, EFFECT_WRITE_MARK, EFFECT_WRITE_FINAL: with what the decision says. */
int status_write_attempt(struct buf *text, const struct status_request *request,
			 const struct decision *decision, struct err *err);
int status_write_mark(struct buf *text, const struct status_request *request, struct err *err);
int status_write_final(struct buf *text, const struct status_request *request,
		       const struct decision *decision, struct err *err);

/* "1.43s", "2m05s", "1h02m": for people. */
#define STATUS_DURATION_SIZE 32
void status_duration(char text[STATUS_DURATION_SIZE], int64_t ms);

#endif
