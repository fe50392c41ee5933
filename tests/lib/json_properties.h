/*
 * json_properties: what must hold for any bytes that are given to base/json and base/json_string.
 * For the random tests and the fuzz target, which differ in where their bytes come from.
 */
#ifndef TESTS_JSON_PROPERTIES_H
#define TESTS_JSON_PROPERTIES_H

#include "base/buf.h"
#include "base/json.h"
#include "base/json_string.h"
#include "base/utf8.h"

#include <assert.h>

#define JSON_PROPERTIES_BYTES_MAX (1 << 20)

/* Decodes a raw string and escapes it again; raw as it was when it holds half a surrogate pair. */
static inline void json_properties_emit_string(struct str raw, struct buf *out)
{
	struct buf text;
	struct err err;
	bool has_nul;

	buf_init(&text, JSON_PROPERTIES_BYTES_MAX);
	if (json_string_decode(raw, &text, &has_nul, &err) < 0 ||
	    !utf8_is_valid(buf_str(&text))) { /* raw is from unchecked text, if it is not UTF-8 */
		buf_append_str(out, raw);
	} else {
		buf_append_char(out, '"');
		if (json_string_escape(out, buf_str(&text), &err) < 0)
			assert(!"valid UTF-8 within the limit can be escaped");
		buf_append_char(out, '"');
	}
	buf_free(&text);
}

/* Writes a value again out of what walking finds: no white space, strings by our escaper. */
static inline void json_properties_emit(struct str value, struct buf *out)
{
	struct json_walk walk = json_walk(value);
	struct str key, inner;
	bool first = true;

	if (walk.kind == JSON_STRING) {
		json_properties_emit_string(str_trim(value), out);
		return;
	}
	if (walk.kind != JSON_ARRAY && walk.kind != JSON_OBJECT) {
		buf_append_str(out, str_trim(value));
		return;
	}
	buf_append_char(out, walk.kind == JSON_ARRAY ? '[' : '{');
	while (json_next(&walk, &key, &inner)) {
		if (!first)
			buf_append_char(out, ',');
		first = false;
		if (walk.kind == JSON_OBJECT) {
			json_properties_emit_string(key, out);
			buf_append_char(out, ':');
		}
		json_properties_emit(inner, out);
	}
	buf_append_char(out, walk.kind == JSON_ARRAY ? ']' : '}');
}

/* Every way into unchecked text: for the sanitizers to watch. */
static inline void json_properties_touch(struct str text)
{
	struct str value, key;
	int64_t number;
	bool boolean;
	struct buf b;

	buf_init(&b, JSON_PROPERTIES_BYTES_MAX);
	json_properties_emit(text, &b);
	json_find(text, STR("a"), &value);
	json_find_duplicate(text, &key);
	json_to_int(text, INT64_MIN, INT64_MAX, &number);
	json_to_bool(text, &boolean);
	buf_free(&b);
}

/*
 * What is accepted must be readable: it can be written again, and that is accepted as well, is the
 * same when it is written a third time, and has a duplicate key if the first text had one.
 */
static inline bool json_properties_hold(struct str text)
{
	struct buf once, twice;
	struct str key;
	struct err err;
	bool consistent = true;

	json_properties_touch(text);
	if (json_check(text, &err) == 0) {
		buf_init(&once, JSON_PROPERTIES_BYTES_MAX);
		buf_init(&twice, JSON_PROPERTIES_BYTES_MAX);
		json_properties_emit(text, &once);
		json_properties_emit(buf_str(&once), &twice);
		consistent = json_check(buf_str(&once), &err) == 0 &&
			     str_equal(buf_str(&once), buf_str(&twice)) &&
			     json_find_duplicate(text, &key) ==
				     json_find_duplicate(buf_str(&once), &key);
		buf_free(&once);
		buf_free(&twice);
	}
	return consistent;
}

#endif
