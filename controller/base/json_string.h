/*
 * json_string: the content of JSON strings, from raw text to bytes and back (RFC 8259 section 7).
 *
 * A raw string is a slice that json.h found in checked text: quotes included, still escaped. The
 * bytes that it stands for are UTF-8 and may hold U+0000, so they are a slice or a buffer and never
 * a C string. Whatever else is passed as a raw string is refused or read as far as it goes, never
 * beyond its end.
 *
 * The escaper writes what a writer has to escape and nothing else: `"`, `\` and the control
 * characters, of which \b \f \n \r \t take two bytes and the others six. `<`, `>`, `&`, U+2028 and
 * U+2029 stay as they are. The API server's Go does escape those five when it stores and serves our
 * objects, so an object can take up to six times as much in etcd as on the wire: a budget for an
 * object is measured with json_string_stored_length.
 */
#ifndef BASE_JSON_STRING_H
#define BASE_JSON_STRING_H

#include "buf.h"
#include "err.h"
#include "str.h"

#include <stdbool.h>
#include <stddef.h>

/* No text grows by more than this factor when it is escaped, here or by the API server. */
#define JSON_ESCAPE_FACTOR_MAX 6

/*
 * Appends the bytes that a raw string stands for, all or nothing. `*has_nul` says whether U+0000 is
 * among them, which callers whose text ends up as an argument or a variable must refuse.
 * ERR_INVALID: no string, or a surrogate without its other half; ERR_TOO_LARGE: the limit of `out`.
 * The message holds an offset in the raw text, nothing of the text itself.
 */
int json_string_decode(struct str raw, struct buf *out, bool *has_nul, struct err *err);

/* Whether a raw string stands for exactly these bytes. Anything that is no string does not. */
bool json_string_equal(struct str raw, struct str text);

/* The order of what two raw strings stand for, by bytes: <0, 0, >0. Neither is copied. */
int json_string_compare(struct str a, struct str b);

/*
 * Appends `text` as the content of a string, without the quotes, all or nothing.
 * ERR_INVALID: it is no UTF-8, with the offset; ERR_TOO_LARGE: the limit of `out`.
 */
int json_string_escape(struct buf *out, struct str text, struct err *err);

/* Bytes that json_string_escape will append for a valid text. */
size_t json_string_escaped_length(struct str text);

/*
 * Bytes that the content of the string takes in etcd, as Go's encoder writes it. Never less than
 * that: \b and \f count six, which Go before 1.22 gave them.
 */
size_t json_string_stored_length(struct str text);

#endif
