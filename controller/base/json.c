#include "json.h"

#include "hex.h"
#include "json_string.h"
#include "mem.h"
#include "utf8.h"

#include <stdlib.h>

/* A place in the text that moves forward only. */
struct scanner {
	struct str text;
	size_t at;
	struct err *err; /* NULL: nobody wants to know why */
};

static int invalid(struct scanner *s, const char *rule)
{
	if (s->err)
		err_set(s->err, ERR_INVALID, "not JSON at offset %zu: %s", s->at, rule);
	return -1;
}

static int too_deep(struct scanner *s)
{
	if (s->err)
		err_set(s->err, ERR_TOO_LARGE, "JSON nested more than %d deep at offset %zu",
			JSON_DEPTH_MAX, s->at);
	return -1;
}

/* The character at the scanner, or -1 at the end. */
static int peek(const struct scanner *s)
{
	return s->at < s->text.n ? (uint8_t)s->text.p[s->at] : -1;
}

static bool take(struct scanner *s, char wanted)
{
	if (peek(s) != wanted)
		return false;
	s->at++;
	return true;
}

static void skip_space(struct scanner *s)
{
	while (peek(s) == ' ' || peek(s) == '\n' || peek(s) == '\t' || peek(s) == '\r')
		s->at++;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* At least one digit. */
static int scan_digits(struct scanner *s)
{
	if (!is_digit(peek(s)))
		return invalid(s, "a digit is missing");
	while (is_digit(peek(s)))
		s->at++;
	return 0;
}

/* RFC 8259 section 6. */
static int scan_number(struct scanner *s)
{
	take(s, '-');
	if (take(s, '0')) {
		if (is_digit(peek(s)))
			return invalid(s, "a number has a leading zero");
	} else if (scan_digits(s) < 0) {
		return -1;
	}
	if (take(s, '.') && scan_digits(s) < 0)
		return -1;
	if (take(s, 'e') || take(s, 'E')) {
		if (!take(s, '+'))
			take(s, '-');
		if (scan_digits(s) < 0)
			return -1;
	}
	return 0;
}

static int scan_escape(struct scanner *s)
{
	switch (peek(s)) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't': s->at++; return 0;
	case 'u': break;
	default: return invalid(s, "no such escape");
	}
	s->at++;
	for (int i = 0; i < 4; i++, s->at++)
		if (peek(s) < 0 || hex_digit((char)peek(s)) < 0)
			return invalid(s, "\\u needs four hexadecimal digits");
	return 0;
}

/* The text of a string has been passed over: now see that it is UTF-8. */
static int check_utf8(struct scanner *s, size_t start)
{
	struct str content = str_slice(s->text, start, s->at);
	size_t valid = utf8_valid_length(content);

	if (valid == content.n)
		return 0;
	s->at = start + valid;
	return invalid(s, "not UTF-8");
}

/* RFC 8259 section 7. */
static int scan_string(struct scanner *s)
{
	size_t start;

	if (!take(s, '"'))
		return invalid(s, "a string is missing");
	start = s->at;
	while (peek(s) != '"') {
		if (peek(s) < 0)
			return invalid(s, "a string does not end");
		if (peek(s) < 0x20)
			return invalid(s, "a control character in a string");
		if (take(s, '\\')) {
			if (scan_escape(s) < 0)
				return -1;
		} else {
			s->at++;
		}
	}
	if (check_utf8(s, start) < 0)
		return -1;
	s->at++;
	return 0;
}

static int scan_literal(struct scanner *s, struct str literal)
{
	if (!str_starts_with(str_slice(s->text, s->at, s->text.n), literal))
		return invalid(s, "a value is missing");
	s->at += literal.n;
	return 0;
}

static int scan_scalar(struct scanner *s)
{
	switch (peek(s)) {
	case '"': return scan_string(s);
	case 't': return scan_literal(s, STR("true"));
	case 'f': return scan_literal(s, STR("false"));
	case 'n': return scan_literal(s, STR("null"));
	}
	if (peek(s) == '-' || is_digit(peek(s)))
		return scan_number(s);
	return invalid(s, "a value is missing");
}

/* A key and its colon, with the space around both. */
static int scan_key(struct scanner *s)
{
	skip_space(s);
	if (scan_string(s) < 0)
		return -1;
	skip_space(s);
	if (!take(s, ':'))
		return invalid(s, "a colon is missing");
	return 0;
}

/* The arrays and objects that are open, one bit each, so that hostile depth costs no stack. */
struct nesting {
	uint8_t is_object[JSON_DEPTH_MAX / 8];
	size_t depth;
};

_Static_assert(JSON_DEPTH_MAX % 8 == 0, "the bits fill whole bytes");

static void push(struct nesting *open, bool is_object)
{
	size_t byte = open->depth / 8;
	uint8_t bit = (uint8_t)(1 << open->depth % 8);

	if (is_object)
		open->is_object[byte] |= bit;
	else
		open->is_object[byte] &= (uint8_t)~bit;
	open->depth++;
}

static bool innermost_is_object(const struct nesting *open)
{
	size_t last = open->depth - 1;

	return open->is_object[last / 8] >> last % 8 & 1;
}

/* Steps over `[` or `{`, and the first key. `*empty` says that it was closed again at once. */
static int scan_open(struct scanner *s, struct nesting *open, bool *empty)
{
	bool is_object = peek(s) == '{';

	if (open->depth == JSON_DEPTH_MAX)
		return too_deep(s);
	push(open, is_object);
	s->at++;
	skip_space(s);
	*empty = take(s, is_object ? '}' : ']');
	if (*empty)
		open->depth--;
	else if (is_object)
		return scan_key(s);
	return 0;
}

/* Behind a value: closes what ends here. `*more` says that another value must follow. */
static int scan_close(struct scanner *s, struct nesting *open, bool *more)
{
	*more = false;
	while (open->depth > 0) {
		bool is_object = innermost_is_object(open);

		skip_space(s);
		if (take(s, ',')) {
			*more = true;
			return is_object ? scan_key(s) : 0;
		}
		if (!take(s, is_object ? '}' : ']'))
			return invalid(s, is_object ? "a comma or } is missing"
						    : "a comma or ] is missing");
		open->depth--;
	}
	return 0;
}

/* One value of any kind, with what is in it and the space before it. */
static int scan_value(struct scanner *s)
{
	struct nesting open = {.depth = 0};
	bool more = true;

	while (more) {
		bool complete = true;

		skip_space(s);
		if (peek(s) == '{' || peek(s) == '[') {
			if (scan_open(s, &open, &complete) < 0)
				return -1;
		} else if (scan_scalar(s) < 0) {
			return -1;
		}
		if (complete && scan_close(s, &open, &more) < 0)
			return -1;
	}
	return 0;
}

int json_check(struct str text, struct err *err)
{
	struct scanner s = {.text = text, .err = err};

	if (scan_value(&s) < 0)
		return -1;
	skip_space(&s);
	if (s.at < text.n)
		return invalid(&s, "something follows the value");
	return 0;
}

enum json_kind json_kind(struct str value)
{
	struct scanner s = {.text = value};

	skip_space(&s);
	switch (peek(&s)) {
	case 'n': return JSON_NULL;
	case 't':
	case 'f': return JSON_BOOLEAN;
	case '"': return JSON_STRING;
	case '[': return JSON_ARRAY;
	case '{': return JSON_OBJECT;
	}
	return peek(&s) == '-' || is_digit(peek(&s)) ? JSON_NUMBER : JSON_NOTHING;
}

struct json_walk json_walk(struct str value)
{
	struct scanner s = {.text = value};

	skip_space(&s);
	return (struct json_walk){
		.rest = str_slice(value, s.at + 1, value.n),
		.kind = json_kind(value),
	};
}

/* What stands before a value in a walk: a comma but for the first, and in an object a key. */
static bool scan_to_value(struct scanner *s, const struct json_walk *walk, struct str *key)
{
	skip_space(s);
	if (walk->started && !take(s, ','))
		return false;
	*key = (struct str){NULL, 0};
	if (walk->kind == JSON_OBJECT) {
		size_t start;

		skip_space(s);
		start = s->at;
		if (scan_string(s) < 0)
			return false;
		*key = str_slice(s->text, start, s->at);
		skip_space(s);
		if (!take(s, ':'))
			return false;
	}
	skip_space(s);
	return true;
}

bool json_next(struct json_walk *walk, struct str *key, struct str *value)
{
	struct scanner s = {.text = walk->rest};
	struct str found_key;
	size_t start;

	if (walk->kind != JSON_OBJECT && walk->kind != JSON_ARRAY)
		return false;
	if (!scan_to_value(&s, walk, &found_key))
		return false;
	start = s.at;
	if (scan_value(&s) < 0)
		return false;
	if (key)
		*key = found_key;
	if (value)
		*value = str_slice(walk->rest, start, s.at);
	walk->rest = str_slice(walk->rest, s.at, walk->rest.n);
	walk->started = true;
	return true;
}

bool json_find(struct str object, struct str key, struct str *value)
{
	struct json_walk walk = json_walk(object);
	struct str each_key, each_value;
	bool found = false;

	if (walk.kind != JSON_OBJECT)
		return false;
	while (json_next(&walk, &each_key, &each_value)) {
		if (!json_string_equal(each_key, key))
			continue;
		*value = each_value;
		found = true;
	}
	return found;
}

static size_t count_members(struct str object)
{
	struct json_walk walk = json_walk(object);
	size_t count = 0;

	while (json_next(&walk, NULL, NULL))
		count++;
	return count;
}

static int compare_keys(const void *a, const void *b)
{
	return json_string_compare(*(const struct str *)a, *(const struct str *)b);
}

bool json_find_duplicate(struct str object, struct str *key)
{
	struct json_walk walk = json_walk(object);
	CLEANUP(mem_freep) struct str *keys = NULL;
	size_t count = 0;

	if (walk.kind != JSON_OBJECT)
		return false;
	keys = mem_new(count_members(object), sizeof(*keys));
	while (json_next(&walk, &keys[count], NULL))
		count++;
	qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < count; i++) {
		if (json_string_compare(keys[i - 1], keys[i]) != 0)
			continue;
		*key = keys[i];
		return true;
	}
	return false;
}

bool json_to_int(struct str value, int64_t min, int64_t max, int64_t *number)
{
	bool negative = value.n > 0 && value.p[0] == '-';
	int64_t sum = 0;
	size_t first = negative ? 1 : 0;

	if (value.n == first || (value.p[first] == '0' && value.n > first + 1))
		return false;
	for (size_t i = first; i < value.n; i++) {
		int digit = value.p[i] - '0';

		if (!is_digit(value.p[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, negative ? -digit : digit, &sum))
			return false;
	}
	if (sum < min || sum > max)
		return false;
	*number = sum;
	return true;
}

bool json_to_bool(struct str value, bool *boolean)
{
	if (!str_equal(value, STR("true")) && !str_equal(value, STR("false")))
		return false;
	*boolean = value.p[0] == 't';
	return true;
}
