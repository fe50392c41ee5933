/*
 * Callbacks and leaves note what there is and end in `settle`, or in a timer that leads there;
 * `step` alone decides. What it decides on: the wire (is there a connection), the side (where is
 * the runner), the leaves (what may be done), the turn (may bulk be moved now).
 */
#include "session_internal.h"

#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t session_now_ms(const struct session *s)
{
	return s->config.io->now_ms(s->config.io);
}

bool session_is_over(const struct session *s)
{
	return session_state_is_last(s->state);
}

void session_move(struct session *s, enum session_state state)
{
	assert(session_state_may_follow(s->state, state));
	s->state = state;
	s->has_news = true;
}

void session_fail(struct session *s, enum session_failure failure, const char *format, ...)
{
	va_list args;

	s->failure = failure;
	va_start(args, format);
	vsnprintf(s->text, sizeof(s->text), format, args);
	va_end(args);
	session_move(s, SESSION_IS_FAILED);
}

/* The runner answers on this connection. */
bool session_is_greeted(const struct session *s)
{
	return s->wire.is_open && s->side.state != CONTROLLER_DETACHED &&
	       s->side.state != CONTROLLER_ATTACHING && s->side.state != CONTROLLER_STALLED;
}

/* --- What is said to the runner. --- */

static void pass_leaves_on(struct session *s)
{
	if (s->side.state == CONTROLLER_GREETED && s->bundle && !s->side.bundle)
		controller_side_upload(&s->side, session_now_ms(s), s->bundle);
	if (s->side.state == CONTROLLER_SEALED && s->wants_pull)
		controller_side_pull(&s->side, session_now_ms(s));
}

static void speak(struct session *s)
{
	size_t length = 1;

	while (length > 0 && wire_can_send(&s->wire)) {
		length = controller_side_next_frame(&s->side, session_now_ms(s),
						    wire_room(&s->wire));
		if (length > 0)
			wire_send(&s->wire, length);
	}
}

static void tell_release(struct session *s)
{
	if (session_is_greeted(s) && wire_can_send(&s->wire) && !s->is_release_said) {
		size_t length;

		controller_side_release(&s->side);
		length = controller_side_next_frame(&s->side, session_now_ms(s),
						    wire_room(&s->wire));
		if (length > 0)
			wire_send(&s->wire, length);
		s->is_release_said = true;
	}
	if (!session_is_greeted(s) || wire_can_send(&s->wire))
		session_move(s, SESSION_IS_RELEASED);
}

/* --- One step, and what comes next. --- */

/* The first answer on a connection: without a report that satisfied nothing goes on. */
static void note_answer(struct session *s)
{
	if (!session_is_greeted(s) || s->is_answered)
		return;
	s->is_answered = true;
	s->is_mute = false;
	s->losses = 0;
	s->unanswered_ms = 0;
	s->refused_since_ms = SESSION_NEVER;
	s->trouble = ATTACH_FINE;
	s->trouble_text[0] = '\0';
	if (!s->is_verified && s->side.state != CONTROLLER_FAILED &&
	    s->side.state != CONTROLLER_OUTRANKED)
		session_fail(s, SESSION_UNVERIFIED, "the runner reported nothing about its jail");
}

static bool turn_is_overdue(const struct session *s)
{
	return s->turn_since_ms != SESSION_NEVER &&
	       session_now_ms(s) - s->turn_since_ms >= SESSION_TURN_MS;
}

static void end_slow_turn(struct session *s)
{
	if (++s->slow_turns == SESSION_SLOW_TURNS_MAX)
		session_fail(s, SESSION_BROKEN, "the runner was too slow with a transfer, %u times",
			     s->slow_turns);
	else
		session_connect_lose(s, ATTACH_LOST, "a transfer took too long");
}

static void step(struct session *s)
{
	bool is_free; /* to move bulk, or has none to move */

	if (!session_is_over(s))
		note_answer(s);
	if (session_is_over(s))
		return;
	if (s->wants_release)
		return tell_release(s);
	if (!wire_is_up(&s->wire) && !session_connect_is_due(s))
		return;
	is_free = session_connect_has_turn(s);
	/* Of a turn that is still wanted: who has come to an end must not attach again. */
	if (turn_is_overdue(s))
		return end_slow_turn(s);
	if (!wire_is_up(&s->wire)) {
		if (is_free)
			session_connect_start(s);
		return;
	}
	if (is_free)
		pass_leaves_on(s);
	if (is_free || !session_is_greeted(s))
		speak(s);
	session_hear_progress(s);
}

static void on_timer(void *context);

static void wake_at(struct session *s, int64_t due_ms)
{
	struct io *io = s->config.io;

	if (s->timer)
		io->timer_cancel(io, s->timer);
	s->timer = NULL;
	if (due_ms == SESSION_NEVER)
		return;
	s->timer = io->timer_start(io, due_ms > session_now_ms(s) ? due_ms - session_now_ms(s) : 0,
				   on_timer, s);
}

/* Soon, from a callback of our own: leaves are noted, not acted upon. */
static void poke(struct session *s)
{
	wake_at(s, session_now_ms(s));
}

/* A session that waits for its turn, or for the wire, is woken by them. A turn that lasts too long
 * is noticed when the side repeats what it asked. */
static int64_t next_deadline(const struct session *s)
{
	bool waits = !list_is_empty(&s->turn.link);

	if (session_is_over(s))
		return SESSION_NEVER;
	if (!wire_is_up(&s->wire))
		return waits || s->state == SESSION_IS_PULLED ? SESSION_NEVER : s->attach_due_ms;
	if (!wire_can_send(&s->wire) || (waits && session_is_greeted(s)))
		return SESSION_NEVER;
	return controller_side_deadline(&s->side);
}

static void stop_flood(struct session *s)
{
	if (!session_is_over(s) && s->state != SESSION_IS_PULLED)
		session_fail(s, SESSION_BROKEN, "the runner said far more than it was asked for");
	wire_close(&s->wire);
}

/* The last thing that a callback does: the owner may delete the session in `changed`. */
static void settle(struct session *s)
{
	step(s);
	if (session_hear_flood(s))
		stop_flood(s);
	if (session_is_over(s)) {
		session_connect_leave_turn(s);
		if (s->state != SESSION_IS_RELEASED || !session_is_greeted(s))
			wire_close(&s->wire);
	}
	wake_at(s, next_deadline(s));
	if (!s->has_news)
		return;
	s->has_news = false;
	s->config.changed(s->config.context);
}

/* --- Callbacks. --- */

static void on_timer(void *context)
{
	struct session *s = context;

	s->timer = NULL;
	settle(s);
}

static void on_turn(void *context)
{
	struct session *s = context;

	poke(s);
}

static void on_open(void *context)
{
	struct session *s = context;

	s->opened_ms = session_now_ms(s);
	s->is_answered = false;
	s->is_verified = false;
	controller_side_attach(&s->side, session_now_ms(s), s->next_number++);
	settle(s);
}

static void on_frame(void *context, const struct frame *frame)
{
	struct session *s = context;
	struct controller_news news;

	if (session_is_over(s))
		return;
	controller_side_on_frame(&s->side, session_now_ms(s), frame, &news);
	if (news.facts.n > 0)
		session_hear_facts(s, news.facts);
	if (news.outcome.n > 0 && !session_is_over(s))
		session_hear_outcome(s, news.outcome, news.outcome_offset);
}

static void on_pause(void *context)
{
	settle(context);
}

static void on_down(void *context, enum attach_verdict verdict, const char *text)
{
	struct session *s = context;

	session_connect_lose(s, verdict, text);
	settle(s);
}

/* --- For the owner. --- */

struct session *session_new(const struct session_config *config)
{
	static const struct wire_callbacks callbacks = {
		.open = on_open,
		.frame = on_frame,
		.pause = on_pause,
		.down = on_down,
	};
	struct session *s = mem_new(1, sizeof(*s));

	assert(config->number > 0);
	s->config = *config;
	s->target = mem_copy_string(config->target, strlen(config->target));
	s->next_number = config->number;
	s->attach_due_ms = s->heard_ms = s->silence_counts_from_ms = session_now_ms(s);
	s->refused_since_ms = s->opened_ms = s->turn_since_ms = SESSION_NEVER;
	controller_side_init(&s->side, config->run_id, config->attempt,
			     config->limits.outcome_bytes);
	buf_init(&s->facts, HELLO_FACTS_BYTES_MAX);
	wire_init(&s->wire, config->io, config->hub, &callbacks, s);
	hub_turn_init(&s->turn, on_turn, s);
	poke(s);
	return s;
}

void session_delete(struct session *s)
{
	if (!s)
		return;
	wake_at(s, SESSION_NEVER);
	wire_close(&s->wire);
	hub_leave(s->config.hub, &s->turn);
	buf_free(&s->facts);
	buf_free(&s->outcome_bytes);
	free(s->outcome);
	free(s->target);
	free(s);
}

void session_report(const struct session *s, struct session_report *report)
{
	*report = (struct session_report){
		.state = s->state,
		.number = s->next_number > s->config.number ? s->next_number - 1 : 0,
		.outranked_by = s->side.outranked_by,
		.hello = s->has_hello ? &s->hello : NULL,
		.capabilities = s->side.hello.capabilities,
		.seen = s->side.has_state ? &s->side.seen : NULL,
		.failure = s->failure,
		.text = s->text,
		.trouble = s->trouble,
		.trouble_text = s->trouble_text,
		.troubles = s->troubles,
		.outcome = s->outcome,
		.bundle_is_checked = s->bundle_is_checked,
	};
}

void session_upload(struct session *s, const struct object *bundle)
{
	assert(!s->bundle || s->bundle == bundle);
	s->bundle = bundle;
	poke(s);
}

void session_start(struct session *s)
{
	controller_side_start(&s->side, session_now_ms(s));
	poke(s);
}

void session_pull(struct session *s)
{
	s->wants_pull = true;
	poke(s);
}

void session_bear_silence(struct session *s, int64_t until_ms)
{
	if (until_ms <= s->silence_counts_from_ms)
		return;
	s->silence_counts_from_ms = until_ms;
	s->unanswered_ms = 0;
}

void session_cancel(struct session *s, uint32_t grace_ms)
{
	s->wants_cancel = true;
	controller_side_cancel(&s->side, session_now_ms(s), grace_ms);
	poke(s);
}

void session_release(struct session *s)
{
	s->wants_release = true;
	poke(s);
}

const char *session_failure_name(enum session_failure failure)
{
#define X_NAME(constant, name) [constant] = name,
	static const char *const names[] = {SESSION_FAILURES(X_NAME)};
#undef X_NAME

	return names[failure];
}
