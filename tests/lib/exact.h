/*
 * exact: a copy of bytes on the heap with nothing behind it, so that AddressSanitizer and valgrind
 * see a parser that reads one byte too far. A literal in a test has a NUL there, which hides it.
 */
#ifndef TESTS_EXACT_H
#define TESTS_EXACT_H

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Freed with exact_free. */
static inline struct str exact_copy(struct str text)
{
	char *copy = mem_resize(NULL, text.n, 1);

	if (text.n > 0)
		memcpy(copy, text.p, text.n);
	return (struct str){copy, text.n};
}

static inline void exact_free(struct str copy)
{
	free((void *)(uintptr_t)copy.p);
}

#endif
