/*
 * serving: the port that kubelets and Prometheus ask.
 *
 *	/healthz	200 while a restart would cure nothing, else 503: for the liveness probe
 *	/readyz		200 while this replica could lead, else 503: for the readiness probe
 *	/metrics	the page of metrics.h
 *
 * Anything else is 404; other methods than GET are answered below the seam. Bodies of the first two
 * are one line for people.
 *
 * What a restart cures is a program that does not go on by itself. When its loop stands still, no
 * answer comes, and the probe's own time limit is the verdict. When the loop turns but the election
 * has stopped asking for the Lease, a fault of ours, /healthz says so after SERVING_STUCK_MS: the
 * election asks every few seconds, whatever the answers are. An API server that can't be reached, a
 * missing right and a Lease that somebody else holds are no reasons: restarting changes none of
 * them, and a crash loop would make the controller late when they are over.
 *
 * Ready means that the election takes part: a request about the Lease has succeeded within
 * SERVING_READY_MS. That needs the API server, our token and our rights. A standby is as ready as
 * the leader, else a rollout of the Deployment would wait for ever for the second replica.
 */
#ifndef MANAGER_SERVING_H
#define MANAGER_SERVING_H

#include "kube/io.h"
#include "metrics.h"

#include <stdbool.h>
#include <stdint.h>

/* The election asks every 4.7 s at most (core/lease.h): six in a row were missed. */
#define SERVING_STUCK_MS 30000
/* Two such requests in a row may fail. */
#define SERVING_READY_MS 15000

/* Times are of the monotonic clock; 0: not yet. */
struct serving_facts {
	int64_t asked_ms;     /* when the Lease was last asked for */
	int64_t confirmed_ms; /* when a request about it was last made that succeeded */
	bool is_stopping;     /* the program is about to end */
};

struct serving_source {
	/* Both tell of this moment, and are called while a request is answered. */
	void (*facts)(void *context, struct serving_facts *facts);
	const struct metrics *(*metrics)(void *context);
	void *context;
};

/* Zeroed it is closed. */
struct serving {
	struct io *io;
	struct io_server *server;
	struct serving_source source;
	int64_t started_ms;
};

/* Opens the port. What is passed is borrowed; `source` is copied. */
int serving_start(struct serving *serving, struct io *io, const char *address, uint16_t port,
		  const struct serving_source *source, struct err *err);

void serving_stop(struct serving *serving);

#endif
