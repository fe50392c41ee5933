/*
 * sha256: SHA-256 of FIPS 180-4, in portable C, fed in pieces of any size.
 *
 *	struct sha256 hash;
 *	uint8_t digest[SHA256_BYTES];
 *	sha256_init(&hash);
 *	sha256_update(&hash, bytes, length);	as often as there are bytes
 *	sha256_final(&hash, digest);
 *
 * Allocates nothing and owns nothing; a struct may be copied to go on from one point twice. About
 * 300 MB/s on one core, which is far above what an attach carries. The text form is hex.h's.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES	   32
#define SHA256_BLOCK_BYTES 64

struct sha256 {
	uint32_t state[8];
	uint64_t length;		   /* bytes so far; the standard ends at 2^61 */
	uint8_t block[SHA256_BLOCK_BYTES]; /* the last, unfinished one: length % 64 bytes */
};

void sha256_init(struct sha256 *hash);
void sha256_update(struct sha256 *hash, const void *bytes, size_t length);

/* Writes the digest. The struct must be initialised again before it is used for another one. */
void sha256_final(struct sha256 *hash, uint8_t digest[SHA256_BYTES]);

/* All three at once. */
void sha256(const void *bytes, size_t length, uint8_t digest[SHA256_BYTES]);

#endif
