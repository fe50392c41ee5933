/*
 * backoff: how long to wait before the next try, as client-go's reflector does it.
 *
 * 800 ms, doubled up to 30 s, each stretched by chance up to double so that many clients don't come
 * back at once; from the beginning again after two minutes without a failure. Pure.
 */
#ifndef KUBE_BACKOFF_H
#define KUBE_BACKOFF_H

#include <stdint.h>

#define BACKOFF_FIRST_MS 800
#define BACKOFF_LAST_MS	 30000
#define BACKOFF_RESET_MS 120000

/* Zeroed it is ready for use. */
struct backoff {
	int64_t step_ms, failed_at_ms;
};

/* Notes a failure and returns the wait; `chance` is any random number. */
int64_t backoff_next(struct backoff *backoff, int64_t now_ms, uint32_t chance);

#endif
