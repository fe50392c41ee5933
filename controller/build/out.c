#include "out.h"

#include "base/base64.h"
#include "base/json_string.h"
#include "base/quantity.h"
#include "base/rfc3339.h"

#include <assert.h>
#include <inttypes.h>

void out_init(struct out *o, struct buf *text)
{
	*o = (struct out){.text = text};
}

static void fail_too_large(struct out *o)
{
	if (!o->failed)
		err_set(&o->err, ERR_TOO_LARGE, "an object of more than %zu bytes", o->text->limit);
	o->failed = true;
}

static void put(struct out *o, struct str s)
{
	if (!o->failed && buf_append_str(o->text, s) < 0)
		fail_too_large(o);
}

/* The comma and the key that stand before a value. */
static void begin(struct out *o, const char *key)
{
	if (o->needs_comma)
		put(o, STR(","));
	o->needs_comma = true;
	if (!key)
		return;
	put(o, STR("\""));
	put(o, str_of(key));
	put(o, STR("\":"));
}

static void open(struct out *o, const char *key, struct str opener, char closer)
{
	assert(o->depth < OUT_DEPTH_MAX);
	begin(o, key);
	put(o, opener);
	o->closers[o->depth++] = closer;
	o->needs_comma = false;
}

void out_open(struct out *o, const char *key)
{
	open(o, key, STR("{"), '}');
}

void out_open_list(struct out *o, const char *key)
{
	open(o, key, STR("["), ']');
}

void out_close(struct out *o)
{
	assert(o->depth > 0);
	put(o, (struct str){&o->closers[--o->depth], 1});
	o->needs_comma = true;
}

int out_finish(struct out *o, struct err *err)
{
	assert(o->depth == 0);
	if (!o->failed)
		return 0;
	*err = o->err;
	return -1;
}

static void put_escaped(struct out *o, struct str value)
{
	if (!o->failed && json_string_escape(o->text, value, &o->err) < 0)
		o->failed = true;
}

void out_text(struct out *o, const char *key, struct str value)
{
	begin(o, key);
	put(o, STR("\""));
	put_escaped(o, value);
	put(o, STR("\""));
}

void out_word(struct out *o, const char *key, const char *value)
{
	out_text(o, key, str_of(value));
}

void out_number(struct out *o, const char *key, int64_t value)
{
	begin(o, key);
	if (!o->failed && buf_printf(o->text, "%" PRId64, value) < 0)
		fail_too_large(o);
}

void out_flag(struct out *o, const char *key, bool value)
{
	begin(o, key);
	put(o, value ? STR("true") : STR("false"));
}

void out_raw(struct out *o, const char *key, struct str json)
{
	begin(o, key);
	put(o, json);
}

void out_base64(struct out *o, const char *key, struct str bytes)
{
	begin(o, key);
	put(o, STR("\""));
	if (!o->failed && base64_encode(o->text, bytes) < 0)
		fail_too_large(o);
	put(o, STR("\""));
}

void out_text_if(struct out *o, const char *key, struct str value)
{
	if (value.n > 0)
		out_text(o, key, value);
}

void out_number_if(struct out *o, const char *key, int64_t value)
{
	if (value >= 0)
		out_number(o, key, value);
}

void out_raw_if(struct out *o, const char *key, struct str json)
{
	if (json.n > 0)
		out_raw(o, key, json);
}

void out_cpu(struct out *o, const char *key, int64_t milli)
{
	char text[QUANTITY_SIZE];

	quantity_from_milli(text, milli);
	out_word(o, key, text);
}

void out_bytes(struct out *o, const char *key, int64_t bytes)
{
	char text[QUANTITY_SIZE];

	quantity_from_bytes(text, bytes);
	out_word(o, key, text);
}

void out_time(struct out *o, const char *key, int64_t unix_us)
{
	char text[RFC3339_SIZE];

	rfc3339_format(text, unix_us, RFC3339_SECONDS);
	out_word(o, key, text);
}

void out_micro_time(struct out *o, const char *key, int64_t unix_us)
{
	char text[RFC3339_SIZE];

	rfc3339_format(text, unix_us, RFC3339_MICROSECONDS);
	out_word(o, key, text);
}
