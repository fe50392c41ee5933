/*
 * metrics: what the controller counts, and the page that Prometheus reads.
 *
 *	metrics_init(&metrics, "0.1.0");
 *	metrics_note_finished(&metrics, REASON_Completed);
 *	metrics.sessions = 3;
 *	metrics_write(&metrics, &page);
 *
 * Plain numbers in one struct: it owns nothing, allocates nothing and reads no clock. Whoever
 * measures passes milliseconds of the monotonic clock; the page says seconds, as Prometheus wants
 * them. There is no label of a task, a namespace, a class or a node: the number of series is fixed,
 * and nothing that a user writes can become one (invariants 5 and 6).
 *
 * The page is the text format 0.0.4 of Prometheus (docs "Exposition formats", "Metric and label
 * naming"). docs/operations.md explains each metric, and tests/program.t holds the page against it.
 */
#ifndef MANAGER_METRICS_H
#define MANAGER_METRICS_H

#include "base/buf.h"
#include "base/err.h"
#include "core/reason.h"
#include "session/attach.h"

#include <stdbool.h>
#include <stdint.h>

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* The whole page, with every number as long as it can be. */
#define METRICS_BYTES_MAX (128 * 1024)

/* X(constant, label): the parts of a task's time, as in status.durations. */
#define METRICS_PHASES(X)                                                              \
	X(METRICS_QUEUED, "queued")   /* until it has a place */                       \
	X(METRICS_START, "start")     /* until its code starts: Pod, attach, upload */ \
	X(METRICS_RUN, "run")	      /* of the code */                                \
	X(METRICS_COLLECT, "collect") /* until the final status is committed */        \
	X(METRICS_TOTAL, "total")     /* from first sight to the final status */

/* X(constant, label): the last one is any other method. */
#define METRICS_METHODS(X)          \
	X(METRICS_GET, "GET")       \
	X(METRICS_POST, "POST")     \
	X(METRICS_PUT, "PUT")       \
	X(METRICS_PATCH, "PATCH")   \
	X(METRICS_DELETE, "DELETE") \
	X(METRICS_OTHER_METHOD, "other")

/* X(status): every other one is counted as code="other", and no whole answer as code="none". */
/* clang-format off */
#define METRICS_STATUSES(X) \
	X(200) X(201) X(202) X(400) X(401) X(403) X(404) X(405) X(408) X(409) \
	X(410) X(413) X(415) X(422) X(429) X(500) X(502) X(503) X(504)
/* clang-format on */

#define X_CONSTANT(constant, label) constant,
enum metrics_phase { METRICS_PHASES(X_CONSTANT) METRICS_PHASE_COUNT };
enum metrics_method { METRICS_METHODS(X_CONSTANT) METRICS_METHOD_COUNT };
#undef X_CONSTANT

#define X_ONE(...) +1
enum {
	METRICS_CODE_COUNT = 2 METRICS_STATUSES(X_ONE), /* with "none" and "other" */
	METRICS_ERR_COUNT = 0 ERR_CODES(X_ONE),
	METRICS_VERDICT_COUNT = 0 ATTACH_VERDICTS(X_ONE),
};
#undef X_ONE

#define METRICS_BUCKETS 12 /* and one more for what is above the last bound */

struct metrics_histogram {
	uint64_t counts[METRICS_BUCKETS + 1]; /* of each bucket alone */
	uint64_t sum_ms;
};

struct metrics {
	const char *version; /* of this program; borrowed */

	/* Gauges: written by whoever knows. */
	bool is_leading;
	uint64_t tasks_known;	/* unfinished ones that this controller has seen */
	uint64_t tasks_waiting; /* of these: for a place */
	uint64_t tasks_placed; /* of these: with a place, that is with a Pod or about to have one */
	uint64_t sessions;     /* conversations with runners that are open */

	/* Counters and histograms: only by the functions below. */
	uint64_t finished[REASON_COUNT];
	uint64_t requests[METRICS_METHOD_COUNT][METRICS_CODE_COUNT];
	uint64_t watch_troubles[METRICS_ERR_COUNT];
	uint64_t attach_troubles[METRICS_VERDICT_COUNT];
	struct metrics_histogram phases[METRICS_PHASE_COUNT];
	struct metrics_histogram request_duration[METRICS_METHOD_COUNT];
	struct metrics_histogram loop_lag;
};

void metrics_init(struct metrics *metrics, const char *version);

/* A final status is committed; `reason` is not REASON_NONE. */
void metrics_note_finished(struct metrics *metrics, enum reason reason);

/* A phase is over. Less than 0 ms counts as 0, here and below. */
void metrics_note_phase(struct metrics *metrics, enum metrics_phase phase, int64_t ms);

/* An exchange with the API server; status 0: no whole answer. Made to be a client_observer. */
void metrics_note_request(void *metrics, const char *method, int status, int64_t ms);

/* A watch or a list broke off and will be tried again. */
void metrics_note_watch_trouble(struct metrics *metrics, enum err_code code);

/* A websocket to a runner ended, or could not be had. */
void metrics_note_attach_trouble(struct metrics *metrics, enum attach_verdict verdict);

/* How much later than asked for a timer fired: what the loop was busy with meanwhile. */
void metrics_note_loop_lag(struct metrics *metrics, int64_t ms);

/* Appends the page. `page` has room for METRICS_BYTES_MAX. */
void metrics_write(const struct metrics *metrics, struct buf *page);

#endif
