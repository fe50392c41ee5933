/*
 * reader: finds the frames in a stream that is cut anywhere, joined in the middle, damaged, or
 * written by two at once.
 *
 *	reader_init(&reader, buffer);
 *	…	chunk = what came;
 *	while (reader_next(&reader, &chunk, &frame))
 *		…frame…
 *
 * - What comes before the first delimiter is no frame, even if it looks like one: the end of a
 *   frame cut in its middle is the other side's payload, which hostile code may have written.
 * - What does not check is dropped and counted by cause, never reported: the peer repeats.
 * - A frame's payload borrows from the buffer until the next call.
 */
#ifndef PROTO_READER_H
#define PROTO_READER_H

#include "frame.h"

#include <stdbool.h>

/* What is done with bytes up to the next delimiter. */
enum reader_mode {
	READER_JOINING,	   /* dropped, and the first of them is counted as Headless */
	READER_DROPPING,   /* dropped, and counted already */
	READER_COLLECTING, /* kept: they are a frame */
};

struct reader {
	uint8_t *buffer; /* the caller's, FRAME_WIRE_MAX bytes */
	size_t length;	 /* bytes of an unfinished frame in it */
	enum reader_mode mode;
	uint64_t drops[PROTO_DROP_COUNT];
};

void reader_init(struct reader *r, uint8_t *buffer);

/* A new connection: forgets what is unfinished and waits for a delimiter. Keeps the counts. */
void reader_restart(struct reader *r);

/* Takes bytes off the front of `*chunk` up to the end of a frame: true with that frame. False when
 * the chunk is used up. */
bool reader_next(struct reader *r, struct str *chunk, struct frame *f);

/* Nothing unfinished: the buffer may be lent to another reader meanwhile. */
bool reader_is_idle(const struct reader *r);

/* Goes on in another buffer, taking the unfinished frame along: sessions that are idle share one
 * buffer, and one that must wait for the rest of a frame moves to its own. */
void reader_move(struct reader *r, uint8_t *buffer);

#endif
