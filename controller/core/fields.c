#include "fields.h"

#include "base/json.h"
#include "base/json_string.h"
#include "base/quantity.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define RULE_SIZE 128

int fields_begin(struct fields *f, struct buf *texts, struct str json, struct err *err)
{
	*f = (struct fields){.texts = texts, .err = err};
	buf_init(texts, json.n);
	if (json.n > FIELDS_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE, "an object of more than %u bytes",
			       FIELDS_BYTES_MAX);
	if (json_check(json, err) < 0)
		return -1;
	/* Takes the memory now: growing later would move what slices point to. */
	buf_append_str(texts, json);
	buf_clear(texts);
	return 0;
}

int fields_require(struct str value, const char *path, struct err *err)
{
	return value.n > 0 ? 0 : err_set(err, ERR_INVALID, "%s: is missing", path);
}

int fields_refuse(struct fields *f, const char *format, ...)
{
	char rule[RULE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(rule, sizeof(rule), format, args);
	va_end(args);
	return err_set(f->err, ERR_INVALID, "%s: %s", f->path, rule);
}

/* Appends to the path, and gives back the length to return to. */
static size_t enter(struct fields *f, const char *key, size_t index, bool is_item)
{
	size_t before = f->path_length, room = sizeof(f->path) - before;
	int length = is_item ? snprintf(f->path + before, room, "[%zu]", index)
			     : snprintf(f->path + before, room, "%s%s", before > 0 ? "." : "", key);

	f->path_length = before + ((size_t)length < room ? (size_t)length : room - 1);
	return before;
}

static void leave(struct fields *f, size_t before)
{
	f->path_length = before;
	f->path[before] = '\0';
}

static void *member(const struct fields_row *field, void *into)
{
	return (char *)into + field->offset;
}

static int read_member(struct fields *f, const struct fields_row *table, struct str key,
		       struct str value, void *into)
{
	size_t before;
	int result;

	if (json_kind(value) == JSON_NULL)
		return 0;
	for (const struct fields_row *field = table; field->key; field++) {
		if (!json_string_equal(key, str_of(field->key)))
			continue;
		before = enter(f, field->key, 0, false);
		result = field->read(f, field, value, into);
		leave(f, before);
		return result;
	}
	return 0;
}

int fields_read(struct fields *f, const struct fields_row *table, struct str object, void *into)
{
	struct json_walk walk = json_walk(object);
	struct str key, value;

	if (json_kind(object) != JSON_OBJECT)
		return fields_refuse(f, "must be an object");
	while (json_next(&walk, &key, &value))
		if (read_member(f, table, key, value, into) < 0)
			return -1;
	return 0;
}

/* --- Strings. --- */

static int read_string(struct fields *f, struct str raw, struct str *s)
{
	size_t before = f->texts->length;
	struct err err;
	bool has_nul;

	if (json_kind(raw) != JSON_STRING)
		return fields_refuse(f, "must be a string");
	if (json_string_decode(raw, f->texts, &has_nul, &err) < 0)
		return fields_refuse(f, "holds half of a surrogate pair");
	*s = (struct str){f->texts->data + before, f->texts->length - before};
	return 0;
}

int fields_text(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	return read_string(f, value, member(field, into));
}

static bool is_token(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~' || s.p[i] == '"' || s.p[i] == '\\')
			return false;
	return true;
}

int fields_token(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	struct str s;

	if (read_string(f, value, &s) < 0)
		return -1;
	if (s.n > (size_t)field->max)
		return fields_refuse(f, "must have at most %" PRId64 " bytes", field->max);
	if (!is_token(s))
		return fields_refuse(f, "must be printable ASCII without quotes and backslashes");
	*(struct str *)member(field, into) = s;
	return 0;
}

static int read_raw(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	struct str *s = member(field, into);
	size_t before = f->texts->length;

	if (value.n > (size_t)field->max)
		return fields_refuse(f, "must have at most %" PRId64 " bytes of JSON", field->max);
	buf_append_str(f->texts, value);
	*s = (struct str){f->texts->data + before, value.n};
	return 0;
}

int fields_raw_object(struct fields *f, const struct fields_row *field, struct str value,
		      void *into)
{
	if (json_kind(value) != JSON_OBJECT)
		return fields_refuse(f, "must be an object");
	return read_raw(f, field, value, into);
}

int fields_raw_array(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	if (json_kind(value) != JSON_ARRAY)
		return fields_refuse(f, "must be a list");
	return read_raw(f, field, value, into);
}

/* --- Numbers. --- */

int fields_number(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	if (!json_to_int(value, field->min, field->max, member(field, into)))
		return fields_refuse(f, "must be an integer from %" PRId64 " to %" PRId64,
				     field->min, field->max);
	return 0;
}

int fields_boolean(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	if (!json_to_bool(value, member(field, into)))
		return fields_refuse(f, "must be true or false");
	return 0;
}

int fields_choice(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	if (json_string_equal(value, str_of(field->yes)))
		*(bool *)member(field, into) = true;
	else if (json_string_equal(value, str_of(field->no)))
		*(bool *)member(field, into) = false;
	else if (strcmp(field->yes, field->no) == 0)
		return fields_refuse(f, "must be %s", field->yes);
	else
		return fields_refuse(f, "must be %s or %s", field->no, field->yes);
	return 0;
}

int fields_presence(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	(void)f;
	(void)value;
	*(bool *)member(field, into) = true;
	return 0;
}

struct unit {
	int (*read)(struct str text, int64_t *amount, struct err *err);
	void (*write)(char text[QUANTITY_SIZE], int64_t amount);
	const char *example;
};

static const struct unit MILLI = {quantity_to_milli, quantity_from_milli, "500m"};
static const struct unit BYTES = {quantity_to_bytes, quantity_from_bytes, "256Mi"};

static int refuse_quantity(struct fields *f, const struct fields_row *field,
			   const struct unit *unit)
{
	char min[QUANTITY_SIZE], max[QUANTITY_SIZE];

	unit->write(min, field->min);
	unit->write(max, field->max);
	return fields_refuse(f, "must be a quantity from %s to %s, such as %s", min, max,
			     unit->example);
}

static int read_quantity(struct fields *f, const struct fields_row *field, struct str value,
			 void *into, const struct unit *unit)
{
	struct str text = value;
	struct err err;
	int64_t amount;

	if (json_kind(value) == JSON_STRING && read_string(f, value, &text) < 0)
		return -1;
	if (unit->read(text, &amount, &err) < 0 || amount < field->min || amount > field->max)
		return refuse_quantity(f, field, unit);
	*(int64_t *)member(field, into) = amount;
	return 0;
}

int fields_cpu(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	return read_quantity(f, field, value, into, &MILLI);
}

int fields_bytes(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	return read_quantity(f, field, value, into, &BYTES);
}

/* --- Objects and lists. --- */

int fields_object(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	return fields_read(f, field->fields, value, member(field, into));
}

typedef int item_fn(struct fields *f, const struct fields_row *field, struct str value, void *item);

static int read_list(struct fields *f, const struct fields_row *field, struct str value, void *into,
		     item_fn *read)
{
	struct json_walk walk = json_walk(value);
	size_t *count = (size_t *)(void *)((char *)into + field->count_offset);
	char *items = member(field, into);
	struct str item;

	if (json_kind(value) != JSON_ARRAY)
		return fields_refuse(f, "must be a list");
	for (*count = 0; json_next(&walk, NULL, &item); (*count)++) {
		size_t before;

		if (*count == (size_t)field->max)
			return fields_refuse(f, "must have at most %" PRId64 " items", field->max);
		before = enter(f, NULL, *count, true);
		if (read(f, field, item, items + *count * field->item_size) < 0)
			return -1;
		leave(f, before);
	}
	return 0;
}

static int read_text_item(struct fields *f, const struct fields_row *field, struct str value,
			  void *item)
{
	(void)field;
	return read_string(f, value, item);
}

int fields_texts(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	assert(field->item_size == sizeof(struct str));
	return read_list(f, field, value, into, read_text_item);
}

static int read_object_item(struct fields *f, const struct fields_row *field, struct str value,
			    void *item)
{
	return fields_read(f, field->fields, value, item);
}

int fields_objects(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	return read_list(f, field, value, into, read_object_item);
}
