/*
 * flatten: an object in one piece, as it arrives on the other side.
 */
#ifndef TESTS_FLATTEN_H
#define TESTS_FLATTEN_H

#include "proto/object.h"

#include <assert.h>
#include <string.h>

/* Copies all bytes to `into`, which has room for `size`. */
static inline struct str flatten(const struct object *o, uint8_t *into, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < o->count; i++) {
		assert(o->pieces[i].n <= size - length);
		memcpy(into + length, o->pieces[i].p, o->pieces[i].n);
		length += o->pieces[i].n;
	}
	return (struct str){(const char *)into, length};
}

#endif
