#include "kube/backoff.h"

#include "tap.h"

int main(void)
{
	static const int64_t STEPS[] = {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
	struct backoff backoff = {0};
	int64_t now_ms = 5;

	for (int i = 0; i < 8; i++)
		cmp_ok(backoff_next(&backoff, now_ms++, 0), "==", STEPS[i], "failure %d", i + 1);
	cmp_ok(backoff_next(&backoff, now_ms, UINT32_MAX), "==", 59999,
	       "chance stretches to the double");
	cmp_ok(backoff_next(&backoff, now_ms, UINT32_MAX / 2), "==", 44999, "evenly");
	cmp_ok(backoff_next(&backoff, now_ms + BACKOFF_RESET_MS - 1, 0), "==", 30000,
	       "just under two minutes of peace are not enough");
	cmp_ok(backoff_next(&backoff, now_ms + 3 * BACKOFF_RESET_MS, 0), "==", 800,
	       "after two minutes it begins anew");
	done_testing();
}
