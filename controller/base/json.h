/*
 * json: finds values in JSON text without copying or changing a byte of it (RFC 8259).
 *
 * All JSON goes through here, Kubernetes' objects and what belongs to a user (params, results,
 * code): the scanner finds the raw slice of a value, which can be passed on byte for byte,
 * json_string.h decodes a string out of it, and json_string_escape makes one. A library with a tree
 * of values would round big integers, end strings at U+0000 and take duplicate keys.
 *
 *	if (json_check(text, &err) < 0)
 *		return -1;
 *	if (json_find(text, STR("status"), &status) && json_find(status, STR("phase"), &phase))
 *		…phase is the raw text of the value…
 *
 *	struct json_walk walk = json_walk(status);
 *	struct str key, value;
 *	while (json_next(&walk, &key, &value))
 *		…
 *
 * json_check comes first, once, for the whole text. Everything else takes slices of checked text
 * and therefore has no errors to report. Given other text it stays inside of it, and where the text
 * breaks off a walk ends.
 *
 * Nothing here allocates (but json_find_duplicate) or recurses. Slices borrow from the text.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "err.h"
#include "str.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Arrays and objects inside each other. A Kubernetes object has about 20; what a user nests deeper
 * than this, most readers (Python's among them) would refuse at 1000 too.
 */
#define JSON_DEPTH_MAX 512

enum json_kind {
	JSON_NOTHING, /* an empty slice, or no JSON value */
	JSON_NULL,
	JSON_BOOLEAN,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/*
 * Whether `text` is exactly one JSON value, with nothing but white space around it: the grammar of
 * RFC 8259 to the letter, valid UTF-8, no byte order mark, at most JSON_DEPTH_MAX deep. Duplicate
 * keys and halves of surrogate pairs in \u escapes are within that grammar and pass here;
 * json_find_duplicate and json_string_decode find them.
 *
 * ERR_INVALID, or ERR_TOO_LARGE for the depth. The message names the offset and the rule, and holds
 * nothing of the text.
 */
int json_check(struct str text, struct err *err);

/* What a value is, by its first character. */
enum json_kind json_kind(struct str value);

/* A walk over the members of an object or the items of an array; to be treated as opaque. */
struct json_walk {
	struct str rest; /* what comes behind the last value */
	enum json_kind kind;
	bool started;
};

/* A walk over `value`; over nothing when that is neither an object nor an array. */
struct json_walk json_walk(struct str value);

/*
 * The next member or item; false when there is none. `*key` is the raw string of a member, quotes
 * and escapes included (json_string_equal compares it), and empty in an array. `*value` is the raw
 * value without the white space around it. Either may be NULL.
 */
bool json_next(struct json_walk *walk, struct str *key, struct str *value);

/*
 * The value of a key, which is given as plain bytes and compared after unescaping. Of duplicate
 * keys the last counts, as in Go, Python and JavaScript, so that we and they never see two
 * different objects in one text. False, and `*value` untouched, when there is none or `object` is
 * no object.
 */
bool json_find(struct str object, struct str key, struct str *value);

/*
 * A key that occurs more than once in `object` (on this level; compared after unescaping), as a raw
 * string. Sorts, so that hostile keys cost no more than others: n log n, and 16 bytes a key.
 */
bool json_find_duplicate(struct str object, struct str *key);

/*
 * An integer: a number without fraction and exponent, from `min` to `max`. False, and `*number`
 * untouched, for everything else: 1.0 and 1e3 are no integers here, since a reader that takes
 * them has gone through floating point. Other numbers stay raw text.
 */
bool json_to_int(struct str value, int64_t min, int64_t max, int64_t *number);

/* Whether the value is `true` or `false`, and which. */
bool json_to_bool(struct str value, bool *boolean);

#endif
