/*
 * object: one of the two byte strings that travel, as a list of pieces that lie where they lie.
 *
 * A bundle's code or an outcome's output is never copied into one block: frames are cut out of the
 * pieces. The pieces belong to the caller and must stay as they are while the object is in use.
 */
#ifndef PROTO_OBJECT_H
#define PROTO_OBJECT_H

#include "base/sha256.h"
#include "base/str.h"
#include "frame.h"

#include <stddef.h>
#include <stdint.h>

/* A manifest and its parts: an outcome has at most three streams of two pieces, a result and 64
 * files, a bundle at most 67 parts. */
#define OBJECT_PIECES_MAX 80

struct object {
	struct str pieces[OBJECT_PIECES_MAX];
	size_t count;
	uint64_t total;		      /* bytes of all pieces */
	uint8_t sha256[SHA256_BYTES]; /* of all, once sealed */
};

/* A zeroed object is empty. Adding an empty piece adds nothing. */
void object_add(struct object *o, struct str piece);

/* Computes the hash: nothing is added after that. Reads every byte. */
void object_seal(struct object *o);

/* The longest stretch of bytes that lie together from `offset` on, at most `max`; empty at the end
 * and behind it. */
struct str object_at(const struct object *o, uint64_t offset, size_t max);

/* Writes a frame (FRAME_WIRE_MAX) of `head`'s type and session, with the `length` bytes from its
 * offset on, which must be there. Returns the bytes written. */
size_t object_frame(const struct object *o, uint8_t *out, const struct frame *head, size_t length);

#endif
