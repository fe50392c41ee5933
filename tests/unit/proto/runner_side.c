#include "runner_talk.h"
#include "tap.h"

#include <string.h>

/* --- Attaching */

static void nothing_is_answered_before_ready_and_attach(void)
{
	boot();
	attach_as(10, 0, 1);
	cmp_ok(hear(0), "==", 0, "no answer while booting");
	cmp_ok(runner_side_deadline(&side) == RUNNER_NEVER, "==", 1, "and none to come");
	runner_side_ready(&side, 0);
	cmp_ok(hear(0), "==", 0, "nothing is said unasked");
	offer(10, 3, "abc");
	cmp_ok(hear(0), "==", 0, "nor to one who did not attach");
	cmp_ok(side.drops[DROP_SESSION], "==", 2, "which is counted");
}

static void attach_is_answered_by_hello_and_state(void)
{
	struct payload_hello hello;

	boot();
	runner_side_ready(&side, 0);
	attach_as(10, 0, 1);
	cmp_ok(runner_side_deadline(&side) <= 0, "==", 1, "at once");
	cmp_ok(hear(0), "==", FRAME_HELLO, "HELLO is first");
	cmp_ok(heard.session, "==", 10, "answering the session");
	ok(payload_get_hello(heard.payload, &hello) && hello.phase == PHASE_READY, "in its phase");
	cmp_ok(hello.version, "==", PROTO_VERSION_MAX, "in the highest version that both speak");
	ok(heard.payload.n == payload_hello_bytes + 5, "with the facts behind");
	cmp_ok(hear(0), "==", FRAME_STATE, "STATE is second");
	cmp_ok(hear(0), "==", 0, "and that is all");
	cmp_ok(runner_side_deadline(&side) == RUNNER_NEVER, "==", 1, "until it is asked again");
	attach_as(10, 0, 1);
	cmp_ok(hear(0), "==", FRAME_HELLO, "a repeat is answered again");
	hear_all(0);
}

static void who_may_attach(void)
{
	struct payload_attach old = {.version_min = 2, .version_max = 3, .attempt = 1};

	attached();
	attach_as(9, 0, 1);
	ok(refuses(9, PROTO_LOWER_SESSION) && error.session == 10, "a lower session is refused");
	attach_as(99, 1, 1);
	ok(refuses(99, PROTO_WRONG_RUN), "another run is, whatever its session");
	attach_as(99, 0, 2);
	ok(refuses(99, PROTO_WRONG_RUN), "so is another attempt");
	payload_put_attach(payload, &old);
	say(0, 99, FRAME_ATTACH, 0, payload_attach_bytes);
	ok(refuses(99, PROTO_UNSUPPORTED), "and a version that we don't speak");
	attach_as(0, 0, 1);
	cmp_ok(hear(0), "==", 0, "session 0 is nobody's");
	attach_as(11, 0, 1);
	ok(hear(0) == FRAME_HELLO && heard.session == 11, "a higher one takes over");
	hear_all(0);
	offer(10, 3, "abc");
	ok(refuses(10, PROTO_LOWER_SESSION) && error.session == 11, "and the one before is out");
	offer(12, 3, "abc");
	cmp_ok(hear(0), "==", 0, "one that did not attach is not answered");
	cmp_ok(side.phase, "==", PHASE_READY, "and neither changed anything");
}

/* --- Upload */

static void an_upload_is_taken_in_order_only(void)
{
	attached();
	cmp_ok(offer(10, 6, "abcdef"), "==", RUNNER_OFFERED, "OFFER begins it");
	ok(answers_state() && state.phase == PHASE_RECEIVING, "and is answered");
	cmp_ok(runner_side_deadline(&side), "==", 1000, "and then once a second");
	cmp_ok(data(0, 10, 0, "abc"), "==", RUNNER_NOTHING, "bytes in order");
	cmp_ok(side.received, "==", 3, "are taken");
	cmp_ok(hear(0), "==", 0, "without an answer to each");
	data(0, 10, 0, "XYZ");
	data(0, 10, 4, "ef");
	data(0, 10, 3, "defg");
	cmp_ok(side.received, "==", 3, "a repeat, a gap and too many are not");
	cmp_ok(side.drops[DROP_STALE], "==", 3, "and are counted");
	cmp_ok(hear(0), "==", 0, "the answer waits");
	cmp_ok(runner_side_deadline(&side), "==", RUNNER_STATE_GAP_MS, "for 100 ms");
	ok(hear(100) == FRAME_STATE && state.received == 3 && hear(100) == 0, "then one for all");
	cmp_ok(data(100, 10, 3, "def"), "==", RUNNER_RECEIVED, "the last byte completes it");
	ok(hear(100) == FRAME_STATE && state.phase == PHASE_RECEIVED, "which is said at once");
	is_bytes(spool, 6, "abcdef", 6, "and all of it is in the spool");
	data(100, 10, 6, "");
	cmp_ok(side.drops[DROP_PAYLOAD], "==", 1, "DATA without bytes is no DATA");
}

static void state_comes_on_each_32_kib(void)
{
	static char bytes[10001];
	int states = 0;

	memset(bytes, 'b', 10000);
	attached();
	offer(10, 90000, bytes);
	hear_all(0);
	for (int i = 0; i < 8; i++) {
		data(0, 10, (uint64_t)i * 10000, bytes);
		states += hear(0) == FRAME_STATE;
	}
	cmp_ok(states, "==", 2, "two in 80,000 bytes");
}

static void an_offer_begins_anew_or_not(void)
{
	attached();
	offer(10, 6, "abcdef");
	data(0, 10, 0, "abc");
	hear_all(0);
	cmp_ok(offer(10, 6, "abcdef"), "==", RUNNER_NOTHING, "the same one again");
	ok(answers_state() && state.received == 3, "changes nothing and is answered");
	cmp_ok(offer(10, 6, "ABCDEF"), "==", RUNNER_OFFERED, "another one");
	ok(answers_state() && state.received == 0, "begins from 0");
	cmp_ok(offer(10, SPOOL + 1, "x"), "==", RUNNER_NOTHING, "one that has no room");
	ok(refuses(10, PROTO_TOO_LARGE), "is refused");
	cmp_ok(side.total, "==", 6, "and leaves the one before");
	cmp_ok(offer(10, SPOOL, "x"), "==", RUNNER_OFFERED, "one that just fits is taken");
	received();
	cmp_ok(offer(10, 3, "xyz"), "==", RUNNER_OFFERED,
	       "before START also a whole one is replaced");
}

static void a_wrong_hash_begins_the_upload_again(void)
{
	attached();
	offer(10, 3, "abc");
	hear_all(0);
	cmp_ok(data(0, 10, 0, "abX"), "==", RUNNER_OFFERED, "what was received is void");
	ok(hear(0) == FRAME_ERROR && error.code == PROTO_HASH_MISMATCH, "an ERROR says why");
	ok(hear(0) == FRAME_STATE && state.received == 0, "and STATE where to begin");
	cmp_ok(data(0, 10, 0, "abc"), "==", RUNNER_RECEIVED, "the right bytes complete it");
}

static void a_bundle_can_be_refused(void)
{
	received();
	runner_side_refuse_bundle(&side, 0);
	ok(hear(0) == FRAME_ERROR && error.code == PROTO_BAD_BUNDLE, "which is said");
	ok(hear(0) == FRAME_STATE && state.phase == PHASE_READY && state.received == 0,
	   "and forgotten");
	start(10, "abc");
	ok(refuses(10, PROTO_NOT_RECEIVED), "it can't be started");
	cmp_ok(offer(10, 3, "abc"), "==", RUNNER_OFFERED, "it can be offered again");
}

/* --- Running */

static void start_runs_once(void)
{
	attached();
	start(10, "abc");
	ok(refuses(10, PROTO_NOT_RECEIVED), "not before a bundle is there");
	offer(10, 3, "abc");
	hear_all(0);
	start(10, "abc");
	ok(refuses(10, PROTO_NOT_RECEIVED), "nor before all of it is");
	data(0, 10, 0, "abc");
	hear_all(0);
	start(10, "xyz");
	ok(refuses(10, PROTO_HASH_MISMATCH), "nor under another hash");
	cmp_ok(start(10, "abc"), "==", RUNNER_START, "then it runs");
	ok(answers_state() && state.starts == 1, "and STATE says so");
	cmp_ok(start(10, "abc"), "==", RUNNER_NOTHING, "a repeat does not run it again");
	ok(answers_state(), "and is answered");
	start(10, "xyz");
	ok(refuses(10, PROTO_ALREADY_STARTED), "another hash is refused");
	offer(10, 3, "xyz");
	ok(refuses(10, PROTO_ALREADY_STARTED), "so is another bundle");
	offer(10, 3, "abc");
	ok(answers_state(), "the same one is fine");
	data(0, 10, 0, "xyz");
	is_bytes(spool, 3, "abc", 3, "and its bytes stay");
	attach_as(11, 0, 1);
	cmp_ok(start(11, "abc"), "==", RUNNER_NOTHING, "nor does another session run it again");
	sealed();
	cmp_ok(start(10, "abc"), "==", RUNNER_NOTHING, "nor when it is done");
}

static void states_come_ever_slower(void)
{
	int64_t now_ms = 0, last_ms = 0, longest_ms = 0;
	int states = 0;

	running();
	cmp_ok(runner_side_deadline(&side), "==", 1000, "the first after a second");
	while ((now_ms = runner_side_deadline(&side)) < 3600 * 1000) {
		longest_ms = now_ms - last_ms > longest_ms ? now_ms - last_ms : longest_ms;
		last_ms = now_ms;
		states += hear(now_ms) == FRAME_STATE;
	}
	cmp_ok(longest_ms, "==", RUNNER_STATE_PERIOD_MAX_MS, "never more than 10 s apart");
	cmp_ok(states, "<", 400, "few of them in an hour");
	sealed();
	cmp_ok(runner_side_deadline(&side) == RUNNER_NEVER, "==", 1, "none when it is done");
}

static void state_says_what_the_runner_knows(void)
{
	running();
	side.report = (struct runner_report){1, 2, 3, 4, 5, 6};
	hear(1000);
	ok(state.budget_left_ms == 1 && state.memory_now == 2 && state.memory_peak == 3 &&
		   state.cpu_ms == 4 && state.stdout_bytes == 5 && state.stderr_bytes == 6,
	   "all of it");
}

static void cancel_stops_or_prevents(void)
{
	running();
	cmp_ok(cancel(10, 500), "==", RUNNER_CANCEL, "a run is stopped");
	cmp_ok(side.cancel_grace_ms, "==", 500, "within the grace");
	ok(answers_state() && state.phase == PHASE_RUNNING, "it is still running");
	cmp_ok(cancel(10, 9), "==", RUNNER_NOTHING, "a repeat changes nothing");
	cmp_ok(side.cancel_grace_ms, "==", 500, "not even the grace");
	ok(answers_state(), "and is answered");
	received();
	cmp_ok(cancel(10, 500), "==", RUNNER_CANCEL, "before START nothing will run");
	ok(answers_state() && state.phase == PHASE_DONE && state.starts == 0, "it is done");
	cmp_ok(start(10, "abc"), "==", RUNNER_NOTHING, "START comes too late");
	ok(answers_state() && state.starts == 0, "and is told so");
	offer(10, 3, "xyz");
	ok(answers_state(), "so is OFFER");
	get(10, PROTO_OBJECT_OUTCOME, 0, 10);
	ok(answers_state(), "and GET: there is no outcome");
	sealed();
	cmp_ok(cancel(10, 500), "==", RUNNER_NOTHING, "after the end there is nothing to stop");
}

/* --- Download */

static void get_is_answered_by_data(void)
{
	running();
	get(10, PROTO_OBJECT_OUTCOME, 0, 100);
	ok(answers_state(), "before the end there is none");
	sealed();
	get(10, PROTO_OBJECT_OUTCOME, 0, 65536);
	ok(hear(0) == FRAME_DOWNLOAD && heard.offset == 0 && heard.payload.n == 15360, "a frame");
	ok(hear(0) == FRAME_DOWNLOAD && heard.offset == 15360, "the next");
	ok(hear(0) == FRAME_DOWNLOAD && heard.payload.n == 40000 - 2 * 15360, "the end");
	cmp_ok(hear(0), "==", 0, "and no more");
	get(10, PROTO_OBJECT_OUTCOME, 39990, 20);
	ok(hear(0) == FRAME_DOWNLOAD && heard.payload.n == 10, "no more than there is");
	get(10, PROTO_OBJECT_OUTCOME, 40000, 20);
	ok(answers_state(), "at the end there is nothing");
	get(10, PROTO_OBJECT_OUTCOME, UINT64_MAX, 20);
	ok(answers_state(), "nor far behind it");
	get(10, 1, 0, 20);
	ok(refuses(10, PROTO_UNSUPPORTED), "another object is refused");
}

static void a_new_get_replaces_the_one_before(void)
{
	sealed();
	get(10, PROTO_OBJECT_OUTCOME, 0, 40000);
	hear(0);
	get(10, PROTO_OBJECT_OUTCOME, 5, 7);
	ok(hear(0) == FRAME_DOWNLOAD && heard.offset == 5 && heard.payload.n == 7, "it is served");
	cmp_ok(hear(0), "==", 0, "the rest of the other is not");
	get(10, PROTO_OBJECT_OUTCOME, 0, 40000);
	attach_as(11, 0, 1);
	ok(hear(0) == FRAME_HELLO && hear(0) == FRAME_STATE && hear(0) == 0,
	   "a new session ends what the one before had asked for");
}

static void the_last_words(void)
{
	sealed();
	cmp_ok(say(0, 10, FRAME_RELEASE, 0, 0), "==", RUNNER_RELEASE, "RELEASE is heard");
	ok(side.released, "and kept");
	cmp_ok(say(0, 10, FRAME_RELEASE, 0, 1), "==", RUNNER_NOTHING, "with a payload it is none");
	say(0, 10, 0x07, 0, 0);
	ok(refuses(10, PROTO_UNSUPPORTED), "a frame of later versions is refused");
	say(0, 10, FRAME_STATE, 0, 0);
	ok(refuses(10, PROTO_UNSUPPORTED), "so is one of our own kind");
	cmp_ok(side.drops[DROP_TYPE], "==", 2, "both are counted");
	for (uint8_t type = FRAME_ATTACH; type <= FRAME_CANCEL; type++)
		if (type != FRAME_UPLOAD)
			say(0, 10, type, 0, 3);
	cmp_ok(hear(0), "==", 0, "a broken payload is dropped");
	cmp_ok(side.drops[DROP_PAYLOAD], "==", 6, "and counted");
}

int main(void)
{
	nothing_is_answered_before_ready_and_attach();
	attach_is_answered_by_hello_and_state();
	who_may_attach();
	an_upload_is_taken_in_order_only();
	state_comes_on_each_32_kib();
	an_offer_begins_anew_or_not();
	a_wrong_hash_begins_the_upload_again();
	a_bundle_can_be_refused();
	start_runs_once();
	states_come_ever_slower();
	state_says_what_the_runner_knows();
	cancel_stops_or_prevents();
	get_is_answered_by_data();
	a_new_get_replaces_the_one_before();
	the_last_words();
	done_testing();
}
