#include "proto/frame.h"

#include "base/crc32c.h"
#include "proto/le.h"

#include "random.h"
#include "tap.h"

#include <string.h>

static void the_longest_frame_has_the_promised_length(void)
{
	static char payload[FRAME_PAYLOAD_MAX];
	static uint8_t out[FRAME_WIRE_MAX + 1];
	struct frame f = {.type = FRAME_UPLOAD, .session = UINT64_MAX, .offset = UINT64_MAX};
	struct frame read;
	size_t length;

	memset(payload, 'x', sizeof(payload));
	f.payload = (struct str){payload, sizeof(payload)};
	out[FRAME_WIRE_MAX] = 0x5A;
	length = frame_encode(out, &f);
	cmp_ok(length, "<=", FRAME_WIRE_MAX, "it fits 15,450 bytes");
	cmp_ok(length, ">=", FRAME_WIRE_MAX - 2, "and needs nearly all of them");
	cmp_ok(out[FRAME_WIRE_MAX], "==", 0x5A, "nothing is written behind");
	cmp_ok(memchr(out, '\n', length) == out + length - 1, "==", 1, "it is one line");
	cmp_ok(frame_decode(out, length - 1, &read), "==", PROTO_NO_DROP, "and is read");
	is_bytes(read.payload.p, read.payload.n, payload, sizeof(payload), "whole");
	ok(read.session == UINT64_MAX && read.offset == UINT64_MAX, "with its numbers");
}

/* A body as given, with a CRC that fits unless `spoil` is set. */
static enum proto_drop read_body(const uint8_t *body, size_t length, bool spoil)
{
	static uint8_t bytes[FRAME_WIRE_MAX + 8];
	uint8_t crc[4];
	struct frame f;
	struct cobs c;

	le_put(crc, crc32c(0, body, length) ^ spoil, 4);
	cobs_begin(&c, bytes);
	cobs_add(&c, (struct str){(const char *)body, length});
	cobs_add(&c, (struct str){(const char *)crc, 4});
	return frame_decode(bytes, cobs_finish(&c), &f);
}

static void each_flaw_has_its_cause(void)
{
	static uint8_t body[FRAME_BODY_MAX];
	uint8_t bad_cobs[] = {0x05 ^ '\n', 'x'};
	struct frame f;

	body[0] = PROTO_LAYOUT;
	body[1] = FRAME_STATE;
	le_put(body + 4, 3, 4);
	cmp_ok(read_body(body, 27, false), "==", PROTO_NO_DROP, "a sound body is read");
	cmp_ok(read_body(body, 27, true), "==", DROP_CRC, "another CRC is refused");
	cmp_ok(read_body(body, 23, false), "==", DROP_SHORT, "a part of a header is refused");
	cmp_ok(read_body(body, 26, false), "==", DROP_LENGTH, "a missing byte is refused");
	cmp_ok(read_body(body, 28, false), "==", DROP_LENGTH, "one byte more is refused");
	cmp_ok(frame_decode(bad_cobs, 2, &f), "==", DROP_COBS, "broken COBS is refused");
	body[0] = 2;
	cmp_ok(read_body(body, 27, false), "==", DROP_LAYOUT, "another layout is refused");
	body[0] = PROTO_LAYOUT;
	le_put(body + 2, 0xFFFF, 2);
	cmp_ok(read_body(body, 27, false), "==", PROTO_NO_DROP, "flags are ignored");
	le_put(body + 4, FRAME_PAYLOAD_MAX, 4);
	memset(body + 24, 0, FRAME_PAYLOAD_MAX);
	cmp_ok(read_body(body, 24 + FRAME_PAYLOAD_MAX, false), "==", PROTO_NO_DROP,
	       "the longest payload is read");
	le_put(body + 4, FRAME_PAYLOAD_MAX + 1, 4);
	cmp_ok(read_body(body, 24 + FRAME_PAYLOAD_MAX + 1, false), "==", DROP_LENGTH,
	       "one byte over it is refused");
}

static void a_flipped_bit_is_found(struct random *random)
{
	uint8_t out[FRAME_WIRE_MAX], copy[FRAME_WIRE_MAX];
	struct frame f = {.type = FRAME_GET, .session = 77, .offset = 5, .payload = STR("hello")};
	size_t length = frame_encode(out, &f) - 1;
	unsigned found = 0;

	for (size_t bit = 0; bit < length * 8; bit++) {
		memcpy(copy, out, length);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		found += frame_decode(copy, length, &f) != PROTO_NO_DROP;
	}
	cmp_ok(found, "==", length * 8, "whichever it is");
	found = 0;
	for (int i = 0; i < 2000; i++) {
		memcpy(copy, out, length);
		for (size_t at = random_below(random, length - 2), j = 0; j < 3; j++)
			copy[at + j] ^= (uint8_t)(1 + random_below(random, 255));
		found += frame_decode(copy, length, &f) != PROTO_NO_DROP;
	}
	cmp_ok(found, "==", 2000, "and so are three damaged bytes in a row");
}

static void a_payload_in_pieces_gives_the_same_frame(void)
{
	uint8_t whole[FRAME_WIRE_MAX], pieces[FRAME_WIRE_MAX];
	struct frame f = {.type = FRAME_UPLOAD, .session = 1, .payload = STR("one two three")};
	struct frame_writer w;
	size_t length = frame_encode(whole, &f);

	frame_begin(&w, pieces, &f, f.payload.n);
	frame_add(&w, STR("one "));
	frame_add(&w, (struct str){NULL, 0});
	frame_add(&w, STR("two three"));
	is_bytes(pieces, frame_finish(&w), whole, length, "byte by byte");
}

int main(void)
{
	struct random random = {random_setting("SEED", 2)};

	the_longest_frame_has_the_promised_length();
	each_flaw_has_its_cause();
	a_flipped_bit_is_found(&random);
	a_payload_in_pieces_gives_the_same_frame();
	done_testing();
}
