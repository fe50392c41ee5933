#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_die(void *p)
{
	if (p)
		return p;
	fputs("out of memory\n", stderr);
	abort();
}

void *mem_new(size_t count, size_t size)
{
	return or_die(calloc(count > 0 ? count : 1, size > 0 ? size : 1));
}

void *mem_resize(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return or_die(NULL);
	return or_die(realloc(p, bytes > 0 ? bytes : 1));
}

char *mem_copy_string(const char *bytes, size_t length)
{
	char *copy = mem_resize(NULL, length + 1, 1);

	if (length > 0)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

void mem_wipe(void *p, size_t length)
{
	explicit_bzero(p, length);
}

void mem_freep(void *pointer_to_pointer)
{
	void **p = pointer_to_pointer;

	free(*p);
	*p = NULL;
}
