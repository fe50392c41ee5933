#include "record.h"

#include "base/utf8.h"
#include "le.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Bytes on the wire of a type whose length is fixed, else 0. */
static const uint8_t wire_bytes[] = {
	[FIELD_U8] = 1,	    [FIELD_U16] = 2,   [FIELD_U32] = 4,	 [FIELD_U64] = 8,
	[FIELD_LENGTH] = 4, [FIELD_BYTES] = 0, [FIELD_TEXT] = 0, [FIELD_HASH] = SHA256_BYTES,
	[FIELD_RECORD] = 0,
};

static int broken(struct err *err, enum err_code code, const struct schema *schema,
		  const struct field *field, const char *how)
{
	return err_set(err, code, "%s.%s %s", schema->name, field->name, how);
}

static int out_of_bounds(struct err *err, enum err_code code, const struct schema *schema,
			 const struct field *field, uint64_t got)
{
	return err_set(err, code, "%s.%s is %" PRIu64 ", not within %" PRIu64 " and %" PRIu64,
		       schema->name, field->name, got, field->minimum, field->maximum);
}

/* The bounds, of the value or the length, and what a type promises about its bytes. */
static int check(const struct schema *schema, const struct field *field, enum err_code code,
		 uint64_t number, struct str bytes, struct err *err)
{
	if (number < field->minimum || number > field->maximum)
		return out_of_bounds(err, code, schema, field, number);
	if (field->type != FIELD_TEXT)
		return 0;
	if (bytes.n > 0 && memchr(bytes.p, '\0', bytes.n))
		return broken(err, code, schema, field, "has a NUL");
	if (!utf8_is_valid(bytes))
		return broken(err, code, schema, field, "is not UTF-8");
	return 0;
}

/* --- Numbers in a struct: each type in its own width. */

static uint64_t load(const struct field *field, const void *member)
{
	switch (field->type) {
	case FIELD_U8: return *(const uint8_t *)member;
	case FIELD_U16: return *(const uint16_t *)member;
	case FIELD_U32: return *(const uint32_t *)member;
	case FIELD_U64: return *(const uint64_t *)member;
	case FIELD_LENGTH: return *(const size_t *)member;
	case FIELD_BYTES:
	case FIELD_TEXT: return ((const struct str *)member)->n;
	case FIELD_HASH:
	case FIELD_RECORD: break;
	}
	return 0;
}

static void store(const struct field *field, void *member, uint64_t value)
{
	switch (field->type) {
	case FIELD_U8: *(uint8_t *)member = (uint8_t)value; break;
	case FIELD_U16: *(uint16_t *)member = (uint16_t)value; break;
	case FIELD_U32: *(uint32_t *)member = (uint32_t)value; break;
	case FIELD_U64: *(uint64_t *)member = value; break;
	case FIELD_LENGTH: *(size_t *)member = (size_t)value; break;
	case FIELD_BYTES:
	case FIELD_TEXT:
	case FIELD_HASH:
	case FIELD_RECORD: break;
	}
}

/* --- Writing */

static bool is_empty(const struct field *field, const uint8_t *member)
{
	if (field->type != FIELD_HASH && field->type != FIELD_RECORD)
		return load(field, member) == 0;
	for (size_t i = 0; i < field->size; i++)
		if (member[i] != 0)
			return false;
	return true;
}

static int encode_record(const struct schema *schema, const struct field *field,
			 const uint8_t *member, struct tlv_writer *w, struct err *err)
{
	size_t begun = tlv_begin(w, field->tag);

	if (record_encode(field->record, member, w, err) < 0)
		return err_wrap(err, "%s", schema->name);
	tlv_end(w, begun);
	if (w->full)
		return 0;
	return check(schema, field, ERR_INVALID, w->length - begun, (struct str){NULL, 0}, err);
}

static int encode_item(const struct schema *schema, const struct field *field,
		       const uint8_t *member, struct tlv_writer *w, struct err *err)
{
	struct str bytes = {NULL, 0};

	if (field->type == FIELD_RECORD)
		return encode_record(schema, field, member, w, err);
	if (field->type == FIELD_HASH) {
		tlv_put(w, field->tag, (struct str){(const char *)member, SHA256_BYTES});
		return 0;
	}
	if (wire_bytes[field->type] == 0)
		bytes = *(const struct str *)(const void *)member;
	if (check(schema, field, ERR_INVALID, load(field, member), bytes, err) < 0)
		return -1;
	if (wire_bytes[field->type] > 0)
		tlv_put_number(w, field->tag, load(field, member), wire_bytes[field->type]);
	else
		tlv_put(w, field->tag, bytes);
	return 0;
}

static int encode_field(const struct schema *schema, const struct field *field, const uint8_t *from,
			struct tlv_writer *w, struct err *err)
{
	const uint8_t *member = from + field->offset;
	size_t count;

	if (field->capacity == 0) {
		if (!field->required && is_empty(field, member))
			return 0;
		return encode_item(schema, field, member, w, err);
	}
	count = *(const size_t *)(const void *)(from + field->count_offset);
	assert(count <= field->capacity);
	for (size_t i = 0; i < count; i++)
		if (encode_item(schema, field, member + i * field->size, w, err) < 0)
			return -1;
	return 0;
}

int record_encode(const struct schema *schema, const void *from, struct tlv_writer *w,
		  struct err *err)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (encode_field(schema, &schema->fields[i], from, w, err) < 0)
			return -1;
	return 0;
}

/* --- Reading */

static int decode_item(const struct schema *schema, const struct field *field, struct str value,
		       uint8_t *member, struct err *err)
{
	size_t width = wire_bytes[field->type];
	uint64_t number = value.n;

	if (width > 0 && value.n != width)
		return broken(err, ERR_PROTOCOL, schema, field, "has another width");
	if (field->type == FIELD_HASH) {
		memcpy(member, value.p, SHA256_BYTES);
		return 0;
	}
	if (width > 0)
		number = le_get(value.p, (int)width);
	if (check(schema, field, ERR_PROTOCOL, number, value, err) < 0)
		return -1;
	if (field->type == FIELD_RECORD) {
		if (record_decode(field->record, value, member, err) < 0)
			return err_wrap(err, "%s", schema->name);
	} else if (width > 0) {
		store(field, member, number);
	} else {
		*(struct str *)(void *)member = value;
	}
	return 0;
}

static int decode_field(const struct schema *schema, size_t index, struct str value, uint8_t *into,
			uint64_t *seen, struct err *err)
{
	const struct field *field = &schema->fields[index];
	uint8_t *member = into + field->offset;

	if (field->capacity > 0) {
		size_t *count = (size_t *)(void *)(into + field->count_offset);

		if (*count == field->capacity)
			return broken(err, ERR_PROTOCOL, schema, field, "comes too often");
		member += field->size * (*count)++;
	} else if (*seen & 1ull << index) {
		return broken(err, ERR_PROTOCOL, schema, field, "comes twice");
	}
	*seen |= 1ull << index;
	return decode_item(schema, field, value, member, err);
}

static int decode_all(const struct schema *schema, struct str bytes, uint8_t *into, struct err *err)
{
	struct tlv_reader reader = {.rest = bytes};
	struct str value;
	uint64_t seen = 0;
	size_t at = 0; /* the table ascends like the tags, so it is walked once */
	enum tlv_read read;

	while ((read = tlv_next(&reader, &value)) == TLV_VALUE) {
		while (at < schema->field_count && schema->fields[at].tag < reader.tag)
			at++;
		if (at == schema->field_count || schema->fields[at].tag != reader.tag)
			continue;
		if (decode_field(schema, at, value, into, &seen, err) < 0)
			return -1;
	}
	if (read != TLV_END)
		return err_set(err, ERR_PROTOCOL, "%s is %s behind tag 0x%04x", schema->name,
			       read == TLV_TRUNCATED ? "truncated" : "out of order", reader.tag);
	for (size_t i = 0; i < schema->field_count; i++)
		if (schema->fields[i].required && !(seen & 1ull << i))
			return broken(err, ERR_PROTOCOL, schema, &schema->fields[i], "is missing");
	return 0;
}

int record_decode(const struct schema *schema, struct str bytes, void *into, struct err *err)
{
	assert(schema->field_count <= RECORD_FIELDS_MAX);
	memset(into, 0, schema->size);
	if (decode_all(schema, bytes, into, err) == 0)
		return 0;
	memset(into, 0, schema->size);
	return -1;
}
