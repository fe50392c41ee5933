/* Runners that don't answer: when that ends a session, and when it is borne. */
#include "session/session.h"

#include "one_session.h"
#include "tap.h"

static void attach_and_run_until(enum session_state wanted)
{
	sandbox_ready(s);
	owner_attach(&o);
	for (int i = 0; i < 100 && o.report.state != wanted; i++)
		sandbox_run(s, 100);
	is(state(), session_state_name(wanted), "it comes to %s", session_state_name(wanted));
}

static void test_silence(void)
{
	begin();
	s->is_mute = true;
	owner_attach(&o);
	sandbox_run(s, 59000);
	is(state(), "Connecting", "a runner may be silent for a while");
	sandbox_run(s, 5000);
	is(state(), "Silent", "but not for a minute on two connections");
	cmp_ok(s->ws.count, "==", 2, "there were two");
	is(o.report.text, "no answer in 60 s of connection", "and that is said");
	ok(!socket()->is_pending, "the connection is closed");
	sandbox_run(s, 600000);
	cmp_ok(s->ws.count, "==", 2, "and there is no other");
	end();

	begin();
	s->is_mute = true;
	owner_attach(&o);
	for (int i = 0; i < 13 && o.report.state != SESSION_IS_SILENT; i++) {
		sandbox_run(s, 5000);
		if (socket()->is_open)
			fake_ws_end(socket(), (struct fake_end){.code = ERR_TRANSPORT});
		sandbox_run(s, 10000);
	}
	is(state(), "Silent", "silence is added up over connections that are cut");
	end();

	begin();
	s->model.run_ms = 600000;
	attach_and_run_until(SESSION_IS_RUNNING);
	s->is_mute = true;
	sandbox_run(s, 45000);
	is(state(), "Connecting", "a runner that falls silent in mid-run is attached anew");
	s->is_mute = false;
	sandbox_run(s, 10000);
	is(state(), "Running", "and one that answers goes on");
	s->is_mute = true;
	sandbox_run(s, 58000);
	is(state(), "Connecting", "its silence begins anew");
	sandbox_run(s, 10000);
	is(state(), "Silent", "and ends it when it lasts");
	end();
}

/* The owner knows that the code may run until then. */
static void run_mute_and_bear(int64_t ms)
{
	begin();
	s->model.run_ms = 2 * ms;
	attach_and_run_until(SESSION_IS_RUNNING);
	session_bear_silence(o.session, s->fake.now_ms + ms);
	s->is_mute = true;
}

static void test_silence_that_is_borne(void)
{
	run_mute_and_bear(300000);
	sandbox_run(s, 45000);
	cmp_ok(s->ws.count, "==", 2, "silence that is borne is noticed as soon as any");
	is(state(), "Connecting", "and the runner is attached anew");
	session_bear_silence(o.session, s->fake.now_ms);
	sandbox_run(s, 255000 + SESSION_SILENCE_MS - 5000);
	is(state(), "Connecting",
	   "it is no end before its time, whatever is said of an earlier one");
	sandbox_run(s, 50000);
	is(state(), "Silent", "after that it ends the session as ever");
	end();

	run_mute_and_bear(300000);
	sandbox_run(s, 180000);
	s->is_mute = false;
	sandbox_run(s, 60000);
	is(state(), "Running", "a runner that was cut off for three minutes goes on");
	sandbox_run(s, 420000);
	is(state(), "Released", "and its outcome arrives");
	cmp_ok(s->model.starts, "==", 1, "of the one start that there was");
	end();

	begin();
	s->is_mute = true;
	owner_attach(&o);
	sandbox_run(s, 50000);
	session_bear_silence(o.session, s->fake.now_ms + 1000);
	sandbox_run(s, 50000);
	is(state(), "Connecting", "what there was of silence before is forgiven");
	end();
}

static void test_attempts_while_silence_is_borne(void)
{
	size_t slow, fast;

	run_mute_and_bear(3600000);
	sandbox_run(s, 3600000);
	slow = s->ws.count;
	end();
	ok(slow > 80 && slow < 110, "a mute runner is attached to %u times an hour",
	   (unsigned)slow);

	run_mute_and_bear(3600000);
	for (int i = 0; i < 36000; i++) {
		sandbox_run(s, 100);
		if (socket()->is_open)
			fake_ws_end(socket(), (struct fake_end){.close_code = 1000});
	}
	fast = s->ws.count;
	is(state(), "Connecting", "connections that end at once are no silence either");
	end();
	ok(fast > 3600000 / (2 * ATTACH_DELAY_LAST_MS) &&
		   fast < 3600000 / ATTACH_DELAY_LAST_MS + 10,
	   "of which there are %u an hour", (unsigned)fast);
}

static void test_silence_without_connection(void)
{
	begin();
	s->model.run_ms = 600000;
	attach_and_run_until(SESSION_IS_RUNNING);
	s->is_mute = true;
	sandbox_run(s, 29000);
	s->refuses = true;
	s->refusal = (struct fake_end){.code = ERR_TRANSPORT};
	sandbox_run(s, 400000);
	is(state(), "Connecting", "a runner fell silent, and then there was no way to it");
	s->refuses = s->is_mute = false;
	sandbox_run(s, 10000);
	is(state(), "Running", "that was no more of its silence");
	end();
}

int main(void)
{
	test_silence();
	test_silence_that_is_borne();
	test_attempts_while_silence_is_borne();
	test_silence_without_connection();
	done_testing();
}
