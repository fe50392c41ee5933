/*
 * controller_side: what the controller says to one runner, and what it has learned from it. No I/O,
 * no clock, no allocation: frames and times come in, frames go out.
 *
 *	controller_side_init(&side, run_id, attempt, outcome_bytes_max);
 *	controller_side_attach(&side, now_ms, session);	on every new connection, session growing
 *	controller_side_on_frame(&side, now_ms, &frame, &news);
 *	switch (side.state) …
 *	length = controller_side_next_frame(&side, now_ms, out);	0: nothing to say now
 *	…	wake up at controller_side_deadline(&side) for another next_frame
 *
 * The caller gives its leave step by step, in any order and at any time: upload (jail verified),
 * start (mark committed), pull (memory free), cancel, release. The side holds what it may do
 * against what the runner's STATE says is done, and asks for the difference; so a re-attach, a new
 * leader or a lost frame all go the same way: look again, go on from there.
 *
 * What comes in is treated as if hostile code had written it: it can make the side fail, which
 * names why, never make it believe an outcome whose length and hash don't fit.
 *
 * The rules, as far as the protocol leaves them open:
 * - ATTACH is repeated until HELLO *and* a STATE are there; the two always come together.
 * - OFFER and the first DATA go out together, from the `received` of that STATE on: if it belonged
 *   to another bundle, OFFER has reset it and the gap's STATE says so. A resend begins with OFFER,
 *   which asks "where are you?" in any phase. The upload counts as done only by a STATE that came
 *   after an OFFER.
 * - HashMismatch and NotReceived begin the upload again, CONTROLLER_UPLOADS_MAX times in all.
 * - Silence is judged only while something is asked or the run is moving; then 30 s of it mean
 *   Stalled, and the caller attaches anew with session + 1.
 * - A STATE from before what is known (not started, not done) is dropped. One that changes a sealed
 *   outcome is a contradiction.
 * - Frames that answer nobody (session 0) are the broadcast of a runner that can't hear any more:
 *   taken from a runner that is done, which then need not have answered ATTACH.
 */
#ifndef PROTO_CONTROLLER_SIDE_H
#define PROTO_CONTROLLER_SIDE_H

#include "object.h"
#include "payload.h"
#include "upload.h"

#include <stdbool.h>

#define CONTROLLER_ATTACH_REPEAT_MS 200
#define CONTROLLER_REPEAT_MS	    2000  /* of START, GET and CANCEL without progress */
#define CONTROLLER_SILENCE_MS	    30000 /* then Stalled */
#define CONTROLLER_GET_BYTES	    (4 * FRAME_PAYLOAD_MAX) /* whole frames, below GET's maximum */
#define CONTROLLER_UPLOADS_MAX	    3

#define CONTROLLER_FRAME_MAX (FRAME_WIRE_MAX + 1) /* with a delimiter before it */
#define CONTROLLER_NEVER     INT64_MAX

/* X(constant, name): what the side is doing. */
#define CONTROLLER_STATES(X)                                                                   \
	X(CONTROLLER_DETACHED, "Detached")   /* before the first attach */                     \
	X(CONTROLLER_ATTACHING, "Attaching") /* waiting for HELLO and STATE */                 \
	X(CONTROLLER_GREETED, "Greeted")     /* there; waiting for leave to upload */          \
	X(CONTROLLER_UPLOADING, "Uploading")                                                   \
	X(CONTROLLER_UPLOADED, "Uploaded") /* all received; waiting for leave to start */      \
	X(CONTROLLER_STARTING, "Starting")                                                     \
	X(CONTROLLER_STARTED, "Started") /* installing or running: see `seen.phase` */         \
	X(CONTROLLER_SEALED, "Sealed")	 /* the outcome is there; waiting for leave to pull */ \
	X(CONTROLLER_PULLING, "Pulling")                                                       \
	X(CONTROLLER_PULLED, "Pulled")	     /* all of it came, length and hash fit */         \
	X(CONTROLLER_CANCELLED, "Cancelled") /* before START: nothing ran, nothing will */     \
	X(CONTROLLER_STALLED, "Stalled")     /* silence: attach anew */                        \
	X(CONTROLLER_OUTRANKED, "Outranked") /* `outranked_by` holds the runner: stand down */ \
	X(CONTROLLER_FAILED, "Failed")	     /* `failure` says why */

/* X(constant, sentence) */
#define CONTROLLER_FAILURES(X)                                                          \
	X(CONTROLLER_NO_FAILURE, "no failure")                                          \
	X(CONTROLLER_REFUSED, "the runner refused a frame") /* `refusal` is its code */ \
	X(CONTROLLER_WRONG_RUN, "the runner is bound to another run or attempt")        \
	X(CONTROLLER_WRONG_VERSION, "the runner speaks another version")                \
	X(CONTROLLER_OUTCOME_TOO_LARGE, "the outcome is larger than it may be")         \
	X(CONTROLLER_OUTCOME_CORRUPT, "the outcome has another hash than announced")    \
	X(CONTROLLER_CONTRADICTION, "the runner contradicts what it said before")

#define X_CONSTANT(constant, name) constant,
enum controller_state { CONTROLLER_STATES(X_CONSTANT) };
enum controller_failure { CONTROLLER_FAILURES(X_CONSTANT) };
#undef X_CONSTANT

/* What a frame brought beyond state: slices into the frame, for the caller to use at once. */
struct controller_news {
	struct str facts;   /* of HELLO (hello.h), empty when the frame was none */
	struct str outcome; /* its next bytes, to be put behind those before */
	uint64_t outcome_offset;
};

struct controller_side {
	/* To be read only. */
	enum controller_state state;
	enum controller_failure failure;
	enum proto_error refusal;
	uint64_t outranked_by;
	struct payload_hello hello; /* from Greeted on */
	struct payload_state seen;  /* the last STATE, from Greeted on */
	uint64_t drops[PROTO_DROP_COUNT];

	/* Private */
	uint8_t run_id[PROTO_RUN_ID_BYTES];
	uint32_t attempt;
	uint64_t session;
	uint64_t outcome_bytes_max;
	/* What the caller allows. */
	const struct object *bundle;
	bool may_start, may_pull, must_cancel, must_release;
	uint32_t cancel_grace_ms;
	bool has_hello, has_state;
	int64_t heard_ms;	/* when the runner last gave a sign of life, or was asked first */
	int64_t request_due_ms; /* when the state's request is due, for the first time or again */
	int64_t cancel_due_ms;
	struct upload upload;
	bool uploaded; /* a STATE after our OFFER said that all is there */
	int uploads_failed;
	struct sha256 hash; /* of the outcome so far */
	uint64_t got;	    /* bytes of it */
	uint64_t asked;	    /* up to where GET asked */
};

void controller_side_init(struct controller_side *c, const uint8_t run_id[PROTO_RUN_ID_BYTES],
			  uint32_t attempt, uint64_t outcome_bytes_max);

/* A new connection, with a session above the one before. Not after Outranked, Failed, Pulled. */
void controller_side_attach(struct controller_side *c, int64_t now_ms, uint64_t session);

/* Leave to do something: each once, `bundle` stays the caller's and unchanged. */
void controller_side_upload(struct controller_side *c, int64_t now_ms, const struct object *bundle);
void controller_side_start(struct controller_side *c, int64_t now_ms);
void controller_side_pull(struct controller_side *c, int64_t now_ms);
void controller_side_cancel(struct controller_side *c, int64_t now_ms, uint32_t grace_ms);
void controller_side_release(struct controller_side *c);

/* Looks at one frame of the connection. `*news` is always set. */
void controller_side_on_frame(struct controller_side *c, int64_t now_ms, const struct frame *f,
			      struct controller_news *news);

/* Writes the next frame into `out` of CONTROLLER_FRAME_MAX bytes and returns its length, 0 for
 * none. May move to Stalled. */
size_t controller_side_next_frame(struct controller_side *c, int64_t now_ms, uint8_t *out);

/* When next_frame has something to do at the latest; in the past: now. */
int64_t controller_side_deadline(const struct controller_side *c);

const char *controller_side_state_name(enum controller_state state);
const char *controller_side_failure_text(enum controller_failure failure);

#endif
