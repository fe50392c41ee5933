#include "session/session.h"

#include "one_session.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

/* --- The way that all goes well. */

static void test_whole_run(void)
{
	static const enum session_state STATES[] = {
		SESSION_IS_READY,    SESSION_IS_UPLOADING, SESSION_IS_RECEIVED,
		SESSION_IS_STARTING, SESSION_IS_RUNNING,   SESSION_IS_DONE,
		SESSION_IS_PULLING,  SESSION_IS_PULLED,	   SESSION_IS_RELEASED};

	begin();
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 10000);
	is(state(), "Released", "a run goes through to its end");
	for (size_t i = 0; i < sizeof(STATES) / sizeof(STATES[0]); i++)
		ok(owner_saw(&o, STATES[i]), "%s is reported", session_state_name(STATES[i]));
	cmp_ok(s->model.starts, "==", 1, "it is started once");
	cmp_ok(s->model.releases, "==", 1, "and released once");
	cmp_ok(o.asked, "==", 1, "credentials are asked for once a connection");
	cmp_ok(o.report.number, "==", SANDBOX_NUMBER, "with the first session number");
	ok(o.report.outcome && o.report.outcome->verdict == VERDICT_EXITED, "the outcome is there");
	ok(str_equal(o.report.outcome->streams[STREAM_STDOUT].head,
		     s->model.outcome.streams[STREAM_STDOUT].head),
	   "with every byte");
	ok(o.report.bundle_is_checked, "it is of the bundle that was sent");
	cmp_ok(o.report.hello->uid, "==", 65534, "HELLO's facts are reported");
	cmp_ok(s->hub.turns, "==", 0, "no turn is held any more");
	ok(fake_ws_last(&s->ws)->is_pending, "its socket is read until the session is deleted");
	end();
}

/* --- Leaves. */

static void test_leaves(void)
{
	begin();
	o.is_passive = true;
	sandbox_ready(s);
	owner_attach(&o);
	cmp_ok(o.changes, "==", 0, "nothing is called back from inside session_new");
	sandbox_run(s, 600000);
	is(state(), "Ready", "without leave to upload it stays ready, ten minutes if need be");
	cmp_ok(s->model.side.total, "==", 0, "and has sent nothing of the bundle");
	cmp_ok(s->ws.count, "==", 1, "on one connection");
	o.changes = 0;
	session_upload(o.session, &s->bundle_object);
	session_upload(o.session, &s->bundle_object);
	cmp_ok(o.changes, "==", 0, "nothing is called back from inside session_upload");
	sandbox_run(s, 600000);
	is(state(), "Received", "uploaded, it waits for leave to start");
	cmp_ok(s->model.starts, "==", 0, "and has started nothing");
	session_start(o.session);
	session_start(o.session);
	sandbox_run(s, 600000);
	is(state(), "Done", "started and done, it waits for leave to pull");
	ok(!o.report.outcome, "and has pulled nothing");
	session_pull(o.session);
	session_pull(o.session);
	sandbox_run(s, 1000);
	is(state(), "Pulled", "then it pulls");
	cmp_ok(s->model.releases, "==", 0, "and releases nothing by itself");
	session_release(o.session);
	session_release(o.session);
	sandbox_run(s, 1000);
	is(state(), "Released", "until it is told to");
	cmp_ok(s->model.starts, "==", 1, "leave given twice starts once");
	cmp_ok(s->model.releases, "==", 1, "and releases once");
	end();
}

static void test_early_leaves(void)
{
	begin();
	o.is_passive = true;
	sandbox_ready(s);
	owner_attach(&o);
	session_pull(o.session);
	session_start(o.session);
	session_upload(o.session, &s->bundle_object);
	sandbox_run(s, 10000);
	is(state(), "Pulled", "leave may be given before its time, and in any order");
	end();
}

static void test_cancel(void)
{
	uint8_t cancelled[payload_state_bytes];

	payload_put_state(cancelled, &(struct payload_state){.phase = PHASE_DONE});
	begin();
	o.is_passive = true;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 100);
	session_cancel(o.session, 5000);
	sandbox_run(s, 5000);
	is(state(), "Failed", "cancelled before START there is no run");
	is(session_failure_name(o.report.failure), "Cancelled", "and that is why");
	cmp_ok(s->model.starts, "==", 0, "nothing was started");
	end();

	begin();
	o.is_passive = true;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 100);
	sandbox_say(s, SANDBOX_NUMBER, FRAME_STATE, 0, cancelled, sizeof(cancelled));
	sandbox_run(s, 100);
	is(state(), "Failed", "cancelled by somebody else there is no run either");
	is(session_failure_name(o.report.failure), "PodTampered", "but it is not our doing");
	is(o.report.text, "somebody else cancelled the run before it began", "and that is said");
	end();

	begin();
	s->model.run_ms = 600000;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 5000);
	is(state(), "Running", "a long run is running");
	session_cancel(o.session, 5000);
	sandbox_run(s, 5000);
	cmp_ok(s->model.cancels, "==", 1, "cancelled, the runner hears of it");
	is(state(), "Released", "and the outcome comes as always");
	end();
}

static void test_early_release(void)
{
	begin();
	s->model.run_ms = 600000;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 5000);
	session_release(o.session);
	sandbox_run(s, 100);
	is(state(), "Released", "a task that ended otherwise releases a runner in mid-run");
	cmp_ok(s->model.releases, "==", 1, "which hears of it");
	end();

	begin();
	s->is_mute = true;
	owner_attach(&o);
	sandbox_run(s, 1000);
	session_release(o.session);
	sandbox_run(s, 100);
	is(state(), "Released", "where nobody is to be told, it is released at once");
	ok(!fake_ws_last(&s->ws)->is_pending, "and no connection is kept");
	end();
}

static void test_blocked_release(void)
{
	begin();
	o.is_passive = true;
	sandbox_ready(s);
	owner_attach(&o);
	session_upload(o.session, &s->bundle_object);
	session_start(o.session);
	session_pull(o.session);
	sandbox_run(s, 10000);
	fake_ws_block(fake_ws_last(&s->ws), true);
	session_release(o.session);
	fake_io_advance(&s->fake, 1000);
	is(state(), "Pulled", "a release that could not be sent yet is not said to be");
	sandbox_run(s, 1000);
	is(state(), "Released", "it is when it was");
	cmp_ok(s->model.releases, "==", 1, "once");
	end();
}

/* --- What the runner reports about its jail. */

static void test_verification(void)
{
	begin();
	s->model.hello.layers[LAYER_SECCOMP].state = LAYER_MISSING;
	sandbox_ready(s);
	owner_attach(&o);
	session_upload(o.session, &s->bundle_object);
	session_start(o.session);
	sandbox_run(s, 5000);
	is(state(), "Failed", "a jail that does not satisfy ends it");
	is(session_failure_name(o.report.failure), "IsolationUnverified", "for that reason");
	is(o.report.text, "seccomp: missing", "with the layer's name");
	cmp_ok(s->model.side.total + s->model.starts, "==", 0,
	       "and nothing of the bundle was sent");
	ok(o.report.hello && !fake_ws_last(&s->ws)->is_pending,
	   "the report is kept, the connection is not");
	end();

	begin();
	o.config.demands.capabilities = 1u << CAPABILITY_INSTALL;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 5000);
	is(session_failure_name(o.report.failure), "CapabilityMissing",
	   "a capability that is missing ends it before START");
	is(o.report.text, "Install: the runner does not have it", "with its name");
	cmp_ok(s->model.side.total, "==", 0, "and nothing of the bundle was sent");
	end();

	begin();
	sandbox_ready(s);
	s->model.side.facts = STR("");
	owner_attach(&o);
	sandbox_run(s, 5000);
	is(session_failure_name(o.report.failure), "IsolationUnverified",
	   "a HELLO without a report does not satisfy");
	end();

	begin();
	sandbox_ready(s);
	s->model.side.facts = STR("\1\0\377\377\377\377");
	owner_attach(&o);
	sandbox_run(s, 5000);
	is(session_failure_name(o.report.failure), "RunnerFailed",
	   "a HELLO that can't be read ends it");
	cmp_ok(s->model.side.total, "==", 0, "and nothing of the bundle was sent");
	end();
}

static void test_jail_that_falls(void)
{
	struct err err;

	begin();
	o.is_passive = true;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 100);
	is(state(), "Ready", "a jail that satisfied");
	s->model.hello.layers[LAYER_NETWORK_NAMESPACE].state = LAYER_MISSING;
	hello_encode(&s->model.hello, s->model.facts, &s->model.side.facts, &err);
	session_upload(o.session, &s->bundle_object);
	fake_ws_end(fake_ws_last(&s->ws), (struct fake_end){.code = ERR_TRANSPORT});
	sandbox_run(s, 5000);
	is(o.report.text, "networkNamespace: missing", "is verified again on every connection");
	cmp_ok(s->model.side.total, "==", 0, "before anything is sent on it");
	end();
}

static void test_report_that_goes_missing(void)
{
	begin();
	o.is_passive = true;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 100);
	s->model.side.facts = STR("");
	session_upload(o.session, &s->bundle_object);
	fake_ws_end(fake_ws_last(&s->ws), (struct fake_end){.code = ERR_TRANSPORT});
	sandbox_run(s, 5000);
	is(session_failure_name(o.report.failure), "IsolationUnverified",
	   "the report of an earlier connection does not count");
	cmp_ok(s->model.side.total, "==", 0, "and nothing was sent");
	end();
}

static void test_report_that_changes(void)
{
	uint8_t payload[payload_hello_bytes + HELLO_FACTS_BYTES_MAX];
	struct payload_hello hello = {.version = 1, .phase = PHASE_READY, .attempt = 1};
	unsigned changes;
	struct err err;

	begin();
	o.is_passive = true;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 100);
	changes = o.changes;
	s->model.hello.build = STR("another");
	hello_encode(&s->model.hello, s->model.facts, &s->model.side.facts, &err);
	memcpy(hello.run_id, o.config.run_id, PROTO_RUN_ID_BYTES);
	payload_put_hello(payload, &hello);
	memcpy(payload + payload_hello_bytes, s->model.side.facts.p, s->model.side.facts.n);
	sandbox_say(s, SANDBOX_NUMBER, FRAME_HELLO, 0, payload,
		    payload_hello_bytes + s->model.side.facts.n);
	cmp_ok(o.changes, "==", changes + 1, "a report that is another is told");
	ok(str_equal(o.report.hello->build, STR("another")), "as it is now");
	sandbox_say(s, SANDBOX_NUMBER, FRAME_HELLO, 0, payload,
		    payload_hello_bytes + s->model.side.facts.n);
	cmp_ok(o.changes, "==", changes + 1, "one that is the same is not");
	end();
}

/* --- A runner that is not ours, or breaks rules. */

static void test_other_runs(void)
{
	begin();
	o.config.attempt = 2;
	sandbox_ready(s);
	/* Somebody was here before, as attempt 1. */
	owner_attach(&o);
	sandbox_run(s, 100);
	owner_free(&o);
	o.config.attempt = 1;
	o.config.number += 10;
	owner_attach(&o);
	sandbox_run(s, 1000);
	is(state(), "Failed", "a runner that is bound to another attempt ends it");
	is(session_failure_name(o.report.failure), "PodTampered", "as not ours");
	end();
}

static void test_bad_outcomes(void)
{
	begin();
	s->model.outcome.bundle_sha256[0] ^= 1;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 10000);
	is(state(), "Failed", "an outcome of another bundle ends it");
	is(o.report.text, "the outcome is of another bundle", "and that is said");
	ok(!o.report.outcome, "there is no outcome");
	end();

	begin();
	o.config.limits.kept_bytes[STREAM_STDOUT] = 149999;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 10000);
	is(session_failure_name(o.report.failure), "RunnerFailed",
	   "more output than was asked for ends it");
	end();

	begin();
	o.config.limits.outcome_bytes = 100000;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 10000);
	is(o.report.text, "the outcome is larger than it may be",
	   "a larger outcome than there is room for ends it before it is pulled");
	end();
}

/* --- A new controller finds a run of the one before. */

static void test_takeover(void)
{
	begin();
	s->model.run_ms = 60000;
	sandbox_ready(s);
	owner_attach(&o);
	sandbox_run(s, 5000);
	is(state(), "Running", "a controller that started a run");
	owner_free(&o);
	owner_init(&o, s);
	o.config.number = SANDBOX_NUMBER + SESSION_NUMBERS;
	owner_attach(&o);
	sandbox_run(s, 5000);
	is(state(), "Running", "is followed by one that finds it running");
	sandbox_run(s, 60000);
	is(state(), "Released", "and brings it to its end");
	cmp_ok(s->model.starts, "==", 1, "without a second START");
	ok(!o.report.bundle_is_checked, "it knows no bundle to compare, and says so");
	end();
}

int main(void)
{
	test_whole_run();
	test_leaves();
	test_early_leaves();
	test_cancel();
	test_early_release();
	test_blocked_release();
	test_verification();
	test_jail_that_falls();
	test_report_that_goes_missing();
	test_report_that_changes();
	test_other_runs();
	test_bad_outcomes();
	test_takeover();
	done_testing();
}
