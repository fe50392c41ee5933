/*
 * runner_side: what the runner answers, and what it sends when its stdout can take something. No
 * I/O, no clock, no allocation: frames and times come in, frames go out.
 *
 *	enum runner_event event = runner_side_on_frame(&side, now_ms, &frame);
 *	…	fd 1 is writable, and nothing half-sent is left:
 *	length = runner_side_next_frame(&side, now_ms, out);	0: nothing to say
 *	…	wake up at runner_side_deadline(&side) for another next_frame
 *
 * Nothing is queued: the side remembers *that* it owes a HELLO, an ERROR, a STATE, and how far the
 * one GET has come. What it owes is written when it can be sent, so the latest always wins, and a
 * reader that stops reading costs no memory.
 *
 * The rules, as far as the protocol leaves them open:
 * - Nothing but ATTACH binds: a frame of a session above the attached one is dropped. A stranger's
 *   ATTACH (other run or attempt) is refused before its session is looked at, so it can't outrank.
 * - Each request has an answer: STATE for all that is fine or already so, ERROR for what is not.
 *   DATA is answered by STATE only where the sender is wrong about the upload (a gap, a duplicate,
 *   none begun, bytes behind its end: its OFFER was lost), at most every 100 ms: without that a
 *   lost STATE would stop a sender for good.
 * - An upload is checked as a whole when its last byte is there: a wrong hash starts it again from
 *   0; a bundle that the runner can't read is refused and forgotten.
 * - CANCEL before START leads to Done without an outcome, `starts` 0: no code ran, and none will.
 *   After START the first CANCEL counts; a repeat is answered and changes nothing.
 * - Unasked STATEs come while something moves (Receiving, Installing, Running): every second at
 *   first, then at a tenth of the time the phase has lasted, at most 10 s apart.
 * - Once stdin is at its end nobody can ask any more: the sealed outcome is sent unasked as HELLO,
 *   STATE and all DATA, answering session 0, ten times with doubled gaps. This is for what other
 *   runtimes may do: a restart of containerd 2.3 under runsc, killed or told to stop, ends every
 *   attach but not the container's stdin; the next attach is heard (tests/runner/pod.t).
 */
#ifndef PROTO_RUNNER_SIDE_H
#define PROTO_RUNNER_SIDE_H

#include "object.h"
#include "payload.h"

#include <stdbool.h>

#define RUNNER_STATE_GAP_MS	   100	       /* between STATEs that answer wrong DATA */
#define RUNNER_STATE_STRIDE_BYTES  (32u << 10) /* of upload between two STATEs */
#define RUNNER_STATE_PERIOD_MIN_MS 1000
#define RUNNER_STATE_PERIOD_MAX_MS 10000
#define RUNNER_BROADCAST_ROUNDS	   10
#define RUNNER_BROADCAST_GAP_MS	   2000 /* before the second round; doubled each time */

#define RUNNER_FRAME_MAX (FRAME_WIRE_MAX + 1) /* with a delimiter before it */
#define RUNNER_NEVER	 INT64_MAX

/* What the runner has to do about a frame. */
enum runner_event {
	RUNNER_NOTHING,
	RUNNER_OFFERED,	 /* an upload begins (again): what was in the spool is void */
	RUNNER_RECEIVED, /* all of the bundle is in the spool: read it, or refuse it */
	RUNNER_START,	 /* run it: comes once in a life */
	RUNNER_CANCEL,	 /* stop the run within `cancel_grace_ms`, then seal */
	RUNNER_RELEASE,	 /* SIGTERM may end the runner at once */
};

/* What the runner knows and STATE says. */
struct runner_report {
	uint32_t budget_left_ms;
	uint64_t memory_now, memory_peak;
	uint32_t cpu_ms;
	uint64_t stdout_bytes, stderr_bytes;
};

struct runner_side {
	/* The runner's, set before runner_side_ready: capabilities, facts (hello.h), the spool. */
	uint64_t capabilities;
	struct str facts;
	uint8_t *spool;
	uint64_t spool_bytes;
	/* The runner's, kept up to date at any time. */
	struct runner_report report;

	/* To be read only. */
	enum proto_phase phase;
	uint8_t starts;
	bool released;
	uint32_t cancel_grace_ms;
	uint64_t total; /* of the upload; `received` of them are in the spool */
	uint64_t received;
	uint8_t sha256[SHA256_BYTES]; /* of the upload, as offered */
	uint64_t drops[PROTO_DROP_COUNT];

	/* Private. */
	bool bound; /* by the first ATTACH */
	uint8_t run_id[PROTO_RUN_ID_BYTES];
	uint32_t attempt;
	uint8_t version;  /* the highest that both speak */
	uint64_t session; /* the highest that attached, 0 before */
	struct sha256 hash;
	uint64_t reported; /* `received` of the last STATE */
	const struct object *outcome;
	bool cancelled;
	bool owes_hello;
	enum proto_error owes_error; /* and to which session: */
	uint64_t error_session;
	uint64_t get_at, get_end; /* the GET cursor; empty when equal */
	int64_t phase_since_ms;
	int64_t state_sent_ms;
	int64_t state_due_ms; /* RUNNER_NEVER: none is owed */
	bool deaf;	      /* stdin is at its end */
	int rounds;	      /* broadcasts begun */
	int64_t round_due_ms;
};

/* Zeroes the side: Booting, in which nothing is answered. */
void runner_side_init(struct runner_side *s);

/* The jail holds: answer from now on. */
void runner_side_ready(struct runner_side *s, int64_t now_ms);

enum runner_event runner_side_on_frame(struct runner_side *s, int64_t now_ms,
				       const struct frame *f);

/* Stdin is at its end. */
void runner_side_on_end(struct runner_side *s, int64_t now_ms);

/* After RUNNER_RECEIVED: the bundle can't be read. It is forgotten, the controller is told. */
void runner_side_refuse_bundle(struct runner_side *s, int64_t now_ms);

/* After RUNNER_START: Installing or Running. */
void runner_side_enter(struct runner_side *s, int64_t now_ms, enum proto_phase phase);

/* The run is over. The object (not empty, sealed) stays the caller's and must stay as it is. */
void runner_side_seal(struct runner_side *s, int64_t now_ms, const struct object *outcome);

/* Writes the next frame into `out` of RUNNER_FRAME_MAX bytes and returns its length, 0 for none. */
size_t runner_side_next_frame(struct runner_side *s, int64_t now_ms, uint8_t *out);

/* When next_frame has something at the latest; in the past: now. */
int64_t runner_side_deadline(const struct runner_side *s);

#endif
