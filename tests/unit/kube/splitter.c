#include "kube/splitter.h"

#include "tap.h"

#include <string.h>

/* Feeds `text` in steps of `step` bytes; the objects, each with a '|' behind it, go to `out`. */
static int feed(struct splitter *splitter, struct str text, size_t step, struct buf *out,
		struct err *err)
{
	for (size_t at = 0; at < text.n; at += step) {
		struct str bytes = str_slice(text, at, at + step), object;
		int result;

		while ((result = splitter_next(splitter, &bytes, &object, err)) > 0) {
			buf_append_str(out, object);
			buf_append_char(out, '|');
		}
		if (result < 0)
			return -1;
	}
	return 0;
}

static const struct {
	const char *rule, *text, *objects;
} ROWS[] = {
	{"lines", "{\"a\":1}\n{\"b\":2}\n", "{\"a\":1}|{\"b\":2}|"},
	{"without lines", "{\"a\":1}{\"b\":2}", "{\"a\":1}|{\"b\":2}|"},
	{"indented", "{\n  \"a\": {\n    \"b\": []\n  }\n}\r\n\t{}",
	 "{\n  \"a\": {\n    \"b\": []\n  }\n}|{}|"},
	{"braces in strings", "{\"a\":\"}{\\\"}\"}{}", "{\"a\":\"}{\\\"}\"}|{}|"},
	{"a backslash at a string's end", "{\"a\":\"\\\\\"}{}", "{\"a\":\"\\\\\"}|{}|"},
	{"UTF-8", "{\"a\":\"\xe4\xb8\xad\xf0\x9f\x98\x80\"}\n",
	 "{\"a\":\"\xe4\xb8\xad\xf0\x9f\x98\x80\"}|"},
	{"an object that breaks off", "{}{\"a\":", "{}|"},
	{"nothing but blanks", " \n\n ", ""},
};

static void objects_are_told_apart_wherever_they_are_cut(void)
{
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		struct str text = str_of(ROWS[i].text);

		for (size_t step = 1; step <= text.n; step++) {
			struct splitter splitter;
			struct buf out;
			struct err err;

			splitter_init(&splitter, 1000);
			buf_init(&out, 1000);
			feed(&splitter, text, step, &out, &err);
			is(out.data, ROWS[i].objects, "%s, in pieces of %zu", ROWS[i].rule, step);
			splitter_free(&splitter);
			buf_free(&out);
		}
	}
}

static void what_is_no_object_is_an_error(void)
{
	static const char *const TEXTS[] = {"x", "[1]", "{} null", "}", "\"a\""};
	struct splitter splitter;
	struct buf out;
	struct err err;

	buf_init(&out, 1000);
	for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
		splitter_init(&splitter, 1000);
		cmp_ok(feed(&splitter, str_of(TEXTS[i]), 1, &out, &err), "==", -1, "%s", TEXTS[i]);
		is(err_code_name(err.code), "Protocol", "%s", err.message);
		splitter_free(&splitter);
	}
	buf_free(&out);
}

static void an_object_has_a_limit(void)
{
	struct splitter splitter;
	struct buf out;
	struct err err;

	buf_init(&out, 1000);
	splitter_init(&splitter, 7);
	cmp_ok(feed(&splitter, STR("{\"a\":1}{\"a\":1}"), 3, &out, &err), "==", 0,
	       "two objects of just the limit");
	cmp_ok(feed(&splitter, STR("{\"a\":12}"), 3, &out, &err), "==", -1, "one byte more");
	is(err_code_name(err.code), "TooLarge", "%s", err.message);
	splitter_reset(&splitter);
	buf_clear(&out);
	cmp_ok(feed(&splitter, STR("{}"), 1, &out, &err), "==", 0, "after a reset");
	is(out.data, "{}|", "it is as new");
	splitter_free(&splitter);
	buf_free(&out);
}

int main(void)
{
	objects_are_told_apart_wherever_they_are_cut();
	what_is_no_object_is_an_error();
	an_object_has_a_limit();
	done_testing();
}
