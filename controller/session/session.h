/*
 * session: one controller's conversation with the runner of one Pod, over as many connections as it
 * takes: attach, HELLO, verify, upload, START, wait, pull, release.
 *
 *	session = session_new(&config);
 *	…changed… session_report(session, &report); switch (report.state) …
 *	session_upload(session, &bundle);	in Ready
 *	session_start(session);			in Received, once the mark is committed
 *	session_pull(session);			in Done
 *	session_release(session);		once the final status is committed
 *	session_delete(session);		once the Pod is deleted
 *
 * The owner gives leave, step by step, in any order and at any time; repeating one changes nothing.
 * The session does what it may as soon as it can, and says by `changed` that its report is another;
 * never from inside one of these functions. A leave outlives connections: after a re-attach the
 * session goes on from where the runner is.
 *
 * What ends it, and what does not:
 * - A lost or refused connection is tried again, sooner at first, then every 5 to 10 s, without
 *   end: whether there still is a Pod to attach to is for the Pod's status to say. `trouble` says
 *   what happened last; on Gone, Unready and Ended the owner should look at the Pod, now.
 * - Refused for SESSION_REFUSED_MS in a row: Failed (Internal). Attached, but without an answer for
 *   SESSION_SILENCE_MS in all on two connections or more: Silent. Time in which there was no
 *   connection is not the runner's silence. Nor is time that the owner bears with it
 *   (session_bear_silence): an API server that has no way to the kubelet may say that an attach is
 *   open all the same, and then nobody can tell a runner that is cut off from one that is stuck. A
 *   connection without an answer is given up after CONTROLLER_SILENCE_MS nevertheless, and the
 *   next one is tried as after any loss.
 * - A higher session number: Displaced. It is never answered by a higher one of ours.
 * - A runner that says far more than it was asked for: Failed (RunnerFailed), and the connection is
 *   closed at once; an outcome that is here already is kept. All sessions share one loop, which a
 *   runner that hostile code has taken over could keep busy for as long as its Pod lives.
 * - A report that does not satisfy the demands, a runner of another run, an outcome that breaks a
 *   rule: Failed, and `failure` says of which kind. Nothing of the bundle is sent before the report
 *   of *this* connection satisfied.
 *
 * Session numbers begin with the one of the configuration and grow by one for each connection; one
 * acquisition of the Lease has SESSION_NUMBERS of them for each Pod.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "attach.h"
#include "hub.h"
#include "result.h"
#include "session_state.h"
#include "verify.h"

#define SESSION_NUMBERS	   (1u << 20)
#define SESSION_SILENCE_MS 60000
#define SESSION_REFUSED_MS 60000
/* A turn is for one transfer: longer, and others would wait for a slow runner. */
#define SESSION_TURN_MS	       90000
#define SESSION_SLOW_TURNS_MAX 3
/*
 * What a runner may say: so much in each second, and beyond that so much at once. It is all that
 * was said to anybody, since stdout is broadcast: the pull of a controller before this one, and an
 * outcome that is sent unasked ten times (proto/runner_side.h).
 */
#define SESSION_HEARD_BYTES_A_SECOND (64u << 10)
#define SESSION_EXCESS_BYTES_MAX     (8u << 20)
#define SESSION_EXCESS_OUTCOMES_MAX  16

/* X(constant, name): which reason the owner should give. */
#define SESSION_FAILURES(X)                                                              \
	X(SESSION_NO_FAILURE, "None")                                                    \
	X(SESSION_UNVERIFIED, "IsolationUnverified")                                     \
	X(SESSION_INCAPABLE, "CapabilityMissing")                                        \
	X(SESSION_TAMPERED, "PodTampered") /* of another run, or told by another */      \
	X(SESSION_BROKEN, "RunnerFailed")  /* it broke the protocol, or refused ours */  \
	X(SESSION_CANCELLED, "Cancelled")  /* before START: nothing ran, nothing will */ \
	X(SESSION_HELPLESS, "Internal")	   /* we are not let in, or out of numbers */

#define X_CONSTANT(constant, name) constant,
enum session_failure { SESSION_FAILURES(X_CONSTANT) };
#undef X_CONSTANT

struct session;

struct session_config {
	struct io *io;
	struct hub *hub;
	const char *target; /* path and query of the attach: stdin and stdout, no stderr, no tty */
	uint8_t run_id[PROTO_RUN_ID_BYTES];
	uint32_t attempt;
	uint64_t number; /* of the first connection: Lease's resourceVersion × SESSION_NUMBERS, plus
			    the connections that this Pod has had under it */
	struct verify_demands demands;
	struct result_limits limits;
	/* Fills in how to connect now: before every connection, since tokens and CAs change. What
	 * it gives is borrowed for the call that follows, the endpoint as long as it is used. */
	void (*credentials)(void *context, struct io_endpoint **endpoint, struct str *token);
	/* The report is another. The session may be deleted from here. */
	void (*changed)(void *context);
	void *context;
};

/* What is known; pointers are NULL while it is not, and valid until the next `changed`. */
struct session_report {
	enum session_state state;
	uint64_t number;	   /* of the last connection, 0 before the first */
	uint64_t outranked_by;	   /* in Displaced */
	const struct hello *hello; /* that satisfied, or not */
	uint64_t capabilities;
	const struct payload_state *seen; /* the last STATE */
	enum session_failure failure;	  /* in Failed */
	const char *text;		  /* what was wrong, in Failed and Silent; else "" */
	enum attach_verdict trouble;	  /* why there is no connection */
	const char *trouble_text;
	unsigned troubles;	       /* connections that ended or never were, so far */
	const struct outcome *outcome; /* from Pulled on, valid until the session is deleted */
	bool bundle_is_checked;	       /* the outcome is of the bundle given by session_upload */
};

/* Copies the configuration. Attaches at once. */
struct session *session_new(const struct session_config *config);

/* Closes the connection; legal in every state. NULL is accepted. */
void session_delete(struct session *session);

void session_report(const struct session *session, struct session_report *report);

/* Leaves. The bundle (sealed, not empty) stays the caller's, unchanged, until the session ends. */
void session_upload(struct session *session, const struct object *bundle);
void session_start(struct session *session);
void session_pull(struct session *session);
/*
 * Until then, by the io's clock, silence does not end the session, and what there was of it before
 * is forgiven. An earlier time than one that was given changes nothing. Needs no connection.
 */
void session_bear_silence(struct session *session, int64_t until_ms);
/* SIGTERM now, SIGKILL after the grace; before START: no run. */
void session_cancel(struct session *session, uint32_t grace_ms);
/* Best effort: at once Released when there is nobody to tell. The runner hears it only if the
 * session lives on for a moment. */
void session_release(struct session *session);

const char *session_failure_name(enum session_failure failure);

#endif
