#include "upload.h"

#include "frame.h"

/* The next DATA: as much as a frame holds, or the end. A shorter one that would just fill the
 * window is not worth its frame: 0. */
static size_t next_length(const struct upload *u)
{
	uint64_t left = u->total - u->sent;
	uint64_t length = left < FRAME_PAYLOAD_MAX ? left : FRAME_PAYLOAD_MAX;
	uint64_t window = UPLOAD_WINDOW_BYTES - (u->sent - u->acknowledged);

	return length <= window ? (size_t)length : 0;
}

void upload_begin(struct upload *u, uint64_t total, uint64_t received)
{
	*u = (struct upload){.total = total};
	u->acknowledged = u->sent = received < total ? received : total;
}

void upload_acknowledge(struct upload *u, int64_t now_ms, uint64_t received)
{
	if (!u->offered)
		return;
	if (received > u->total)
		received = u->total;
	if (received != u->acknowledged)
		u->resend_ms = now_ms + UPLOAD_RESEND_MS;
	if (received < u->acknowledged || received > u->sent)
		u->sent = received;
	u->acknowledged = received;
}

enum upload_step upload_next(struct upload *u, int64_t now_ms, uint64_t *offset, size_t *length)
{
	if (!u->offered || now_ms >= u->resend_ms) {
		u->offered = true;
		u->sent = u->acknowledged;
		u->resend_ms = now_ms + UPLOAD_RESEND_MS;
		return UPLOAD_OFFER;
	}
	*offset = u->sent;
	*length = next_length(u);
	u->sent += *length;
	return *length > 0 ? UPLOAD_DATA : UPLOAD_NOTHING;
}

int64_t upload_deadline(const struct upload *u)
{
	return !u->offered || next_length(u) > 0 ? INT64_MIN : u->resend_ms;
}
