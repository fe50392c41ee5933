#include "cobs.h"

#define FULL 0xFF /* length byte of a block that is full, and so has no zero behind it */

static void open_block(struct cobs *c)
{
	c->code_at = c->length++;
	c->code = 1;
}

static void close_block(struct cobs *c)
{
	c->out[c->code_at] = c->code ^ COBS_DELIMITER;
	c->was_full = c->code == FULL;
}

void cobs_begin(struct cobs *c, uint8_t *out)
{
	*c = (struct cobs){.out = out};
	open_block(c);
}

void cobs_add(struct cobs *c, struct str bytes)
{
	for (size_t i = 0; i < bytes.n; i++) {
		uint8_t byte = (uint8_t)bytes.p[i];

		if (byte != 0) {
			c->out[c->length++] = byte ^ COBS_DELIMITER;
			c->code++;
		}
		if (byte == 0 || c->code == FULL) {
			close_block(c);
			open_block(c);
		}
	}
}

size_t cobs_finish(struct cobs *c)
{
	/* Behind a full block an empty one says nothing, except that a zero may stand before it. */
	if (c->was_full && c->code == 1)
		return c->code_at;
	close_block(c);
	return c->length;
}

bool cobs_decode(uint8_t *bytes, size_t *length)
{
	size_t in = 0, out = 0;

	while (in < *length) {
		uint8_t code = bytes[in++] ^ COBS_DELIMITER;

		if (code == 0 || code - 1u > *length - in)
			return false;
		for (int i = 1; i < code; i++) {
			if (bytes[in] == COBS_DELIMITER)
				return false;
			bytes[out++] = bytes[in++] ^ COBS_DELIMITER;
		}
		if (code != FULL && in < *length)
			bytes[out++] = 0;
	}
	*length = out;
	return true;
}
