#include "hex.h"

#include <stdint.h>

static const char digits[] = "0123456789abcdef";

void hex_encode(char *text, const void *bytes, size_t length)
{
	const uint8_t *byte = bytes;

	for (size_t i = 0; i < length; i++) {
		*text++ = digits[byte[i] >> 4];
		*text++ = digits[byte[i] & 15];
	}
	*text = '\0';
}

int hex_append(struct buf *b, const void *bytes, size_t length)
{
	const uint8_t *byte = bytes;
	size_t before = b->length;

	for (size_t i = 0; i < length; i++) {
		char pair[2] = {digits[byte[i] >> 4], digits[byte[i] & 15]};

		if (buf_append(b, pair, sizeof(pair)) < 0) {
			buf_truncate(b, before);
			return -1;
		}
	}
	return 0;
}

int hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return -1;
}

/* Of a digest: lower case only. */
static int value_of(char digit)
{
	return digit >= 'A' && digit <= 'F' ? -1 : hex_digit(digit);
}

bool hex_decode(struct str text, void *bytes, size_t length)
{
	uint8_t *byte = bytes;

	if (text.n % 2 != 0 || text.n / 2 != length)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (value_of(text.p[i]) < 0)
			return false;
	for (size_t i = 0; i < length; i++)
		byte[i] = (uint8_t)(value_of(text.p[2 * i]) << 4 | value_of(text.p[2 * i + 1]));
	return true;
}
