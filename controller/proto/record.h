/*
 * record: structs written as TLV and read back, both by one table, so that neither side can know a
 * rule that the other does not.
 *
 * A table in tags.h has one row per field: X(tag, presence, type, member, minimum, maximum). The
 * module that owns the struct makes a schema of it:
 *
 *	static const struct field env_fields[] = {ENV_TABLE(FIELD_OF_ENV)};
 *
 * Presence
 *	MUST	a record without it is refused
 *	MAY	left out when it is zero or empty; absent reads as zero or empty
 *	LIST	`member` is an array, `member_count` (size_t) says how many; more than the array
 *		holds is refused
 * Types, on the wire and in the struct
 *	U8 U16 U32 U64	that many bits; minimum and maximum are of the value
 *	LENGTH		u32 on the wire, size_t in the struct (the n of a struct str)
 *	BYTES, TEXT	struct str; minimum and maximum are of its length. TEXT is UTF-8 without NUL
 *	HASH		32 bytes
 *	RECORD(name)	a record of name_schema; minimum and maximum are of its encoded length
 *
 * Reading and writing apply the same bounds: what one writes, the other reads. Tags that the table
 * does not have are skipped. A single one that comes twice, a descending one, a number of another
 * width, and anything truncated are refused.
 */
#ifndef PROTO_RECORD_H
#define PROTO_RECORD_H

#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"
#include "tlv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Required fields are counted in one word. */
#define RECORD_FIELDS_MAX 64

enum field_type {
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_LENGTH,
	FIELD_BYTES,
	FIELD_TEXT,
	FIELD_HASH,
	FIELD_RECORD,
};

struct field {
	uint16_t tag;
	enum field_type type;
	bool required;
	const char *name;
	size_t offset;	     /* of the member */
	size_t size;	     /* of the member, or of one of its items */
	size_t capacity;     /* items of a LIST, else 0 */
	size_t count_offset; /* where a LIST counts them */
	uint64_t minimum, maximum;
	const struct schema *record;
};

struct schema {
	const char *name;
	const struct field *fields;
	size_t field_count;
	size_t size; /* of the struct */
};

/* Appends the record at `from`. ERR_INVALID names the field that is out of its bounds; whether
 * everything fitted, `w->full` says. */
int record_encode(const struct schema *schema, const void *from, struct tlv_writer *w,
		  struct err *err);

/* Fills the struct at `into`, whose slices then borrow from `bytes`. On failure (ERR_PROTOCOL) it
 * is zeroed. */
int record_decode(const struct schema *schema, struct str bytes, void *into, struct err *err);

/* One row of a table as a struct field; `T` is the struct. Modules wrap it: see bundle.c. */
#define FIELD(T, tag_, presence, type_, member, minimum_, maximum_) \
	{.tag = (tag_),                                             \
	 .name = #member,                                           \
	 .offset = offsetof(T, member),                             \
	 FIELD_TYPE_##type_,                                        \
	 FIELD_PRESENCE_##presence(T, member),                      \
	 .minimum = (minimum_),                                     \
	 .maximum = (maximum_)},
#define FIELD_MEMBER(T, member)	       (((const T *)0)->member)
#define FIELD_PRESENCE_MUST(T, member) .required = true, .size = sizeof(FIELD_MEMBER(T, member))
#define FIELD_PRESENCE_MAY(T, member)  .size = sizeof(FIELD_MEMBER(T, member))
#define FIELD_PRESENCE_LIST(T, member)                                                    \
	.size = sizeof(FIELD_MEMBER(T, member)[0]),                                       \
	.capacity = sizeof(FIELD_MEMBER(T, member)) / sizeof(FIELD_MEMBER(T, member)[0]), \
	.count_offset = offsetof(T, member##_count)
#define FIELD_TYPE_U8		.type = FIELD_U8
#define FIELD_TYPE_U16		.type = FIELD_U16
#define FIELD_TYPE_U32		.type = FIELD_U32
#define FIELD_TYPE_U64		.type = FIELD_U64
#define FIELD_TYPE_LENGTH	.type = FIELD_LENGTH
#define FIELD_TYPE_BYTES	.type = FIELD_BYTES
#define FIELD_TYPE_TEXT		.type = FIELD_TEXT
#define FIELD_TYPE_HASH		.type = FIELD_HASH
#define FIELD_TYPE_RECORD(name) .type = FIELD_RECORD, .record = &name##_schema

/* The schema of struct T from its fields: `const struct schema env_schema = SCHEMA_OF(…)`. */
#define SCHEMA_OF(name_, T, fields_)                                                   \
	{                                                                              \
		.name = (name_), .fields = (fields_),                                  \
		.field_count = sizeof(fields_) / sizeof(*(fields_)), .size = sizeof(T) \
	}

#endif
