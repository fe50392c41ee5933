#include "frame.h"

#include "base/crc32c.h"
#include "le.h"

#include <assert.h>

/* Where the parts of the header stand. */
enum { AT_LAYOUT = 0, AT_TYPE = 1, AT_FLAGS = 2, AT_LENGTH = 4, AT_SESSION = 8, AT_OFFSET = 16 };

static void add(struct frame_writer *w, const void *bytes, size_t length)
{
	w->crc = crc32c(w->crc, bytes, length);
	cobs_add(&w->cobs, (struct str){bytes, length});
}

void frame_begin(struct frame_writer *w, uint8_t *out, const struct frame *head, size_t length)
{
	uint8_t header[FRAME_HEADER_BYTES];

	assert(length <= FRAME_PAYLOAD_MAX);
	header[AT_LAYOUT] = PROTO_LAYOUT;
	header[AT_TYPE] = head->type;
	le_put(header + AT_FLAGS, 0, 2);
	le_put(header + AT_LENGTH, length, 4);
	le_put(header + AT_SESSION, head->session, 8);
	le_put(header + AT_OFFSET, head->offset, 8);
	*w = (struct frame_writer){.missing = length};
	cobs_begin(&w->cobs, out);
	add(w, header, sizeof(header));
}

void frame_add(struct frame_writer *w, struct str bytes)
{
	assert(bytes.n <= w->missing);
	w->missing -= bytes.n;
	add(w, bytes.p, bytes.n);
}

size_t frame_finish(struct frame_writer *w)
{
	uint8_t crc[FRAME_CRC_BYTES];
	size_t length;

	assert(w->missing == 0);
	le_put(crc, w->crc, FRAME_CRC_BYTES);
	cobs_add(&w->cobs, (struct str){(const char *)crc, sizeof(crc)});
	length = cobs_finish(&w->cobs);
	w->cobs.out[length] = COBS_DELIMITER;
	return length + 1;
}

size_t frame_encode(uint8_t *out, const struct frame *f)
{
	struct frame_writer w;

	frame_begin(&w, out, f, f->payload.n);
	frame_add(&w, f->payload);
	return frame_finish(&w);
}

enum proto_drop frame_decode(uint8_t *bytes, size_t length, struct frame *f)
{
	size_t checked;

	assert(length < FRAME_WIRE_MAX);
	if (!cobs_decode(bytes, &length))
		return DROP_COBS;
	if (length < FRAME_HEADER_BYTES + FRAME_CRC_BYTES)
		return DROP_SHORT;
	if (bytes[AT_LAYOUT] != PROTO_LAYOUT)
		return DROP_LAYOUT;
	checked = length - FRAME_CRC_BYTES;
	if (checked > FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX ||
	    le_get(bytes + AT_LENGTH, 4) != checked - FRAME_HEADER_BYTES)
		return DROP_LENGTH;
	if (le_get(bytes + checked, FRAME_CRC_BYTES) != crc32c(0, bytes, checked))
		return DROP_CRC;
	*f = (struct frame){
		.type = bytes[AT_TYPE],
		.session = le_get(bytes + AT_SESSION, 8),
		.offset = le_get(bytes + AT_OFFSET, 8),
		.payload = {(const char *)bytes + FRAME_HEADER_BYTES, checked - FRAME_HEADER_BYTES},
	};
	return PROTO_NO_DROP;
}
