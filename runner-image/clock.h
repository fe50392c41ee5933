/*
 * clock: time that only goes forward, from an unknown beginning.
 */
#ifndef RUNNER_CLOCK_H
#define RUNNER_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static inline int64_t clock_ms(void)
{
	return clock_us() / 1000;
}

#endif
