#include "reader.h"

#include <string.h>

void reader_init(struct reader *r, uint8_t *buffer)
{
	*r = (struct reader){.buffer = buffer};
	reader_restart(r);
}

void reader_restart(struct reader *r)
{
	r->length = 0;
	r->mode = READER_JOINING;
}

bool reader_is_idle(const struct reader *r)
{
	return r->length == 0;
}

void reader_move(struct reader *r, uint8_t *buffer)
{
	if (r->length > 0)
		memmove(buffer, r->buffer, r->length);
	r->buffer = buffer;
}

static void give_up(struct reader *r, enum proto_drop cause)
{
	r->length = 0;
	r->mode = READER_DROPPING;
	r->drops[cause]++;
}

/* Bytes without a delimiter in them. */
static void take(struct reader *r, struct str bytes)
{
	if (bytes.n == 0 || r->mode == READER_DROPPING)
		return;
	if (r->mode == READER_JOINING) {
		give_up(r, DROP_HEADLESS);
	} else if (bytes.n > FRAME_WIRE_MAX - 1 - r->length) {
		give_up(r, DROP_OVERLONG);
	} else {
		memcpy(r->buffer + r->length, bytes.p, bytes.n);
		r->length += bytes.n;
	}
}

/* A delimiter stands here: true when a frame stood before it. */
static bool finish(struct reader *r, struct frame *f)
{
	size_t length = r->length;
	enum proto_drop drop;

	r->length = 0;
	r->mode = READER_COLLECTING;
	if (length == 0)
		return false;
	drop = frame_decode(r->buffer, length, f);
	if (drop != PROTO_NO_DROP)
		r->drops[drop]++;
	return drop == PROTO_NO_DROP;
}

bool reader_next(struct reader *r, struct str *chunk, struct frame *f)
{
	while (chunk->n > 0) {
		const char *end = memchr(chunk->p, COBS_DELIMITER, chunk->n);
		struct str bytes = {chunk->p, end ? (size_t)(end - chunk->p) : chunk->n};

		*chunk = str_slice(*chunk, bytes.n + (end != NULL), chunk->n);
		take(r, bytes);
		if (end && finish(r, f))
			return true;
	}
	return false;
}
