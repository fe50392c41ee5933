#include "controller_side.h"

#include <assert.h>
#include <string.h>

#define BIT(state) (1u << (state))

#define UNSTARTED                                                                         \
	(BIT(CONTROLLER_GREETED) | BIT(CONTROLLER_UPLOADING) | BIT(CONTROLLER_UPLOADED) | \
	 BIT(CONTROLLER_STARTING))
#define SEALED (BIT(CONTROLLER_SEALED) | BIT(CONTROLLER_PULLING))
/* The states of a connection that go on by what is seen and allowed. */
#define LIVE (UNSTARTED | BIT(CONTROLLER_STARTED) | SEALED)
/* Where each of them may end. */
#define ENDS                                                                            \
	(BIT(CONTROLLER_STALLED) | BIT(CONTROLLER_OUTRANKED) | BIT(CONTROLLER_FAILED) | \
	 BIT(CONTROLLER_ATTACHING))
/* Before START everything may turn back to the upload; after it nothing turns back. A re-attach can
 * find the runner anywhere, and somebody else may have started or cancelled. */
#define FROM_UNSTARTED (LIVE | BIT(CONTROLLER_CANCELLED) | ENDS)

static const unsigned allowed[] = {
	[CONTROLLER_DETACHED] = BIT(CONTROLLER_ATTACHING),
	[CONTROLLER_ATTACHING] = FROM_UNSTARTED,
	[CONTROLLER_GREETED] = FROM_UNSTARTED,
	[CONTROLLER_UPLOADING] = FROM_UNSTARTED & ~BIT(CONTROLLER_GREETED),
	[CONTROLLER_UPLOADED] = FROM_UNSTARTED & ~BIT(CONTROLLER_GREETED),
	[CONTROLLER_STARTING] = FROM_UNSTARTED & ~BIT(CONTROLLER_GREETED),
	[CONTROLLER_STARTED] = SEALED | ENDS,
	[CONTROLLER_SEALED] = BIT(CONTROLLER_PULLING) | ENDS,
	[CONTROLLER_PULLING] = BIT(CONTROLLER_PULLED) | ENDS,
	[CONTROLLER_PULLED] = 0,
	[CONTROLLER_CANCELLED] = BIT(CONTROLLER_ATTACHING),
	[CONTROLLER_STALLED] = BIT(CONTROLLER_ATTACHING),
	[CONTROLLER_OUTRANKED] = 0,
	[CONTROLLER_FAILED] = 0,
};

static bool is_one_of(enum controller_state state, unsigned states)
{
	return states & BIT(state);
}

static void move(struct controller_side *c, int64_t now_ms, enum controller_state state)
{
	assert(is_one_of(state, allowed[c->state]));
	c->state = state;
	c->heard_ms = now_ms;
	c->request_due_ms = now_ms;
}

static void fail(struct controller_side *c, int64_t now_ms, enum controller_failure failure)
{
	c->failure = failure;
	move(c, now_ms, CONTROLLER_FAILED);
}

/* --- What to do next: a function of what was seen and what is allowed. */

static enum controller_state next_state(const struct controller_side *c)
{
	if (!c->has_hello || !c->has_state)
		return CONTROLLER_ATTACHING;
	if (c->seen.phase == PHASE_DONE && c->seen.starts == 0)
		return CONTROLLER_CANCELLED;
	if (c->seen.phase == PHASE_DONE)
		return c->may_pull ? CONTROLLER_PULLING : CONTROLLER_SEALED;
	if (c->seen.starts > 0)
		return CONTROLLER_STARTED;
	if (!c->bundle)
		return CONTROLLER_GREETED;
	if (!c->uploaded)
		return CONTROLLER_UPLOADING;
	return c->may_start && !c->must_cancel ? CONTROLLER_STARTING : CONTROLLER_UPLOADED;
}

/* How much of an upload the runner has. */
static uint64_t received(const struct controller_side *c)
{
	return c->seen.phase < PHASE_RECEIVING ? 0 : c->seen.received;
}

static void advance(struct controller_side *c, int64_t now_ms)
{
	enum controller_state next;

	if (c->state != CONTROLLER_ATTACHING && !is_one_of(c->state, LIVE))
		return;
	next = next_state(c);
	if (next == c->state)
		return;
	move(c, now_ms, next);
	if (next == CONTROLLER_UPLOADING)
		upload_begin(&c->upload, c->bundle->total, received(c));
	if (next == CONTROLLER_PULLING)
		c->asked = c->got;
}

void controller_side_init(struct controller_side *c, const uint8_t run_id[PROTO_RUN_ID_BYTES],
			  uint32_t attempt, uint64_t outcome_bytes_max)
{
	*c = (struct controller_side){
		.attempt = attempt,
		.outcome_bytes_max = outcome_bytes_max,
	};
	memcpy(c->run_id, run_id, PROTO_RUN_ID_BYTES);
	sha256_init(&c->hash);
}

void controller_side_attach(struct controller_side *c, int64_t now_ms, uint64_t session)
{
	assert(session > c->session);
	move(c, now_ms, CONTROLLER_ATTACHING);
	c->session = session;
	c->has_hello = c->has_state = false;
	c->upload = (struct upload){0};
	c->uploaded = false;
	c->cancel_due_ms = now_ms;
}

void controller_side_upload(struct controller_side *c, int64_t now_ms, const struct object *bundle)
{
	assert(!c->bundle && bundle->total > 0);
	c->bundle = bundle;
	advance(c, now_ms);
}

void controller_side_start(struct controller_side *c, int64_t now_ms)
{
	c->may_start = true;
	advance(c, now_ms);
}

void controller_side_pull(struct controller_side *c, int64_t now_ms)
{
	c->may_pull = true;
	advance(c, now_ms);
}

void controller_side_cancel(struct controller_side *c, int64_t now_ms, uint32_t grace_ms)
{
	if (c->must_cancel)
		return;
	c->must_cancel = true;
	c->cancel_grace_ms = grace_ms;
	c->cancel_due_ms = now_ms;
	c->heard_ms = now_ms;
	advance(c, now_ms);
}

void controller_side_release(struct controller_side *c)
{
	c->must_release = true;
}

/* --- Frames */

static void drop(struct controller_side *c, enum proto_drop cause)
{
	c->drops[cause]++;
}

static void on_hello(struct controller_side *c, int64_t now_ms, const struct frame *f,
		     struct controller_news *news)
{
	struct payload_hello hello;

	if (!payload_get_hello(f->payload, &hello) ||
	    (f->session == 0 && hello.phase != PHASE_DONE)) {
		drop(c, f->session == 0 ? DROP_SESSION : DROP_PAYLOAD);
		return;
	}
	if (hello.attempt != c->attempt ||
	    memcmp(hello.run_id, c->run_id, PROTO_RUN_ID_BYTES) != 0) {
		fail(c, now_ms, CONTROLLER_WRONG_RUN);
		return;
	}
	if (hello.version < PROTO_VERSION_MIN || hello.version > PROTO_VERSION_MAX) {
		fail(c, now_ms, CONTROLLER_WRONG_VERSION);
		return;
	}
	c->hello = hello;
	c->has_hello = true;
	news->facts = str_slice(f->payload, payload_hello_bytes, f->payload.n);
}

/* Begins the upload again after an error, unless that was tried often enough. */
static void upload_again(struct controller_side *c, int64_t now_ms, enum proto_error refusal)
{
	if (!is_one_of(c->state, BIT(CONTROLLER_UPLOADING) | BIT(CONTROLLER_UPLOADED) |
					 BIT(CONTROLLER_STARTING))) {
		drop(c, DROP_STALE);
		return;
	}
	if (++c->uploads_failed == CONTROLLER_UPLOADS_MAX) {
		c->refusal = refusal;
		fail(c, now_ms, CONTROLLER_REFUSED);
		return;
	}
	upload_begin(&c->upload, c->bundle->total, 0);
	c->uploaded = false;
}

static void on_state(struct controller_side *c, int64_t now_ms, const struct frame *f)
{
	struct payload_state state;

	if (!payload_get_state(f->payload, &state) ||
	    (f->session == 0 && state.phase != PHASE_DONE)) {
		drop(c, f->session == 0 ? DROP_SESSION : DROP_PAYLOAD);
		return;
	}
	if (state.starts < c->seen.starts ||
	    (c->seen.phase == PHASE_DONE && state.phase != PHASE_DONE)) {
		drop(c, DROP_STALE);
		return;
	}
	if (c->seen.phase == PHASE_DONE &&
	    (state.outcome_length != c->seen.outcome_length ||
	     memcmp(state.outcome_sha256, c->seen.outcome_sha256, SHA256_BYTES) != 0)) {
		fail(c, now_ms, CONTROLLER_CONTRADICTION);
		return;
	}
	if (state.outcome_length > c->outcome_bytes_max) {
		fail(c, now_ms, CONTROLLER_OUTCOME_TOO_LARGE);
		return;
	}
	c->seen = state;
	c->has_state = true;
	upload_acknowledge(&c->upload, now_ms, received(c));
	c->uploaded = c->upload.offered && state.phase == PHASE_RECEIVED &&
		      state.received == c->upload.total;
}

static void finish_pull(struct controller_side *c, int64_t now_ms)
{
	uint8_t digest[SHA256_BYTES];

	sha256_final(&c->hash, digest);
	if (memcmp(digest, c->seen.outcome_sha256, SHA256_BYTES) == 0)
		move(c, now_ms, CONTROLLER_PULLED);
	else
		fail(c, now_ms, CONTROLLER_OUTCOME_CORRUPT);
}

static void on_download(struct controller_side *c, int64_t now_ms, const struct frame *f,
			struct controller_news *news)
{
	if (c->state != CONTROLLER_PULLING || f->offset != c->got) {
		drop(c, DROP_STALE);
		return;
	}
	if (f->payload.n == 0 || f->payload.n > c->seen.outcome_length - c->got) {
		drop(c, DROP_PAYLOAD);
		return;
	}
	news->outcome = f->payload;
	news->outcome_offset = f->offset;
	sha256_update(&c->hash, f->payload.p, f->payload.n);
	c->got += f->payload.n;
	c->request_due_ms = c->got < c->asked ? now_ms + CONTROLLER_REPEAT_MS : now_ms;
	if (c->got == c->seen.outcome_length)
		finish_pull(c, now_ms);
}

static void on_error(struct controller_side *c, int64_t now_ms, const struct frame *f)
{
	struct payload_error error;

	if (!payload_get_error(f->payload, &error) ||
	    (error.code == PROTO_LOWER_SESSION && error.session <= c->session)) {
		drop(c, DROP_PAYLOAD);
		return;
	}
	switch ((enum proto_error)error.code) {
	case PROTO_LOWER_SESSION:
		c->outranked_by = error.session;
		move(c, now_ms, CONTROLLER_OUTRANKED);
		return;
	case PROTO_HASH_MISMATCH:
	case PROTO_NOT_RECEIVED: upload_again(c, now_ms, (enum proto_error)error.code); return;
	case PROTO_NO_ERROR:
	case PROTO_WRONG_RUN:
	case PROTO_TOO_LARGE:
	case PROTO_ALREADY_STARTED:
	case PROTO_BAD_BUNDLE:
	case PROTO_UNSUPPORTED: break;
	}
	/* Those, and any that we don't know. */
	c->refusal = (enum proto_error)error.code;
	fail(c, now_ms, CONTROLLER_REFUSED);
}

void controller_side_on_frame(struct controller_side *c, int64_t now_ms, const struct frame *f,
			      struct controller_news *news)
{
	*news = (struct controller_news){0};
	if (c->state != CONTROLLER_ATTACHING && !is_one_of(c->state, LIVE))
		return;
	if (f->session != c->session && (f->session != 0 || f->type == FRAME_ERROR)) {
		drop(c, DROP_SESSION);
		return;
	}
	c->heard_ms = now_ms;
	if (f->type == FRAME_HELLO)
		on_hello(c, now_ms, f, news);
	else if (f->type == FRAME_STATE)
		on_state(c, now_ms, f);
	else if (f->type == FRAME_DOWNLOAD)
		on_download(c, now_ms, f, news);
	else if (f->type == FRAME_ERROR)
		on_error(c, now_ms, f);
	else
		drop(c, DROP_TYPE);
	advance(c, now_ms);
}

/* --- Sending */

static struct frame head(const struct controller_side *c, enum proto_frame type, uint64_t offset)
{
	return (struct frame){.type = (uint8_t)type, .session = c->session, .offset = offset};
}

/* The first thing on a connection. The delimiter before it ends whatever was cut off there. */
static size_t write_attach(const struct controller_side *c, uint8_t *out)
{
	struct frame f = head(c, FRAME_ATTACH, 0);
	struct payload_attach attach = {
		.version_min = PROTO_VERSION_MIN,
		.version_max = PROTO_VERSION_MAX,
		.attempt = c->attempt,
	};

	memcpy(attach.run_id, c->run_id, PROTO_RUN_ID_BYTES);
	*out = COBS_DELIMITER;
	return 1 + payload_frame_attach(out + 1, &f, &attach);
}

static size_t write_offer(const struct controller_side *c, uint8_t *out)
{
	struct frame f = head(c, FRAME_OFFER, 0);
	struct payload_offer offer = {.total = c->bundle->total};

	memcpy(offer.sha256, c->bundle->sha256, SHA256_BYTES);
	return payload_frame_offer(out, &f, &offer);
}

static size_t write_start(const struct controller_side *c, uint8_t *out)
{
	struct frame f = head(c, FRAME_START, 0);
	struct payload_start start;

	memcpy(start.sha256, c->bundle->sha256, SHA256_BYTES);
	return payload_frame_start(out, &f, &start);
}

static size_t write_get(struct controller_side *c, uint8_t *out)
{
	struct frame f = head(c, FRAME_GET, c->got);
	uint64_t left = c->seen.outcome_length - c->got;
	struct payload_get get = {
		.object = PROTO_OBJECT_OUTCOME,
		.length = left < CONTROLLER_GET_BYTES ? (uint32_t)left : CONTROLLER_GET_BYTES,
	};

	c->asked = c->got + get.length;
	return payload_frame_get(out, &f, &get);
}

static size_t write_cancel(const struct controller_side *c, uint8_t *out)
{
	struct frame f = head(c, FRAME_CANCEL, 0);
	struct payload_cancel cancel = {.grace_ms = c->cancel_grace_ms};

	return payload_frame_cancel(out, &f, &cancel);
}

static size_t write_release(const struct controller_side *c, uint8_t *out)
{
	struct frame f = head(c, FRAME_RELEASE, 0);

	return frame_encode(out, &f);
}

static size_t next_upload(struct controller_side *c, int64_t now_ms, uint8_t *out)
{
	struct frame f;
	uint64_t offset;
	size_t length;

	switch (upload_next(&c->upload, now_ms, &offset, &length)) {
	case UPLOAD_OFFER: return write_offer(c, out);
	case UPLOAD_DATA:
		f = head(c, FRAME_UPLOAD, offset);
		return object_frame(c->bundle, out, &f, length);
	case UPLOAD_NOTHING: break;
	}
	return 0;
}

/* What a state with a request asks for, and when it would ask again. */
static size_t next_request(struct controller_side *c, int64_t now_ms, uint8_t *out)
{
	if (c->state == CONTROLLER_UPLOADING)
		return c->must_cancel ? 0 : next_upload(c, now_ms, out);
	if (now_ms < c->request_due_ms)
		return 0;
	c->request_due_ms = now_ms + (c->state == CONTROLLER_ATTACHING ? CONTROLLER_ATTACH_REPEAT_MS
								       : CONTROLLER_REPEAT_MS);
	if (c->state == CONTROLLER_ATTACHING)
		return write_attach(c, out);
	return c->state == CONTROLLER_STARTING ? write_start(c, out) : write_get(c, out);
}

static bool owes_cancel(const struct controller_side *c)
{
	return c->must_cancel && is_one_of(c->state, LIVE & ~SEALED);
}

static bool owes_release(const struct controller_side *c)
{
	return c->must_release && c->has_hello &&
	       !is_one_of(c->state, BIT(CONTROLLER_STALLED) | BIT(CONTROLLER_OUTRANKED));
}

static bool has_request(const struct controller_side *c)
{
	if (c->state == CONTROLLER_UPLOADING)
		return !c->must_cancel;
	return is_one_of(c->state, BIT(CONTROLLER_ATTACHING) | BIT(CONTROLLER_STARTING) |
					   BIT(CONTROLLER_PULLING));
}

/* Something was asked, or the run is moving: then the runner has something to say. */
static bool judges_silence(const struct controller_side *c)
{
	return has_request(c) || owes_cancel(c) || c->state == CONTROLLER_STARTED;
}

size_t controller_side_next_frame(struct controller_side *c, int64_t now_ms, uint8_t *out)
{
	if (owes_release(c)) {
		c->must_release = false;
		return write_release(c, out);
	}
	if (judges_silence(c) && now_ms - c->heard_ms >= CONTROLLER_SILENCE_MS) {
		move(c, now_ms, CONTROLLER_STALLED);
		return 0;
	}
	if (owes_cancel(c) && now_ms >= c->cancel_due_ms) {
		c->cancel_due_ms = now_ms + CONTROLLER_REPEAT_MS;
		return write_cancel(c, out);
	}
	return has_request(c) ? next_request(c, now_ms, out) : 0;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t controller_side_deadline(const struct controller_side *c)
{
	int64_t deadline = CONTROLLER_NEVER;

	if (owes_release(c))
		return INT64_MIN;
	if (judges_silence(c))
		deadline = c->heard_ms + CONTROLLER_SILENCE_MS;
	if (owes_cancel(c))
		deadline = earlier(deadline, c->cancel_due_ms);
	if (!has_request(c))
		return deadline;
	if (c->state == CONTROLLER_UPLOADING)
		return earlier(deadline, upload_deadline(&c->upload));
	return earlier(deadline, c->request_due_ms);
}

#define X_NAME(constant, name) [constant] = name,

const char *controller_side_state_name(enum controller_state state)
{
	static const char *const names[] = {CONTROLLER_STATES(X_NAME)};

	return names[state];
}

const char *controller_side_failure_text(enum controller_failure failure)
{
	static const char *const texts[] = {CONTROLLER_FAILURES(X_NAME)};

	return texts[failure];
}
