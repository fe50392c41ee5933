#include "base/base64.h"

#include "tap.h"

#include <string.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	struct str bytes;
	const char *text;
} vectors[] = {
	{"RFC 4648: nothing", STR(""), ""},
	{"RFC 4648: f", STR("f"), "Zg=="},
	{"RFC 4648: fo", STR("fo"), "Zm8="},
	{"RFC 4648: foo", STR("foo"), "Zm9v"},
	{"RFC 4648: foob", STR("foob"), "Zm9vYg=="},
	{"RFC 4648: fooba", STR("fooba"), "Zm9vYmE="},
	{"RFC 4648: foobar", STR("foobar"), "Zm9vYmFy"},
	{"the two characters that are no letters or digits", STR("\xfb\xff\xbf"), "+/+/"},
	{"bits all zero", STR("\0\0\0\0"), "AAAAAA=="},
	{"bits all one", STR("\xff\xff\xff\xff\xff"), "//////8="},
};

static void vectors_hold_both_ways(void)
{
	struct buf b;
	struct err err;

	buf_init(&b, 100);
	for (size_t i = 0; i < LENGTH_OF(vectors); i++) {
		buf_clear(&b);
		ok(base64_encode(&b, vectors[i].bytes) == 0 && strcmp(b.data, vectors[i].text) == 0,
		   "%s", vectors[i].name);
		cmp_ok(base64_encoded_length(vectors[i].bytes.n), "==", b.length,
		       "its length is known before");
		buf_clear(&b);
		base64_decode(&b, str_of(vectors[i].text), BASE64_REFUSE_BLANKS, &err);
		is_bytes(b.data, b.length, vectors[i].bytes.p, vectors[i].bytes.n,
			 "and it is read back");
	}
	buf_free(&b);
}

static void every_byte_survives_at_every_place(void)
{
	struct buf text, back;
	struct err err;
	char bytes[258];
	int wrong = 0;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 37);
	buf_init(&text, 1000);
	buf_init(&back, 1000);
	for (size_t from = 0; from < 4; from++) {
		for (size_t to = from; to <= sizeof(bytes); to++) {
			struct str piece = {bytes + from, to - from};

			buf_clear(&text);
			buf_clear(&back);
			wrong += base64_encode(&text, piece) < 0;
			wrong += text.length != base64_encoded_length(piece.n);
			wrong += base64_decode(&back, buf_str(&text), BASE64_REFUSE_BLANKS, &err) <
				 0;
			wrong += !str_equal(buf_str(&back), piece);
		}
	}
	cmp_ok(wrong, "==", 0, "a thousand pieces are the same after encode and decode");
	buf_free(&text);
	buf_free(&back);
}

static void decoding_is_strict(void)
{
	static const struct {
		const char *name;
		struct str text;
		enum base64_blanks blanks;
		const char *wanted;  /* the bytes, or NULL: refused … */
		const char *message; /* … with this */
	} rows[] = {
		{"one character is no group", STR("Z"), BASE64_REFUSE_BLANKS, NULL, "middle"},
		{"two are none without padding", STR("Zg"), BASE64_REFUSE_BLANKS, NULL, "middle"},
		{"half the padding is not enough", STR("Zg="), BASE64_REFUSE_BLANKS, NULL,
		 "middle"},
		{"three are none without padding", STR("Zm8"), BASE64_REFUSE_BLANKS, NULL,
		 "middle"},
		{"five are none", STR("Zm9vY"), BASE64_REFUSE_BLANKS, NULL, "middle"},
		{"padding alone is refused", STR("===="), BASE64_REFUSE_BLANKS, NULL, "offset 0"},
		{"three paddings are refused", STR("Z==="), BASE64_REFUSE_BLANKS, NULL, "offset 1"},
		{"a character behind padding is refused", STR("Zg=v"), BASE64_REFUSE_BLANKS, NULL,
		 "offset 3"},
		{"even one without bits", STR("Zg=A"), BASE64_REFUSE_BLANKS, NULL, "offset 3$"},
		{"a group behind the padded one is refused", STR("Zg==Zm9v"), BASE64_REFUSE_BLANKS,
		 NULL, "offset 4"},
		{"padding behind the padded group is refused", STR("Zg==="), BASE64_REFUSE_BLANKS,
		 NULL, "offset 4"},
		{"four stray bits are refused", STR("Zh=="), BASE64_REFUSE_BLANKS, NULL,
		 "offset 3: stray bits"},
		{"two stray bits are refused", STR("Zm9="), BASE64_REFUSE_BLANKS, NULL,
		 "offset 3: stray bits"},
		{"the alphabet for URLs is refused", STR("-_-_"), BASE64_REFUSE_BLANKS, NULL,
		 "offset 0"},
		{"a NUL is refused", STR("Zm\09v"), BASE64_REFUSE_BLANKS, NULL, "offset 2"},
		{"a byte above 127 is refused", STR("Zm9\xe9"), BASE64_REFUSE_BLANKS, NULL,
		 "offset 3"},
		{"a newline is refused", STR("Zm9v\n"), BASE64_REFUSE_BLANKS, NULL, "offset 4"},
		{"a newline behind is skipped when asked for", STR("Zm9v\n"), BASE64_SKIP_BLANKS,
		 "foo", NULL},
		{"blanks anywhere are skipped when asked for", STR(" Z\tm\r\n9v\nZg= =\n"),
		 BASE64_SKIP_BLANKS, "foof", NULL},
		{"blanks alone are nothing when asked for", STR(" \n"), BASE64_SKIP_BLANKS, "",
		 NULL},
		{"a form feed is no blank", STR("Zm9v\f"), BASE64_SKIP_BLANKS, NULL, "offset 4"},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct buf b;
		struct err err = {0};
		int result;

		buf_init(&b, 100);
		buf_append_char(&b, '=');
		result = base64_decode(&b, rows[i].text, rows[i].blanks, &err);
		if (rows[i].wanted) {
			ok(result == 0 && strcmp(b.data + 1, rows[i].wanted) == 0, "%s",
			   rows[i].name);
		} else {
			ok(result < 0 && err.code == ERR_INVALID && strcmp(b.data, "=") == 0, "%s",
			   rows[i].name);
			like(err.message, rows[i].message, "and the message says where");
		}
		buf_free(&b);
	}
}

static void the_limit_is_exact(void)
{
	struct buf b;
	struct err err;

	buf_init(&b, 8);
	ok(base64_encode(&b, STR("foobar")) == 0, "encoding exactly to the limit");
	buf_clear(&b);
	buf_append_char(&b, '=');
	ok(base64_encode(&b, STR("foobar")) < 0 && b.length == 1, "what is there counts");
	buf_clear(&b);
	ok(base64_encode(&b, STR("foobarb")) < 0 && b.length == 0,
	   "one byte over, and nothing stays");
	buf_free(&b);
	buf_init(&b, 4);
	ok(base64_decode(&b, STR("Zm9vYg=="), BASE64_REFUSE_BLANKS, &err) == 0,
	   "decoding exactly to the limit");
	buf_clear(&b);
	ok(base64_decode(&b, STR("Zm9vYmE="), BASE64_REFUSE_BLANKS, &err) < 0 && b.length == 0,
	   "one byte over, and nothing stays");
	cmp_ok(err.code, "==", ERR_TOO_LARGE, "as TooLarge");
	like(err.message, "4 bytes", "which names the limit");
	buf_free(&b);
}

int main(void)
{
	vectors_hold_both_ways();
	every_byte_survives_at_every_place();
	decoding_is_strict();
	the_limit_is_exact();
	done_testing();
}
