#include "output.h"

#include "base/utf8.h"

#include <string.h>

void output_init(struct output *o, uint8_t *memory, size_t limit)
{
	o->memory = memory;
	o->limit = limit;
	o->head_size = limit - limit / 4;
	o->total = 0;
	sha256_init(&o->hash);
}

bool output_is_cut(const struct output *o)
{
	return o->total > o->limit;
}

/* The first bytes fill the whole memory in order; behind that, the tail's part goes round. */
static size_t place_of(const struct output *o, uint64_t offset)
{
	size_t tail_size = o->limit - o->head_size;

	if (offset < o->limit)
		return (size_t)offset;
	return o->head_size + (size_t)((offset - o->head_size) % tail_size);
}

void output_add(struct output *o, const uint8_t *bytes, size_t length)
{
	size_t tail_size = o->limit - o->head_size;

	sha256_update(&o->hash, bytes, length);
	/* Of what goes round, only the last round stays. */
	if (o->total >= o->head_size && length > tail_size) {
		o->total += length - tail_size;
		bytes += length - tail_size;
		length = tail_size;
	}
	while (length > 0) {
		size_t at = o->total < o->limit || tail_size > 0 ? place_of(o, o->total) : o->limit;
		size_t room = (at < o->head_size ? o->head_size : o->limit) - at;
		size_t n = length < room ? length : room;

		if (room == 0) {
			/* No tail: what does not fit is counted only. */
			o->total += length;
			return;
		}
		memcpy(o->memory + at, bytes, n);
		o->total += n;
		bytes += n;
		length -= n;
	}
}

static void reverse(uint8_t *from, uint8_t *to)
{
	while (from < to && from < --to) {
		uint8_t swapped = *from;

		*from++ = *to;
		*to = swapped;
	}
}

/* Turns the ring so that its oldest byte, at `oldest`, comes first: three reversals, in place. */
static void turn(uint8_t *ring, size_t size, size_t oldest)
{
	reverse(ring, ring + oldest);
	reverse(ring + oldest, ring + size);
	reverse(ring, ring + size);
}

/* Only text is cut on characters: taking bytes off anything else makes no sense. */
static struct str cut_head(struct str head)
{
	struct str whole = str_slice(head, 0, utf8_floor(head, head.n));

	return utf8_is_valid(whole) ? whole : head;
}

static struct str cut_tail(struct str tail)
{
	struct str whole = str_slice(tail, utf8_ceil(tail, 0), tail.n);

	return utf8_is_valid(whole) ? whole : tail;
}

void output_seal(struct output *o, struct stream *stream)
{
	const char *memory = (const char *)o->memory;
	size_t tail_size = o->limit - o->head_size;

	stream->total = o->total;
	sha256_final(&o->hash, stream->sha256);
	if (!output_is_cut(o)) {
		stream->head = (struct str){memory, (size_t)o->total};
		stream->tail = (struct str){NULL, 0};
		return;
	}
	if (tail_size > 0)
		turn(o->memory + o->head_size, tail_size, place_of(o, o->total) - o->head_size);
	stream->head = cut_head((struct str){memory, o->head_size});
	stream->tail = cut_tail((struct str){memory + o->head_size, tail_size});
}
