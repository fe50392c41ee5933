/* A made-up table with a field of each type, so that every rule of record.h is held once. */
#include "proto/record.h"

#include "tap.h"

#include <string.h>

struct pair {
	uint8_t left;
	struct str right;
};

struct thing {
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	struct str bytes, text, part;
	uint8_t hash[SHA256_BYTES];
	struct pair pair;
	struct str names[3];
	size_t names_count;
	struct pair pairs[2];
	size_t pairs_count;
};

#define PAIR_TABLE(X)                   \
	X(0x0001, MUST, U8, left, 1, 9) \
	X(0x0002, MAY, TEXT, right, 0, 4)

#define THING_TABLE(X)                                         \
	X(0x0010, MUST, U8, u8, 0, 200)                        \
	X(0x0020, MAY, U16, u16, 0, UINT16_MAX)                \
	X(0x0030, MAY, U32, u32, 5, 10)                        \
	X(0x0040, MAY, U64, u64, 0, UINT64_MAX)                \
	X(0x0050, MAY, BYTES, bytes, 2, 4)                     \
	X(0x0060, MAY, TEXT, text, 0, 8)                       \
	X(0x0070, MAY, LENGTH, part.n, 0, 1000)                \
	X(0x0080, MAY, HASH, hash, SHA256_BYTES, SHA256_BYTES) \
	X(0x0090, MAY, RECORD(pair), pair, 0, 20)              \
	X(0x00A0, LIST, TEXT, names, 1, 8)                     \
	X(0x00B0, LIST, RECORD(pair), pairs, 0, 20)

#define PAIR_ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct pair, tag, presence, type, member, minimum, maximum)
#define THING_ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct thing, tag, presence, type, member, minimum, maximum)

static const struct field pair_fields[] = {PAIR_TABLE(PAIR_ROW)};
static const struct schema pair_schema = SCHEMA_OF("pair", struct pair, pair_fields);
static const struct field thing_fields[] = {THING_TABLE(THING_ROW)};
static const struct schema thing_schema = SCHEMA_OF("thing", struct thing, thing_fields);

static uint8_t out[1024];

static int encode(const struct thing *t, struct str *bytes, struct err *err)
{
	struct tlv_writer w = {.out = out, .size = sizeof(out)};
	int result = record_encode(&thing_schema, t, &w, err);

	*bytes = (struct str){(const char *)out, w.length};
	return result;
}

static void what_is_written_is_read(void)
{
	struct thing t = {
		.u8 = 200,
		.u16 = 65535,
		.u32 = 5,
		.u64 = UINT64_MAX,
		.bytes = {"\0\xFF", 2},
		.text = STR("h\xC3\xA9"),
		.part = {NULL, 1000},
		.hash = {1, 2, 3},
		.pair = {9, STR("abcd")},
		.names = {STR("a"), STR("bb")},
		.names_count = 2,
		.pairs = {{1, {0}}, {2, STR("z")}},
		.pairs_count = 2,
	};
	struct thing read;
	struct str bytes;
	struct err err;
	uint8_t again[1024];
	struct tlv_writer w = {.out = again, .size = sizeof(again)};

	ok(encode(&t, &bytes, &err) == 0, "a record with everything is written");
	ok(record_decode(&thing_schema, bytes, &read, &err) == 0, "and read");
	ok(read.u8 == 200 && read.u16 == 65535 && read.u32 == 5 && read.u64 == UINT64_MAX,
	   "numbers");
	ok(str_equal(read.bytes, t.bytes) && str_equal(read.text, t.text), "strings");
	ok(read.part.n == 1000 && !read.part.p, "a length, without its bytes");
	is_bytes(read.hash, SHA256_BYTES, t.hash, SHA256_BYTES, "a hash");
	ok(read.pair.left == 9 && str_equal(read.pair.right, STR("abcd")), "a record");
	ok(read.names_count == 2 && str_equal(read.names[1], STR("bb")), "a list");
	ok(read.pairs_count == 2 && read.pairs[1].left == 2, "a list of records");
	record_encode(&thing_schema, &read, &w, &err);
	is_bytes(again, w.length, bytes.p, bytes.n, "written again it is the same");
}

static void what_is_empty_is_left_out(void)
{
	struct thing t = {.u8 = 0}, read;
	struct str bytes;
	struct err err;

	ok(encode(&t, &bytes, &err) == 0, "a record with nothing is written");
	is_bytes(bytes.p, bytes.n, "\x10\0\1\0\0\0\0", 7, "as what it must have");
	memset(&read, 0xFF, sizeof(read));
	ok(record_decode(&thing_schema, bytes, &read, &err) == 0, "and read");
	ok(read.u32 == 0 && read.text.n == 0 && read.names_count == 0 && read.pair.left == 0,
	   "the rest is zero and empty");
}

#define MUST "\x10\0\1\0\0\0\7"

static void bad_records_are_refused(void)
{
	static const struct {
		struct str bytes;
		const char *message; /* NULL: is read */
		const char *name;
	} rows[] = {
		{STR(MUST), NULL, "the least there can be"},
		{STR(""), "thing.u8 is missing", "nothing"},
		{STR(MUST MUST), "thing.u8 comes twice", "a single one twice"},
		{STR("\x10\0\1\0\0\0\xC8"), NULL, "the maximum"},
		{STR("\x10\0\1\0\0\0\xC9"), "thing.u8 is 201, not within 0 and 200", "over it"},
		{STR("\x10\0\2\0\0\0\0\0"), "thing.u8 has another width", "a wider number"},
		{STR("\x10\0\0\0\0\0"), "thing.u8 has another width", "a number of no bytes"},
		{STR(MUST "\x30\0\4\0\0\0\4\0\0\0"), "thing.u32 is 4, not", "under the minimum"},
		{STR(MUST "\x30\0\4\0\0\0\5\0\0\0"), NULL, "the minimum"},
		{STR(MUST "\x50\0\1\0\0\0a"), "thing.bytes is 1, not", "too short"},
		{STR(MUST "\x50\0\5\0\0\0abcde"), "thing.bytes is 5, not", "too long"},
		{STR(MUST "\x50\0\2\0\0\0\0\xFF"), NULL, "any bytes"},
		{STR(MUST "\x60\0\2\0\0\0a\0"), "thing.text has a NUL", "a NUL in a text"},
		{STR(MUST "\x60\0\1\0\0\0\xFF"), "thing.text is not UTF-8", "a byte of no text"},
		{STR(MUST "\x60\0\2\0\0\0\xC3\xA9"), NULL, "a text"},
		{STR(MUST "\x80\0\1\0\0\0a"), "thing.hash has another width", "a short hash"},
		{STR(MUST "\x90\0\0\0\0\0"), "thing: pair.left is missing", "an empty record"},
		{STR(MUST "\x90\0\7\0\0\0\1\0\1\0\0\0\1"), NULL, "a record"},
		{STR(MUST "\x90\0\7\0\0\0\1\0\1\0\0\0\0"), "thing: pair.left is 0", "a bad one"},
		{STR(MUST "\x90\0\6\0\0\0\1\0\1\0\0\0"), "pair is truncated", "a cut one"},
		{STR(MUST "\x90\0\6\0\0\0\1\0\xFF\xFF\0\0"), "pair is truncated",
		 "a value longer than its record"},
		{STR(MUST "\xA0\0\1\0\0\0a\xA0\0\1\0\0\0b\xA0\0\1\0\0\0c"), NULL, "a full list"},
		{STR(MUST "\xA0\0\1\0\0\0a\xA0\0\1\0\0\0b\xA0\0\1\0\0\0c\xA0\0\1\0\0\0d"),
		 "thing.names comes too often", "one too many"},
		{STR(MUST "\xA0\0\0\0\0\0"), "thing.names is 0, not", "a bad item"},
		{STR("\1\0\1\0\0\0x" MUST "\x11\0\0\0\0\0\xFF\xFF\0\0\0\0"), NULL,
		 "unknown tags before, between and behind"},
		{STR("\1\0\0\0\0\0\1\0\0\0\0\0" MUST), NULL, "an unknown one twice"},
		{STR("\x20\0\2\0\0\0\0\0" MUST), "thing is out of order behind tag 0x0020",
		 "descending tags"},
		{STR(MUST "\x20"), "thing is truncated behind tag 0x0010", "a cut header"},
		{STR(MUST "\x20\0\2\0\0\0\0"), "thing is truncated", "a cut value"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct thing t, zero = {0};
		struct err err = {0};
		int result = record_decode(&thing_schema, rows[i].bytes, &t, &err);

		if (!rows[i].message) {
			ok(result == 0, "%s: is read%s", rows[i].name, err.message);
			continue;
		}
		ok(result < 0 && err.code == ERR_PROTOCOL, "%s: is refused", rows[i].name);
		like(err.message, rows[i].message, "%s: and says why", rows[i].name);
		is_bytes(&t, sizeof(t), &zero, sizeof(zero), "%s: leaving zero", rows[i].name);
	}
}

static void what_would_not_be_read_is_not_written(void)
{
	struct thing rows[] = {
		{.u8 = 201},
		{.u32 = 11},
		{.bytes = STR("a")},
		{.text = STR("123456789")},
		{.text = STR("\xFF")},
		{.part = {NULL, 1001}},
		{.pair = {10, {0}}},
		{.names = {{0}}, .names_count = 1},
		{.pairs = {{0, STR("x")}}, .pairs_count = 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct str bytes;
		struct err err = {0};

		ok(encode(&rows[i], &bytes, &err) < 0, "row %zu is refused", i);
		cmp_ok(err.code, "==", ERR_INVALID, "%s", err.message);
	}
}

static void a_small_room_is_noticed(void)
{
	struct thing t = {.u8 = 1, .text = STR("abc"), .pair = {1, STR("abcd")}};
	struct err err;

	for (size_t size = 0; size < 33; size++) {
		struct tlv_writer w = {.out = out, .size = size};

		record_encode(&thing_schema, &t, &w, &err);
		ok(w.full, "%zu bytes don't suffice", size);
	}
}

int main(void)
{
	what_is_written_is_read();
	what_is_empty_is_left_out();
	bad_records_are_refused();
	what_would_not_be_read_is_not_written();
	a_small_room_is_noticed();
	done_testing();
}
