#include "buf.h"

#include "mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64

/* What `data` points at while nothing is allocated, so that it is always a string. Never written.
 */
static char nothing[1];

void buf_init(struct buf *b, size_t limit)
{
	*b = (struct buf){.data = nothing, .limit = limit};
}

void buf_free(struct buf *b)
{
	if (b->capacity > 0)
		free(b->data);
	buf_init(b, b->limit);
}

void buf_clear(struct buf *b)
{
	buf_truncate(b, 0);
}

/* Makes room for `more` bytes and a NUL; doubles, so that appending byte by byte stays linear. */
static int make_room(struct buf *b, size_t more)
{
	size_t wanted, capacity;

	if (more > b->limit - b->length)
		return -1;
	wanted = b->length + more + 1;
	if (wanted <= b->capacity)
		return 0;
	capacity = b->capacity > 0 ? b->capacity : FIRST_CAPACITY;
	while (capacity < wanted)
		capacity *= 2;
	if (capacity > b->limit + 1)
		capacity = b->limit + 1;
	b->data = mem_resize(b->capacity > 0 ? b->data : NULL, capacity, 1);
	b->capacity = capacity;
	return 0;
}

int buf_append(struct buf *b, const void *bytes, size_t length)
{
	if (make_room(b, length) < 0)
		return -1;
	if (length > 0)
		memcpy(b->data + b->length, bytes, length);
	b->length += length;
	b->data[b->length] = '\0';
	return 0;
}

int buf_append_str(struct buf *b, struct str s)
{
	return buf_append(b, s.p, s.n);
}

int buf_append_char(struct buf *b, char c)
{
	return buf_append(b, &c, 1);
}

int buf_vprintf(struct buf *b, const char *format, va_list args)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	assert(length >= 0);
	if (make_room(b, (size_t)length) < 0)
		return -1;
	vsnprintf(b->data + b->length, (size_t)length + 1, format, args);
	b->length += (size_t)length;
	return 0;
}

int buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;
	int result;

	va_start(args, format);
	result = buf_vprintf(b, format, args);
	va_end(args);
	return result;
}

void buf_truncate(struct buf *b, size_t length)
{
	assert(length <= b->length);
	b->length = length;
	if (b->capacity > 0)
		b->data[length] = '\0';
}

void buf_consume(struct buf *b, size_t length)
{
	assert(length <= b->length);
	if (length == 0)
		return;
	memmove(b->data, b->data + length, b->length - length);
	buf_truncate(b, b->length - length);
}

struct str buf_str(const struct buf *b)
{
	return (struct str){b->data, b->length};
}
