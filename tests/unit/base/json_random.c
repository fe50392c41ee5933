/* Properties of json and json_string on generated and on damaged text. */
#include "base/json.h"

#include "base/buf.h"
#include "base/json_string.h"
#include "base/utf8.h"
#include "exact.h"
#include "json_properties.h"
#include "random.h"
#include "tap.h"

#define SEED	  1
#define DOCUMENTS 400
#define DAMAGES	  40 /* of each document */
#define DEPTH	  6

static void append_space(struct random *random, struct buf *out)
{
	while (random_below(random, 4) == 0)
		buf_append_char(out, " \t\r\n"[random_below(random, 4)]);
}

static uint32_t some_code_point(struct random *random)
{
	static const uint32_t below[] = {0x20, 0x80, 0x800, 0xd800, 0x110000};
	uint32_t code_point = random_below(random, below[random_below(random, 5)]);

	return code_point >= 0xd800 && code_point <= 0xdfff ? 0xfffd : code_point;
}

/* A string of random characters, as bytes; then as JSON, by our escaper. */
static void append_string(struct random *random, struct buf *out)
{
	struct buf text;
	struct err err;

	buf_init(&text, 1000);
	for (uint32_t length = random_below(random, 8); length > 0; length--) {
		char bytes[UTF8_BYTES_MAX];

		buf_append(&text, bytes, utf8_encode(some_code_point(random), bytes));
	}
	buf_append_char(out, '"');
	if (json_string_escape(out, buf_str(&text), &err) < 0)
		fail("generated text can be escaped: %s", err.message);
	buf_append_char(out, '"');
	buf_free(&text);
}

static void append_scalar(struct random *random, struct buf *out)
{
	static const char *const scalars[] = {"null", "true",  "false",
					      "0",    "-0",    "1.50",
					      "1e+9", "-2E-3", "12345678901234567890"};

	if (random_below(random, 2) == 0)
		append_string(random, out);
	else
		buf_append_str(out, str_of(scalars[random_below(random, 9)]));
}

static void append_value(struct random *random, struct buf *out, int depth)
{
	uint32_t kind = depth > 0 ? random_below(random, 3) : 0;

	append_space(random, out);
	if (kind == 0) {
		append_scalar(random, out);
	} else {
		uint32_t count = random_below(random, 5);

		buf_append_char(out, kind == 1 ? '[' : '{');
		for (uint32_t i = 0; i < count; i++) {
			append_space(random, out);
			if (kind == 2) {
				append_string(random, out);
				append_space(random, out);
				buf_append_char(out, ':');
			}
			append_value(random, out, depth - 1);
			if (i + 1 < count)
				buf_append_char(out, ',');
		}
		append_space(random, out);
		buf_append_char(out, kind == 1 ? ']' : '}');
	}
	append_space(random, out);
}

/* Text without the white space between its tokens. */
static void strip(struct str text, struct buf *out)
{
	bool in_string = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (!in_string && (c == ' ' || c == '\t' || c == '\r' || c == '\n'))
			continue;
		buf_append_char(out, c);
		if (in_string && c == '\\')
			buf_append_char(out, text.p[++i]);
		else if (c == '"')
			in_string = !in_string;
	}
}

static bool survives_walking(struct str text)
{
	struct buf stripped, emitted;
	bool same;

	buf_init(&stripped, JSON_PROPERTIES_BYTES_MAX);
	buf_init(&emitted, JSON_PROPERTIES_BYTES_MAX);
	strip(text, &stripped);
	json_properties_emit(text, &emitted);
	same = str_equal(buf_str(&stripped), buf_str(&emitted));
	buf_free(&stripped);
	buf_free(&emitted);
	return same;
}

/* Changes, drops or doubles a byte, or cuts the text. */
static void damage(struct random *random, struct buf *text)
{
	static const char likely[] = "\"\\{}[],:0e-+.ut \xff\x80\xed\n";
	uint32_t at = random_below(random, (uint32_t)text->length);
	char byte = random_below(random, 2) ? (char)random_next(random)
					    : likely[random_below(random, sizeof(likely))];

	switch (random_below(random, 3)) {
	case 0: text->data[at] = byte; break;
	case 1: buf_truncate(text, at); break;
	case 2:
		buf_append_char(text, byte);
		memmove(text->data + at + 1, text->data + at, text->length - at - 1);
		text->data[at] = byte;
		break;
	}
}

static void generated_text_survives(struct random *random, int *refused, int *changed, int *broken)
{
	struct buf document, damaged;
	struct err err;

	buf_init(&document, JSON_PROPERTIES_BYTES_MAX);
	append_value(random, &document, DEPTH);
	*refused += json_check(buf_str(&document), &err) < 0;
	*changed += !survives_walking(buf_str(&document));
	for (int i = 0; i < DAMAGES; i++) {
		struct str exact;

		buf_init(&damaged, JSON_PROPERTIES_BYTES_MAX);
		buf_append_str(&damaged, buf_str(&document));
		for (uint32_t n = random_below(random, 3) + 1; n > 0 && damaged.length > 0; n--)
			damage(random, &damaged);
		exact = exact_copy(buf_str(&damaged));
		*broken += !json_properties_hold(exact);
		exact_free(exact);
		buf_free(&damaged);
	}
	buf_free(&document);
}

int main(void)
{
	struct random random = {SEED};
	int refused = 0, changed = 0, broken = 0;

	for (int i = 0; i < DOCUMENTS; i++)
		generated_text_survives(&random, &refused, &changed, &broken);
	cmp_ok(refused, "==", 0, "every generated document is accepted");
	cmp_ok(changed, "==", 0, "walked and written again, it is the same but for white space");
	cmp_ok(broken, "==", 0, "a damaged one is refused, or read like any other");
	done_testing();
}
