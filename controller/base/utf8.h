/*
 * utf8: which bytes are UTF-8, exactly as table 3-7 of the Unicode Standard says (RFC 3629 has the
 * same set): no overlong form, no surrogate, nothing above U+10FFFF.
 *
 * A program's output arrives in chunks, so there is a checker that is fed piece by piece:
 *
 *	struct utf8 check = {0};
 *	…	valid = utf8_feed(&check, chunk);
 *	whole = utf8_is_whole(&check);		false in the middle of a character
 *
 * and it is kept as a head and a tail, which are cut on characters with utf8_floor and utf8_ceil.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_BYTES_MAX 4 /* of one character */

/* A checker. Zeroed means: nothing seen yet. */
struct utf8 {
	uint8_t missing;   /* continuation bytes that the current character still needs */
	uint8_t low, high; /* bounds of the next one, while `missing` is above 0 */
	bool broken;	   /* an impossible byte was seen; this stays */
};

/* True while everything that was fed is valid, or the beginning of something valid. */
bool utf8_feed(struct utf8 *check, struct str bytes);

/* Nothing broken, and the last character is complete: the text may end here. */
bool utf8_is_whole(const struct utf8 *check);

bool utf8_is_valid(struct str text);

/* Length of the longest beginning of `text` that is valid, whole characters only. */
size_t utf8_valid_length(struct str text);

/* How many characters (code points) a valid text has. */
size_t utf8_count(struct str text);

/*
 * The character boundary nearest to offset `n` at or below it, and at or above it. Both look at a
 * few bytes only, and on one side: utf8_floor before `n`, utf8_ceil from `n` on. So they
 * also find where a piece of a text has its last whole character (utf8_floor(piece, piece.n)) and
 * its first (utf8_ceil(piece, 0)). An offset behind the end means the end.
 *
 * Bytes that are no part of any character are left for the check of validity to find: next to them
 * the answer is `n`.
 */
size_t utf8_floor(struct str text, size_t n);
size_t utf8_ceil(struct str text, size_t n);

/*
 * Writes a code point (at most U+10FFFF) and returns its length. A surrogate gets the three bytes
 * that its number would have, which are no valid UTF-8: callers that must not emit it test first.
 */
size_t utf8_encode(uint32_t code_point, char bytes[UTF8_BYTES_MAX]);

#endif
