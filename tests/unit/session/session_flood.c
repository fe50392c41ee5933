/* A runner that says more than it was asked for: with valid frames, or with none at all. */
#include "session/session.h"

#include "sandbox.h"
#include "tap.h"

#include <string.h>

#define CHUNK_BYTES	  (32u << 10)
#define DAY_S		  86400
#define BROADCAST_ROUNDS  10
#define OUTCOME_BYTES_MAX (256u << 10)

static struct sandbox *s;
static struct owner o;
static char chunk[CHUNK_BYTES];

static void begin(void)
{
	s = sandbox_new();
	s->model.run_ms = INT32_MAX;
	owner_init(&o, s);
	o.config.limits.outcome_bytes = OUTCOME_BYTES_MAX;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 5000);
}

static void end(void)
{
	owner_free(&o);
	sandbox_delete(s);
}

/* All that may come at once. */
static uint64_t most(void)
{
	return SESSION_EXCESS_BYTES_MAX +
	       SESSION_EXCESS_OUTCOMES_MAX * o.config.limits.outcome_bytes;
}

static void say(uint64_t bytes)
{
	struct io_ws *ws = fake_ws_last(&s->ws);

	for (; ws->is_open && bytes > 0; bytes -= bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES)
		fake_ws_stdout(ws, (struct str){chunk, bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES});
	session_report(o.session, &o.report);
}

/* One STATE behind the other, each of them as it should be. */
static void fill_with_states(void)
{
	uint8_t wire[FRAME_WIRE_MAX];
	struct frame head = {.type = FRAME_STATE, .session = SANDBOX_NUMBER};
	size_t length = payload_frame_state(
		wire, &head, &(struct payload_state){.phase = PHASE_RUNNING, .starts = 1});

	memset(chunk, COBS_DELIMITER, sizeof(chunk));
	for (size_t at = 1; at + length <= sizeof(chunk); at += length)
		memcpy(chunk + at, wire, length);
}

static void test_floods(void)
{
	static const char *const names[] = {"frames", "bytes that are no frame"};

	for (int is_garbage = 0; is_garbage < 2; is_garbage++) {
		begin();
		fill_with_states();
		if (is_garbage)
			memset(chunk, 'x', sizeof(chunk));
		say(most() - CHUNK_BYTES);
		is(session_state_name(o.report.state), "Running", "%s: many are borne",
		   names[is_garbage]);
		say(2 * CHUNK_BYTES);
		is(session_state_name(o.report.state), "Failed", "%s: more are the end",
		   names[is_garbage]);
		is(session_failure_name(o.report.failure), "RunnerFailed",
		   "of which the runner is accused");
		is(o.report.text, "the runner said far more than it was asked for", "in words");
		ok(!fake_ws_last(&s->ws)->is_pending, "nobody listens any more");
		end();
	}
}

static void test_flood_after_the_outcome(void)
{
	begin();
	o.is_passive = true;
	runner_model_seal(&s->model, s->fake.now_ms);
	sandbox_run(s, 1000);
	session_pull(o.session);
	sandbox_run(s, 1000);
	session_report(o.session, &o.report);
	is(session_state_name(o.report.state), "Pulled", "an outcome is here");
	say(most() + CHUNK_BYTES);
	ok(!fake_ws_last(&s->ws)->is_pending, "a flood behind it is not listened to");
	is(session_state_name(o.report.state), "Pulled", "and takes nothing away");
	ok(o.report.outcome && o.report.bundle_is_checked, "of the outcome");
	session_release(o.session);
	sandbox_run(s, 1000);
	session_report(o.session, &o.report);
	is(session_state_name(o.report.state), "Released", "nobody is left to be told so");
	cmp_ok(s->ws.count, "==", 1, "and nobody attaches for that");
	end();
}

static void test_what_is_no_flood(void)
{
	begin();
	fill_with_states();
	for (int second = 0; second < DAY_S; second++) {
		say(payload_state_bytes * 2);
		fake_io_advance(&s->fake, 1000);
	}
	is(session_state_name(o.report.state), "Running",
	   "a STATE a second, a day long, is no flood");
	say((uint64_t)BROADCAST_ROUNDS * o.config.limits.outcome_bytes);
	is(session_state_name(o.report.state), "Running",
	   "nor is an outcome that is sent ten times");
	end();
}

int main(void)
{
	test_floods();
	test_flood_after_the_outcome();
	test_what_is_no_flood();
	done_testing();
}
