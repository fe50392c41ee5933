#include "base/str.h"

#include "tap.h"

#include <string.h>

static const struct str none = {NULL, 0};

static void slices_compare_by_bytes(void)
{
	ok(str_equal(STR("a\0b"), STR("a\0b")), "equal bytes are equal, NUL included");
	ok(!str_equal(STR("a\0b"), STR("a\0c")), "a difference behind a NUL is seen");
	ok(str_equal(STR(""), none), "all empty slices are equal");
	ok(str_equal(str_of(NULL), none), "the slice of no string is empty");
	cmp_ok(str_compare(STR("ab"), STR("abc")), "<", 0, "a prefix comes first");
	cmp_ok(str_compare(STR("b"), STR("abc")), ">", 0, "bytes decide before length");
	cmp_ok(str_compare(STR("\x7f"), STR("\x80")), "<", 0, "bytes are unsigned");
	cmp_ok(str_compare(none, STR("")), "==", 0, "empty compares equal to empty");
}

static void prefixes_and_suffixes(void)
{
	ok(str_starts_with(STR("sbt-1"), STR("sbt-")), "starts with its prefix");
	ok(str_starts_with(STR("sbt"), STR("")), "starts with nothing");
	ok(!str_starts_with(STR("sb"), STR("sbt-")), "not with something longer");
	ok(str_ends_with(STR("a.json"), STR(".json")), "ends with its suffix");
	ok(!str_ends_with(STR("json"), STR(".json")), "not with something longer");
}

static void a_slice_of_a_slice_stays_inside(void)
{
	ok(str_equal(str_slice(STR("hello"), 1, 3), STR("el")), "from inclusive, to exclusive");
	ok(str_equal(str_slice(STR("hello"), 3, 100), STR("lo")), "the end is cut to the length");
	cmp_ok(str_slice(STR("hello"), 9, 100).n, "==", 0, "a start behind the end gives nothing");
	cmp_ok(str_slice(STR("hello"), 3, 2).n, "==", 0, "an end before the start gives nothing");
	cmp_ok(str_slice(none, 0, 5).n, "==", 0, "no bytes give nothing");
}

static void trimming_takes_blanks_at_both_ends(void)
{
	ok(str_equal(str_trim(STR(" \t\r\n a b \n")), STR("a b")), "inner blanks stay");
	cmp_ok(str_trim(STR(" \n ")).n, "==", 0, "blanks alone leave nothing");
	cmp_ok(str_trim(none).n, "==", 0, "nothing leaves nothing");
}

static void splitting_visits_every_field(void)
{
	struct str rest = STR("a,,b,");
	const char *wanted[] = {"a", "", "b", ""};
	int fields = 0;

	while (rest.p) {
		struct str field = str_split(&rest, ',');

		if (fields < 4)
			ok(str_equal(field, str_of(wanted[fields])), "field %d", fields);
		fields++;
	}
	cmp_ok(fields, "==", 4, "a separator at the end has an empty field behind it");
}

static void numbers_are_strict(void)
{
	static const struct {
		const char *name, *text;
		uint64_t max;
		bool valid;
		uint64_t value;
	} rows[] = {
		{"zero", "0", 10, true, 0},
		{"the maximum is allowed", "10", 10, true, 10},
		{"one over the maximum is not", "11", 10, false, 0},
		{"64 bits are read whole", "18446744073709551615", UINT64_MAX, true, UINT64_MAX},
		{"65 bits are refused", "18446744073709551616", UINT64_MAX, false, 0},
		{"a value that wraps round is refused", "99999999999999999999999", UINT64_MAX,
		 false, 0},
		{"the empty string is no number", "", 10, false, 0},
		{"a leading zero is refused", "01", 10, false, 0},
		{"a sign is refused", "+1", 10, false, 0},
		{"a minus is refused", "-1", 10, false, 0},
		{"a space is refused", " 1", 10, false, 0},
		{"a letter behind is refused", "1s", 10, false, 0},
		{"hexadecimal is refused", "0x1", 10, false, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 77;
		bool valid = str_to_uint(str_of(rows[i].text), rows[i].max, &value);

		ok(valid == rows[i].valid && value == (valid ? rows[i].value : 77), "%s",
		   rows[i].name);
	}
}

int main(void)
{
	slices_compare_by_bytes();
	prefixes_and_suffixes();
	a_slice_of_a_slice_stays_inside();
	trimming_takes_blanks_at_both_ends();
	splitting_visits_every_field();
	numbers_are_strict();
	done_testing();
}
