/*
 * session_state: where a session is, and what may follow what. Pure.
 *
 * The words are those of core/session_view.h, which the owner fills from it.
 */
#ifndef SESSION_SESSION_STATE_H
#define SESSION_SESSION_STATE_H

#include "proto/controller_side.h"

#include <stdbool.h>

/* X(constant, name) */
#define SESSION_STATES(X)                                                                       \
	X(SESSION_IS_CONNECTING, "Connecting") /* attaching, for the first time or again */     \
	X(SESSION_IS_READY, "Ready")	       /* HELLO satisfies the demands; no bundle yet */ \
	X(SESSION_IS_UPLOADING, "Uploading")   /* or waiting for its turn to */                 \
	X(SESSION_IS_RECEIVED, "Received")     /* the bundle is there, whole */                 \
	X(SESSION_IS_STARTING, "Starting")     /* START is sent, and not answered yet */        \
	X(SESSION_IS_INSTALLING, "Installing")                                                  \
	X(SESSION_IS_RUNNING, "Running")                                                        \
	X(SESSION_IS_DONE, "Done")	     /* an outcome is sealed over there */              \
	X(SESSION_IS_PULLING, "Pulling")     /* it is on its way, or waiting for its turn */    \
	X(SESSION_IS_PULLED, "Pulled")	     /* it is here, whole, and could be read */         \
	X(SESSION_IS_RELEASED, "Released")   /* the runner was told that it may go */           \
	X(SESSION_IS_DISPLACED, "Displaced") /* a higher session is attached */                 \
	X(SESSION_IS_SILENT, "Silent")	     /* attached twice, and no answer */                \
	X(SESSION_IS_FAILED, "Failed")	     /* it can't go on: `failure` */

#define X_CONSTANT(constant, name) constant,
enum session_state { SESSION_STATES(X_CONSTANT) SESSION_STATE_COUNT };
#undef X_CONSTANT

bool session_state_may_follow(enum session_state state, enum session_state next);

/* Nothing follows: no connection is kept or made (Released: none is made). */
bool session_state_is_last(enum session_state state);

/* What the side's own progress means, on a connection that is open. Not for the side's last states
 * (Pulled, Cancelled, Outranked, Failed): those are the session's to judge. */
enum session_state session_state_of(const struct controller_side *side, enum session_state now,
				    bool wants_upload, bool wants_pull);

const char *session_state_name(enum session_state state);

#endif
