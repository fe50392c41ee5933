#include "output.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT 100

/* Head and tail of a stream that was added in pieces of `piece` bytes, as one string. */
static struct stream keep(const char *bytes, size_t length, size_t piece, uint8_t *memory,
			  size_t limit)
{
	struct output o;
	struct stream stream;

	output_init(&o, memory, limit);
	for (size_t at = 0; at < length; at += piece)
		output_add(&o, (const uint8_t *)bytes + at,
			   length - at < piece ? length - at : piece);
	output_seal(&o, &stream);
	return stream;
}

static bool is_right(const char *bytes, size_t length, size_t piece, size_t limit)
{
	uint8_t memory[LIMIT + 1], digest[SHA256_BYTES];
	struct stream s = keep(bytes, length, piece, memory, limit);
	size_t head = limit - limit / 4, tail = limit / 4;

	sha256(bytes, length, digest);
	if (s.total != length || memcmp(s.sha256, digest, SHA256_BYTES) != 0)
		return false;
	if (length <= limit)
		return s.head.n == length && s.tail.n == 0 && memcmp(s.head.p, bytes, length) == 0;
	return s.head.n == head && s.tail.n == tail && memcmp(s.head.p, bytes, head) == 0 &&
	       (tail == 0 || memcmp(s.tail.p, bytes + length - tail, tail) == 0);
}

/* Every length around the limits, in pieces of every size: the same is kept. */
static void every_length(void)
{
	char bytes[4 * LIMIT];
	unsigned wrong = 0, tried = 0;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)('!' + (i * 7 + i / 90) % 90);
	for (size_t limit = 0; limit <= LIMIT; limit += limit < 10 ? 1 : 15)
		for (size_t length = 0; length <= sizeof(bytes); length += 1 + length / 60)
			for (size_t piece = 1; piece <= sizeof(bytes); piece += 1 + piece / 3) {
				wrong += !is_right(bytes, length, piece, limit);
				tried++;
			}
	cmp_ok(wrong, "==", 0, "head and tail are exact for every length, limit and cut (%u tried)",
	       tried);
}

static void cut_text(void)
{
	uint8_t memory[LIMIT];
	char text[3 * LIMIT];
	struct stream s;

	for (size_t i = 0; i + 3 <= sizeof(text); i += 3)
		memcpy(text + i, "\xe2\x98\x95", 3);
	s = keep(text, sizeof(text), 7, memory, 100);
	cmp_ok(s.head.n, "==", 75, "a head that ends between characters stays whole");
	cmp_ok(s.tail.n, "==", 24, "a tail begins with its first whole character");
	s = keep(text, sizeof(text), 7, memory, 99);
	cmp_ok(s.head.n, "==", 75, "a head is three quarters, rounded up");
	memset(text, 0xff, sizeof(text));
	s = keep(text, sizeof(text), 7, memory, 99);
	cmp_ok(s.head.n + s.tail.n, "==", 99, "what is no text is kept to the last byte");
	memset(text, 'a', sizeof(text));
	memcpy(text + 74, "\xe2\x98\x95", 3);
	s = keep(text, sizeof(text), 7, memory, 100);
	cmp_ok(s.head.n, "==", 74, "a character that the head cuts is dropped whole");
}

static void cut(void)
{
	uint8_t memory[4];
	struct output o;

	output_init(&o, memory, sizeof(memory));
	output_add(&o, (const uint8_t *)"1234", 4);
	ok(!output_is_cut(&o), "exactly the limit is not cut");
	output_add(&o, (const uint8_t *)"5", 1);
	ok(output_is_cut(&o), "one more is");
}

int main(void)
{
	every_length();
	cut_text();
	cut();
	done_testing();
}
