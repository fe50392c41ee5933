#include "kube/uv_ws_pulse.h"

#include "tap.h"

static void answer(struct uv_ws_pulse *pulse, unsigned char ping[PULSE_PING_BYTES], int64_t now_ms)
{
	uv_ws_pulse_pong(pulse, (struct str){(const char *)ping, PULSE_PING_BYTES}, now_ms);
}

static void silence_is_death(void)
{
	struct uv_ws_pulse pulse;
	unsigned char ping[PULSE_PING_BYTES];

	uv_ws_pulse_start(&pulse, 60, 1000);
	cmp_ok(uv_ws_pulse_judge(&pulse, false, 1059), "==", PULSE_ALIVE,
	       "not yet silent too long");
	cmp_ok(uv_ws_pulse_judge(&pulse, false, 1060), "==", PULSE_DEAD, "silent from the start");
	uv_ws_pulse_heard(&pulse, 1050);
	cmp_ok(uv_ws_pulse_judge(&pulse, false, 1109), "==", PULSE_ALIVE, "anything heard counts");
	uv_ws_pulse_ping(&pulse, ping);
	answer(&pulse, ping, 1100);
	cmp_ok(uv_ws_pulse_judge(&pulse, false, 1159), "==", PULSE_ALIVE, "and so does a pong");
	cmp_ok(uv_ws_pulse_judge(&pulse, false, 1160), "==", PULSE_DEAD, "until silence again");
}

static void data_that_was_not_taken_excuses_silence(void)
{
	struct uv_ws_pulse pulse;
	unsigned char before[PULSE_PING_BYTES], after[PULSE_PING_BYTES];

	uv_ws_pulse_start(&pulse, 60, 0);
	cmp_ok(uv_ws_pulse_judge(&pulse, true, 100), "==", PULSE_ASK_KERNEL,
	       "data waits on our side");
	uv_ws_pulse_ping(&pulse, before);
	uv_ws_pulse_data_sent(&pulse);
	answer(&pulse, before, 0);
	cmp_ok(uv_ws_pulse_judge(&pulse, false, 100), "==", PULSE_ASK_KERNEL,
	       "an answer to a ping from before the data proves nothing");
	uv_ws_pulse_heard(&pulse, 10);
	cmp_ok(uv_ws_pulse_judge(&pulse, false, 100), "==", PULSE_ASK_KERNEL,
	       "output proves nothing about input");
	uv_ws_pulse_ping(&pulse, after);
	answer(&pulse, after, 20);
	cmp_ok(uv_ws_pulse_judge(&pulse, false, 100), "==", PULSE_DEAD,
	       "once a ping from behind the data is answered, silence is death again");
}

static void odd_pongs_prove_nothing(void)
{
	struct uv_ws_pulse pulse;
	unsigned char ping[PULSE_PING_BYTES], future[PULSE_PING_BYTES] = {0, 0, 0, 0, 0, 0, 1, 0};

	uv_ws_pulse_start(&pulse, 60, 0);
	uv_ws_pulse_data_sent(&pulse);
	uv_ws_pulse_ping(&pulse, ping);
	uv_ws_pulse_pong(&pulse, STR(""), 0);
	uv_ws_pulse_pong(&pulse, STR("not ours at all"), 0);
	answer(&pulse, future, 0);
	cmp_ok(uv_ws_pulse_judge(&pulse, false, 100), "==", PULSE_ASK_KERNEL,
	       "empty, foreign or from the future");
}

int main(void)
{
	silence_is_death();
	data_that_was_not_taken_excuses_silence();
	odd_pongs_prove_nothing();
	done_testing();
}
