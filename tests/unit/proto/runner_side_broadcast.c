/* What a runner does once its stdin is at its end, and when it wants to be woken. */
#include "runner_talk.h"
#include "tap.h"

static void everything_is_sent_ten_times(void)
{
	int64_t now_ms = 0, last_ms = 0, gap_ms = RUNNER_BROADCAST_GAP_MS;
	int rounds = 0, data_frames = 0;
	bool doubled = true;

	running();
	runner_side_on_end(&side, 0);
	runner_side_on_end(&side, 0);
	attach_as(11, 0, 1);
	cmp_ok(hear(0), "==", 0, "nothing is heard any more");
	runner_side_seal(&side, 0, &outcome);
	for (; now_ms != RUNNER_NEVER; now_ms = runner_side_deadline(&side)) {
		now_ms = now_ms < 0 ? 0 : now_ms;
		for (int type; (type = hear(now_ms)) != 0;) {
			data_frames += type == FRAME_DOWNLOAD;
			if (type == FRAME_HELLO && rounds++ > 0) {
				doubled &= now_ms == last_ms + gap_ms;
				gap_ms *= 2;
				last_ms = now_ms;
			}
			if (heard.session != 0)
				fail("a broadcast answers nobody");
		}
	}
	cmp_ok(rounds, "==", RUNNER_BROADCAST_ROUNDS, "in ten rounds");
	cmp_ok(data_frames, "==", 3 * RUNNER_BROADCAST_ROUNDS, "each with all of the outcome");
	ok(doubled, "and twice as long apart each time");
}

static void a_gap_begins_when_a_round_has_ended(void)
{
	sealed();
	runner_side_on_end(&side, 0);
	ok(hear(0) == FRAME_HELLO && hear(0) == FRAME_STATE, "stdin may end after the seal");
	ok(hear(0) == FRAME_DOWNLOAD && hear(5000) == FRAME_DOWNLOAD, "a frozen stdout takes time");
	ok(hear(9000) == FRAME_DOWNLOAD && hear(9000) == 0, "until the last frame is out");
	cmp_ok(runner_side_deadline(&side), "==", 9000 + RUNNER_BROADCAST_GAP_MS, "then it waits");
}

static void what_was_asked_before_is_void(void)
{
	running();
	runner_side_seal(&side, 0, &outcome);
	hear_all(0);
	get(10, PROTO_OBJECT_OUTCOME, 20000, 100);
	start(10, "xyz");
	runner_side_on_end(&side, 0);
	cmp_ok(hear(0), "==", FRAME_HELLO, "the broadcast begins at once");
	cmp_ok(hear(0), "==", FRAME_STATE, "without the ERROR that was owed");
	ok(hear(0) == FRAME_DOWNLOAD && heard.offset == 0, "and from the beginning");
}

static void the_deadline_is_now_while_something_is_owed(void)
{
	sealed();
	cmp_ok(runner_side_deadline(&side) == RUNNER_NEVER, "==", 1, "nothing is owed");
	get(10, PROTO_OBJECT_OUTCOME, 0, 10);
	cmp_ok(runner_side_deadline(&side) == INT64_MIN, "==", 1, "bytes are");
	hear_all(0);
	start(10, "xyz");
	cmp_ok(runner_side_deadline(&side) == INT64_MIN, "==", 1, "an ERROR is");
	hear_all(0);
	attach_as(10, 0, 1);
	cmp_ok(runner_side_deadline(&side) == INT64_MIN, "==", 1, "a HELLO is");
	hear_all(0);
	offer(10, 3, "abc");
	cmp_ok(runner_side_deadline(&side), "==", 0, "a STATE is due at once");
}

int main(void)
{
	sealed();
	everything_is_sent_ten_times();
	a_gap_begins_when_a_round_has_ended();
	what_was_asked_before_is_void();
	the_deadline_is_now_while_something_is_owed();
	done_testing();
}
