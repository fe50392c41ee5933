/*
 * buf: growable bytes with a limit that is fixed at birth.
 *
 *	struct buf line;
 *	buf_init(&line, LINE_BYTES_MAX);
 *	if (buf_append(&line, chunk, length) < 0)
 *		…the line is too long…
 *	buf_free(&line);
 *
 * - Appending past the limit fails with -1 and leaves the content as it was. There is no unlimited
 *   buffer: whoever makes one says how much its input may need, with a named constant.
 * - `data` always has a NUL behind its `length` bytes and is never NULL, so it is also a C string
 *   (up to the first NUL byte of its content).
 * - Growing may move `data`: keep offsets, not pointers.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "str.h"

#include <stdarg.h>
#include <stddef.h>

struct buf {
	char *data;	 /* read it freely; change it only inside `length` */
	size_t length;	 /* bytes of content */
	size_t capacity; /* bytes allocated, 0 while nothing is */
	size_t limit;	 /* `length` never exceeds it */
};

/* Allocates nothing. A buf_free()d buffer may be initialised again. */
void buf_init(struct buf *b, size_t limit);

/* Gives the memory back and leaves an empty buffer of the same limit. */
void buf_free(struct buf *b);

/* Drops the content, keeps the memory. */
void buf_clear(struct buf *b);

/* Each of these appends all or nothing: 0, or -1 when the limit would be passed. */
int buf_append(struct buf *b, const void *bytes, size_t length);
int buf_append_str(struct buf *b, struct str s);
int buf_append_char(struct buf *b, char c);
int buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
int buf_vprintf(struct buf *b, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Makes the content `length` bytes long by dropping its end; `length` must not exceed it. */
void buf_truncate(struct buf *b, size_t length);

/* Drops the first `length` bytes (a copy of the rest: meant for buffers that are drained whole). */
void buf_consume(struct buf *b, size_t length);

/* The content as a slice, valid until the next call that changes the buffer. */
struct str buf_str(const struct buf *b);

#endif
