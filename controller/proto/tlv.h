/*
 * tlv: tagged values, the form of every manifest and record.
 *
 *	u16 tag, u32 length, value	again and again to the end of the byte string
 *
 * Tags ascend; whether one may be repeated, and what a value means, is record.h's business. A value
 * may be such a byte string itself.
 */
#ifndef PROTO_TLV_H
#define PROTO_TLV_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TLV_HEADER_BYTES 6

/* Writes into the caller's memory. What does not fit sets `full`, and all from there on is left
 * out: one look at the end is enough. */
struct tlv_writer {
	uint8_t *out;
	size_t size;
	size_t length;
	bool full;
};

void tlv_put(struct tlv_writer *w, uint16_t tag, struct str value);
/* `bytes` (1, 2, 4 or 8) of a number. */
void tlv_put_number(struct tlv_writer *w, uint16_t tag, uint64_t value, int bytes);

/* A value that is written tag by tag: what begin returned, end wants. */
size_t tlv_begin(struct tlv_writer *w, uint16_t tag);
void tlv_end(struct tlv_writer *w, size_t begun);

enum tlv_read {
	TLV_VALUE,	/* there is one more */
	TLV_END,	/* nothing is left */
	TLV_TRUNCATED,	/* the bytes end within a header or a value */
	TLV_DESCENDING, /* a tag below the one before it */
};

struct tlv_reader {
	struct str rest;
	uint16_t tag; /* the last one read, 0 before the first */
};

/* Takes the next value off `r->rest`; its tag is `r->tag`. After anything but TLV_VALUE: stop. */
enum tlv_read tlv_next(struct tlv_reader *r, struct str *value);

#endif
