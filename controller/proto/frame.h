/*
 * frame: one message on the wire.
 *
 *	off size  body
 *	 0   1    0x01 (layout)
 *	 1   1    type
 *	 2   2    flags: 0 when sent, ignored when read
 *	 4   4    length n of the payload, at most 15,360
 *	 8   8    session; from the runner: the session answered, 0 = none
 *	16   8    offset
 *	24   n    payload
 *	24+n 4    CRC-32C of bytes 0 .. 24+n-1
 *
 * On the wire stands COBS(body) (cobs.h) and the delimiter, a newline. So a frame is exactly one
 * line of at most 15,450 bytes: it fits one line of a container log (16 KiB) and one websocket
 * message. A lone delimiter is an empty frame and means nothing; a writer begins a connection with
 * one, so that whatever was cut off before it can't swallow the first frame.
 */
#ifndef PROTO_FRAME_H
#define PROTO_FRAME_H

#include "base/str.h"
#include "cobs.h"
#include "proto.h"

#include <stddef.h>
#include <stdint.h>

#define FRAME_HEADER_BYTES 24
#define FRAME_CRC_BYTES	   4
#define FRAME_PAYLOAD_MAX  15360
#define FRAME_BODY_MAX	   (FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX + FRAME_CRC_BYTES)
#define FRAME_WIRE_MAX	   (COBS_BYTES_MAX(FRAME_BODY_MAX) + 1) /* with its delimiter */

_Static_assert(FRAME_WIRE_MAX == 15450, "the longest frame is what the protocol says");

struct frame {
	uint8_t type; /* enum proto_frame, or a number we don't know */
	uint64_t session;
	uint64_t offset;
	struct str payload; /* borrowed */
};

/* Writes a frame whose payload comes in pieces, into `out` of FRAME_WIRE_MAX bytes. */
struct frame_writer {
	struct cobs cobs;
	uint32_t crc;
	size_t missing; /* bytes of the payload still to be added */
};

/* `head->payload` is not read: `length` says how long the payload will be. */
void frame_begin(struct frame_writer *w, uint8_t *out, const struct frame *head, size_t length);
void frame_add(struct frame_writer *w, struct str bytes);
/* Returns the bytes written, with the delimiter. All of the payload must have been added. */
size_t frame_finish(struct frame_writer *w);

/* All three at once. */
size_t frame_encode(uint8_t *out, const struct frame *f);

/*
 * Reads what stood between two delimiters (not empty, at most FRAME_WIRE_MAX - 1 bytes), decoding
 * in place: the payload borrows from `bytes`. PROTO_NO_DROP, or why it is none, with `*f`
 * untouched.
 */
enum proto_drop frame_decode(uint8_t *bytes, size_t length, struct frame *f);

#endif
