#include "session_internal.h"

#include <inttypes.h>
#include <stdio.h>

/* --- Turns. --- */

/*
 * The next connection will begin with a transfer, as far as we know. A runner that did not answer
 * on the last one may be like that for as long as its code runs: others don't wait for it.
 */
static bool will_transfer(const struct session *s)
{
	if (s->is_mute)
		return false;
	if (s->side.seen.phase == PHASE_DONE)
		return s->wants_pull;
	return s->bundle && s->side.bundle && s->side.seen.starts == 0;
}

static bool wants_turn(const struct session *s)
{
	if (!session_is_greeted(s))
		return will_transfer(s);
	if (s->side.state == CONTROLLER_GREETED)
		return s->bundle != NULL;
	if (s->side.state == CONTROLLER_SEALED)
		return s->wants_pull;
	return s->side.state == CONTROLLER_UPLOADING || s->side.state == CONTROLLER_PULLING;
}

void session_connect_leave_turn(struct session *s)
{
	hub_leave(s->config.hub, &s->turn);
	s->turn_since_ms = SESSION_NEVER;
}

bool session_connect_has_turn(struct session *s)
{
	if (!wants_turn(s)) {
		session_connect_leave_turn(s);
		return true;
	}
	if (!hub_ask(s->config.hub, &s->turn))
		return false;
	if (s->turn_since_ms == SESSION_NEVER)
		s->turn_since_ms = session_now_ms(s);
	return true;
}

/* --- Connections. --- */

_Static_assert(SESSION_SILENCE_MS >= 2 * CONTROLLER_SILENCE_MS,
	       "one connection alone is never silent for long enough");

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Notes time on a connection, up to now, in which the runner owed an answer. */
static void add_silence(struct session *s, int64_t duration_ms)
{
	int64_t counted_ms = session_now_ms(s) - s->silence_counts_from_ms;

	counted_ms = smaller(counted_ms, smaller(duration_ms, CONTROLLER_SILENCE_MS));
	if (counted_ms > 0)
		s->unanswered_ms += counted_ms;
	if (s->unanswered_ms < SESSION_SILENCE_MS)
		return;
	snprintf(s->text, sizeof(s->text), "no answer in %" PRId64 " s of connection",
		 s->unanswered_ms / 1000);
	session_move(s, SESSION_IS_SILENT);
}

static void note_trouble(struct session *s, enum attach_verdict verdict, const char *text)
{
	s->trouble = verdict;
	s->troubles++;
	snprintf(s->trouble_text, sizeof(s->trouble_text), "%s", text);
	s->has_news = true;
	if (verdict != ATTACH_REFUSED)
		s->refused_since_ms = SESSION_NEVER;
	else if (s->refused_since_ms == SESSION_NEVER)
		s->refused_since_ms = session_now_ms(s);
	else if (session_now_ms(s) - s->refused_since_ms >= SESSION_REFUSED_MS)
		session_fail(s, SESSION_HELPLESS, "attaching to the sandbox is refused: %s", text);
}

void session_connect_lose(struct session *s, enum attach_verdict verdict, const char *text)
{
	int64_t opened_ms = s->opened_ms;
	bool was_open = opened_ms != SESSION_NEVER;
	uint32_t chance;

	s->opened_ms = SESSION_NEVER;
	wire_close(&s->wire);
	session_connect_leave_turn(s);
	if (session_is_over(s) || s->state == SESSION_IS_PULLED)
		return;
	if (was_open && !s->is_answered)
		s->is_mute = true;
	if (s->state != SESSION_IS_CONNECTING)
		session_move(s, SESSION_IS_CONNECTING);
	s->config.io->random(s->config.io, &chance, sizeof(chance));
	s->attach_due_ms = session_now_ms(s) + attach_delay_ms(++s->losses, chance);
	note_trouble(s, verdict, text);
	if (session_is_over(s))
		return;
	if (was_open && s->side.state == CONTROLLER_STALLED)
		add_silence(s, CONTROLLER_SILENCE_MS);
	else if (was_open && !s->is_answered)
		add_silence(s, session_now_ms(s) - opened_ms);
}

bool session_connect_is_due(const struct session *s)
{
	return !wire_is_up(&s->wire) && s->state != SESSION_IS_PULLED &&
	       session_now_ms(s) >= s->attach_due_ms;
}

void session_connect_start(struct session *s)
{
	struct wire_request request = {.target = s->target};

	if (s->next_number % SESSION_NUMBERS == SESSION_NUMBERS - 1) {
		session_fail(s, SESSION_HELPLESS,
			     "attached %u times: the session numbers are used up",
			     SESSION_NUMBERS - 1);
		return;
	}
	s->config.credentials(s->config.context, &request.endpoint, &request.bearer_token);
	wire_open(&s->wire, &request);
}
