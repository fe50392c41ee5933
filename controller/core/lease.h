/*
 * lease: which controller may act, by one Lease object (coordination.k8s.io/v1), with the semantics
 * of client-go's leader election (tools/leaderelection).
 *
 *	lease_step(&lease, now_ms, random, &step);	says what to do now: nothing, or one request
 *	lease_read / lease_missing / lease_written / lease_refused	tell what became of it
 *	lease_is_leading(&lease, now_ms)	before every write of anything else
 *
 * - Nobody's clock is trusted. A record that changes is noted with our monotonic time; its holder
 *   has lost it when it did not change for as long as the record says.
 * - The leader writes every second. When none has succeeded for five seconds it stops by itself,
 *   three seconds before anyone else may take over: there is no fencing of API writes.
 * - A lost or refused request is followed by a read, never by a guess.
 * - A Lease that somebody deletes ends no leadership early: who has seen its holder waits for the
 *   holder's time to pass before making it again. (client-go does not.) Only a candidate that
 *   starts in those seconds can't know.
 *
 * The write that acquires leadership has a resourceVersion, which only grows, over leaders and over
 * Leases that are deleted and made again: it numbers the attach sessions (protocol: session).
 *
 * A pure machine: it owns nothing and allocates nothing.
 */
#ifndef CORE_LEASE_H
#define CORE_LEASE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define LEASE_DURATION_MS	8000 /* others wait this long after the last change they saw */
#define LEASE_RENEW_DEADLINE_MS 5000 /* the leader stops after this long without a success */
#define LEASE_RETRY_MS		1000 /* of the leader; candidates wait up to 2.2 times it */
#define LEASE_REQUEST_MS	2500 /* time-out of one request: two fit into the deadline */
#define LEASE_HOLDER_SIZE	256
#define LEASE_VERSION_SIZE	24
/* A session number is the version times 2^20, plus a counter of attaches. */
#define LEASE_SESSION_SHIFT 20

_Static_assert(LEASE_DURATION_MS > LEASE_RENEW_DEADLINE_MS &&
		       LEASE_RENEW_DEADLINE_MS > LEASE_RETRY_MS * 6 / 5,
	       "what client-go demands of the three");

struct lease_record {
	char holder[LEASE_HOLDER_SIZE]; /* empty: released */
	int64_t duration_seconds;
	int64_t acquired_us, renewed_us; /* wall clock, for people only */
	int64_t transitions;
};

enum lease_action {
	LEASE_NOTHING,
	LEASE_GET,
	LEASE_CREATE, /* `record` */
	LEASE_UPDATE, /* `record`, with `version` as resourceVersion */
};

struct lease_step {
	enum lease_action action;
	struct lease_record record;
	char version[LEASE_VERSION_SIZE];
	int64_t wake_at_ms; /* LEASE_NOTHING: call again then */
};

struct lease {
	char identity[LEASE_HOLDER_SIZE];
	struct lease_record observed;
	char observed_version[LEASE_VERSION_SIZE];
	bool exists; /* as far as we know */
	int64_t observed_at_ms;
	bool knows; /* what was observed is the answer to our last request: it can be written on */
	bool in_flight, releasing;
	bool was_conflict;     /* the last write met one */
	bool holds;	       /* the last write that succeeded was ours */
	int64_t held_until_ms; /* by our own deadline */
	int64_t next_ms;       /* no request before that */
	uint64_t acquired_version;
	struct lease_record writing;
	int64_t asked_ms; /* when the request in flight was made */
};

/* `identity` must differ from any other process': host name and a random part. */
void lease_init(struct lease *l, struct str identity);

/* What to do now. Not while a request is in flight. `wall_us` goes into the record. */
void lease_step(struct lease *l, int64_t now_ms, int64_t wall_us, uint32_t random,
		struct lease_step *step);

/* A read found this, or that there is none. */
void lease_read(struct lease *l, int64_t now_ms, const struct lease_record *record,
		struct str version);
void lease_missing(struct lease *l, int64_t now_ms);

/* A write succeeded, and the object has this version now. */
void lease_written(struct lease *l, int64_t now_ms, struct str version);

/* Any other end of a request. `conflict`: somebody else wrote, so a read is worth it at once, but
 * not one after the other. */
void lease_refused(struct lease *l, int64_t now_ms, uint32_t random, bool conflict);

/* Whether we may act. Turns false by the mere passing of time. */
bool lease_is_leading(const struct lease *l, int64_t now_ms);

/* The first session number of this leadership. Only while leading. */
uint64_t lease_session_base(const struct lease *l);

/*
 * Gives leadership away at exit, once all work has stopped: from here on we don't lead, and the
 * next steps are at most one write that empties the holder.
 */
void lease_release(struct lease *l);

#endif
