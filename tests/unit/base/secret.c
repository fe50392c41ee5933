#include "base/secret.h"

#include "exact.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void a_secret_owns_a_copy(void)
{
	struct secret secret = {0};
	struct err err;
	char bytes[] = "s3cr3t";

	ok(secret_is_empty(&secret), "a zeroed secret is empty");
	ok(secret_set(&secret, str_of(bytes), &err) == 0, "it can be set");
	memcpy(bytes, "xxxxxx", 6);
	ok(str_equal(secret_reveal(&secret), STR("s3cr3t")), "to a copy of the bytes");
	ok(!secret_is_empty(&secret), "and is not empty then");
	ok(secret_set(&secret, STR("a\0b"), &err) == 0, "it can be set anew");
	ok(str_equal(secret_reveal(&secret), STR("a\0b")), "to any bytes");
	ok(secret_set(&secret, str_slice(secret_reveal(&secret), 0, 1), &err) == 0 &&
		   str_equal(secret_reveal(&secret), STR("a")),
	   "even to a part of itself");
	secret_free(&secret);
	ok(secret_is_empty(&secret), "freed it is empty");
	secret_free(&secret);
	pass("freeing twice is nothing");
}

static void the_limit_is_exact(void)
{
	struct secret secret = {0};
	struct err err;
	char *bytes = calloc(1, SECRET_BYTES_MAX + 1);

	ok(secret_set(&secret, (struct str){bytes, SECRET_BYTES_MAX}, &err) == 0,
	   "exactly the limit is kept");
	ok(secret_set(&secret, (struct str){bytes, SECRET_BYTES_MAX + 1}, &err) < 0 &&
		   err.code == ERR_TOO_LARGE,
	   "one byte over is too large");
	cmp_ok(secret_reveal(&secret).n, "==", SECRET_BYTES_MAX, "and changes nothing");
	secret_free(&secret);
	free(bytes);
}

static void it_is_recognised_however_it_is_spelled(void)
{
	static const struct {
		const char *name;
		struct str secret, text;
		size_t length;
	} rows[] = {
		{"alone", STR("abc-123"), STR("abc-123"), 7},
		{"before other text", STR("abc-123"), STR("abc-123 and more"), 7},
		{"not behind other text: it is looked for at the front", STR("abc-123"),
		 STR(" abc-123"), 0},
		{"not in another case", STR("abc-123"), STR("ABC-123"), 0},
		{"not when it is only begun", STR("abc-123"), STR("abc-12"), 0},
		{"a beginning of eight bytes counts", STR("abcdefgh-123"), STR("abcdefgh"), 8},
		{"as far as it goes", STR("abcdefgh-123"), STR("abcdefgh-1..."), 10},
		{"a beginning of seven does not", STR("abcdefgh-123"), STR("abcdefg"), 0},
		{"an empty secret is nowhere", STR(""), STR("abc"), 0},
		{"nothing is no secret", STR("abc"), STR(""), 0},
		{"as JSON escapes it", STR("a\"b\\c/d\n"), STR("a\\\"b\\\\c\\/d\\n"), 12},
		{"as Go's JSON escapes it", STR("a<b>&c"), STR("a\\u003cb\\u003e\\u0026c"), 21},
		{"in capital digits", STR("a<b"), STR("a\\u003Cb"), 8},
		{"as C and our log escape it", STR("a\x01\xff"), STR("a\\x01\\xff"), 9},
		{"as URLs escape it", STR("a+b/c="), STR("a%2Bb%2fc%3D"), 12},
		{"with every kind of digit", STR("\x19\x90\xaf\xfa"), STR("%19\\x90%aF\\xFA"), 14},
		{"as a URL's space", STR("a b"), STR("a%20b"), 5},
		{"not with a letter that is no digit", STR("z"), STR("%6Q"), 0},
		{"which does not count as zero either", STR("`"), STR("%6Q"), 0},
		{"a NUL in it as JSON escapes it", STR("a\0b"), STR("a\\u0000b"), 8},
		{"a NUL is nothing else", STR("a\0"), STR("axx"), 0},
		{"nor an escape that is none", STR("a\0"), STR("a\\q"), 0},
		{"before a NUL", STR("abc"), STR("abc\0"), 3},
		{"as it is, with a backslash", STR("a\\b\\c"), STR("a\\b\\c"), 5},
		{"as it is, with two backslashes", STR("a\\\\b"), STR("a\\\\b"), 4},
		{"two backslashes escaped", STR("a\\\\b"), STR("a\\\\\\\\b"), 6},
		{"as it is, with a percent sign", STR("a%41b"), STR("a%41b"), 5},
		{"a percent sign escaped", STR("a%b"), STR("a%25b"), 5},
		{"not with a broken escape", STR("a<b"), STR("a\\u003"), 0},
		{"not with an escape of another byte", STR("a<b"), STR("a\\u003db"), 0},
		{"a part of it escaped", STR("abcdefgh"), STR("a%62c\\x64e\\u0066gh"), 18},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct secret secret = {0};
		struct err err;
		struct str text = exact_copy(rows[i].text);

		secret_set(&secret, rows[i].secret, &err);
		cmp_ok(secret_length_in(&secret, text), "==", rows[i].length, "%s", rows[i].name);
		secret_free(&secret);
		exact_free(text);
	}
}

int main(void)
{
	a_secret_owns_a_copy();
	the_limit_is_exact();
	it_is_recognised_however_it_is_spelled();
	done_testing();
}
