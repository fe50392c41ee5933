#include "base/json.h"

#include "base/buf.h"
#include "exact.h"
#include "tap.h"

#include <string.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

#define YES true  /* every reader must take it */
#define NO  false /* every reader must refuse it */

/*
 * In the spirit of JSONTestSuite (Nicolas Seriot, "Parsing JSON is a Minefield"): its classes of
 * cases, written anew. What RFC 8259 leaves to the reader has our choice, and the reason, in its
 * name.
 */
static const struct check_row {
	const char *name;
	struct str text;
	bool valid;
} check_rows[] = {
	/* Structure. */
	{"an empty object", STR("{}"), YES},
	{"an empty array", STR("[]"), YES},
	{"space inside of empty brackets", STR("[ ]"), YES},
	{"space inside of empty braces", STR("{\t}"), YES},
	{"a member", STR("{\"a\":1}"), YES},
	{"members", STR("{\"a\":1,\"b\":2}"), YES},
	{"items", STR("[1,2,3]"), YES},
	{"items of every kind", STR("[null,true,false,1,\"a\",[],{}]"), YES},
	{"objects in objects", STR("{\"a\":{\"b\":{\"c\":{}}}}"), YES},
	{"arrays in arrays", STR("[[],[[]],[[[]]]]"), YES},
	{"arrays and objects in turn", STR("[{\"a\":[{\"b\":[]}]}]"), YES},
	{"an empty key", STR("{\"\":0}"), YES},
	{"duplicate keys are within the grammar", STR("{\"a\":1,\"a\":2}"), YES},
	{"duplicate members are within the grammar", STR("{\"a\":1,\"a\":1}"), YES},
	{"all four kinds of white space", STR(" \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n"),
	 YES},
	{"white space around keys and colons", STR("{ \"a\" : 1 , \"b\" : 2 }"), YES},
	{"a newline at the end", STR("[]\n"), YES},
	{"a lone null", STR("null"), YES},
	{"a lone true", STR("true"), YES},
	{"a lone false", STR("false"), YES},
	{"a lone string", STR("\"a\""), YES},
	{"a lone empty string", STR("\"\""), YES},
	{"a lone number", STR("42"), YES},
	{"a lone negative number", STR("-0.1"), YES},
	{"nothing", STR(""), NO},
	{"white space alone", STR(" \n\t"), NO},
	{"a NUL alone", STR("\0"), NO},
	{"a NUL behind the value", STR("1\0"), NO},
	{"an array that does not end", STR("["), NO},
	{"an array that does not end behind an item", STR("[1"), NO},
	{"an array that does not end behind a comma", STR("[1,"), NO},
	{"an array that does not end in an array", STR("[[]"), NO},
	{"an object that does not end", STR("{"), NO},
	{"an object that does not end behind a key", STR("{\"a\""), NO},
	{"an object that does not end behind a colon", STR("{\"a\":"), NO},
	{"an object that does not end behind a value", STR("{\"a\":1"), NO},
	{"an object that does not end behind a comma", STR("{\"a\":1,"), NO},
	{"a bracket closed by a brace", STR("[1}"), NO},
	{"a brace closed by a bracket", STR("{\"a\":1]"), NO},
	{"brackets closed in the wrong order", STR("[{\"a\":[1}]]"), NO},
	{"a closing bracket alone", STR("]"), NO},
	{"a closing brace alone", STR("}"), NO},
	{"one bracket too many", STR("[1]]"), NO},
	{"one brace too many", STR("{}}"), NO},
	{"a comma before the end of an array", STR("[1,]"), NO},
	{"a comma before the end of an object", STR("{\"a\":1,}"), NO},
	{"a comma alone in an array", STR("[,]"), NO},
	{"a comma alone in an object", STR("{,}"), NO},
	{"a comma before the first item", STR("[,1]"), NO},
	{"two commas between items", STR("[1,,2]"), NO},
	{"two commas between members", STR("{\"a\":1,,\"b\":2}"), NO},
	{"no comma between items", STR("[1 2]"), NO},
	{"no comma between arrays", STR("[[] []]"), NO},
	{"no comma between members", STR("{\"a\":1 \"b\":2}"), NO},
	{"a colon for a comma", STR("[1:2]"), NO},
	{"a comma for a colon", STR("{\"a\",1}"), NO},
	{"two colons", STR("{\"a\"::1}"), NO},
	{"no colon", STR("{\"a\" 1}"), NO},
	{"no value", STR("{\"a\":}"), NO},
	{"no key", STR("{:1}"), NO},
	{"a value without a key", STR("{1}"), NO},
	{"a key that is a number", STR("{1:1}"), NO},
	{"a key that is null", STR("{null:1}"), NO},
	{"a key that is an array", STR("{[]:1}"), NO},
	{"a key without quotes", STR("{a:1}"), NO},
	{"a key in single quotes", STR("{'a':1}"), NO},
	{"two values", STR("1 2"), NO},
	{"two objects", STR("{}{}"), NO},
	{"two lines", STR("{}\n{}"), NO},
	{"a comma behind the value", STR("[],"), NO},
	{"a letter behind the value", STR("[]x"), NO},
	{"a comment", STR("[1/* one */]"), NO},
	{"a comment to the end of the line", STR("[]//empty"), NO},
	{"a shell comment", STR("[] # empty"), NO},
	{"a vertical tab is no white space", STR("[\v1]"), NO},
	{"a form feed is no white space", STR("[\f1]"), NO},
	{"a no-break space is no white space",
	 STR("[\xc2\xa0"
	     "1]"),
	 NO},
	{"U+2060 is no white space", STR("[\xe2\x81\xa0]"), NO},
	{"a byte order mark: a sender must not add one, so we refuse it", STR("\xef\xbb\xbf[]"),
	 NO},
	{"half a byte order mark", STR("\xef\xbb[]"), NO},
	{"UTF-16, little endian, with its mark", STR("\xff\xfe[\0]\0"), NO},
	{"UTF-16, big endian", STR("\0[\0]"), NO},

	/* Literals. */
	{"True", STR("True"), NO},
	{"TRUE", STR("TRUE"), NO},
	{"None", STR("None"), NO},
	{"nul", STR("nul"), NO},
	{"nulll", STR("nulll"), NO},
	{"tru in an array", STR("[tru]"), NO},
	{"fals", STR("fals"), NO},
	{"truefalse", STR("truefalse"), NO},
	{"a bare word", STR("hello"), NO},
	{"undefined", STR("undefined"), NO},
	{"NaN", STR("NaN"), NO},
	{"Infinity", STR("[Infinity]"), NO},
	{"-Infinity", STR("[-Infinity]"), NO},
	{"nan", STR("[nan]"), NO},

	/* Numbers. */
	{"zero", STR("[0]"), YES},
	{"minus zero", STR("[-0]"), YES},
	{"an integer", STR("[123]"), YES},
	{"a negative integer", STR("[-123]"), YES},
	{"a fraction", STR("[0.5]"), YES},
	{"a long fraction", STR("[0.0000000000000000000000000000000000000000001]"), YES},
	{"zeros behind the point", STR("[1.000]"), YES},
	{"an exponent", STR("[1e1]"), YES},
	{"a capital exponent", STR("[1E1]"), YES},
	{"a positive exponent", STR("[1e+1]"), YES},
	{"a negative exponent", STR("[1e-1]"), YES},
	{"a zero exponent", STR("[0e0]"), YES},
	{"an exponent with leading zeros", STR("[1e0001]"), YES},
	{"fraction and exponent", STR("[-12.34E-56]"), YES},
	{"an integer of 30 digits is text to us and passes",
	 STR("[123456789012345678901234567890]"), YES},
	{"a number that no double can hold is text to us and passes", STR("[1e9999]"), YES},
	{"a number that a double rounds to zero passes", STR("[1e-9999]"), YES},
	{"an exponent of 30 digits passes", STR("[1e123456789012345678901234567890]"), YES},
	{"a plus sign", STR("[+1]"), NO},
	{"two minus signs", STR("[--1]"), NO},
	{"a minus sign alone", STR("[-]"), NO},
	{"a minus sign at the end of the text", STR("-"), NO},
	{"a minus sign before a space", STR("[- 1]"), NO},
	{"a minus sign before a letter", STR("[-a]"), NO},
	{"a leading zero", STR("[01]"), NO},
	{"two zeros", STR("[00]"), NO},
	{"a negative leading zero", STR("[-01]"), NO},
	{"a point without digits before it", STR("[.5]"), NO},
	{"a negative point without digits before it", STR("[-.5]"), NO},
	{"a point without digits behind it", STR("[1.]"), NO},
	{"a point at the end of the text", STR("1."), NO},
	{"a point before an exponent", STR("[1.e1]"), NO},
	{"two points", STR("[1.2.3]"), NO},
	{"an exponent without digits", STR("[1e]"), NO},
	{"an exponent at the end of the text", STR("1e"), NO},
	{"an exponent with a sign only", STR("[1e+]"), NO},
	{"an exponent with two signs", STR("[1e+-1]"), NO},
	{"two exponents", STR("[1e1e1]"), NO},
	{"an exponent with a fraction", STR("[1e1.5]"), NO},
	{"an exponent without a number", STR("[e1]"), NO},
	{"hexadecimal", STR("[0x1]"), NO},
	{"octal", STR("[0o7]"), NO},
	{"a suffix", STR("[1L]"), NO},
	{"underscores", STR("[1_000]"), NO},
	{"a space inside", STR("[1 000]"), NO},
	{"full-width digits", STR("[\xef\xbc\x91]"), NO},
	{"a NUL inside", STR("[1\0]"), NO},

	/* Strings. */
	{"every short escape", STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), YES},
	{"\\u with digits", STR("\"\\u0041\""), YES},
	{"\\u with capital letters", STR("\"\\uABEF\""), YES},
	{"\\u with small letters", STR("\"\\uabef\""), YES},
	{"an escaped NUL", STR("\"\\u0000\""), YES},
	{"an escaped control character", STR("\"\\u0001\""), YES},
	{"an escaped pair of surrogates", STR("\"\\ud83d\\ude00\""), YES},
	{"an escaped noncharacter", STR("\"\\uffff\""), YES},
	{"an escaped backslash before u", STR("\"\\\\u000g\""), YES},
	{"an escaped backslash at the end", STR("\"\\\\\""), YES},
	{"half a pair, high: within the grammar, so it passes the check", STR("\"\\ud83d\""), YES},
	{"half a pair, low: within the grammar, so it passes the check", STR("\"\\ude00\""), YES},
	{"a pair in the wrong order passes the check", STR("\"\\ude00\\ud83d\""), YES},
	{"DEL", STR("\"\x7f\""), YES},
	{"characters of two, three and four bytes", STR("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""),
	 YES},
	{"the last code point", STR("\"\xf4\x8f\xbf\xbf\""), YES},
	{"a noncharacter", STR("\"\xef\xbf\xbf\""), YES},
	{"U+2028 and U+2029", STR("\"\xe2\x80\xa8\xe2\x80\xa9\""), YES},
	{"a byte order mark inside of a string", STR("\"\xef\xbb\xbf\""), YES},
	{"brackets and commas inside of a string", STR("[\"],[{}:,\"]"), YES},
	{"a key with escapes", STR("{\"\\u0061\\n\":1}"), YES},
	{"a string that does not end", STR("\"a"), NO},
	{"a quote alone", STR("\""), NO},
	{"a string that ends with an escaped quote", STR("\"a\\\""), NO},
	{"a string that ends with a backslash", STR("\"a\\"), NO},
	{"a key that does not end", STR("{\"a"), NO},
	{"single quotes", STR("['a']"), NO},
	{"an escape of a letter that has none", STR("\"\\a\""), NO},
	{"an escape of a digit", STR("\"\\0\""), NO},
	{"an escape of a single quote", STR("\"\\'\""), NO},
	{"\\x", STR("\"\\x41\""), NO},
	{"\\U", STR("\"\\U0041\""), NO},
	{"\\u without digits", STR("\"\\u\""), NO},
	{"\\u with three digits", STR("\"\\u004\""), NO},
	{"\\u with a letter behind F", STR("\"\\u004G\""), NO},
	{"\\u with a letter behind f", STR("\"\\u004g\""), NO},
	{"\\u with a sign", STR("\"\\u+041\""), NO},
	{"\\u with a space", STR("\"\\u 041\""), NO},
	{"\\u at the end of the text", STR("\"\\u00"), NO},
	{"a surrogate and half of the next escape", STR("\"\\ud83d\\u\""), NO},
	{"an escaped character above 127", STR("\"\\\xc3\xa9\""), NO},
	{"an escaped newline", STR("\"\\\n\""), NO},
	{"a newline", STR("\"a\nb\""), NO},
	{"a tab", STR("\"a\tb\""), NO},
	{"a NUL in a string", STR("\"a\0b\""), NO},
	{"U+001F", STR("\"\x1f\""), NO},
	{"a control character in a key", STR("{\"\x01\":1}"), NO},
	{"an impossible byte", STR("\"\xff\""), NO},
	{"an impossible byte in a key", STR("{\"\xff\":1}"), NO},
	{"an impossible byte outside of strings", STR("[\xff]"), NO},
	{"a stray continuation", STR("\"\x80\""), NO},
	{"a character cut by the quote", STR("\"\xe2\x82\""), NO},
	{"a character cut by the end of the text", STR("\"\xe2\x82"), NO},
	{"a character cut by an escape", STR("\"\xe2\\n\x82\xac\""), NO},
	{"an overlong slash", STR("\"\xc0\xaf\""), NO},
	{"an overlong quote is no quote", STR("\"\xc0\xa2\""), NO},
	{"a surrogate as bytes", STR("\"\xed\xa0\x80\""), NO},
	{"a code point behind the last one", STR("\"\xf4\x90\x80\x80\""), NO},
	{"Latin-1", STR("\"\xe9\""), NO},
};

static void the_grammar_to_the_letter(void)
{
	for (size_t i = 0; i < LENGTH_OF(check_rows); i++) {
		const struct check_row *row = &check_rows[i];
		struct str text = exact_copy(row->text);
		struct err err = {.message = ""};
		int result = json_check(text, &err);

		ok(row->valid ? result == 0 && !err.message[0]
			      : result < 0 && err.code == ERR_INVALID && err.message[0],
		   "%s: %s", row->valid ? "taken" : "refused", row->name);
		exact_free(text);
	}
}

/* `depth` times `opening`, then `inner`, then `depth` times `closing`. */
static struct str nested(const char *opening, const char *inner, const char *closing, int depth,
			 struct buf *b)
{
	buf_clear(b);
	for (int i = 0; i < depth; i++)
		buf_append_str(b, str_of(opening));
	buf_append_str(b, str_of(inner));
	for (int i = 0; i < depth; i++)
		buf_append_str(b, str_of(closing));
	return buf_str(b);
}

static void depth_has_a_limit(void)
{
	struct buf b;
	struct err err = {0};

	buf_init(&b, 4 * 1024 * 1024);
	ok(json_check(nested("[", "", "]", JSON_DEPTH_MAX, &b), &err) == 0,
	   "arrays at the limit are taken");
	ok(json_check(nested("[", "", "]", JSON_DEPTH_MAX + 1, &b), &err) < 0 &&
		   err.code == ERR_TOO_LARGE,
	   "one deeper is too large");
	like(err.message, "512 deep at offset 512", "which names the limit and the place");
	ok(json_check(nested("{\"a\":", "1", "}", JSON_DEPTH_MAX, &b), &err) == 0,
	   "objects at the limit are taken");
	ok(json_check(nested("{\"a\":", "{}", "}", JSON_DEPTH_MAX, &b), &err) < 0,
	   "an empty object counts");
	ok(json_check(nested("[{\"a\":", "1", "}]", JSON_DEPTH_MAX / 2, &b), &err) == 0,
	   "arrays and objects in turn at the limit are taken");
	ok(json_check(nested("[", "", "", 1000000, &b), &err) < 0,
	   "a million brackets are refused");
	ok(json_check(nested("[[],", "1", "]", JSON_DEPTH_MAX - 1, &b), &err) == 0,
	   "what was closed does not count");
	buf_free(&b);
}

static void messages_name_place_and_rule(void)
{
	static const struct {
		struct str text;
		const char *message;
	} rows[] = {
		{STR("[1,]"), "not JSON at offset 3: a value is missing"},
		{STR("{\"a\":1,}"), "not JSON at offset 7: a string is missing"},
		{STR("{\"a\" 1}"), "not JSON at offset 5: a colon is missing"},
		{STR("[1}"), "not JSON at offset 2: a comma or ] is missing"},
		{STR("{\"a\":1]"), "not JSON at offset 6: a comma or } is missing"},
		{STR("[01]"), "not JSON at offset 2: a number has a leading zero"},
		{STR("[1.]"), "not JSON at offset 3: a digit is missing"},
		{STR("\"ab\ncd\""), "not JSON at offset 3: a control character in a string"},
		{STR("\"ab\xff\""), "not JSON at offset 3: not UTF-8"},
		{STR("\"ab\\x\""), "not JSON at offset 4: no such escape"},
		{STR("\"\\u00x0\""), "not JSON at offset 5: \\u needs four hexadecimal digits"},
		{STR("\"ab"), "not JSON at offset 3: a string does not end"},
		{STR("[] x"), "not JSON at offset 3: something follows the value"},
		{STR(""), "not JSON at offset 0: a value is missing"},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct err err = {.message = ""};

		json_check(rows[i].text, &err);
		is(err.message, rows[i].message, "%s", rows[i].message);
	}
}

int main(void)
{
	the_grammar_to_the_letter();
	depth_has_a_limit();
	messages_name_place_and_rule();
	done_testing();
}
