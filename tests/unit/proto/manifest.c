#include "proto/manifest.h"

#include "tap.h"

#include <string.h>

struct note {
	uint8_t kind;
	struct str text;
};

#define NOTE_TABLE(X)                           \
	X(0x0001, MUST, U8, kind, 0, UINT8_MAX) \
	X(0x0002, MAY, TEXT, text, 0, 100)
#define ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct note, tag, presence, type, member, minimum, maximum)

static const struct field fields[] = {NOTE_TABLE(ROW)};
static const struct schema note_schema = SCHEMA_OF("note", struct note, fields);

static void length_manifest_parts(void)
{
	struct note note = {7, STR("hi")};
	uint8_t out[19];
	struct object o;
	struct err err = {0};

	ok(manifest_encode(&note_schema, &note, out, 19, &o, &err) == 0, "it just fits");
	is_bytes(o.pieces[0].p, o.pieces[0].n, "\x0F\0\0\0\1\0\1\0\0\0\7\2\0\2\0\0\0hi", 19,
		 "the length stands before the record");
	for (size_t size = 0; size < 19; size++)
		ok(manifest_encode(&note_schema, &note, out, size, &o, &err) < 0 &&
			   err.code == ERR_TOO_LARGE,
		   "%zu bytes don't suffice", size);
}

static void reading_finds_the_parts(void)
{
	static const struct {
		struct str bytes;
		size_t max;
		const char *parts; /* NULL: refused */
		const char *name;
	} rows[] = {
		{STR("\7\0\0\0\1\0\1\0\0\0\7parts"), 7, "parts", "what follows are the parts"},
		{STR("\7\0\0\0\1\0\1\0\0\0\7"), 7, "", "there may be none"},
		{STR("\7\0\0\0\1\0\1\0\0\0\7parts"), 6, NULL, "a longer manifest than allowed"},
		{STR("\7\0\0\0\1\0\1\0\0\0"), 7, NULL, "a manifest cut short"},
		{STR("\7\0\0"), 7, NULL, "a length cut short"},
		{STR(""), 7, NULL, "nothing"},
		{STR("\0\0\0\0"), 7, NULL, "an empty manifest lacks what it must have"},
		{STR("\xFF\xFF\xFF\xFF\1\0\1\0\0\0\7"), SIZE_MAX, NULL, "a length of 4 GiB"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct note note;
		struct str parts = {NULL, 0};
		struct err err = {0};
		int result = manifest_decode(&note_schema, rows[i].bytes, rows[i].max, &note,
					     &parts, &err);

		if (rows[i].parts)
			ok(result == 0 && str_equal(parts, str_of(rows[i].parts)), "%s",
			   rows[i].name);
		else
			ok(result < 0 && note.kind == 0, "%s: %s", rows[i].name, err.message);
	}
}

static void parts_are_taken_off_the_front(void)
{
	struct str parts = STR("abcdef"), a = {NULL, 2}, none = {NULL, 0}, rest = {NULL, 5};

	ok(manifest_take(&parts, &a) && str_equal(a, STR("ab")), "two bytes");
	ok(manifest_take(&parts, &none) && none.n == 0, "no byte");
	ok(!manifest_take(&parts, &rest), "more than there are is refused");
	rest.n = 4;
	ok(manifest_take(&parts, &rest) && str_equal(rest, STR("cdef")), "all that is left");
	cmp_ok(parts.n, "==", 0, "uses it up");
}

static void paths_stay_inside(void)
{
	static const char *const good[] = {"a",	  "main.py", "a/b/c", "...", "..a",
					   "a..", ".hidden", "a b",   "-",   "\\"};
	static const char *const bad[] = {"",	"/",   "/a",  "a/",	"a//b", ".",
					  "..", "./a", "a/.", "a/../b", "../a", "a/.."};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		ok(manifest_path_is_inside(str_of(good[i])), "\"%s\" is inside", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!manifest_path_is_inside(str_of(bad[i])), "\"%s\" is not", bad[i]);
	ok(!manifest_path_is_inside((struct str){NULL, 0}), "nor is nothing");
}

int main(void)
{
	length_manifest_parts();
	reading_finds_the_parts();
	parts_are_taken_off_the_front();
	paths_stay_inside();
	done_testing();
}
