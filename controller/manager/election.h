/*
 * election: who leads, by carrying out what core/lease.h decides.
 *
 * One request at a time, with a time limit of its own, on its own timers: nothing else that the
 * controller does delays a renewal. `changed` is called whenever the answer of election_is_leading
 * has become another one: after an acquisition, and when the time of a Lease that could not be
 * renewed is over, at that very millisecond.
 */
#ifndef MANAGER_ELECTION_H
#define MANAGER_ELECTION_H

#include "base/log.h"
#include "core/lease.h"
#include "kube/client.h"
#include "kube/io.h"

#include <stdbool.h>

struct election {
	struct io *io;
	struct client *client;
	struct log *log;
	char in_namespace[64];
	void (*changed)(void *context);
	void *context;
	struct lease lease;
	struct client_call *call;
	enum lease_action doing;     /* of the call */
	struct io_timer *step_timer; /* the next look */
	struct io_timer *end_timer;  /* the end of our time, unless it is renewed */
	bool was_leading;	     /* as `changed` has said it */
	bool is_stopping;
	int64_t asked_ms;		/* when the call was started */
	int64_t confirmed_ms;		/* when the last one that succeeded was */
	void (*stopped)(void *context); /* of election_stop */
	void *stopped_context;
};

/* Strings are copied, the rest is borrowed. Nothing is called back from inside. */
void election_start(struct election *election, struct io *io, struct client *client,
		    struct log *log, const char *identity, const char *in_namespace,
		    void (*changed)(void *context), void *context);

/* Turns false by the mere passing of time. */
bool election_is_leading(const struct election *election);

/* The first session number of this leadership. Only while leading. */
uint64_t election_session_base(const struct election *election);

/*
 * Whether the API server has confirmed our Lease by a request that was made after `since_ms`: what
 * was seen at that time was not a new leader's doing.
 */
bool election_was_confirmed_since(const struct election *election, int64_t since_ms);

/* Leads no more, from now on; gives the Lease away, and calls `stopped` when that is through. */
void election_stop(struct election *election, void (*stopped)(void *context), void *context);

/* Cancels what is under way, calling nothing. */
void election_end(struct election *election);

#endif
