#include "tlv.h"

#include "le.h"

#include <assert.h>
#include <string.h>

static uint8_t *room(struct tlv_writer *w, size_t length)
{
	uint8_t *at = w->out + w->length;

	if (w->full || length > w->size - w->length) {
		w->full = true;
		return NULL;
	}
	w->length += length;
	return at;
}

/* Room for a header and a value; the header is written. */
static uint8_t *open_value(struct tlv_writer *w, uint16_t tag, size_t length)
{
	uint8_t *at;

	assert(length <= UINT32_MAX - TLV_HEADER_BYTES);
	at = room(w, TLV_HEADER_BYTES + length);
	if (!at)
		return NULL;
	le_put(at, tag, 2);
	le_put(at + 2, length, 4);
	return at + TLV_HEADER_BYTES;
}

void tlv_put(struct tlv_writer *w, uint16_t tag, struct str value)
{
	uint8_t *at = open_value(w, tag, value.n);

	if (at && value.n > 0)
		memcpy(at, value.p, value.n);
}

void tlv_put_number(struct tlv_writer *w, uint16_t tag, uint64_t value, int bytes)
{
	uint8_t *at = open_value(w, tag, (size_t)bytes);

	if (at)
		le_put(at, value, bytes);
}

size_t tlv_begin(struct tlv_writer *w, uint16_t tag)
{
	open_value(w, tag, 0);
	return w->length;
}

void tlv_end(struct tlv_writer *w, size_t begun)
{
	if (!w->full)
		le_put(w->out + begun - 4, w->length - begun, 4);
}

enum tlv_read tlv_next(struct tlv_reader *r, struct str *value)
{
	uint16_t tag;
	uint64_t length;

	if (r->rest.n == 0)
		return TLV_END;
	if (r->rest.n < TLV_HEADER_BYTES)
		return TLV_TRUNCATED;
	tag = (uint16_t)le_get(r->rest.p, 2);
	length = le_get(r->rest.p + 2, 4);
	if (tag < r->tag)
		return TLV_DESCENDING;
	if (length > r->rest.n - TLV_HEADER_BYTES)
		return TLV_TRUNCATED;
	*value = str_slice(r->rest, TLV_HEADER_BYTES, TLV_HEADER_BYTES + (size_t)length);
	r->rest = str_slice(r->rest, TLV_HEADER_BYTES + (size_t)length, r->rest.n);
	r->tag = tag;
	return TLV_VALUE;
}
