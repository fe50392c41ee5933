#include "base64.h"

#include <assert.h>
#include <stdint.h>

#define GROUP 4 /* characters that stand for three bytes */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t base64_encoded_length(size_t length)
{
	return (length / 3 + (length % 3 > 0)) * GROUP;
}

/* The text of one to three bytes. */
static void encode_group(char text[GROUP], const uint8_t *byte, size_t count)
{
	uint32_t bits = (uint32_t)byte[0] << 16;

	if (count > 1)
		bits |= (uint32_t)byte[1] << 8;
	if (count > 2)
		bits |= byte[2];
	text[0] = alphabet[bits >> 18];
	text[1] = alphabet[bits >> 12 & 63];
	text[2] = count > 1 ? alphabet[bits >> 6 & 63] : '=';
	text[3] = count > 2 ? alphabet[bits & 63] : '=';
}

int base64_encode(struct buf *b, struct str bytes)
{
	const uint8_t *byte = (const uint8_t *)bytes.p;

	if (base64_encoded_length(bytes.n) > b->limit - b->length)
		return -1;
	for (size_t i = 0; i < bytes.n; i += 3) {
		char text[GROUP];
		int appended;

		encode_group(text, byte + i, bytes.n - i < 3 ? bytes.n - i : 3);
		appended = buf_append(b, text, GROUP);
		assert(appended == 0);
	}
	return 0;
}

/* The six bits of a character, or -1. */
static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	if (c == '/')
		return 63;
	return -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What is known of the group that is being read. */
struct group {
	uint32_t bits;
	int characters; /* read, padding included */
	int padding;	/* of these, '=' */
};

/* Takes the next character in; false when it can't stand there. */
static bool take(struct group *group, char c)
{
	int value = value_of(c);

	if (c == '=') {
		if (group->characters < 2)
			return false;
		group->padding++;
		value = 0;
	} else if (value < 0 || group->padding > 0) {
		return false;
	}
	group->bits = group->bits << 6 | (uint32_t)value;
	group->characters++;
	return true;
}

/* Bits under the padding must be zero (RFC 4648 section 3.5), else one value had many texts. */
static bool has_stray_bits(const struct group *group)
{
	return (group->bits & ((1u << 8 * group->padding) - 1)) != 0;
}

static int decode(struct buf *b, struct str text, enum base64_blanks blanks, struct err *err)
{
	struct group group = {0};
	bool ended = false;

	for (size_t i = 0; i < text.n; i++) {
		char bytes[3];

		if (blanks == BASE64_SKIP_BLANKS && is_blank(text.p[i]))
			continue;
		if (ended || !take(&group, text.p[i]))
			return err_set(err, ERR_INVALID, "not base64 at offset %zu", i);
		if (group.characters < GROUP)
			continue;
		if (has_stray_bits(&group))
			return err_set(err, ERR_INVALID, "not base64 at offset %zu: stray bits", i);
		bytes[0] = (char)(group.bits >> 16);
		bytes[1] = (char)(group.bits >> 8);
		bytes[2] = (char)group.bits;
		if (buf_append(b, bytes, 3 - (size_t)group.padding) < 0)
			return err_set(err, ERR_TOO_LARGE, "more than %zu bytes", b->limit);
		ended = group.padding > 0;
		group = (struct group){0};
	}
	if (group.characters > 0)
		return err_set(err, ERR_INVALID, "not base64: it ends in the middle of a group");
	return 0;
}

int base64_decode(struct buf *b, struct str text, enum base64_blanks blanks, struct err *err)
{
	size_t before = b->length;

	if (decode(b, text, blanks, err) < 0) {
		buf_truncate(b, before);
		return -1;
	}
	return 0;
}
