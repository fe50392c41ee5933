/* Every way in which an attach was seen to go wrong, and what becomes of the session. */
#include "session/session.h"
#include "session/wire.h"

#include "one_session.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static const char *trouble(void)
{
	return attach_verdict_name(o.report.trouble);
}

/* --- Handshakes that are refused: for a while, and then no more. */

static const struct {
	const char *rule;
	struct fake_end refusal;
	const char *trouble;
} REFUSALS[] = {
	{"a Pod that is gone",
	 {404, 0, "{\"kind\":\"Status\",\"message\":\"pods not found\"}", 0},
	 "Gone"},
	{"a Pod that the kubelet does not have", {404, 0, "pod does not exist", 0}, "Unready"},
	{"a Pod without a node",
	 {400, 0, "{\"kind\":\"Status\",\"message\":\"does not have a host assigned\"}", 0},
	 "Unready"},
	{"a container that does not run", {500, 0, "container sandbox not found", 0}, "Unready"},
	{"a container that does not run, in JSON",
	 {500, 0, "{\"kind\":\"Status\",\"message\":\"container not found\"}", 0},
	 "Unready"},
	{"no common subprotocol", {403, 0, "", 0}, "Refused"},
	{"a missing right",
	 {403, 0, "{\"kind\":\"Status\",\"message\":\"forbidden\"}", 0},
	 "Refused"},
	{"an old token",
	 {401, 0, "{\"kind\":\"Status\",\"message\":\"Unauthorized\"}", 0},
	 "Refused"},
	{"a server that chooses no subprotocol", {0, 0, "", ERR_PROTOCOL}, "Refused"},
	{"too many attaches", {429, 0, "", ERR_THROTTLED}, "Lost"},
	{"a proxy without a server", {502, 0, "<html>", ERR_UNAVAILABLE}, "Lost"},
	{"a handshake without an answer", {0, 0, "", ERR_TIMEOUT}, "Lost"},
	{"no way to the server", {0, 0, "", ERR_TRANSPORT}, "Lost"},
};

static void test_refusals(void)
{
	for (size_t i = 0; i < sizeof(REFUSALS) / sizeof(REFUSALS[0]); i++) {
		begin();
		sandbox_ready(s);
		s->refuses = true;
		s->refusal = REFUSALS[i].refusal;
		owner_attach(&o);
		sandbox_run(s, 20000);
		is(state(), "Connecting", "%s: it goes on trying", REFUSALS[i].rule);
		is(trouble(), REFUSALS[i].trouble, "%s: and says what the matter is",
		   REFUSALS[i].rule);
		ok(s->ws.count >= 6 && s->ws.count <= 12, "%s: at a growing distance",
		   REFUSALS[i].rule);
		cmp_ok(o.report.number, "==", 0, "%s: no session number is used up",
		       REFUSALS[i].rule);
		cmp_ok(o.asked, "==", s->ws.count, "%s: with fresh credentials each time",
		       REFUSALS[i].rule);
		s->refuses = false;
		sandbox_run(s, 20000);
		is(state(), "Released", "%s: and goes through when it is over", REFUSALS[i].rule);
		is(trouble(), "Fine", "%s: with nothing the matter any more", REFUSALS[i].rule);
		end();
	}
}

static void test_refused_for_good(void)
{
	begin();
	s->refuses = true;
	s->refusal = (struct fake_end){403, 0, "{\"kind\":\"Status\",\"message\":\"no\"}", 0};
	owner_attach(&o);
	sandbox_run(s, SESSION_REFUSED_MS - 10000);
	is(state(), "Connecting", "a missing right may be granted within a minute");
	sandbox_run(s, 20000);
	is(state(), "Failed", "one that is missing for longer ends it");
	is(session_failure_name(o.report.failure), "Internal", "for a reason of our own");
	like(o.report.text, "^attaching to the sandbox is refused: .*no$", "in the server's words");
	end();

	begin();
	s->refuses = true;
	s->refusal = (struct fake_end){.code = ERR_TRANSPORT};
	owner_attach(&o);
	sandbox_run(s, 3600000);
	is(state(), "Connecting", "an API server that is away for an hour is no runner's silence");
	s->refuses = false;
	sandbox_ready(s);
	sandbox_run(s, 20000);
	is(state(), "Released", "and then it goes on");
	end();
}

/* --- Connections that end. */

static void attach_and_run_until(enum session_state wanted)
{
	sandbox_ready(s);
	owner_attach(&o);
	for (int i = 0; i < 100 && o.report.state != wanted; i++)
		sandbox_run(s, 100);
	is(state(), session_state_name(wanted), "it comes to %s", session_state_name(wanted));
}

static const struct {
	const char *rule;
	const char *status; /* on channel 3 before; NULL: none */
	struct fake_end end;
	const char *trouble, *text;
} ENDS[] = {
	{"a reset", NULL, {.code = ERR_TRANSPORT}, "Lost", "the fake websocket ends"},
	{"a close with code 1011",
	 NULL,
	 {.close_code = 1011, .code = ERR_TRANSPORT},
	 "Lost",
	 "the fake websocket ends"},
	{"a close without a Status",
	 NULL,
	 {.close_code = 1000, .code = ERR_TRANSPORT},
	 "Ended",
	 "the fake websocket ends"},
	{"a Status of success and a close",
	 "{\"metadata\":{},\"status\":\"Success\"}",
	 {.close_code = 1000, .code = ERR_TRANSPORT},
	 "Ended",
	 "{\"metadata\":{},\"status\":\"Success\"}"},
	{"a Status of failure and a close",
	 "{\"status\":\"Failure\",\"message\":\"container not found\"}",
	 {.close_code = 1000, .code = ERR_TRANSPORT},
	 "Ended",
	 "container not found"},
	{"a Status and a reset",
	 "{\"status\":\"Success\"}",
	 {.code = ERR_TRANSPORT},
	 "Ended",
	 "{\"status\":\"Success\"}"},
	{"a text message", NULL, {.code = ERR_PROTOCOL}, "Refused", "the fake websocket ends"},
	{"silence, not even a pong",
	 NULL,
	 {.code = ERR_TIMEOUT},
	 "Lost",
	 "the fake websocket ends"},
};

static void test_ends(void)
{
	for (size_t i = 0; i < sizeof(ENDS) / sizeof(ENDS[0]); i++) {
		begin();
		attach_and_run_until(SESSION_IS_RUNNING);
		if (ENDS[i].status)
			fake_ws_status(socket(), ENDS[i].status);
		fake_ws_end(socket(), ENDS[i].end);
		is(state(), "Connecting", "%s in mid-run: it attaches again", ENDS[i].rule);
		is(trouble(), ENDS[i].trouble, "%s: and says so", ENDS[i].rule);
		cmp_ok(o.report.troubles, "==", 1, "%s: and counts it", ENDS[i].rule);
		is(o.report.trouble_text, ENDS[i].text, "%s: in words", ENDS[i].rule);
		sandbox_run(s, 20000);
		is(state(), "Released", "%s: and goes on to the end", ENDS[i].rule);
		cmp_ok(o.report.number, "==", SANDBOX_NUMBER + 1,
		       "%s: with the next session number", ENDS[i].rule);
		cmp_ok(s->model.starts, "==", 1, "%s: nothing is started twice", ENDS[i].rule);
		end();
	}
}

static void test_status_in_mid_upload(void)
{
	begin();
	o.is_passive = true;
	attach_and_run_until(SESSION_IS_READY);
	o.is_passive = false;
	fake_ws_status(socket(), "{\"status\":\"Success\"}");
	session_upload(o.session, &s->bundle_object);
	sandbox_run(s, 1000);
	cmp_ok(s->model.side.total, "==", 0,
	       "after a Status nothing is sent, though leave was given");
	sandbox_run(s, 20000);
	is(state(), "Released", "and all goes on on another connection");
	end();
}

/* --- Connections that are odd. */

static void test_oddities(void)
{
	begin();
	s->subprotocol = "v4.channel.k8s.io";
	attach_and_run_until(SESSION_IS_RELEASED);
	cmp_ok(s->ws.count, "==", 1, "an old server that speaks v4 only will do");
	end();

	begin();
	s->chunk_bytes = 1;
	attach_and_run_until(SESSION_IS_RELEASED);
	ok(s->messages > 150000, "messages of one byte will do");
	end();

	begin();
	attach_and_run_until(SESSION_IS_RUNNING);
	for (int i = 0; i < 300; i++) {
		fake_ws_message(socket(), "\7noise\n", 7);
		fake_ws_stdout(socket(), (struct str){s->output, 32768});
		fake_ws_stdout(socket(), STR("\n\n"));
	}
	sandbox_run(s, 20000);
	is(state(), "Released", "10 MiB of something else on stdout change nothing");
	cmp_ok(s->ws.count, "==", 1, "not even the connection");
	end();
}

static void test_idle_connections_that_are_cut(void)
{
	begin();
	s->model.run_ms = 60000;
	attach_and_run_until(SESSION_IS_RUNNING);
	for (int i = 0; i < 10; i++) {
		sandbox_run(s, 5000);
		fake_ws_end(socket(), (struct fake_end){.code = ERR_TRANSPORT});
	}
	sandbox_run(s, 30000);
	is(state(), "Released", "a proxy that cuts every 5 s lengthens nothing");
	cmp_ok(s->model.starts, "==", 1, "and nothing is started twice");
	cmp_ok(o.report.number, "==", SANDBOX_NUMBER + 10, "each connection has its number");
	end();

	begin();
	s->model.run_ms = 200000;
	attach_and_run_until(SESSION_IS_RUNNING);
	sandbox_run(s, 100000);
	fake_ws_end(socket(), (struct fake_end){.code = ERR_TRANSPORT});
	is(state(), "Connecting", "the time of a connection that was answered is no silence");
	sandbox_run(s, 2 * ATTACH_DELAY_FIRST_MS);
	is(state(), "Running", "and the next one comes at once");
	for (int i = 0; i < 8; i++) {
		fake_ws_end(socket(), (struct fake_end){.code = ERR_TRANSPORT});
		sandbox_run(s, 2 * ATTACH_DELAY_FIRST_MS);
	}
	is(state(), "Running", "however often, when each was answered");
	end();
}

static void test_stdin_that_is_not_read(void)
{
	begin();
	o.is_passive = true;
	attach_and_run_until(SESSION_IS_READY);
	fake_ws_block(socket(), true);
	session_upload(o.session, &s->bundle_object);
	fake_io_advance(&s->fake, 1000);
	is(state(), "Uploading", "a server that reads nothing holds the upload up");
	fake_io_advance(&s->fake, WIRE_BLOCKED_MS);
	is(trouble(), "Lost", "until the connection is given up");
	sandbox_run(s, 20000);
	is(state(), "Received", "and another one carries it");
	end();
}

static void test_leave_while_connecting(void)
{
	begin();
	s->model.run_ms = 600000;
	attach_and_run_until(SESSION_IS_RUNNING);
	fake_ws_end(socket(), (struct fake_end){.code = ERR_TRANSPORT});
	fake_io_advance(&s->fake, 2000);
	ok(socket()->is_pending && !socket()->is_open, "a handshake is under way");
	session_cancel(o.session, 0);
	fake_io_advance(&s->fake, 0);
	ok(socket()->is_pending, "leave that is given then does not disturb it");
	is(state(), "Connecting", "nor is the state the one of before");
	sandbox_run(s, 10000);
	is(state(), "Released", "it is used when it is through");
	end();
}

/* --- Refusals that are not in a row, a stdin that ends, numbers that are used up. */

static void test_refusals_far_apart(void)
{
	begin();
	s->model.run_ms = 600000;
	s->refuses = true;
	s->refusal = (struct fake_end){403, 0, "", 0};
	owner_attach(&o);
	sandbox_run(s, 10000);
	s->refuses = false;
	sandbox_ready(s);
	sandbox_run(s, 100000);
	is(state(), "Running", "refused at first, then let in");
	fake_ws_end(socket(), (struct fake_end){.code = ERR_PROTOCOL});
	is(state(), "Connecting", "the next refusal is the first again");
	end();
}

/* containerd was restarted: its shim has closed the container's stdin for good. */
static void test_stdin_that_ends(void)
{
	begin();
	attach_and_run_until(SESSION_IS_RUNNING);
	s->is_deaf = true;
	runner_side_on_end(&s->model.side, s->fake.now_ms);
	fake_ws_end(socket(), (struct fake_end){.code = ERR_TRANSPORT});
	sandbox_run(s, 120000);
	is(state(), "Released", "a runner that can't hear any more still gives its outcome");
	ok(o.report.outcome && o.report.bundle_is_checked, "whole");
	end();
}

static void test_numbers(void)
{
	begin();
	o.config.number = SANDBOX_NUMBER + SESSION_NUMBERS - 2;
	s->model.run_ms = 600000;
	attach_and_run_until(SESSION_IS_RUNNING);
	fake_ws_end(socket(), (struct fake_end){.code = ERR_TRANSPORT});
	sandbox_run(s, 5000);
	is(state(), "Failed", "when all session numbers are used up, it ends");
	is(session_failure_name(o.report.failure), "Internal", "rather than take one of another");
	cmp_ok(s->ws.count, "==", 1, "without another connection");
	end();
}

int main(void)
{
	test_refusals();
	test_refused_for_good();
	test_ends();
	test_status_in_mid_upload();
	test_oddities();
	test_idle_connections_that_are_cut();
	test_stdin_that_is_not_read();
	test_leave_while_connecting();
	test_refusals_far_apart();
	test_stdin_that_ends();
	test_numbers();
	done_testing();
}
