#include "base/sha256.h"

#include "base/hex.h"
#include "tap.h"

#include <string.h>

#define DIGEST_TEXT_SIZE (2 * SHA256_BYTES + 1)

static const char *text_of(const uint8_t digest[SHA256_BYTES], char text[DIGEST_TEXT_SIZE])
{
	hex_encode(text, digest, SHA256_BYTES);
	return text;
}

/*
 * From NIST's examples for FIPS 180-4 and its additional byte vectors for SHA-256
 * (csrc.nist.gov, "Cryptographic Standards and Guidelines, Examples with Intermediate Values").
 */
static void published_messages(void)
{
	static const struct {
		const char *name, *message, *digest;
	} rows[] = {
		{"the empty message", "",
		 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"one block", "abc",
		 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"two blocks, since the padding of 448 bits does not fit",
		 "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"two blocks of text",
		 "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		 "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
		 "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
		{"one byte", "\xbd",
		 "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"},
		{"four bytes", "\xc9\x8c\x8e\x55",
		 "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"},
	};
	char text[DIGEST_TEXT_SIZE];
	uint8_t digest[SHA256_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sha256(rows[i].message, strlen(rows[i].message), digest);
		is(text_of(digest, text), rows[i].digest, "%s", rows[i].name);
	}
}

/* NIST's additional vectors: the lengths around the place where the padding needs another block. */
static void published_repetitions(void)
{
	static const struct {
		const char *name;
		uint8_t byte;
		size_t count;
		const char *digest;
	} rows[] = {
		{"55 zeros: the padding just fits", 0, 55,
		 "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
		{"56 zeros: it just does not", 0, 56,
		 "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
		{"57 zeros", 0, 57,
		 "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
		{"64 zeros: a whole block and one of padding", 0, 64,
		 "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
		{"1000 zeros", 0, 1000,
		 "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"},
		{"1000 times A", 'A', 1000,
		 "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4"},
		{"1005 times U", 'U', 1005,
		 "f4d62ddec0f3dd90ea1380fa16a5ff8dc4c54b21740650f24afc4120903552b0"},
		{"a million times a", 'a', 1000000,
		 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
		{"a million zeros", 0, 1000000,
		 "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025"},
	};
	char text[DIGEST_TEXT_SIZE];
	uint8_t digest[SHA256_BYTES], chunk[1000];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sha256 hash;

		memset(chunk, rows[i].byte, sizeof(chunk));
		sha256_init(&hash);
		for (size_t left = rows[i].count; left > 0;) {
			size_t part = left < sizeof(chunk) ? left : sizeof(chunk);

			sha256_update(&hash, chunk, part);
			left -= part;
		}
		sha256_final(&hash, digest);
		is(text_of(digest, text), rows[i].digest, "%s", rows[i].name);
	}
}

static void pieces_give_the_digest_of_the_whole(void)
{
	uint8_t message[3 * SHA256_BLOCK_BYTES + 1], whole[SHA256_BYTES], digest[SHA256_BYTES];
	int wrong = 0;

	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)(i * 7);
	sha256(message, sizeof(message), whole);
	for (size_t first = 0; first <= sizeof(message); first++) {
		for (size_t second = first; second <= sizeof(message); second++) {
			struct sha256 hash;

			sha256_init(&hash);
			sha256_update(&hash, message, first);
			sha256_update(&hash, message + first, second - first);
			sha256_update(&hash, message + second, sizeof(message) - second);
			sha256_final(&hash, digest);
			wrong += memcmp(digest, whole, SHA256_BYTES) != 0;
		}
	}
	cmp_ok(wrong, "==", 0, "cut in three at any two places over several blocks");
}

static void a_copy_goes_on_by_itself(void)
{
	char text[DIGEST_TEXT_SIZE];
	uint8_t digest[SHA256_BYTES];
	struct sha256 hash, copy;

	sha256_init(&hash);
	sha256_update(&hash, "ab", 2);
	copy = hash;
	sha256_update(&copy, "x", 1);
	sha256_final(&copy, digest);
	sha256_update(&hash, "c", 1);
	sha256_final(&hash, digest);
	is(text_of(digest, text),
	   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	   "what the copy was fed does not show in the original");
}

int main(void)
{
	published_messages();
	published_repetitions();
	pieces_give_the_digest_of_the_whole();
	a_copy_goes_on_by_itself();
	done_testing();
}
