#include "base/json_string.h"

#include "exact.h"
#include "tap.h"

#include <string.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

static void strings_are_decoded(void)
{
	static const struct {
		const char *name;
		struct str raw, text;
		bool has_nul;
	} rows[] = {
		{"the empty string", STR("\"\""), STR(""), false},
		{"plain text", STR("\"abc\""), STR("abc"), false},
		{"every short escape", STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
		 STR("\"\\/\b\f\n\r\t"), false},
		{"an escape between text", STR("\"a\\nb\""), STR("a\nb"), false},
		{"\\u of one byte", STR("\"\\u0041\""), STR("A"), false},
		{"\\u of the last one-byte character", STR("\"\\u007f\""), STR("\x7f"), false},
		{"\\u of the first two-byte character", STR("\"\\u0080\""), STR("\xc2\x80"), false},
		{"\\u of the last two-byte character", STR("\"\\u07FF\""), STR("\xdf\xbf"), false},
		{"\\u of the first three-byte character", STR("\"\\u0800\""), STR("\xe0\xa0\x80"),
		 false},
		{"\\u right below the surrogates", STR("\"\\ud7ff\""), STR("\xed\x9f\xbf"), false},
		{"\\u right above the surrogates", STR("\"\\ue000\""), STR("\xee\x80\x80"), false},
		{"\\u of the last three-byte character", STR("\"\\uffff\""), STR("\xef\xbf\xbf"),
		 false},
		{"the first pair of surrogates", STR("\"\\ud800\\udc00\""), STR("\xf0\x90\x80\x80"),
		 false},
		{"the last pair of surrogates", STR("\"\\uDBFF\\uDFFF\""), STR("\xf4\x8f\xbf\xbf"),
		 false},
		{"a pair between text", STR("\"a\\ud83d\\ude00z\""), STR("a\xf0\x9f\x98\x80z"),
		 false},
		{"UTF-8 as it is", STR("\"\xf0\x9f\x98\x80\""), STR("\xf0\x9f\x98\x80"), false},
		{"an escaped backslash before u", STR("\"\\\\u0041\""), STR("\\u0041"), false},
		{"a NUL is decoded and reported", STR("\"print(1)\\u0000import os\""),
		 STR("print(1)\0import os"), true},
		{"a NUL alone", STR("\"\\u0000\""), STR("\0"), true},
		{"text that only looks like a NUL", STR("\"\\\\u0000\""), STR("\\u0000"), false},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct str raw = exact_copy(rows[i].raw);
		struct err err;
		struct buf b;
		bool has_nul = !rows[i].has_nul;

		buf_init(&b, 100);
		ok(json_string_decode(raw, &b, &has_nul, &err) == 0 &&
			   str_equal(buf_str(&b), rows[i].text) && has_nul == rows[i].has_nul,
		   "%s", rows[i].name);
		ok(json_string_equal(raw, rows[i].text), "and it equals what it stands for");
		buf_free(&b);
		exact_free(raw);
	}
}

static void what_stands_for_no_text_is_refused(void)
{
	static const struct {
		const char *name;
		struct str raw;
		const char *message;
	} rows[] = {
		{"a high surrogate at the end", STR("\"ab\\ud83d\""), "surrogate pair at offset 3"},
		{"a high surrogate before text", STR("\"\\ud83dx\""), "surrogate pair at offset 1"},
		{"a high surrogate before another escape", STR("\"\\ud83d\\n\""), "surrogate"},
		{"a high surrogate before a high one", STR("\"\\ud83d\\ud83d\\ude00\""),
		 "offset 1"},
		{"a high surrogate before no surrogate", STR("\"\\ud83d\\u0041\""), "surrogate"},
		{"a low surrogate alone", STR("\"\\ude00\""), "surrogate"},
		{"a pair in the wrong order", STR("\"\\ude00\\ud83d\""), "surrogate"},
		{"a high surrogate before letters like an escape's", STR("\"\\ud83dxude00\""),
		 "surrogate"},
		{"a high surrogate before digits like an escape's", STR("\"\\ud83d\\nde00\""),
		 "surrogate"},
		{"no string", STR("12"), "not a string"},
		{"nothing", STR(""), "not a string"},
		{"a quote alone", STR("\""), "not a string"},
		{"no quote at the end", STR("\"ab"), "not a string"},
		{"unchecked text with a broken escape", STR("\"\\u12\""), "escape at offset 1"},
		{"unchecked text with half an escape", STR("\"a\\\""), "escape at offset 2"},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct str raw = exact_copy(rows[i].raw);
		struct err err = {.message = ""};
		struct buf b;
		bool has_nul = true;

		buf_init(&b, 100);
		buf_append_char(&b, '=');
		ok(json_string_decode(raw, &b, &has_nul, &err) < 0 && err.code == ERR_INVALID &&
			   strcmp(b.data, "=") == 0 && has_nul,
		   "%s, and nothing is touched", rows[i].name);
		like(err.message, rows[i].message, "the message says what and where");
		buf_free(&b);
		exact_free(raw);
	}
}

static void strings_compare_by_what_they_stand_for(void)
{
	static const struct {
		const char *name;
		struct str a, b;
		int order;
	} rows[] = {
		{"equal", STR("\"a\""), STR("\"a\""), 0},
		{"equal after unescaping", STR("\"\\u0061\\/\""), STR("\"a/\""), 0},
		{"equal through a pair", STR("\"\\ud83d\\ude00\""), STR("\"\xf0\x9f\x98\x80\""), 0},
		{"a beginning comes first", STR("\"a\""), STR("\"ab\""), -1},
		{"the empty string comes first", STR("\"\""), STR("\"\\u0000\""), -1},
		{"bytes behind a NUL count", STR("\"\\u0000a\""), STR("\"\\u0000b\""), -1},
		{"bytes are unsigned", STR("\"\x7f\""), STR("\"\xc2\x80\""), -1},
		{"an escape has the place of its character", STR("\"\\u0062\""), STR("\"a\""), 1},
		{"half a pair equals itself", STR("\"\\ud800\""), STR("\"\\uD800\""), 0},
		{"but not the other half", STR("\"\\ud800\""), STR("\"\\udc00\""), -1},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		int order = json_string_compare(rows[i].a, rows[i].b);
		int back = json_string_compare(rows[i].b, rows[i].a);

		cmp_ok((order > 0) - (order < 0), "==", rows[i].order, "%s", rows[i].name);
		cmp_ok((back > 0) - (back < 0), "==", -rows[i].order, "and the other way round");
	}
	ok(!json_string_equal(STR("\"ab\""), STR("a")), "a longer string does not equal");
	ok(!json_string_equal(STR("\"a\\u0000\""), STR("a")), "not even by a NUL");
	ok(!json_string_equal(STR("\"a\""), STR("ab")), "nor a shorter one");
	ok(!json_string_equal(STR("a"), STR("a")), "nor what is no string");
	ok(!json_string_equal(STR("\"\\ud83d\""), STR("?")), "nor half a pair anything");
}

static void text_is_escaped_as_little_as_may_be(void)
{
	static const struct {
		const char *name;
		struct str text;
		const char *escaped;
		size_t stored; /* bytes in etcd */
	} rows[] = {
		{"nothing", STR(""), "", 0},
		{"plain text", STR("abc"), "abc", 3},
		{"quote and backslash", STR("\"\\"), "\\\"\\\\", 4},
		{"a slash stays", STR("/"), "/", 1},
		{"newline, return and tab take two", STR("\n\r\t"), "\\n\\r\\t", 6},
		{"so do backspace and form feed, but not in every Go", STR("\b\f"), "\\b\\f", 12},
		{"other control characters take six", STR("\x01\x0b\x1f"), "\\u0001\\u000b\\u001f",
		 18},
		{"NUL too", STR("a\0b"), "a\\u0000b", 8},
		{"a space stays", STR(" "), " ", 1},
		{"DEL stays", STR("\x7f"), "\x7f", 1},
		{"UTF-8 stays", STR("\xc3\xa9\xf0\x9f\x98\x80"), "\xc3\xa9\xf0\x9f\x98\x80", 6},
		{"what Go escapes for HTML stays here", STR("<&>"), "<&>", 18},
		{"what Go escapes for JavaScript stays here", STR("\xe2\x80\xa8\xe2\x80\xa9"),
		 "\xe2\x80\xa8\xe2\x80\xa9", 12},
		{"its neighbours stay in both", STR("\xe2\x80\xa7\xe2\x80\xaa"),
		 "\xe2\x80\xa7\xe2\x80\xaa", 6},
		{"text between escapes", STR("a\nb\"c"), "a\\nb\\\"c", 7},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct str text = exact_copy(rows[i].text);
		struct err err;
		struct buf b;

		buf_init(&b, 100);
		ok(json_string_escape(&b, text, &err) == 0 && strcmp(b.data, rows[i].escaped) == 0,
		   "%s", rows[i].name);
		cmp_ok(json_string_escaped_length(text), "==", b.length,
		       "its length is known before");
		cmp_ok(json_string_stored_length(text), "==", rows[i].stored,
		       "and so is the room it takes in etcd");
		buf_free(&b);
		exact_free(text);
	}
}

static void escaping_is_all_or_nothing(void)
{
	struct err err;
	struct buf b;

	buf_init(&b, 8);
	ok(json_string_escape(&b, STR("ab\x01"), &err) == 0, "exactly the limit fits");
	is(b.data, "ab\\u0001", "with the escape");
	buf_clear(&b);
	buf_append_char(&b, '"');
	ok(json_string_escape(&b, STR("ab\x01"), &err) < 0 && err.code == ERR_TOO_LARGE,
	   "one byte over is too large");
	is(b.data, "\"", "and nothing of it stays");
	ok(json_string_escape(&b, STR("abcdefgh"), &err) < 0, "without an escape too");
	is(b.data, "\"", "and nothing of it stays");
	ok(json_string_escape(&b, STR("ab\xff"), &err) < 0 && err.code == ERR_INVALID,
	   "no UTF-8 is refused");
	like(err.message, "offset 2", "with the place");
	ok(json_string_escape(&b, STR("\xe2\x82"), &err) < 0, "a cut character too");
	is(b.data, "\"", "and nothing of it stays");
	buf_free(&b);
}

static void decoding_has_the_limit_of_its_buffer(void)
{
	struct err err;
	struct buf b;
	bool has_nul = false;

	buf_init(&b, 4);
	ok(json_string_decode(STR("\"a\\u20ac\""), &b, &has_nul, &err) == 0,
	   "exactly the limit fits");
	buf_clear(&b);
	ok(json_string_decode(STR("\"ab\\u20ac\""), &b, &has_nul, &err) < 0 &&
		   err.code == ERR_TOO_LARGE,
	   "an escape over it is too large");
	ok(json_string_decode(STR("\"abcde\""), &b, &has_nul, &err) < 0 && b.length == 0,
	   "text over it too, and nothing stays");
	buf_free(&b);
}

static void no_byte_grows_by_more_than_the_factor(void)
{
	int wrong = 0;

	for (int c = 0; c < 0x80; c++) {
		char byte = (char)c;

		wrong +=
			json_string_escaped_length((struct str){&byte, 1}) > JSON_ESCAPE_FACTOR_MAX;
		wrong += json_string_stored_length((struct str){&byte, 1}) > JSON_ESCAPE_FACTOR_MAX;
		wrong += json_string_stored_length((struct str){&byte, 1}) <
			 json_string_escaped_length((struct str){&byte, 1});
	}
	cmp_ok(wrong, "==", 0, "each of the 128 characters of ASCII");
}

int main(void)
{
	strings_are_decoded();
	what_stands_for_no_text_is_refused();
	strings_compare_by_what_they_stand_for();
	text_is_escaped_as_little_as_may_be();
	escaping_is_all_or_nothing();
	decoding_has_the_limit_of_its_buffer();
	no_byte_grows_by_more_than_the_factor();
	done_testing();
}
