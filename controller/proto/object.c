#include "object.h"

#include <assert.h>

void object_add(struct object *o, struct str piece)
{
	if (piece.n == 0)
		return;
	assert(o->count < OBJECT_PIECES_MAX);
	o->pieces[o->count++] = piece;
	o->total += piece.n;
}

void object_seal(struct object *o)
{
	struct sha256 hash;

	sha256_init(&hash);
	for (size_t i = 0; i < o->count; i++)
		sha256_update(&hash, o->pieces[i].p, o->pieces[i].n);
	sha256_final(&hash, o->sha256);
}

struct str object_at(const struct object *o, uint64_t offset, size_t max)
{
	for (size_t i = 0; i < o->count; i++) {
		size_t length = o->pieces[i].n;

		if (offset < length) {
			size_t left = length - (size_t)offset;

			return str_slice(o->pieces[i], (size_t)offset,
					 (size_t)offset + (left < max ? left : max));
		}
		offset -= length;
	}
	return (struct str){NULL, 0};
}

size_t object_frame(const struct object *o, uint8_t *out, const struct frame *head, size_t length)
{
	struct frame_writer w;
	uint64_t offset = head->offset;

	frame_begin(&w, out, head, length);
	while (length > 0) {
		struct str piece = object_at(o, offset, length);

		assert(piece.n > 0);
		frame_add(&w, piece);
		offset += piece.n;
		length -= piece.n;
	}
	return frame_finish(&w);
}
