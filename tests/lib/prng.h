/*
 * prng: random choices that can be made again. A test says its seed, and SEED=… repeats it.
 *
 * The generator is splitmix64 (Steele, Lea, Flood, 2014): one word of state, any seed is good.
 */
#ifndef TESTS_PRNG_H
#define TESTS_PRNG_H

#include "base/str.h"

#include "tap.h"

#include <stdint.h>
#include <stdlib.h>

struct prng {
	uint64_t state;
};

static inline uint64_t prng_next(struct prng *p)
{
	uint64_t z = p->state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

/* 0 to `bound` - 1. */
static inline uint64_t prng_below(struct prng *p, uint64_t bound)
{
	return prng_next(p) % bound;
}

/* True in `percent` of 100 cases. */
static inline bool prng_chance(struct prng *p, unsigned percent)
{
	return prng_below(p, 100) < percent;
}

/* Few distinct values now and then: runs of zeros and newlines are what encoders stumble over. */
static inline void prng_fill(struct prng *p, void *bytes, size_t length)
{
	uint8_t *at = bytes;
	bool plain = prng_chance(p, 30);

	for (size_t i = 0; i < length; i++)
		at[i] = plain ? "\0\0\n\xFF"[prng_below(p, 4)] : (uint8_t)prng_next(p);
}

/* The seed of this run: SEED of the environment, else `fixed`, so that a plain run is the same
 * everywhere. Printed, to be found in a log. */
static inline uint64_t prng_seed(uint64_t fixed)
{
	const char *text = getenv("SEED");
	uint64_t seed = fixed;

	if (text && !str_to_uint(str_of(text), UINT64_MAX, &seed))
		diag("SEED is no number; using %llu", (unsigned long long)fixed);
	diag("SEED=%llu", (unsigned long long)seed);
	return seed;
}

/* How many rounds to do: ROUNDS of the environment, else `usual`. */
static inline uint64_t prng_rounds(uint64_t usual)
{
	const char *text = getenv("ROUNDS");
	uint64_t rounds = usual;

	if (text && !str_to_uint(str_of(text), UINT64_MAX, &rounds))
		diag("ROUNDS is no number; using %llu", (unsigned long long)usual);
	return rounds;
}

#endif
