#include "proto/object.h"

#include "tap.h"

#include <string.h>

static struct object three_pieces(void)
{
	struct object o = {0};

	object_add(&o, STR("abc"));
	object_add(&o, (struct str){NULL, 0});
	object_add(&o, STR("d"));
	object_add(&o, STR("efgh"));
	object_seal(&o);
	return o;
}

static void pieces_count_as_one_string(void)
{
	struct object o = three_pieces(), nothing = {0};
	uint8_t digest[SHA256_BYTES];

	cmp_ok(o.total, "==", 8, "the total is of all pieces");
	cmp_ok(o.count, "==", 3, "an empty piece is none");
	sha256("abcdefgh", 8, digest);
	is_bytes(o.sha256, SHA256_BYTES, digest, SHA256_BYTES, "the hash is of all pieces");
	object_seal(&nothing);
	sha256("", 0, digest);
	is_bytes(nothing.sha256, SHA256_BYTES, digest, SHA256_BYTES, "nothing has a hash too");
}

static void bytes_are_found_at_any_offset(void)
{
	static const struct {
		uint64_t offset;
		size_t max;
		const char *bytes;
	} rows[] = {
		{0, 100, "abc"}, {0, 2, "ab"}, {1, 1, "b"},  {2, 100, "c"}, {3, 100, "d"},
		{4, 3, "efg"},	 {7, 9, "h"},  {8, 100, ""}, {9, 100, ""},  {UINT64_MAX, 1, ""},
	};
	struct object o = three_pieces();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct str got = object_at(&o, rows[i].offset, rows[i].max);

		is_bytes(got.p, got.n, rows[i].bytes, strlen(rows[i].bytes), "row %zu", i);
	}
}

static void a_frame_is_cut_out_across_pieces(void)
{
	struct object o = three_pieces();
	uint8_t out[FRAME_WIRE_MAX];
	struct frame head = {.type = FRAME_DOWNLOAD, .session = 3, .offset = 2}, f;
	size_t length = object_frame(&o, out, &head, 5);

	cmp_ok(frame_decode(out, length - 1, &f), "==", PROTO_NO_DROP, "it is a frame");
	ok(str_equal(f.payload, STR("cdefg")), "with the bytes in order");
	ok(f.offset == 2 && f.session == 3 && f.type == FRAME_DOWNLOAD, "under its head");
}

int main(void)
{
	pieces_count_as_one_string();
	bytes_are_found_at_any_offset();
	a_frame_is_cut_out_across_pieces();
	done_testing();
}
