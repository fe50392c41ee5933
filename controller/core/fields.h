/*
 * fields: reads a JSON object into a struct, by a table of its fields.
 *
 *	static const struct fields_row metadata[] = {
 *		FIELD_TOKEN("name", struct task, name, 253),
 *		FIELD_END,
 *	};
 *
 * One walk over the object, whatever its size; keys that no table names are skipped, as an older
 * reader has to; null is the same as absent. What has the wrong type or breaks a bound is an error
 * whose message names the field by its path, and the bound ("spec.env: must have at most 64
 * items"), and holds no value.
 *
 * Strings are copied into one buffer of the size of the JSON: decoded they are never longer, so it
 * is allocated once and never moves.
 */
#ifndef CORE_FIELDS_H
#define CORE_FIELDS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

#define FIELDS_PATH_SIZE 160

struct fields {
	struct buf *texts;
	struct err *err;
	char path[FIELDS_PATH_SIZE]; /* of the field that is being read */
	size_t path_length;
};

struct fields_row;
typedef int fields_read_fn(struct fields *f, const struct fields_row *field, struct str value,
			   void *into);

struct fields_row {
	const char *key; /* NULL ends a table */
	fields_read_fn *read;
	size_t offset;	  /* of the member in the struct that the table is for */
	int64_t min, max; /* of numbers; max: bytes of strings and raw values, items of lists */
	const struct fields_row *fields; /* of objects and lists of objects */
	size_t count_offset, item_size;	 /* of lists */
	const char *yes, *no;		 /* of choices */
};

#define FIELDS_BYTES_MAX (3u << 20) /* of JSON: what the API server takes in one request */

/*
 * Checks the JSON and makes the buffer for its strings, which the caller frees, after an error too.
 * ERR_INVALID or ERR_TOO_LARGE.
 */
int fields_begin(struct fields *f, struct buf *texts, struct str json, struct err *err);

/* Reads the members of `object` that the table names. 0, or -1 with the error. */
int fields_read(struct fields *f, const struct fields_row *table, struct str object, void *into);

/* ERR_INVALID unless `value` has at least one byte. */
int fields_require(struct str value, const char *path, struct err *err);

/* Sets the error for the field that is being read, with the rule that it breaks; returns -1. */
int fields_refuse(struct fields *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- How a member is read; each is for a `.read`. --- */

/* A string of any text, into struct str. May hold U+0000. */
fields_read_fn fields_text;
/* Printable ASCII without quotes and backslashes, at most `max` bytes: into struct str. */
fields_read_fn fields_token;
/* An integer from `min` to `max`, into int64_t. */
fields_read_fn fields_number;
/* true or false, into bool. */
fields_read_fn fields_boolean;
/* A quantity, as a string or a number, from `min` to `max` thousandths or bytes: into int64_t. */
fields_read_fn fields_cpu;
fields_read_fn fields_bytes;
/* One of two words, into bool: true for `yes`, false for `no`. The same twice: there is but one. */
fields_read_fn fields_choice;
/* Whether the member is there, into bool. */
fields_read_fn fields_presence;
/* An object by its own table, whose offsets are from `offset` on. */
fields_read_fn fields_object;
/* An object or array as it is, at most `max` bytes: into struct str. */
fields_read_fn fields_raw_object;
fields_read_fn fields_raw_array;
/* At most `max` strings, into an array of struct str; or objects, into an array of structs. */
fields_read_fn fields_texts;
fields_read_fn fields_objects;

/* --- Rows of tables: key, type, member, bounds. --- */

/* clang-format off */
#define FIELD_AT(k, reader, type, m) .key = k, .read = reader, .offset = offsetof(type, m)
#define FIELD_TEXT(k, type, m) {FIELD_AT(k, fields_text, type, m)}
#define FIELD_TOKEN(k, type, m, limit) {FIELD_AT(k, fields_token, type, m), .max = limit}
#define FIELD_NUMBER(k, type, m, low, high) \
	{FIELD_AT(k, fields_number, type, m), .min = low, .max = high}
#define FIELD_CPU(k, type, m, low, high) {FIELD_AT(k, fields_cpu, type, m), .min = low, .max = high}
#define FIELD_BYTES(k, type, m, low, high) \
	{FIELD_AT(k, fields_bytes, type, m), .min = low, .max = high}
#define FIELD_CHOICE(k, type, m, a, b) {FIELD_AT(k, fields_choice, type, m), .yes = a, .no = b}
#define FIELD_PRESENCE(k, type, m) {FIELD_AT(k, fields_presence, type, m)}
#define FIELD_WITHIN(k, table) {.key = k, .read = fields_object, .fields = table}
#define FIELD_WITHIN_MEMBER(k, type, m, table) \
	{FIELD_AT(k, fields_object, type, m), .fields = table}
#define FIELD_RAW_OBJECT(k, type, m, limit) {FIELD_AT(k, fields_raw_object, type, m), .max = limit}
#define FIELD_RAW_ARRAY(k, type, m, limit) {FIELD_AT(k, fields_raw_array, type, m), .max = limit}
#define FIELD_LIST_OF(reader, k, type, m, count, limit, table) \
	{FIELD_AT(k, reader, type, m), .count_offset = offsetof(type, count), \
	 .item_size = sizeof(((type *)0)->m[0]), .max = limit, .fields = table}
#define FIELD_END {NULL}
/* clang-format on */

#endif
