/*
 * space: a namespace in which Pods of ours live: what is in it, and that its network is closed.
 *
 * Two watches, over our Pods and over the one NetworkPolicy; both go on until the term ends. The
 * policy is written when somebody needs it and it is not there or lets anything through, and again
 * whenever it turns up changed or deleted after that: at once, or with back-off when it does not
 * stay.
 *
 * What Pods do is told to the term (term_pod_note, term_pod_note_gone).
 */
#ifndef MANAGER_SPACE_H
#define MANAGER_SPACE_H

#include "base/buf.h"
#include "core/podstatus.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/watch.h"

#include <stdbool.h>

/* A policy that does not stay that long after it was written is fought over: then ever later. */
#define SPACE_CALM_MS 10000

struct term;

struct space {
	struct term *term;
	char name[KUBE_OBJECT_NAMESPACE_SIZE];
	unsigned users; /* jobs whose Pod is here, or is going to be */
	struct watch *pods, *policies;
	bool is_listed;	  /* the Pods that were there when it began have been told */
	bool is_troubled; /* or could not be: who waits for that has waited long enough */
	bool is_closed;	  /* the policy is there and sound */
	char policy_version[KUBE_OBJECT_VERSION_SIZE]; /* the newest that was seen, or "" */
	int64_t closed_ms;			       /* when it was written last */
	bool is_closing_wanted; /* by anybody, ever: from then on it is restored */
	struct client_call *closing;
	struct io_timer *retry;
	struct backoff backoff;
	bool is_refused; /* the last write of the policy was: `refusal`, whose texts are below */
	struct podstatus refusal;
	struct buf refusal_text;
};

struct space *space_new(struct term *term, struct str name);
void space_delete(struct space *space);

/* Sees to it that the network is closed; jobs are woken when that has changed. */
void space_close_network(struct space *space);

#endif
