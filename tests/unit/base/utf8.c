#include "base/utf8.h"

#include "tap.h"

#include <string.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Table 3-7 of the Unicode Standard, row by row, at its edges and just outside of them. */
static void table_3_7(void)
{
	static const struct {
		const char *name;
		struct str text;
		bool valid;
	} rows[] = {
		{"nothing is valid", {"", 0}, true},
		{"U+0000 is a character like others", STR("\0"), true},
		{"U+007F, the last of one byte", STR("\x7f"), true},
		{"80, a continuation with nothing before it", STR("\x80"), false},
		{"BF, the last continuation, alone", STR("\xbf"), false},
		{"C0 80, an overlong NUL", STR("\xc0\x80"), false},
		{"C0 AF, an overlong slash", STR("\xc0\xaf"), false},
		{"C1 BF, the last overlong form of two bytes", STR("\xc1\xbf"), false},
		{"C2 80 = U+0080, the first of two bytes", STR("\xc2\x80"), true},
		{"DF BF = U+07FF, the last of two bytes", STR("\xdf\xbf"), true},
		{"C2 7F, below the continuations", STR("\xc2\x7f"), false},
		{"C2 C0, above the continuations", STR("\xc2\xc0"), false},
		{"E0 80 80, an overlong NUL of three bytes", STR("\xe0\x80\x80"), false},
		{"E0 9F BF, the last overlong form of three bytes", STR("\xe0\x9f\xbf"), false},
		{"E0 A0 80 = U+0800, the first of three bytes", STR("\xe0\xa0\x80"), true},
		{"E0 BF BF = U+0FFF, the last after E0", STR("\xe0\xbf\xbf"), true},
		{"E1 80 80 = U+1000", STR("\xe1\x80\x80"), true},
		{"EC BF BF = U+CFFF", STR("\xec\xbf\xbf"), true},
		{"ED 80 80 = U+D000", STR("\xed\x80\x80"), true},
		{"ED 9F BF = U+D7FF, the last before the surrogates", STR("\xed\x9f\xbf"), true},
		{"ED A0 80 = U+D800, the first surrogate", STR("\xed\xa0\x80"), false},
		{"ED AF BF = U+DBFF, the last high surrogate", STR("\xed\xaf\xbf"), false},
		{"ED B0 80 = U+DC00, the first low surrogate", STR("\xed\xb0\x80"), false},
		{"ED BF BF = U+DFFF, the last surrogate", STR("\xed\xbf\xbf"), false},
		{"a pair of surrogates, as CESU-8 has it", STR("\xed\xa0\xbd\xed\xb8\x80"), false},
		{"EE 80 80 = U+E000, the first behind the surrogates", STR("\xee\x80\x80"), true},
		{"EF BF BD = U+FFFD, the replacement character", STR("\xef\xbf\xbd"), true},
		{"EF BF BE = U+FFFE, a noncharacter, is well-formed", STR("\xef\xbf\xbe"), true},
		{"EF BF BF = U+FFFF, the last of three bytes", STR("\xef\xbf\xbf"), true},
		{"EF BB BF, a byte order mark, is a character", STR("\xef\xbb\xbf"), true},
		{"F0 80 80 80, an overlong NUL of four bytes", STR("\xf0\x80\x80\x80"), false},
		{"F0 8F BF BF, the last overlong form", STR("\xf0\x8f\xbf\xbf"), false},
		{"F0 90 80 80 = U+10000, the first of four bytes", STR("\xf0\x90\x80\x80"), true},
		{"F0 BF BF BF = U+3FFFF", STR("\xf0\xbf\xbf\xbf"), true},
		{"F1 80 80 80 = U+40000", STR("\xf1\x80\x80\x80"), true},
		{"F3 BF BF BF = U+FFFFF", STR("\xf3\xbf\xbf\xbf"), true},
		{"F4 80 80 80 = U+100000", STR("\xf4\x80\x80\x80"), true},
		{"F4 8F BF BF = U+10FFFF, the last of all", STR("\xf4\x8f\xbf\xbf"), true},
		{"F4 90 80 80 = U+110000, one over", STR("\xf4\x90\x80\x80"), false},
		{"F5 80 80 80", STR("\xf5\x80\x80\x80"), false},
		{"F8 88 80 80 80, five bytes", STR("\xf8\x88\x80\x80\x80"), false},
		{"FC 84 80 80 80 80, six bytes", STR("\xfc\x84\x80\x80\x80\x80"), false},
		{"FE", STR("\xfe"), false},
		{"FF", STR("\xff"), false},
		{"two bytes cut after one", STR("\xc3"), false},
		{"three bytes cut after one", STR("\xe2"), false},
		{"three bytes cut after two", STR("\xe2\x82"), false},
		{"four bytes cut after one", STR("\xf0"), false},
		{"four bytes cut after two", STR("\xf0\x9f"), false},
		{"four bytes cut after three", STR("\xf0\x9f\x98"), false},
		{"a cut character before a letter", STR("\xe2\x82z"), false},
		{"a cut character before a whole one", STR("\xe2\x82\xc3\xa9"), false},
		{"one continuation too many", STR("\xc3\xa9\x80"), false},
		{"every length in one text", STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"), true},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++)
		ok(utf8_is_valid(rows[i].text) == rows[i].valid, "%s", rows[i].name);
}

/* Another way to the same answer: puts the bits together, then judges the number. */
static size_t character_by_arithmetic(const uint8_t *p, size_t n)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = p[0] < 0x80	  ? 1
			: p[0] >> 5 == 6  ? 2
			: p[0] >> 4 == 14 ? 3
			: p[0] >> 3 == 30 ? 4
					  : 0;
	uint32_t number = length == 1 ? p[0] : p[0] & (0x7fu >> length);

	if (length == 0 || length > n)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		number = number << 6 | (p[i] & 0x3f);
	}
	if (number < smallest[length] || number > 0x10ffff ||
	    (number >= 0xd800 && number <= 0xdfff))
		return 0;
	return length;
}

static size_t valid_length_by_arithmetic(const uint8_t *p, size_t n)
{
	size_t at = 0, length;

	while (at < n && (length = character_by_arithmetic(p + at, n - at)) > 0)
		at += length;
	return at;
}

/* All pairs of first bytes, followed by bytes on both sides of where continuations begin and end.
 */
static void every_sequence_is_judged_like_arithmetic_does(void)
{
	static const uint8_t edges[] = {0x7f, 0x80, 0xbf, 0xc0};
	int wrong = 0;

	for (unsigned pair = 0; pair < 0x10000; pair++) {
		for (unsigned rest = 0; rest < 16; rest++) {
			uint8_t bytes[4] = {(uint8_t)(pair >> 8), (uint8_t)pair, edges[rest / 4],
					    edges[rest % 4]};
			struct str text = {(const char *)bytes, 4};
			size_t length = valid_length_by_arithmetic(bytes, 4);

			wrong += utf8_valid_length(text) != length;
			wrong += utf8_is_valid(text) != (length == 4);
		}
	}
	cmp_ok(wrong, "==", 0, "a million sequences of four bytes");
}

static void every_code_point_is_encoded_to_one_valid_character(void)
{
	static const struct {
		uint32_t code_point;
		struct str text;
	} known[] = {
		{0x41, STR("A")},
		{0xe9, STR("\xc3\xa9")},
		{0x20ac, STR("\xe2\x82\xac")},
		{0x1f600, STR("\xf0\x9f\x98\x80")},
	};
	int wrong = 0;

	for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point++) {
		char bytes[UTF8_BYTES_MAX];
		size_t length = utf8_encode(code_point, bytes);
		bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;

		wrong += utf8_is_valid((struct str){bytes, length}) == surrogate;
		wrong += !surrogate &&
			 character_by_arithmetic((const uint8_t *)bytes, length) != length;
	}
	cmp_ok(wrong, "==", 0, "all but the surrogates");
	for (size_t i = 0; i < LENGTH_OF(known); i++) {
		char bytes[UTF8_BYTES_MAX] = {0};
		size_t length = utf8_encode(known[i].code_point, bytes);

		is_bytes(bytes, length, known[i].text.p, known[i].text.n, "U+%04X",
			 known[i].code_point);
	}
}

static void a_checker_may_be_fed_in_pieces(void)
{
	struct str text = STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
	struct utf8 check;
	int wrong = 0;

	for (size_t first = 0; first <= text.n; first++) {
		for (size_t second = first; second <= text.n; second++) {
			check = (struct utf8){0};
			wrong += !utf8_feed(&check, str_slice(text, 0, first));
			wrong += !utf8_feed(&check, str_slice(text, first, second));
			wrong += !utf8_feed(&check, str_slice(text, second, text.n));
			wrong += !utf8_is_whole(&check);
		}
	}
	cmp_ok(wrong, "==", 0, "cut in three at any two places");

	check = (struct utf8){0};
	ok(utf8_is_whole(&check), "nothing is whole");
	ok(utf8_feed(&check, STR("\xe2\x82")), "the beginning of a character may become valid");
	ok(!utf8_is_whole(&check), "but is not whole");
	ok(!utf8_feed(&check, STR("z")), "a letter in its middle breaks it");
	ok(!utf8_feed(&check, STR("fine")), "and nothing repairs that");
	ok(!utf8_is_whole(&check), "a broken text is never whole");
}

static void characters_are_counted(void)
{
	cmp_ok(utf8_count((struct str){NULL, 0}), "==", 0, "none");
	cmp_ok(utf8_count(STR("abc")), "==", 3, "one byte each");
	cmp_ok(utf8_count(STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")), "==", 4,
	       "one to four bytes each");
	cmp_ok(utf8_count(STR("e\xcc\x81")), "==", 2, "a combining accent is one of its own");
}

static void the_valid_beginning_is_measured_in_whole_characters(void)
{
	cmp_ok(utf8_valid_length(STR("ab")), "==", 2, "a valid text is valid whole");
	cmp_ok(utf8_valid_length(STR("ab\xff"
				     "cd")),
	       "==", 2, "up to an impossible byte");
	cmp_ok(utf8_valid_length(STR("ab\xe2\x82")), "==", 2, "without a cut character");
	cmp_ok(utf8_valid_length(STR("\x80")), "==", 0, "nothing");
}

/* A boundary by definition: everything before it, and everything behind it, is valid. */
static bool is_boundary(struct str text, size_t n)
{
	return utf8_is_valid(str_slice(text, 0, n)) && utf8_is_valid(str_slice(text, n, text.n));
}

static void cuts_fall_on_characters(void)
{
	struct str text = STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z\xf0\x9f\x98\x80");
	int wrong = 0;

	for (size_t n = 0; n <= text.n; n++) {
		size_t below = n, above = n;

		while (!is_boundary(text, below))
			below--;
		while (!is_boundary(text, above))
			above++;
		wrong += utf8_floor(text, n) != below;
		wrong += utf8_ceil(text, n) != above;
		/* Each looks at its own side only: a piece gives the same as the whole. */
		wrong += utf8_floor(str_slice(text, 0, n), n) != below;
		wrong += n + utf8_ceil(str_slice(text, n, text.n), 0) != above;
	}
	cmp_ok(wrong, "==", 0, "at every offset, in the whole text and in pieces of it");
	cmp_ok(utf8_floor(text, 1000), "==", text.n, "floor: an offset behind the end is the end");
	cmp_ok(utf8_ceil(text, 1000), "==", text.n, "ceil: an offset behind the end is the end");
	cmp_ok(utf8_floor((struct str){NULL, 0}, 0), "==", 0, "floor of nothing");
	cmp_ok(utf8_ceil((struct str){NULL, 0}, 0), "==", 0, "ceil of nothing");
}

static void cuts_hide_no_invalid_byte(void)
{
	cmp_ok(utf8_floor(STR("ab\xff"), 3), "==", 3, "an impossible byte at the end stays");
	cmp_ok(utf8_floor(STR("ab\xe0\x80"), 4), "==", 4,
	       "the beginning of an overlong form stays");
	cmp_ok(utf8_floor(STR("ab\x80\x80\x80\x80"), 6), "==", 6, "stray continuations stay");
	cmp_ok(utf8_floor(STR("\xc3\xa9\x80"), 3), "==", 3, "one continuation too many stays");
	cmp_ok(utf8_ceil(STR("\xff"
			     "ab"),
			 0),
	       "==", 0, "an impossible byte at the front stays");
	cmp_ok(utf8_ceil(STR("\x80\x80\x80\x80"), 0), "==", 0,
	       "four continuations are no rest of a character");
	cmp_ok(utf8_ceil(STR("\x80\x80\x80z"), 0), "==", 3, "three may be one");
}

int main(void)
{
	table_3_7();
	every_sequence_is_judged_like_arithmetic_does();
	every_code_point_is_encoded_to_one_valid_character();
	a_checker_may_be_fed_in_pieces();
	characters_are_counted();
	the_valid_beginning_is_measured_in_whole_characters();
	cuts_fall_on_characters();
	cuts_hide_no_invalid_byte();
	done_testing();
}
