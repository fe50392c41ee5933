#include "build/excerpt.h"

#include "base/json_string.h"
#include "base/utf8.h"

#include "tap.h"

#include <string.h>

#define KIB 1024

static char bytes[300 * KIB];

/* A stream whose kept bytes are `unit` again and again, split where the runner splits. */
static struct ending_stream stream_of(const char *unit, size_t kept, uint64_t total)
{
	size_t n = strlen(unit);
	size_t head = total > kept ? kept - kept / 4 : kept;

	for (size_t i = 0; i < kept; i++)
		bytes[i] = unit[i % n];
	return (struct ending_stream){
		.head = {bytes, head}, .tail = {bytes + head, kept - head}, .bytes = total};
}

static const struct row {
	const char *name, *unit;
	size_t kept;
	uint64_t total;
	bool is_text, needs_outputs;
	size_t length; /* of the excerpt; 0: only bounded */
	uint64_t omitted;
} rows[] = {
	{"nothing was written", "x", 0, 0, true, false, 0, 0},
	{"a short text stands there whole", "x", 10, 10, true, false, 10, 0},
	{"a newline counts as itself", "\n", 10, 10, true, false, 10, 0},
	{"exactly 64 KiB stand there whole", "x", 64 * KIB, 64 * KIB, true, false, 64 * KIB, 0},
	{"one byte more needs outputs, and nothing is omitted", "x", 64 * KIB + 1, 64 * KIB + 1,
	 true, true, 64 * KIB, 0},
	{"1 MiB of which 256 KiB were kept: outputs, and the rest is omitted", "x", 256 * KIB,
	 1024 * KIB, true, true, 64 * KIB, 768 * KIB},
	{"a small limit that cut the middle is omitted here", "x", 100, 1000, true, false, 100,
	 900},
	{"bytes that are no text are base64", "\xff", 100, 100, false, false, 100, 0},
	{"so are those of a long stream, uncut", "\xff\xfe", 256 * KIB, 256 * KIB, false, true,
	 64 * KIB, 0},
	{"characters of three bytes, whole", "\u6f22", 300, 300, true, false, 300, 0},
	{"characters that a limit cut are dropped at both cuts", "\u6f22", 102, 3000, true, false,
	 99, 2901},
	{"characters of a long stream are cut as characters", "\u6f22", 255 * KIB, 255 * KIB, true,
	 true, 64 * KIB - 1, 0},
	{"what takes two bytes when stored fits", "\"", 64 * KIB, 64 * KIB, true, false, 64 * KIB,
	 0},
	{"what takes six has to be shortened, and the whole goes to outputs", "<", 64 * KIB,
	 64 * KIB, true, true, 0, 0},
	{"control characters likewise", "\x01", 40 * KIB, 40 * KIB, true, true, 0, 0},
	{"and with a cut in the middle only that is omitted", "<", 64 * KIB, 100 * KIB, true, true,
	 0, 36 * KIB},
};

/* With the outputs that it needs. */
static uint64_t omitted(const struct excerpt *e, const struct ending_stream *stream)
{
	return excerpt_omitted(e, stream, e->needs_outputs, true);
}

static void rows_are_excerpted(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct ending_stream stream = stream_of(row->unit, row->kept, row->total);
		struct excerpt e;

		excerpt_make(&e, &stream);
		ok(e.is_text == row->is_text, "%s: %s", row->name,
		   row->is_text ? "text" : "base64");
		ok(e.needs_outputs == row->needs_outputs, "  with%s outputs",
		   row->needs_outputs ? "" : "out");
		if (row->length > 0)
			cmp_ok(e.bytes.length, "==", row->length, "  of its length");
		cmp_ok(omitted(&e, &stream), "==", row->omitted, "  and that much omitted");
		ok(!e.is_text || utf8_is_valid(buf_str(&e.bytes)), "  valid as it says");
		ok(e.bytes.length <= EXCERPT_BYTES_MAX &&
			   (!e.is_text ||
			    json_string_stored_length(buf_str(&e.bytes)) <= EXCERPT_STORED_MAX),
		   "  within its bounds");
		excerpt_free(&e);
	}
}

static void head_and_tail_are_the_ends(void)
{
	struct ending_stream stream;
	struct excerpt e;

	for (size_t i = 0; i < 200 * KIB; i++)
		bytes[i] = (char)('a' + i % 23);
	stream = (struct ending_stream){{bytes, 150 * KIB}, {bytes + 150 * KIB, 50 * KIB}, 999999};
	excerpt_make(&e, &stream);
	cmp_ok(e.head_bytes, "==", 48 * KIB, "the middle is left out after 48 KiB");
	ok(memcmp(e.bytes.data, bytes, 48 * KIB) == 0, "three quarters are the beginning");
	ok(memcmp(e.bytes.data + 48 * KIB, bytes + 184 * KIB, 16 * KIB) == 0,
	   "one quarter is the end");
	excerpt_free(&e);
}

static void a_character_may_lie_across_head_and_tail(void)
{
	struct ending_stream stream = {{"a\xe6\xbc", 3}, {"\xa2z", 2}, 5};
	struct excerpt e;

	excerpt_make(&e, &stream);
	is_bytes(e.bytes.data, e.bytes.length, "a\xe6\xbc\xa2z", 5,
		 "without omission they are one text");
	ok(e.is_text && omitted(&e, &stream) == 0, "and nothing is lost");
	cmp_ok(e.head_bytes, "==", 5, "nor left out in the middle");
	excerpt_free(&e);
	stream.bytes = 6;
	excerpt_make(&e, &stream);
	is_bytes(e.bytes.data, e.bytes.length, "az", 2, "with one, the halves are dropped");
	cmp_ok(omitted(&e, &stream), "==", 4, "and counted");
	cmp_ok(e.head_bytes, "==", 1, "between the head and the tail that are left");
	excerpt_free(&e);
	stream = (struct ending_stream){{"a\xff", 2}, {"z", 1}, 9};
	excerpt_make(&e, &stream);
	is_bytes(e.bytes.data, e.bytes.length, "a\xffz", 3,
		 "what is no half of a character is kept");
	ok(!e.is_text && omitted(&e, &stream) == 6, "as base64");
	excerpt_free(&e);
}

static void any_piece_of_what_was_kept_can_be_taken(void)
{
	struct ending_stream stream = {{"abc", 3}, {"def", 3}, 100};
	struct buf out;

	for (uint64_t from = 0; from <= 7; from++)
		for (uint64_t to = from; to <= 8; to++) {
			struct str wanted = str_slice(STR("abcdef"), from, to);

			buf_init(&out, 10);
			excerpt_append(&out, &stream, from, to);
			if (!str_equal(buf_str(&out), wanted))
				fail("%d to %d is %s", (int)from, (int)to, out.data);
			buf_free(&out);
		}
	pass("any piece, across head and tail, within and beyond");
	buf_init(&out, 3);
	ok(excerpt_append(&out, &stream, 0, 4) < 0 && out.length == 0, "all of it or nothing");
	buf_free(&out);
}

int main(void)
{
	rows_are_excerpted();
	head_and_tail_are_the_ends();
	a_character_may_lie_across_head_and_tail();
	any_piece_of_what_was_kept_can_be_taken();
	done_testing();
}
