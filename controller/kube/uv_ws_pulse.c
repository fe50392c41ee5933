#include "uv_ws_pulse.h"

void uv_ws_pulse_start(struct uv_ws_pulse *pulse, int64_t silence_ms, int64_t now_ms)
{
	*pulse = (struct uv_ws_pulse){.silence_ms = silence_ms, .heard_at_ms = now_ms};
}

void uv_ws_pulse_heard(struct uv_ws_pulse *pulse, int64_t now_ms)
{
	pulse->heard_at_ms = now_ms;
}

void uv_ws_pulse_data_sent(struct uv_ws_pulse *pulse)
{
	pulse->proof = pulse->sent + 1;
}

void uv_ws_pulse_ping(struct uv_ws_pulse *pulse, unsigned char payload[PULSE_PING_BYTES])
{
	uint64_t number = ++pulse->sent;

	for (int i = PULSE_PING_BYTES - 1; i >= 0; i--) {
		payload[i] = (unsigned char)number;
		number >>= 8;
	}
}

void uv_ws_pulse_pong(struct uv_ws_pulse *pulse, struct str payload, int64_t now_ms)
{
	uint64_t number = 0;

	uv_ws_pulse_heard(pulse, now_ms);
	if (payload.n != PULSE_PING_BYTES)
		return;
	for (size_t i = 0; i < PULSE_PING_BYTES; i++)
		number = number << 8 | (unsigned char)payload.p[i];
	if (number > pulse->answered && number <= pulse->sent)
		pulse->answered = number;
}

enum uv_ws_pulse_verdict uv_ws_pulse_judge(const struct uv_ws_pulse *pulse, bool has_unsent,
					   int64_t now_ms)
{
	if (now_ms - pulse->heard_at_ms < pulse->silence_ms)
		return PULSE_ALIVE;
	if (has_unsent || pulse->answered < pulse->proof)
		return PULSE_ASK_KERNEL;
	return PULSE_DEAD;
}
