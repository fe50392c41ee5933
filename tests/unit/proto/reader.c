#include "proto/reader.h"

#include "random.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define STREAM_BYTES_MAX (1u << 20)
#define FRAMES_MAX	 40

static uint8_t buffer[FRAME_WIRE_MAX];

/* A frame that says which it is: payload and offset follow from its number and its writer. */
static size_t write_numbered(uint8_t *out, uint64_t writer, uint64_t number)
{
	static char payload[FRAME_PAYLOAD_MAX];
	struct random own = {writer * 1000 + number};
	struct frame f = {.type = FRAME_UPLOAD, .session = writer, .offset = number};

	f.payload = (struct str){payload, random_below(&own, 3000)};
	random_fill(&own, payload, f.payload.n);
	return frame_encode(out, &f);
}

/* The frame is exactly what its writer wrote under that number. */
static bool is_numbered(const struct frame *f)
{
	static uint8_t wanted[FRAME_WIRE_MAX], got[FRAME_WIRE_MAX];
	size_t length = write_numbered(wanted, f->session, f->offset);

	return frame_encode(got, f) == length && memcmp(got, wanted, length) == 0;
}

static uint64_t all_drops(const struct reader *r)
{
	uint64_t sum = 0;

	for (int i = 0; i < PROTO_DROP_COUNT; i++)
		sum += r->drops[i];
	return sum;
}

static void frames_are_found_in_any_chunks(struct random *random)
{
	static uint8_t stream[STREAM_BYTES_MAX];
	bool in_order = true, clean = true;

	for (int round = 0; round < 200; round++) {
		struct reader r;
		struct frame f;
		size_t length = 1, at = 0;
		uint64_t written = 1 + random_below(random, FRAMES_MAX), read = 0;

		stream[0] = COBS_DELIMITER;
		for (uint64_t i = 0; i < written; i++) {
			length += write_numbered(stream + length, 1, i);
			if (random_chance(random, 10))
				stream[length++] = COBS_DELIMITER;
		}
		reader_init(&r, buffer);
		while (at < length) {
			size_t n = 1 + random_below(random, random_chance(random, 50) ? 5000 : 10);
			struct str chunk;

			n = n < length - at ? n : length - at;
			chunk = (struct str){(char *)stream + at, n};
			while (reader_next(&r, &chunk, &f))
				in_order &= f.offset == read++ && is_numbered(&f);
			at += n;
		}
		in_order &= read == written;
		clean &= all_drops(&r) == 0 && reader_is_idle(&r);
	}
	ok(in_order, "all of them, in order, as they were written");
	ok(clean, "and nothing is dropped");
}

static void what_comes_before_the_first_delimiter_is_no_frame(void)
{
	uint8_t stream[2 * FRAME_WIRE_MAX];
	size_t first = write_numbered(stream, 1, 0);
	size_t length = first + write_numbered(stream + first, 1, 1);
	struct str chunk = {(char *)stream, length};
	struct reader r;
	struct frame f;

	reader_init(&r, buffer);
	ok(reader_next(&r, &chunk, &f) && f.offset == 1,
	   "a whole frame that begins there is not read");
	cmp_ok(r.drops[DROP_HEADLESS], "==", 1, "it is counted, once");
	chunk = (struct str){(char *)stream, 10};
	reader_next(&r, &chunk, &f);
	ok(!reader_is_idle(&r), "a part of a frame is kept");
	reader_restart(&r);
	ok(reader_is_idle(&r), "until a new connection");
	chunk = (struct str){(char *)stream, length};
	ok(reader_next(&r, &chunk, &f) && f.offset == 1, "which begins with a delimiter again");
	cmp_ok(r.drops[DROP_HEADLESS], "==", 2, "counts go on");
}

static void a_line_without_end_is_given_up(void)
{
	static char line[3 * FRAME_WIRE_MAX];
	struct str chunk = {line, sizeof(line)};
	struct reader r;
	struct frame f;
	uint8_t next[FRAME_WIRE_MAX + 1] = {COBS_DELIMITER};
	size_t length = 1 + write_numbered(next + 1, 1, 5);

	memset(line, 'x', sizeof(line));
	line[0] = COBS_DELIMITER;
	reader_init(&r, buffer);
	ok(!reader_next(&r, &chunk, &f), "it is no frame");
	cmp_ok(r.drops[DROP_OVERLONG], "==", 1, "it is counted once, however long");
	chunk = (struct str){(char *)next, length};
	ok(reader_next(&r, &chunk, &f) && f.offset == 5, "the frame behind it is found");
	chunk = (struct str){line, FRAME_WIRE_MAX};
	reader_next(&r, &chunk, &f);
	cmp_ok(r.length, "==", FRAME_WIRE_MAX - 1, "the longest possible line is still kept");
	cmp_ok(r.drops[DROP_OVERLONG], "==", 1, "and is not too long");
}

/* The end of an endless line is hostile output as well, and may look like a frame. */
static void the_end_of_a_line_without_end_is_no_frame(void)
{
	static uint8_t line[3 * FRAME_WIRE_MAX];
	size_t frame_at = FRAME_WIRE_MAX + 1, length = frame_at;
	struct str first = {(char *)line, FRAME_WIRE_MAX + 1}, second;
	struct reader r;
	struct frame f;

	memset(line, 'x', sizeof(line));
	line[0] = COBS_DELIMITER;
	length += write_numbered(line + length, 1, 5);
	second = (struct str){(char *)line + frame_at, length - frame_at};
	reader_init(&r, buffer);
	ok(!reader_next(&r, &first, &f), "a line too long");
	ok(!reader_next(&r, &second, &f), "with a frame at its end");
	cmp_ok(r.drops[DROP_OVERLONG], "==", 1, "is one line, and dropped whole");
}

/* A stream as bad as can be: two writers whose bytes interleave anywhere, loss, repetition,
 * garbage. Some frames stay whole behind a delimiter: those must be found. */
struct noise {
	uint8_t bytes[STREAM_BYTES_MAX];
	size_t length;
	unsigned whole; /* frames that stand untouched behind a delimiter */
};

static void add(struct noise *n, const uint8_t *bytes, size_t length)
{
	memcpy(n->bytes + n->length, bytes, length);
	n->length += length;
}

/* Two frames with their bytes shuffled into each other, each in its own order. */
static void add_interleaved(struct random *random, struct noise *n, const uint8_t *a,
			    size_t a_length, const uint8_t *b, size_t b_length)
{
	while (a_length > 0 || b_length > 0) {
		bool from_a = b_length == 0 || (a_length > 0 && random_chance(random, 50));
		size_t *left = from_a ? &a_length : &b_length;
		const uint8_t **from = from_a ? &a : &b;
		size_t some = 1 + random_below(random, *left);

		add(n, *from, some);
		*from += some;
		*left -= some;
	}
}

static void add_noise(struct random *random, struct noise *n, uint64_t number)
{
	static uint8_t a[FRAME_WIRE_MAX], b[FRAME_WIRE_MAX];
	size_t a_length = write_numbered(a, 1, number);
	size_t b_length = write_numbered(b, 2, number);
	size_t cut = 1 + random_below(random, a_length - 1);

	switch (random_below(random, 6)) {
	case 0: add_interleaved(random, n, a, a_length, b, b_length); return;
	case 1: add(n, a, cut); return;			 /* the end is lost */
	case 2: add(n, a + cut, a_length - cut); return; /* the beginning is */
	case 3:						 /* begun twice */
		add(n, a, cut);
		add(n, a, a_length);
		return;
	case 4:
		random_fill(random, b, 500);
		add(n, b, random_below(random, 500));
		return;
	}
	add(n, (const uint8_t *)"\n", 1);
	add(n, a, a_length);
	n->whole++;
}

static void noise_never_becomes_a_frame(struct random *random)
{
	static struct noise n;
	bool right = true, all = true;
	unsigned found = 0;

	for (int round = 0; round < 400; round++) {
		unsigned whole[FRAMES_MAX] = {0}, seen[FRAMES_MAX] = {0};
		struct reader r;
		struct frame f;
		struct str chunk;

		n.length = 0;
		for (uint64_t i = 0; i < FRAMES_MAX; i++) {
			n.whole = 0;
			add_noise(random, &n, i);
			whole[i] = n.whole;
		}
		reader_init(&r, buffer);
		for (chunk = (struct str){(char *)n.bytes, n.length};
		     reader_next(&r, &chunk, &f);) {
			right &= f.offset < FRAMES_MAX && is_numbered(&f);
			seen[f.offset] += f.session == 1;
			found++;
		}
		for (int i = 0; i < FRAMES_MAX; i++)
			all &= seen[i] >= whole[i];
	}
	ok(right, "every frame read is one that was written, byte by byte");
	ok(all, "every frame whole behind a delimiter is read");
	cmp_ok(found, ">", 1000, "and there were many");
}

static void sessions_can_share_a_buffer(void)
{
	static uint8_t own[FRAME_WIRE_MAX];
	uint8_t stream[FRAME_WIRE_MAX + 1] = {COBS_DELIMITER};
	size_t length = 1 + write_numbered(stream + 1, 1, 9);
	struct str chunk = {(char *)stream, length / 2};
	struct reader r;
	struct frame f;

	reader_init(&r, buffer);
	ok(!reader_next(&r, &chunk, &f) && !reader_is_idle(&r), "a reader with half a frame");
	reader_move(&r, own);
	memset(buffer, 0, sizeof(buffer));
	chunk = (struct str){(char *)stream + length / 2, length - length / 2};
	ok(reader_next(&r, &chunk, &f) && is_numbered(&f), "goes on in its own buffer");
}

int main(void)
{
	struct random random = {random_setting("SEED", 3)};

	frames_are_found_in_any_chunks(&random);
	what_comes_before_the_first_delimiter_is_no_frame();
	a_line_without_end_is_given_up();
	the_end_of_a_line_without_end_is_no_frame();
	noise_never_becomes_a_frame(&random);
	sessions_can_share_a_buffer();
	done_testing();
}
