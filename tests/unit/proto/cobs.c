#include "proto/cobs.h"

#include "random.h"
#include "tap.h"

#include <string.h>

#define BYTES_MAX 2000

static size_t encode(uint8_t *out, const void *bytes, size_t length)
{
	struct cobs c;

	cobs_begin(&c, out);
	cobs_add(&c, (struct str){bytes, length});
	return cobs_finish(&c);
}

/* Known pairs: the plain COBS of the paper, before the XOR. */
static void the_examples_of_the_paper_hold(void)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *encoded;
		size_t encoded_length;
		const char *name;
	} rows[] = {
		{"", 0, "\x01", 1, "nothing is one empty block"},
		{"\0", 1, "\x01\x01", 2, "a zero is two empty blocks"},
		{"\0\0", 2, "\x01\x01\x01", 3, "two zeros are three"},
		{"\x11\x22\0\x33", 4, "\x03\x11\x22\x02\x33", 5, "a zero in the middle"},
		{"\x11\x22\x33\x44", 4, "\x05\x11\x22\x33\x44", 5, "no zero"},
		{"\x11\0\0\0", 4, "\x02\x11\x01\x01\x01", 5, "zeros at the end"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint8_t out[16];
		size_t length = encode(out, rows[i].bytes, rows[i].length);

		for (size_t j = 0; j < length; j++)
			out[j] ^= COBS_DELIMITER;
		is_bytes(out, length, rows[i].encoded, rows[i].encoded_length, "%s", rows[i].name);
	}
}

static void full_blocks_cost_one_byte_each(void)
{
	uint8_t bytes[3 * COBS_BLOCK_MAX + 1], out[BYTES_MAX];

	memset(bytes, 'x', sizeof(bytes));
	cmp_ok(encode(out, bytes, 253), "==", 254, "253 bytes: one more");
	cmp_ok(encode(out, bytes, 254), "==", 255, "254 bytes, a full block: one more");
	cmp_ok(encode(out, bytes, 255), "==", 257, "255 bytes: two more");
	cmp_ok(encode(out, bytes, 3 * 254), "==", 3 * 255, "three full blocks: three more");
	bytes[254] = 0;
	cmp_ok(encode(out, bytes, 255), "==", 257, "a zero behind a full block: two more");
	cmp_ok(COBS_BYTES_MAX(255), "==", 257, "which is the most there can be");
}

static void any_bytes_come_back(struct random *random)
{
	bool same = true, plain = true, short_enough = true;

	for (int i = 0; i < 3000; i++) {
		uint8_t bytes[BYTES_MAX], out[COBS_BYTES_MAX(BYTES_MAX) + 1];
		size_t length = random_below(random, BYTES_MAX), encoded;

		random_fill(random, bytes, length);
		if (length > 0 && random_chance(random, 30))
			memset(bytes, 'x', length);
		encoded = encode(out, bytes, length);
		plain &= memchr(out, COBS_DELIMITER, encoded) == NULL;
		short_enough &= encoded <= (length ? COBS_BYTES_MAX(length) + (length < 254) : 1);
		same &= cobs_decode(out, &encoded) && encoded == length &&
			memcmp(out, bytes, length) == 0;
	}
	ok(same, "what is encoded decodes to the same bytes");
	ok(plain, "and has no newline");
	ok(short_enough, "and is never longer than promised");
}

static void adding_in_pieces_makes_no_difference(struct random *random)
{
	bool same = true;

	for (int i = 0; i < 500; i++) {
		uint8_t bytes[600], whole[700], pieces[700];
		size_t length = random_below(random, sizeof(bytes)), at = 0;
		struct cobs c;

		random_fill(random, bytes, length);
		cobs_begin(&c, pieces);
		while (at < length) {
			size_t n = 1 + random_below(random, length - at);

			cobs_add(&c, (struct str){(const char *)bytes + at, n});
			at += n;
		}
		same &= cobs_finish(&c) == encode(whole, bytes, length) &&
			memcmp(whole, pieces, c.length) == 0;
	}
	ok(same, "the pieces in which bytes come don't show");
}

static bool decodes(const char *encoded, size_t length)
{
	uint8_t bytes[16];

	memcpy(bytes, encoded, length);
	for (size_t i = 0; i < length; i++)
		bytes[i] ^= COBS_DELIMITER;
	return cobs_decode(bytes, &length);
}

static void what_is_none_is_refused(void)
{
	ok(decodes("", 0), "nothing is nothing");
	ok(!decodes("\x02", 1), "a block that reaches behind the end is refused");
	ok(!decodes("\x05\x11\x22\x33", 4), "by one byte as well");
	ok(!decodes("\0", 1), "a length byte of zero is refused");
	ok(!decodes("\x03\x11\0", 3), "a zero inside a block is refused");
	ok(decodes("\x03\x11\x22", 3), "a block that ends at the end is fine");
}

int main(void)
{
	struct random random = {random_setting("SEED", 1)};

	the_examples_of_the_paper_hold();
	full_blocks_cost_one_byte_each();
	any_bytes_come_back(&random);
	adding_in_pieces_makes_no_difference(&random);
	what_is_none_is_refused();
	done_testing();
}
