#include "session_internal.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

bool session_hear_flood(struct session *s)
{
	int64_t now_ms = session_now_ms(s);
	uint64_t due = (uint64_t)(now_ms - s->heard_ms) * SESSION_HEARD_BYTES_A_SECOND / 1000;

	s->excess_bytes -= due < s->excess_bytes ? due : s->excess_bytes;
	s->excess_bytes += s->wire.heard_bytes - s->heard_bytes;
	s->heard_bytes = s->wire.heard_bytes;
	s->heard_ms = now_ms;
	return s->excess_bytes > SESSION_EXCESS_BYTES_MAX + SESSION_EXCESS_OUTCOMES_MAX *
								    s->config.limits.outcome_bytes;
}

/* Keeps them, unless they are what is kept already: the report may be in use. */
static int keep_facts(struct session *s, struct str facts, struct err *err)
{
	if (s->has_hello && str_equal(facts, buf_str(&s->facts)))
		return 0;
	s->has_hello = false;
	s->has_news = true;
	buf_clear(&s->facts);
	if (buf_append_str(&s->facts, facts) < 0)
		return err_set(err, ERR_TOO_LARGE, "more than %d bytes", HELLO_FACTS_BYTES_MAX);
	if (hello_decode(buf_str(&s->facts), &s->hello, err) < 0)
		return -1;
	s->has_hello = true;
	return 0;
}

void session_hear_facts(struct session *s, struct str facts)
{
	char text[VERIFY_TEXT_SIZE];
	struct err err;

	if (keep_facts(s, facts, &err) < 0) {
		session_fail(s, SESSION_BROKEN, "the runner's HELLO can't be read: %s",
			     err.message);
		return;
	}
	switch (verify_hello(&s->config.demands, &s->hello, s->side.hello.capabilities, text)) {
	case VERIFY_NOT_ISOLATED: session_fail(s, SESSION_UNVERIFIED, "%s", text); return;
	case VERIFY_NOT_CAPABLE: session_fail(s, SESSION_INCAPABLE, "%s", text); return;
	case VERIFY_SATISFIED: s->is_verified = true; return;
	}
}

void session_hear_outcome(struct session *s, struct str bytes, uint64_t offset)
{
	if (offset == 0)
		buf_init(&s->outcome_bytes, s->side.seen.outcome_length);
	assert(offset == s->outcome_bytes.length);
	/* The side counts: it gives no byte beyond the announced length. */
	if (buf_append_str(&s->outcome_bytes, bytes) < 0)
		assert(!"an outcome longer than announced");
}

static void read_result(struct session *s)
{
	struct outcome *outcome = mem_new(1, sizeof(*outcome));
	struct err err;

	if (result_read(buf_str(&s->outcome_bytes), &s->config.limits,
			s->bundle ? s->bundle->sha256 : NULL, outcome, &err) < 0) {
		free(outcome);
		session_fail(s, SESSION_BROKEN, "%s", err.message);
		return;
	}
	s->outcome = outcome;
	s->bundle_is_checked = s->bundle != NULL;
	session_move(s, SESSION_IS_PULLED);
}

/* Only for what we have asked it may be said that the task was cancelled. */
static void end_cancelled(struct session *s)
{
	if (s->wants_cancel)
		session_fail(s, SESSION_CANCELLED, "it was cancelled before it began");
	else
		session_fail(s, SESSION_TAMPERED,
			     "somebody else cancelled the run before it began");
}

static void end_by_side(struct session *s)
{
	const struct controller_side *side = &s->side;
	const char *text = controller_side_failure_text(side->failure);

	switch (side->failure) {
	case CONTROLLER_WRONG_RUN: session_fail(s, SESSION_TAMPERED, "%s", text); return;
	case CONTROLLER_WRONG_VERSION: session_fail(s, SESSION_INCAPABLE, "%s", text); return;
	case CONTROLLER_REFUSED:
		session_fail(s,
			     side->refusal == PROTO_WRONG_RUN ? SESSION_TAMPERED : SESSION_BROKEN,
			     "%s: %s", text, proto_error_name(side->refusal));
		return;
	case CONTROLLER_OUTCOME_TOO_LARGE:
	case CONTROLLER_OUTCOME_CORRUPT:
	case CONTROLLER_CONTRADICTION: session_fail(s, SESSION_BROKEN, "%s", text); return;
	case CONTROLLER_NO_FAILURE: break;
	}
	assert(!"the side failed, and nothing is wrong");
}

void session_hear_progress(struct session *s)
{
	enum session_state state;

	/* Until then the side is where the last connection left it. */
	if (!s->wire.is_open)
		return;
	switch ((int)s->side.state) {
	case CONTROLLER_STALLED:
		session_connect_lose(s, ATTACH_LOST, "the runner does not answer");
		return;
	case CONTROLLER_OUTRANKED: session_move(s, SESSION_IS_DISPLACED); return;
	case CONTROLLER_FAILED: end_by_side(s); return;
	case CONTROLLER_CANCELLED: end_cancelled(s); return;
	case CONTROLLER_PULLED:
		if (!s->outcome)
			read_result(s);
		return;
	default: break;
	}
	state = session_state_of(&s->side, s->state, s->bundle != NULL, s->wants_pull);
	if (state != s->state)
		session_move(s, state);
}
