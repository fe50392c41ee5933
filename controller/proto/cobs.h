/*
 * cobs: Consistent Overhead Byte Stuffing (Cheshire and Baker, 1999), turned so that the byte which
 * never occurs is the newline.
 *
 * Bytes are cut into blocks of at most 254 that end where a zero stands; each block is preceded by
 * its length plus one, and the zeros are left out. The result has no zero. XOR 0x0A of every byte
 * then makes it a text without newline, at a cost of one byte in 254 and no more, whatever the
 * bytes are: escaping would double in the worst case.
 */
#ifndef PROTO_COBS_H
#define PROTO_COBS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COBS_BLOCK_MAX 254
#define COBS_DELIMITER 0x0A /* the byte that no encoded text contains */

/* Bytes that `length` bytes need at most, without a delimiter. */
#define COBS_BYTES_MAX(length) ((length) + ((length) + COBS_BLOCK_MAX - 1) / COBS_BLOCK_MAX)

/* An encoder into the caller's `out`, which needs room for COBS_BYTES_MAX and one byte more. */
struct cobs {
	uint8_t *out;
	size_t length;	/* written so far, with the open block's length byte */
	size_t code_at; /* where that byte stands */
	uint8_t code;	/* and what it will be: bytes in the open block, plus one */
	bool was_full;	/* the block before had no zero behind it */
};

void cobs_begin(struct cobs *c, uint8_t *out);
void cobs_add(struct cobs *c, struct str bytes);
/* Returns the encoded length. */
size_t cobs_finish(struct cobs *c);

/*
 * Decodes in place. False, with undefined bytes, when a block reaches behind the end or a byte is
 * the delimiter. Otherwise `*length` becomes the decoded length.
 */
bool cobs_decode(uint8_t *bytes, size_t *length);

#endif
