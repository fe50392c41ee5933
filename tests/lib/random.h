/*
 * random: numbers for property tests that are the same on every run and every machine (SplitMix64).
 * A test names its seed, so that a failure can be repeated.
 */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include "base/str.h"
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

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

/* True in `percent` of 100 cases. */
static inline bool random_chance(struct random *random, unsigned percent)
{
	return random_below(random, 100) < percent;
}

/* Any bytes; now and then only a few values, since runs of zeros are what encoders stumble over. */
static inline void random_fill(struct random *random, void *bytes, size_t length)
{
	static const uint8_t few[] = {0, 0, '\n', 0xFF};
	uint8_t *at = bytes;
	bool plain = random_chance(random, 30);

	for (size_t i = 0; i < length; i++)
		at[i] = plain ? few[random_below(random, sizeof(few))]
			      : (uint8_t)random_next(random);
}

/* A number of the environment, else `usual`. It is printed, to be found in a log. */
static inline uint64_t random_setting(const char *name, uint64_t usual)
{
	const char *text = getenv(name);
	uint64_t value = usual;

	if (text && !str_to_uint(str_of(text), UINT64_MAX, &value))
		diag("%s is no number", name);
	diag("%s=%llu", name, (unsigned long long)value);
	return value;
}

#endif
