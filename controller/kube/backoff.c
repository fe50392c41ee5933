#include "backoff.h"

int64_t backoff_next(struct backoff *backoff, int64_t now_ms, uint32_t chance)
{
	int64_t step_ms = backoff->step_ms * 2;

	if (backoff->step_ms == 0 || now_ms - backoff->failed_at_ms >= BACKOFF_RESET_MS)
		step_ms = BACKOFF_FIRST_MS;
	if (step_ms > BACKOFF_LAST_MS)
		step_ms = BACKOFF_LAST_MS;
	backoff->step_ms = step_ms;
	backoff->failed_at_ms = now_ms;
	return step_ms + (int64_t)((uint64_t)step_ms * chance >> 32);
}
