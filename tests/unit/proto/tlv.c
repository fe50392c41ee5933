#include "proto/tlv.h"

#include "tap.h"

#include <string.h>

static void values_are_written_one_behind_the_other(void)
{
	uint8_t out[64];
	struct tlv_writer w = {.out = out, .size = sizeof(out)};
	size_t begun;

	tlv_put(&w, 0x0102, STR("ab"));
	tlv_put(&w, 0x0102, STR(""));
	tlv_put_number(&w, 0x0201, 0x12345678, 4);
	begun = tlv_begin(&w, 0x0300);
	tlv_put_number(&w, 1, 7, 1);
	tlv_end(&w, begun);
	is_bytes(out, w.length,
		 "\x02\x01\x02\0\0\0ab"
		 "\x02\x01\0\0\0\0"
		 "\x01\x02\x04\0\0\0\x78\x56\x34\x12"
		 "\0\x03\x07\0\0\0"
		 "\x01\0\x01\0\0\0\x07",
		 37, "tag, length, value, little-endian, records inside");
	ok(!w.full, "and all of it fitted");
}

static void what_does_not_fit_is_left_out(void)
{
	uint8_t out[9];
	struct tlv_writer w = {.out = out, .size = 8};
	size_t begun;

	out[8] = 0x5A;
	tlv_put(&w, 1, STR("ab"));
	cmp_ok(w.length, "==", 8, "a value that just fits is written");
	ok(!w.full, "and is no overflow");
	tlv_put(&w, 2, STR(""));
	ok(w.full, "the next one does not fit");
	begun = tlv_begin(&w, 3);
	tlv_end(&w, begun);
	cmp_ok(w.length, "==", 8, "nothing more is written");
	cmp_ok(out[8], "==", 0x5A, "nothing behind the end either");
}

static void reading_ends_or_fails(void)
{
	static const struct {
		const char *bytes;
		size_t length;
		int values; /* before it ends */
		enum tlv_read end;
		const char *name;
	} rows[] = {
		{"", 0, 0, TLV_END, "nothing has no values"},
		{"\1\0\0\0\0\0", 6, 1, TLV_END, "an empty value"},
		{"\1\0\2\0\0\0ab\1\0\1\0\0\0c", 15, 2, TLV_END, "a tag may come again"},
		{"\1\0\2\0\0\0ab\2\0\1\0\0\0c", 15, 2, TLV_END, "tags may ascend"},
		{"\2\0\0\0\0\0\1\0\0\0\0\0", 12, 1, TLV_DESCENDING, "tags may not descend"},
		{"\0\1\0\0\0\0\1\0\0\0\0\0", 12, 1, TLV_DESCENDING, "nor in their high byte"},
		{"\1\0\0\0\0", 5, 0, TLV_TRUNCATED, "a header cut short"},
		{"\1", 1, 0, TLV_TRUNCATED, "a header of one byte"},
		{"\1\0\1\0\0\0", 6, 0, TLV_TRUNCATED, "a value cut off"},
		{"\1\0\3\0\0\0ab", 8, 0, TLV_TRUNCATED, "a value cut short"},
		{"\1\0\xFF\xFF\xFF\xFF"
		 "ab",
		 8, 0, TLV_TRUNCATED, "a length of 4 GiB"},
		{"\1\0\1\0\0\0a\1", 8, 1, TLV_TRUNCATED, "a byte too many behind it"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tlv_reader r = {.rest = {rows[i].bytes, rows[i].length}};
		struct str value;
		enum tlv_read read;
		int values = 0;

		while ((read = tlv_next(&r, &value)) == TLV_VALUE)
			values++;
		cmp_ok(read, "==", rows[i].end, "%s", rows[i].name);
		cmp_ok(values, "==", rows[i].values, "%s: values before", rows[i].name);
	}
}

static void values_borrow(void)
{
	static const char bytes[] = "\5\0\3\0\0\0abc";
	struct tlv_reader r = {.rest = {bytes, sizeof(bytes) - 1}};
	struct str value = {NULL, 0};

	cmp_ok(tlv_next(&r, &value), "==", TLV_VALUE, "a value is read");
	cmp_ok(r.tag, "==", 5, "with its tag");
	ok(value.p == bytes + 6 && value.n == 3, "where it lies");
}

int main(void)
{
	values_are_written_one_behind_the_other();
	what_does_not_fit_is_left_out();
	reading_ends_or_fails();
	values_borrow();
	done_testing();
}
