/*
 * random: numbers for property tests that are the same on every run and every machine (SplitMix64).
 * A test names its seed, so that a failure can be repeated.
 */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state; /* starts as the seed */
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* From 0 to `count` - 1. */
static inline uint32_t random_below(struct random *random, uint32_t count)
{
	return (uint32_t)(random_next(random) % count);
}

#endif
