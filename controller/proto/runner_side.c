#include "runner_side.h"

#include <assert.h>
#include <string.h>

#define BIT(phase) (1u << (phase))

/* Where each phase may lead. */
static const unsigned allowed[] = {
	[PHASE_BOOTING] = BIT(PHASE_READY),
	[PHASE_READY] = BIT(PHASE_RECEIVING) | BIT(PHASE_DONE),
	[PHASE_RECEIVING] = BIT(PHASE_RECEIVING) | BIT(PHASE_RECEIVED) | BIT(PHASE_DONE),
	[PHASE_RECEIVED] = BIT(PHASE_READY) | BIT(PHASE_RECEIVING) | BIT(PHASE_INSTALLING) |
			   BIT(PHASE_RUNNING) | BIT(PHASE_DONE),
	[PHASE_INSTALLING] = BIT(PHASE_RUNNING) | BIT(PHASE_DONE),
	[PHASE_RUNNING] = BIT(PHASE_DONE),
	[PHASE_DONE] = 0,
};

static bool is_moving(enum proto_phase phase)
{
	return phase == PHASE_RECEIVING || phase == PHASE_INSTALLING || phase == PHASE_RUNNING;
}

/* --- What is owed */

static void owe_state_by(struct runner_side *s, int64_t due_ms)
{
	if (s->session != 0 && due_ms < s->state_due_ms)
		s->state_due_ms = due_ms;
}

static void owe_state(struct runner_side *s, int64_t now_ms)
{
	owe_state_by(s, now_ms);
}

/* For answers that wrong DATA can ask for in any number. */
static void owe_state_slowly(struct runner_side *s, int64_t now_ms)
{
	int64_t due_ms = s->state_sent_ms + RUNNER_STATE_GAP_MS;

	owe_state_by(s, due_ms > now_ms ? due_ms : now_ms);
}

static void owe_error(struct runner_side *s, uint64_t session, enum proto_error error)
{
	s->owes_error = error;
	s->error_session = session;
}

static void move(struct runner_side *s, int64_t now_ms, enum proto_phase phase)
{
	assert(allowed[s->phase] & BIT(phase));
	s->phase = phase;
	s->phase_since_ms = now_ms;
	owe_state(s, now_ms);
}

/* --- The three ways to be done with a frame without an event. */

static enum runner_event drop(struct runner_side *s, enum proto_drop cause)
{
	s->drops[cause]++;
	return RUNNER_NOTHING;
}

static enum runner_event refuse(struct runner_side *s, const struct frame *f, enum proto_error why)
{
	owe_error(s, f->session, why);
	return RUNNER_NOTHING;
}

static enum runner_event answer(struct runner_side *s, int64_t now_ms)
{
	owe_state(s, now_ms);
	return RUNNER_NOTHING;
}

/* --- Frames. Each handler is called for a frame of the attached session. */

static enum runner_event begin_upload(struct runner_side *s, int64_t now_ms)
{
	s->received = 0;
	s->reported = 0;
	sha256_init(&s->hash);
	move(s, now_ms, PHASE_RECEIVING);
	return RUNNER_OFFERED;
}

static enum runner_event on_offer(struct runner_side *s, int64_t now_ms, const struct frame *f)
{
	struct payload_offer offer;

	if (!payload_get_offer(f->payload, &offer))
		return drop(s, DROP_PAYLOAD);
	if (s->total == offer.total && memcmp(s->sha256, offer.sha256, SHA256_BYTES) == 0)
		return answer(s, now_ms);
	if (s->starts > 0)
		return refuse(s, f, PROTO_ALREADY_STARTED);
	if (s->phase == PHASE_DONE)
		return answer(s, now_ms);
	if (offer.total > s->spool_bytes)
		return refuse(s, f, PROTO_TOO_LARGE);
	s->total = offer.total;
	memcpy(s->sha256, offer.sha256, SHA256_BYTES);
	return begin_upload(s, now_ms);
}

/* The last byte is here. */
static enum runner_event finish_upload(struct runner_side *s, int64_t now_ms, const struct frame *f)
{
	uint8_t digest[SHA256_BYTES];

	sha256_final(&s->hash, digest);
	if (memcmp(digest, s->sha256, SHA256_BYTES) != 0) {
		owe_error(s, f->session, PROTO_HASH_MISMATCH);
		return begin_upload(s, now_ms);
	}
	move(s, now_ms, PHASE_RECEIVED);
	return RUNNER_RECEIVED;
}

static enum runner_event on_upload(struct runner_side *s, int64_t now_ms, const struct frame *f)
{
	if (f->payload.n == 0)
		return drop(s, DROP_PAYLOAD);
	if (s->phase != PHASE_RECEIVING || f->offset != s->received ||
	    f->payload.n > s->total - s->received) {
		owe_state_slowly(s, now_ms);
		return drop(s, DROP_STALE);
	}
	memcpy(s->spool + s->received, f->payload.p, f->payload.n);
	sha256_update(&s->hash, f->payload.p, f->payload.n);
	s->received += f->payload.n;
	if (s->received == s->total)
		return finish_upload(s, now_ms, f);
	if (s->received - s->reported >= RUNNER_STATE_STRIDE_BYTES)
		owe_state(s, now_ms);
	return RUNNER_NOTHING;
}

static enum runner_event on_start(struct runner_side *s, int64_t now_ms, const struct frame *f)
{
	struct payload_start start;
	bool same;

	if (!payload_get_start(f->payload, &start))
		return drop(s, DROP_PAYLOAD);
	same = memcmp(s->sha256, start.sha256, SHA256_BYTES) == 0;
	if (s->starts > 0 && !same)
		return refuse(s, f, PROTO_ALREADY_STARTED);
	if (s->starts > 0 || s->phase == PHASE_DONE)
		return answer(s, now_ms);
	if (s->phase != PHASE_RECEIVED)
		return refuse(s, f, PROTO_NOT_RECEIVED);
	if (!same)
		return refuse(s, f, PROTO_HASH_MISMATCH);
	s->starts = 1;
	owe_state(s, now_ms);
	return RUNNER_START;
}

static enum runner_event on_get(struct runner_side *s, int64_t now_ms, const struct frame *f)
{
	struct payload_get get;
	uint64_t left;

	if (!payload_get_get(f->payload, &get))
		return drop(s, DROP_PAYLOAD);
	if (get.object != PROTO_OBJECT_OUTCOME)
		return refuse(s, f, PROTO_UNSUPPORTED);
	if (!s->outcome || f->offset >= s->outcome->total)
		return answer(s, now_ms);
	left = s->outcome->total - f->offset;
	s->get_at = f->offset;
	s->get_end = f->offset + (get.length < left ? get.length : left);
	return RUNNER_NOTHING;
}

static enum runner_event on_cancel(struct runner_side *s, int64_t now_ms, const struct frame *f)
{
	struct payload_cancel cancel;

	if (!payload_get_cancel(f->payload, &cancel))
		return drop(s, DROP_PAYLOAD);
	if (s->cancelled || s->phase == PHASE_DONE)
		return answer(s, now_ms);
	s->cancelled = true;
	s->cancel_grace_ms = cancel.grace_ms;
	owe_state(s, now_ms);
	if (s->starts == 0)
		move(s, now_ms, PHASE_DONE);
	return RUNNER_CANCEL;
}

static enum runner_event on_release(struct runner_side *s, int64_t now_ms, const struct frame *f)
{
	(void)now_ms;
	if (f->payload.n > 0)
		return drop(s, DROP_PAYLOAD);
	s->released = true;
	return RUNNER_RELEASE;
}

static enum runner_event on_attach(struct runner_side *s, int64_t now_ms, const struct frame *f)
{
	struct payload_attach attach;

	if (f->session == 0 || !payload_get_attach(f->payload, &attach))
		return drop(s, DROP_PAYLOAD);
	if (attach.version_min > PROTO_VERSION_MAX || attach.version_max < PROTO_VERSION_MIN)
		return refuse(s, f, PROTO_UNSUPPORTED);
	if (s->bound && (s->attempt != attach.attempt ||
			 memcmp(s->run_id, attach.run_id, PROTO_RUN_ID_BYTES) != 0))
		return refuse(s, f, PROTO_WRONG_RUN);
	if (f->session < s->session)
		return refuse(s, f, PROTO_LOWER_SESSION);
	if (f->session > s->session) {
		/* What the session before had asked for is nothing to this one. */
		s->get_at = s->get_end = 0;
		s->owes_error = PROTO_NO_ERROR;
	}
	s->bound = true;
	memcpy(s->run_id, attach.run_id, PROTO_RUN_ID_BYTES);
	s->attempt = attach.attempt;
	s->version =
		attach.version_max < PROTO_VERSION_MAX ? attach.version_max : PROTO_VERSION_MAX;
	s->session = f->session;
	s->owes_hello = true;
	return answer(s, now_ms);
}

typedef enum runner_event handler(struct runner_side *s, int64_t now_ms, const struct frame *f);

static handler *const handlers[] = {
	[FRAME_OFFER] = on_offer, [FRAME_UPLOAD] = on_upload, [FRAME_START] = on_start,
	[FRAME_GET] = on_get,	  [FRAME_CANCEL] = on_cancel, [FRAME_RELEASE] = on_release,
};

enum runner_event runner_side_on_frame(struct runner_side *s, int64_t now_ms, const struct frame *f)
{
	if (s->phase == PHASE_BOOTING || s->deaf)
		return drop(s, DROP_SESSION);
	if (f->type == FRAME_ATTACH)
		return on_attach(s, now_ms, f);
	if (f->session > s->session || s->session == 0)
		return drop(s, DROP_SESSION);
	if (f->session < s->session)
		return refuse(s, f, PROTO_LOWER_SESSION);
	if (f->type >= sizeof(handlers) / sizeof(*handlers) || !handlers[f->type]) {
		drop(s, DROP_TYPE);
		return refuse(s, f, PROTO_UNSUPPORTED);
	}
	return handlers[f->type](s, now_ms, f);
}

/* --- What the runner says to the side */

void runner_side_init(struct runner_side *s)
{
	*s = (struct runner_side){
		.phase = PHASE_BOOTING,
		.version = PROTO_VERSION_MAX,
		.state_sent_ms = -RUNNER_STATE_GAP_MS,
		.state_due_ms = RUNNER_NEVER,
		.round_due_ms = RUNNER_NEVER,
	};
}

void runner_side_ready(struct runner_side *s, int64_t now_ms)
{
	assert(s->facts.n <= FRAME_PAYLOAD_MAX - payload_hello_bytes);
	move(s, now_ms, PHASE_READY);
}

void runner_side_refuse_bundle(struct runner_side *s, int64_t now_ms)
{
	assert(s->phase == PHASE_RECEIVED && s->starts == 0);
	s->total = 0;
	s->received = 0;
	s->reported = 0;
	memset(s->sha256, 0, SHA256_BYTES);
	owe_error(s, s->session, PROTO_BAD_BUNDLE);
	move(s, now_ms, PHASE_READY);
}

void runner_side_enter(struct runner_side *s, int64_t now_ms, enum proto_phase phase)
{
	assert(s->starts == 1 && (phase == PHASE_INSTALLING || phase == PHASE_RUNNING));
	move(s, now_ms, phase);
}

static void begin_broadcasts(struct runner_side *s, int64_t now_ms)
{
	if (s->deaf && s->outcome && s->rounds == 0)
		s->round_due_ms = now_ms;
}

void runner_side_seal(struct runner_side *s, int64_t now_ms, const struct object *outcome)
{
	assert(s->starts == 1 && outcome->total > 0);
	s->outcome = outcome;
	move(s, now_ms, PHASE_DONE);
	begin_broadcasts(s, now_ms);
}

void runner_side_on_end(struct runner_side *s, int64_t now_ms)
{
	if (s->deaf)
		return;
	s->deaf = true;
	s->owes_error = PROTO_NO_ERROR;
	s->get_at = s->get_end = 0;
	begin_broadcasts(s, now_ms);
}

/* --- Sending */

/* Whom frames answer: once nobody can ask, nobody. */
static uint64_t answered(const struct runner_side *s)
{
	return s->deaf ? 0 : s->session;
}

static int64_t period_ms(const struct runner_side *s, int64_t now_ms)
{
	int64_t tenth = (now_ms - s->phase_since_ms) / 10;

	if (tenth < RUNNER_STATE_PERIOD_MIN_MS)
		return RUNNER_STATE_PERIOD_MIN_MS;
	return tenth < RUNNER_STATE_PERIOD_MAX_MS ? tenth : RUNNER_STATE_PERIOD_MAX_MS;
}

/* A newcomer may be wired to our output in mid-frame: the delimiter before HELLO is its first. */
static size_t write_hello(const struct runner_side *s, uint8_t *out)
{
	struct frame head = {.type = FRAME_HELLO, .session = answered(s)};
	struct payload_hello hello = {
		.version = s->version,
		.phase = (uint8_t)s->phase,
		.attempt = s->attempt,
		.capabilities = s->capabilities,
	};
	uint8_t fixed[payload_hello_bytes];
	struct frame_writer w;

	memcpy(hello.run_id, s->run_id, PROTO_RUN_ID_BYTES);
	payload_put_hello(fixed, &hello);
	*out = COBS_DELIMITER;
	frame_begin(&w, out + 1, &head, sizeof(fixed) + s->facts.n);
	frame_add(&w, (struct str){(const char *)fixed, sizeof(fixed)});
	frame_add(&w, s->facts);
	return 1 + frame_finish(&w);
}

static size_t write_error(const struct runner_side *s, uint8_t *out)
{
	struct frame head = {.type = FRAME_ERROR, .session = s->error_session};

	return payload_frame_error(out, &head,
				   &(struct payload_error){
					   .code = (uint16_t)s->owes_error,
					   .session = s->session,
				   });
}

static size_t write_state(struct runner_side *s, int64_t now_ms, uint8_t *out)
{
	struct payload_state state = {
		.phase = (uint8_t)s->phase,
		.starts = s->starts,
		.received = s->received,
		.outcome_length = s->outcome ? s->outcome->total : 0,
		.budget_left_ms = s->report.budget_left_ms,
		.memory_now = s->report.memory_now,
		.memory_peak = s->report.memory_peak,
		.cpu_ms = s->report.cpu_ms,
		.stdout_bytes = s->report.stdout_bytes,
		.stderr_bytes = s->report.stderr_bytes,
	};
	struct frame head = {.type = FRAME_STATE, .session = answered(s)};

	if (s->outcome)
		memcpy(state.outcome_sha256, s->outcome->sha256, SHA256_BYTES);
	s->reported = s->received;
	s->state_sent_ms = now_ms;
	s->state_due_ms = is_moving(s->phase) ? now_ms + period_ms(s, now_ms) : RUNNER_NEVER;
	return payload_frame_state(out, &head, &state);
}

static size_t write_download(struct runner_side *s, uint8_t *out)
{
	uint64_t left = s->get_end - s->get_at;
	size_t length = left < FRAME_PAYLOAD_MAX ? (size_t)left : FRAME_PAYLOAD_MAX;
	struct frame head = {
		.type = FRAME_DOWNLOAD,
		.session = answered(s),
		.offset = s->get_at,
	};

	s->get_at += length;
	return object_frame(s->outcome, out, &head, length);
}

/* A round of the broadcast: everything, from the beginning. */
static void begin_round(struct runner_side *s, int64_t now_ms)
{
	s->owes_hello = true;
	s->state_due_ms = now_ms;
	s->get_at = 0;
	s->get_end = s->outcome->total;
	s->rounds++;
	s->round_due_ms = RUNNER_NEVER;
}

/* The gap counts from the end of a round, since a frozen stdout can make a round long. */
static void end_round(struct runner_side *s, int64_t now_ms)
{
	if (s->rounds < RUNNER_BROADCAST_ROUNDS)
		s->round_due_ms = now_ms + ((int64_t)RUNNER_BROADCAST_GAP_MS << (s->rounds - 1));
}

size_t runner_side_next_frame(struct runner_side *s, int64_t now_ms, uint8_t *out)
{
	size_t length;

	if (now_ms >= s->round_due_ms)
		begin_round(s, now_ms);
	if (s->owes_hello) {
		s->owes_hello = false;
		return write_hello(s, out);
	}
	if (s->owes_error != PROTO_NO_ERROR) {
		length = write_error(s, out);
		s->owes_error = PROTO_NO_ERROR;
		return length;
	}
	if (now_ms >= s->state_due_ms)
		return write_state(s, now_ms, out);
	if (s->get_at == s->get_end)
		return 0;
	length = write_download(s, out);
	if (s->deaf && s->get_at == s->get_end)
		end_round(s, now_ms);
	return length;
}

int64_t runner_side_deadline(const struct runner_side *s)
{
	if (s->owes_hello || s->owes_error != PROTO_NO_ERROR || s->get_at != s->get_end)
		return INT64_MIN;
	return s->state_due_ms < s->round_due_ms ? s->state_due_ms : s->round_due_ms;
}
