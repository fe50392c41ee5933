#include "sha256.h"

#include <string.h>

/* Names and sections below are those of FIPS 180-4. */

/* Section 5.3.3: the first 32 bits of the fractions of the square roots of the first 8 primes. */
static const uint32_t initial_state[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* Section 4.2.2: the same of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, int bits)
{
	return x >> bits | x << (32 - bits);
}

/* Section 4.1.2. */
static uint32_t choose(uint32_t x, uint32_t y, uint32_t z)
{
	return (x & y) ^ (~x & z);
}

static uint32_t majority(uint32_t x, uint32_t y, uint32_t z)
{
	return (x & y) ^ (x & z) ^ (y & z);
}

static uint32_t big_sigma_0(uint32_t x)
{
	return rotate_right(x, 2) ^ rotate_right(x, 13) ^ rotate_right(x, 22);
}

static uint32_t big_sigma_1(uint32_t x)
{
	return rotate_right(x, 6) ^ rotate_right(x, 11) ^ rotate_right(x, 25);
}

static uint32_t small_sigma_0(uint32_t x)
{
	return rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
}

static uint32_t small_sigma_1(uint32_t x)
{
	return rotate_right(x, 17) ^ rotate_right(x, 19) ^ x >> 10;
}

static uint32_t load_big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store_big_endian(uint8_t *p, uint32_t x)
{
	p[0] = (uint8_t)(x >> 24);
	p[1] = (uint8_t)(x >> 16);
	p[2] = (uint8_t)(x >> 8);
	p[3] = (uint8_t)x;
}

/* Section 6.2.2, step 1: the message schedule. */
static void expand(uint32_t w[64], const uint8_t block[SHA256_BLOCK_BYTES])
{
	for (int t = 0; t < 16; t++)
		w[t] = load_big_endian(block + 4 * t);
	for (int t = 16; t < 64; t++)
		w[t] = small_sigma_1(w[t - 2]) + w[t - 7] + small_sigma_0(w[t - 15]) + w[t - 16];
}

/* Section 6.2.2, steps 2 to 4. */
static void compress(uint32_t state[8], const uint8_t block[SHA256_BLOCK_BYTES])
{
	uint32_t w[64];
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

	expand(w, block);
	for (int t = 0; t < 64; t++) {
		uint32_t t1 = h + big_sigma_1(e) + choose(e, f, g) + constants[t] + w[t];
		uint32_t t2 = big_sigma_0(a) + majority(a, b, c);

		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void sha256_init(struct sha256 *hash)
{
	*hash = (struct sha256){0};
	memcpy(hash->state, initial_state, sizeof(initial_state));
}

void sha256_update(struct sha256 *hash, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;

	while (length > 0) {
		size_t held = hash->length % SHA256_BLOCK_BYTES;
		size_t part = SHA256_BLOCK_BYTES - held;

		if (part > length)
			part = length;
		if (part == SHA256_BLOCK_BYTES) { /* a whole block need not be copied first */
			compress(hash->state, from);
		} else {
			memcpy(hash->block + held, from, part);
			if (held + part == SHA256_BLOCK_BYTES)
				compress(hash->state, hash->block);
		}
		hash->length += part;
		from += part;
		length -= part;
	}
}

/* Section 5.1.1: a one bit, zeros, and the length in bits as the last 64 of a block. */
void sha256_final(struct sha256 *hash, uint8_t digest[SHA256_BYTES])
{
	static const uint8_t padding[SHA256_BLOCK_BYTES] = {0x80};
	uint64_t bits = hash->length * 8;
	size_t held = hash->length % SHA256_BLOCK_BYTES;
	size_t room = SHA256_BLOCK_BYTES - 8;
	uint8_t length[8];

	store_big_endian(length, (uint32_t)(bits >> 32));
	store_big_endian(length + 4, (uint32_t)bits);
	sha256_update(hash, padding, held < room ? room - held : room + SHA256_BLOCK_BYTES - held);
	sha256_update(hash, length, sizeof(length));
	for (int i = 0; i < 8; i++)
		store_big_endian(digest + 4 * i, hash->state[i]);
}

void sha256(const void *bytes, size_t length, uint8_t digest[SHA256_BYTES])
{
	struct sha256 hash;

	sha256_init(&hash);
	sha256_update(&hash, bytes, length);
	sha256_final(&hash, digest);
}
