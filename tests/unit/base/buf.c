#include "base/buf.h"

#include "tap.h"

#include <string.h>

static void a_new_buffer_is_an_empty_string(void)
{
	struct buf b;

	buf_init(&b, 10);
	is(b.data, "", "data is an empty string");
	cmp_ok(b.length, "==", 0, "length is zero");
	cmp_ok(b.capacity, "==", 0, "nothing is allocated");
	buf_free(&b);
	is(b.data, "", "freeing an empty buffer leaves an empty buffer");
}

static void appending_keeps_bytes_and_a_nul(void)
{
	struct buf b;

	buf_init(&b, 1000);
	ok(buf_append(&b, "a\0b", 3) == 0, "bytes with a NUL inside are accepted");
	ok(buf_append_char(&b, 'c') == 0, "a character is accepted");
	ok(buf_append_str(&b, STR("de")) == 0, "a slice is accepted");
	ok(buf_append_str(&b, (struct str){NULL, 0}) == 0, "an empty slice is accepted");
	ok(buf_printf(&b, "-%d-%s", 7, "x") == 0, "formatted text is accepted");
	is_bytes(b.data, b.length, "a\0bcde-7-x", 10, "the content is all of it, in order");
	cmp_ok(b.data[b.length], "==", 0, "a NUL stands behind the content");
	buf_free(&b);
}

static void the_limit_is_exact(void)
{
	struct buf b;

	buf_init(&b, 4);
	ok(buf_append(&b, "1234", 4) == 0, "exactly the limit fits");
	ok(buf_append_char(&b, '5') < 0, "one more is refused");
	is(b.data, "1234", "a refused append changes nothing");
	buf_truncate(&b, 2);
	ok(buf_printf(&b, "%s", "abc") < 0, "formatted text over the limit is refused");
	is(b.data, "12", "a refused print changes nothing");
	ok(buf_printf(&b, "%s", "ab") == 0, "formatted text up to the limit fits");
	is(b.data, "12ab", "and is all there");
	buf_free(&b);

	buf_init(&b, 0);
	ok(buf_append(&b, "", 0) == 0, "a buffer of limit zero takes nothing");
	ok(buf_append_char(&b, 'x') < 0, "and refuses anything");
	buf_free(&b);
}

static void capacity_stays_within_the_limit(void)
{
	struct buf b;

	buf_init(&b, 100);
	for (int i = 0; i < 100; i++)
		buf_append_char(&b, 'x');
	cmp_ok(b.length, "==", 100, "byte by byte up to the limit");
	cmp_ok(b.capacity, "<=", 101, "no more memory than the limit and a NUL");
	buf_free(&b);
}

static void content_can_be_dropped_at_both_ends(void)
{
	struct buf b;

	buf_init(&b, 100);
	buf_append_str(&b, STR("line one\nline two"));
	buf_consume(&b, 9);
	is(b.data, "line two", "consume drops the front");
	buf_consume(&b, 0);
	is(b.data, "line two", "consuming nothing changes nothing");
	buf_truncate(&b, 4);
	is(b.data, "line", "truncate drops the end");
	buf_consume(&b, 4);
	is(b.data, "", "everything can be consumed");
	buf_append_str(&b, STR("again"));
	buf_clear(&b);
	is(b.data, "", "clear drops all");
	cmp_ok(b.capacity, ">", 0, "and keeps the memory");
	buf_free(&b);
}

int main(void)
{
	a_new_buffer_is_an_empty_string();
	appending_keeps_bytes_and_a_nul();
	the_limit_is_exact();
	capacity_stays_within_the_limit();
	content_can_be_dropped_at_both_ends();
	done_testing();
}
