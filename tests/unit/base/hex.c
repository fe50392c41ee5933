#include "base/hex.h"

#include "tap.h"

#include <stdint.h>
#include <string.h>

static void every_byte_has_two_digits(void)
{
	char text[2 * 256 + 1], wanted[2 * 256 + 1];
	uint8_t bytes[256], back[256];

	for (int i = 0; i < 256; i++) {
		bytes[i] = (uint8_t)i;
		snprintf(wanted + 2 * i, 3, "%02x", i);
	}
	hex_encode(text, bytes, sizeof(bytes));
	is(text, wanted, "all 256 bytes, in lower case");
	ok(hex_decode(str_of(text), back, sizeof(back)), "they are read back");
	is_bytes(back, sizeof(back), bytes, sizeof(bytes), "and are the same");
	hex_encode(text, NULL, 0);
	is(text, "", "no bytes give no digits");
}

static void appending_is_all_or_nothing(void)
{
	struct buf b;

	buf_init(&b, 7);
	buf_append_char(&b, '=');
	ok(hex_append(&b, "\x01\xff\x10", 3) == 0, "exactly the limit fits");
	is(b.data, "=01ff10", "behind what was there");
	buf_truncate(&b, 2);
	ok(hex_append(&b, "\x01\xff\x10", 3) < 0, "one over the limit is refused");
	is(b.data, "=0", "and nothing of it stays");
	buf_free(&b);
}

static void decoding_is_strict(void)
{
	static const struct {
		const char *name, *text;
		size_t length;
		bool valid;
	} rows[] = {
		{"digits and lower-case letters are read", "09af", 2, true},
		{"no digits are no bytes", "", 0, true},
		{"upper case is refused: one value has one text", "09AF", 2, false},
		{"an odd number of digits is refused", "09a", 1, false},
		{"an odd number of digits is refused for the next size too", "09a", 2, false},
		{"one byte too few is refused", "09", 2, false},
		{"one byte too many is refused", "09af00", 2, false},
		{"a space is refused", "09 f", 2, false},
		{"a newline behind is refused", "09af\n", 2, false},
		{"0x is refused", "0x09", 2, false},
		{"a letter behind f is refused", "0g", 1, false},
		{"at the front too", "g0", 1, false},
		{"the character before 0 is refused", "0/", 1, false},
		{"the character behind 9 is refused", "0:", 1, false},
		{"the character before a is refused", "0`", 1, false},
		{"a byte above 127 is refused", "0\xe9", 1, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bytes[4] = {7, 7, 7, 7};
		bool valid = hex_decode(str_of(rows[i].text), bytes, rows[i].length);

		ok(valid == rows[i].valid && (valid || memcmp(bytes, "\7\7\7\7", 4) == 0), "%s",
		   rows[i].name);
	}
}

static void a_digit_of_either_case_has_a_value(void)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	int wrong = 0;

	for (int c = 0; c < 256; c++) {
		const char *at = c > 0 ? strchr(digits, c) : NULL;
		int index = at ? (int)(at - digits) : -1;

		wrong += hex_digit((char)c) != (index > 15 ? index - 6 : index);
	}
	cmp_ok(wrong, "==", 0, "each of the 256 bytes is a digit or none");
}

int main(void)
{
	a_digit_of_either_case_has_a_value();
	every_byte_has_two_digits();
	appending_is_all_or_nothing();
	decoding_is_strict();
	done_testing();
}
