#include "build/out.h"

#include "tap.h"

#include <string.h>

static void what_is_called_is_what_stands_there(void)
{
	struct buf text;
	struct out o;
	struct err err;

	buf_init(&text, 1000);
	out_init(&o, &text);
	out_open(&o, NULL);
	out_word(&o, "word", "a");
	out_text(&o, "text", (struct str){"q\"\n\0<\xc3\xa9", 7});
	out_number(&o, "number", INT64_MIN);
	out_flag(&o, "flag", true);
	out_open_list(&o, "list");
	out_word(&o, NULL, "x");
	out_open(&o, NULL);
	out_close(&o);
	out_flag(&o, NULL, false);
	out_close(&o);
	out_open(&o, "empty");
	out_close(&o);
	out_raw(&o, "raw", STR("[1, 2]"));
	out_base64(&o, "bytes", (struct str){"\0\xff", 2});
	out_cpu(&o, "cpu", 1500);
	out_bytes(&o, "memory", 256 << 20);
	out_time(&o, "time", 1767323045123456);
	out_micro_time(&o, "micro", 1767323045123456);
	out_close(&o);
	ok(out_finish(&o, &err) == 0, "a whole object is written");
	is(text.data,
	   "{\"word\":\"a\",\"text\":\"q\\\"\\n\\u0000<\xc3\xa9\",\"number\":-9223372036854775808,"
	   "\"flag\":true,\"list\":[\"x\",{},false],\"empty\":{},\"raw\":[1, 2],\"bytes\":\"AP8=\","
	   "\"cpu\":\"1500m\",\"memory\":\"256Mi\",\"time\":\"2026-01-02T03:04:05Z\","
	   "\"micro\":\"2026-01-02T03:04:05.123456Z\"}",
	   "with commas, keys and escapes in their places");
	buf_free(&text);
}

static void what_is_not_there_is_left_out(void)
{
	struct buf text;
	struct out o;
	struct err err;

	buf_init(&text, 100);
	out_init(&o, &text);
	out_open(&o, NULL);
	out_text_if(&o, "a", STR(""));
	out_number_if(&o, "b", -1);
	out_raw_if(&o, "c", STR(""));
	out_number_if(&o, "d", 0);
	out_close(&o);
	out_finish(&o, &err);
	is(text.data, "{\"d\":0}", "nothing is written for nothing, but 0 is something");
	buf_free(&text);
}

static void the_first_error_is_kept(void)
{
	struct buf text;
	struct out o;
	struct err err = {0};

	for (size_t limit = 0; limit < 25; limit++) {
		buf_init(&text, limit);
		out_init(&o, &text);
		out_open(&o, NULL);
		out_text(&o, "ab", STR("cd"));
		out_number(&o, "e", 12345);
		out_close(&o);
		if (limit < 21 ? out_finish(&o, &err) == 0 || err.code != ERR_TOO_LARGE
			       : out_finish(&o, &err) < 0)
			fail("limit %zu", limit);
		buf_free(&text);
	}
	pass("a text over the limit is an error wherever the limit falls, up to it none");
	buf_init(&text, 100);
	out_init(&o, &text);
	out_open(&o, NULL);
	out_text(&o, "a", STR("\xff"));
	out_text(&o, "b", STR("c"));
	out_close(&o);
	ok(out_finish(&o, &err) < 0, "text that is no UTF-8 is an error");
	cmp_ok(err.code, "==", ERR_INVALID, "which is its own kind");
	ok(!strstr(text.data, "\"b\""), "and nothing is written after it");
	buf_free(&text);
}

int main(void)
{
	what_is_called_is_what_stands_there();
	what_is_not_there_is_left_out();
	the_first_error_is_kept();
	done_testing();
}
