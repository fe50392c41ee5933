#include "utf8.h"

#include <assert.h>

/* Table 3-7: a character's first byte decides how many follow and the bounds of the second. */
static const struct lead {
	uint8_t first, last; /* this range of first bytes … */
	uint8_t missing;     /* … has so many continuation bytes behind it … */
	uint8_t low, high;   /* … of which the next one is within these bounds */
} leads[] = {
	{0x00, 0x7f, 0, 0, 0},	     {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf},
	{0xe1, 0xec, 2, 0x80, 0xbf}, {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf},
	{0xf0, 0xf0, 3, 0x90, 0xbf}, {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f},
};

static bool is_continuation(uint8_t byte)
{
	return (byte & 0xc0) == 0x80;
}

static void feed_lead(struct utf8 *check, uint8_t byte)
{
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (byte < leads[i].first || byte > leads[i].last)
			continue;
		check->missing = leads[i].missing;
		check->low = leads[i].low;
		check->high = leads[i].high;
		return;
	}
	check->broken = true;
}

static void feed_byte(struct utf8 *check, uint8_t byte)
{
	if (check->missing == 0) {
		feed_lead(check, byte);
	} else if (byte < check->low || byte > check->high) {
		check->broken = true;
	} else {
		check->missing--;
		check->low = 0x80;
		check->high = 0xbf;
	}
}

bool utf8_feed(struct utf8 *check, struct str bytes)
{
	for (size_t i = 0; i < bytes.n && !check->broken; i++)
		feed_byte(check, (uint8_t)bytes.p[i]);
	return !check->broken;
}

bool utf8_is_whole(const struct utf8 *check)
{
	return !check->broken && check->missing == 0;
}

bool utf8_is_valid(struct str text)
{
	struct utf8 check = {0};

	utf8_feed(&check, text);
	return utf8_is_whole(&check);
}

size_t utf8_valid_length(struct str text)
{
	struct utf8 check = {0};
	size_t length = 0;

	for (size_t i = 0; i < text.n && !check.broken; i++) {
		feed_byte(&check, (uint8_t)text.p[i]);
		if (utf8_is_whole(&check))
			length = i + 1;
	}
	return length;
}

size_t utf8_count(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.n; i++)
		count += !is_continuation((uint8_t)text.p[i]);
	return count;
}

size_t utf8_floor(struct str text, size_t n)
{
	struct utf8 check = {0};
	size_t start;

	if (n > text.n)
		n = text.n;
	start = n;
	while (start > 0 && n - start < UTF8_BYTES_MAX - 1) {
		start--;
		if (!is_continuation((uint8_t)text.p[start]))
			break;
	}
	if (utf8_feed(&check, str_slice(text, start, n)) && !utf8_is_whole(&check))
		return start;
	return n;
}

size_t utf8_ceil(struct str text, size_t n)
{
	size_t end = n;

	if (n > text.n)
		return text.n;
	while (end < text.n && is_continuation((uint8_t)text.p[end])) {
		end++;
		if (end - n >= UTF8_BYTES_MAX)
			return n;
	}
	return end;
}

size_t utf8_encode(uint32_t code_point, char bytes[UTF8_BYTES_MAX])
{
	assert(code_point <= 0x10ffff);
	if (code_point < 0x80) {
		bytes[0] = (char)code_point;
		return 1;
	}
	if (code_point < 0x800) {
		bytes[0] = (char)(0xc0 | code_point >> 6);
		bytes[1] = (char)(0x80 | (code_point & 0x3f));
		return 2;
	}
	if (code_point < 0x10000) {
		bytes[0] = (char)(0xe0 | code_point >> 12);
		bytes[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (code_point & 0x3f));
		return 3;
	}
	bytes[0] = (char)(0xf0 | code_point >> 18);
	bytes[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
	bytes[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
	bytes[3] = (char)(0x80 | (code_point & 0x3f));
	return 4;
}
