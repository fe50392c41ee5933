/*
 * hex: bytes as lower-case hexadecimal digits and back.
 *
 * Every digest of ours that a person or another program sees (status.codeSha256, planSHA256, names
 * of Pods) has this form, and is read back strictly: one value has one text.
 */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include "buf.h"
#include "str.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes 2 × `length` digits and a NUL to `text`, which has room for them. */
void hex_encode(char *text, const void *bytes, size_t length);

/* Appends 2 × `length` digits, all or nothing: 0, or -1 when the buffer's limit would be passed. */
int hex_append(struct buf *b, const void *bytes, size_t length);

/*
 * Reads exactly `length` bytes: 2 × `length` digits, lower case, nothing before, between or behind.
 * False, and `bytes` untouched, when `text` is anything else.
 */
bool hex_decode(struct str text, void *bytes, size_t length);

/* The value of one hexadecimal digit of either case, or -1: for escapes, which others wrote. */
int hex_digit(char digit);

#endif
