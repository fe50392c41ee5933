#include "base/json.h"

#include "base/buf.h"
#include "tap.h"

#include <string.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

static void kinds_are_told_by_the_first_character(void)
{
	cmp_ok(json_kind(STR(" null")), "==", JSON_NULL, "null");
	cmp_ok(json_kind(STR("true")), "==", JSON_BOOLEAN, "true");
	cmp_ok(json_kind(STR("false")), "==", JSON_BOOLEAN, "false");
	cmp_ok(json_kind(STR("0")), "==", JSON_NUMBER, "a number");
	cmp_ok(json_kind(STR("-1")), "==", JSON_NUMBER, "a negative number");
	cmp_ok(json_kind(STR("\"\"")), "==", JSON_STRING, "a string");
	cmp_ok(json_kind(STR("\n[")), "==", JSON_ARRAY, "an array");
	cmp_ok(json_kind(STR("{")), "==", JSON_OBJECT, "an object");
	cmp_ok(json_kind(STR("")), "==", JSON_NOTHING, "no text is nothing");
	cmp_ok(json_kind(STR("x")), "==", JSON_NOTHING, "no JSON is nothing");
}

/* Writes "key=value;" for each step of a walk, raw. */
static const char *walked(struct str text, struct buf *b)
{
	struct json_walk walk = json_walk(text);
	struct str key, value;

	buf_clear(b);
	while (json_next(&walk, &key, &value))
		buf_printf(b, "%.*s=%.*s;", STR_ARGS(key), STR_ARGS(value));
	return b->data;
}

static void walks_give_raw_slices_in_order(void)
{
	struct buf b;

	buf_init(&b, 1000);
	is(walked(STR("[ 1 , \"a,]\" ,{\"b\" : [2]}, [ ] ]"), &b),
	   "=1;=\"a,]\";={\"b\" : [2]};=[ ];", "items, without the space around them");
	is(walked(STR(" { \"a\" : 1.0 , \"\\u0062\":{ \"c\":null } } "), &b),
	   "\"a\"=1.0;\"\\u0062\"={ \"c\":null };", "members, keys as they were written");
	is(walked(STR("{\"a\":1,\"a\":2}"), &b), "\"a\"=1;\"a\"=2;", "duplicates one by one");
	is(walked(STR("[]"), &b), "", "an empty array has no items");
	is(walked(STR("{ }"), &b), "", "an empty object has no members");
	is(walked(STR("\"[1]\""), &b), "", "a string has none");
	is(walked(STR("12"), &b), "", "a number has none");
	is(walked(STR(""), &b), "", "nothing has none");
	is(walked(STR("[1,2"), &b), "=1;=2;",
	   "in unchecked text a walk ends where that breaks off");
	is(walked(STR("[1,2}3"), &b), "=1;=2;", "or goes wrong");
	is(walked(STR("{\"a\":1,2:3}"), &b), "\"a\"=1;", "or has no key");
	is(walked(STR("{\"a\":1,\"b\" 2}"), &b), "\"a\"=1;", "or no colon");
	buf_free(&b);
}

static const struct str pod =
	STR("{\"kind\":\"Pod\", \"metadata\": {\"name\": \"a\", \"na\\u006de2\": 7},"
	    "\"kind\":\"Pod2\", \"q\\\"\":null, \"\":\"none\","
	    "\"\\ud800\":1, \"Kind\":3}");

static void keys_are_found_by_what_they_stand_for(void)
{
	struct str metadata, value = {NULL, 0};

	ok(json_find(pod, STR("metadata"), &metadata) &&
		   str_equal(metadata, STR("{\"name\": \"a\", \"na\\u006de2\": 7}")),
	   "a value comes byte for byte");
	ok(json_find(metadata, STR("name"), &value) && str_equal(value, STR("\"a\"")),
	   "a value inside of it");
	ok(json_find(metadata, STR("name2"), &value) && str_equal(value, STR("7")),
	   "a key that is written with an escape");
	ok(json_find(pod, STR("q\""), &value) && str_equal(value, STR("null")),
	   "a key that needs one");
	ok(json_find(pod, STR("kind"), &value) && str_equal(value, STR("\"Pod2\"")),
	   "the last of duplicate keys, case matters");
	ok(json_find(pod, STR(""), &value) && str_equal(value, STR("\"none\"")), "the empty key");
	value = STR("kept");
	ok(!json_find(pod, STR("name"), &value), "a key of an inner object is not found");
	ok(!json_find(pod, STR("kin"), &value), "nor the beginning of a key");
	ok(!json_find(pod, STR("kind\0"), &value), "nor a key with a NUL behind it");
	ok(!json_find(pod, STR("\xef\xbf\xbd"), &value),
	   "nor half a surrogate pair by the replacement character");
	ok(!json_find(STR("[\"kind\"]"), STR("kind"), &value), "nor anything in an array");
	ok(!json_find(STR("[1]"), STR(""), &value), "nor an empty key in an array");
	ok(str_equal(value, STR("kept")), "and the output is not touched");
}

static void duplicates_are_found_on_one_level(void)
{
	static const struct {
		const char *name;
		struct str text;
		const char *duplicate; /* NULL: none */
	} rows[] = {
		{"none in an empty object", STR("{}"), NULL},
		{"none among different keys", STR("{\"a\":1,\"b\":1,\"aa\":1,\"A\":1,\"\":1}"),
		 NULL},
		{"none across levels", STR("{\"a\":{\"a\":1},\"b\":{\"a\":1}}"), NULL},
		{"none in an array", STR("[\"a\",\"a\"]"), NULL},
		{"two equal keys", STR("{\"a\":1,\"b\":2,\"a\":3}"), "\"a\""},
		{"two empty keys", STR("{\"\":1,\"\":2}"), "\"\""},
		{"equal after unescaping", STR("{\"\\n\":1,\"\\u000a\":2}"), "[n0]"},
		{"equal halves of surrogate pairs", STR("{\"\\ud800\":1,\"\\uD800\":2}"), "800"},
		{"none between a pair and its halves", STR("{\"\\ud83d\\ude00\":1,\"\\ud83d\":2}"),
		 NULL},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct str key = {NULL, 0};
		char text[32];
		bool found = json_find_duplicate(rows[i].text, &key);

		snprintf(text, sizeof(text), "%.*s", STR_ARGS(key));
		if (rows[i].duplicate)
			like(found ? text : NULL, rows[i].duplicate, "%s", rows[i].name);
		else
			ok(!found, "%s", rows[i].name);
	}
}

static void integers_are_strict(void)
{
	static const struct {
		const char *name, *text;
		int64_t min, max;
		bool valid;
		int64_t number;
	} rows[] = {
		{"zero", "0", 0, 10, true, 0},
		{"minus zero is zero", "-0", 0, 10, true, 0},
		{"the maximum", "10", 0, 10, true, 10},
		{"one over the maximum", "11", 0, 10, false, 0},
		{"the minimum", "-5", -5, 10, true, -5},
		{"one under the minimum", "-6", -5, 10, false, 0},
		{"the largest", "9223372036854775807", INT64_MIN, INT64_MAX, true, INT64_MAX},
		{"one over the largest", "9223372036854775808", INT64_MIN, INT64_MAX, false, 0},
		{"the smallest", "-9223372036854775808", INT64_MIN, INT64_MAX, true, INT64_MIN},
		{"one under the smallest", "-9223372036854775809", INT64_MIN, INT64_MAX, false, 0},
		{"what a double would round", "9007199254740993", 0, INT64_MAX, true,
		 9007199254740993},
		{"a number that wraps round", "99999999999999999999999", 0, INT64_MAX, false, 0},
		{"a fraction", "1.5", 0, 10, false, 0},
		{"a fraction of zero", "1.0", 0, 10, false, 0},
		{"an exponent", "1e0", 0, 10, false, 0},
		{"a string", "\"1\"", 0, 10, false, 0},
		{"null", "null", 0, 10, false, 0},
		{"a leading zero", "01", 0, 10, false, 0},
		{"a plus sign", "+1", 0, 10, false, 0},
		{"a minus sign alone", "-", -10, 10, false, 0},
		{"a space", "1 ", 0, 10, false, 0},
		{"nothing", "", 0, 10, false, 0},
	};

	ok(!json_to_int((struct str){NULL, 0}, 0, 10, &(int64_t){0}), "no text at all");
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		int64_t number = 77;
		bool valid = json_to_int(str_of(rows[i].text), rows[i].min, rows[i].max, &number);

		ok(valid == rows[i].valid && number == (valid ? rows[i].number : 77), "%s",
		   rows[i].name);
	}
}

static void booleans_are_strict(void)
{
	bool boolean = true;

	ok(json_to_bool(STR("false"), &boolean) && !boolean, "false");
	ok(json_to_bool(STR("true"), &boolean) && boolean, "true");
	ok(!json_to_bool(STR("null"), &boolean), "null is none");
	ok(!json_to_bool(STR("1"), &boolean), "1 is none");
	ok(!json_to_bool(STR("\"true\""), &boolean), "a string is none");
	ok(boolean, "and the output is not touched");
}

int main(void)
{
	kinds_are_told_by_the_first_character();
	walks_give_raw_slices_in_order();
	keys_are_found_by_what_they_stand_for();
	duplicates_are_found_on_one_level();
	integers_are_strict();
	booleans_are_strict();
	done_testing();
}
