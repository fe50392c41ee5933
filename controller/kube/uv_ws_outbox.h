/* uv_ws_outbox: messages that wait to be written to a websocket, with the room in front that lws
 * wants. */
#ifndef KUBE_UV_WS_OUTBOX_H
#define KUBE_UV_WS_OUTBOX_H

#include "base/list.h"
#include "base/str.h"

struct uv_ws_outbox {
	struct list messages;
	size_t bytes; /* of all payloads */
};

void uv_ws_outbox_init(struct uv_ws_outbox *outbox);
void uv_ws_outbox_clear(struct uv_ws_outbox *outbox);
bool uv_ws_outbox_is_empty(const struct uv_ws_outbox *outbox);
void uv_ws_outbox_push(struct uv_ws_outbox *outbox, struct str message);

/* The first message: `*length` bytes, with LWS_PRE bytes before them that may be overwritten. */
unsigned char *uv_ws_outbox_first(struct uv_ws_outbox *outbox, size_t *length);
void uv_ws_outbox_pop(struct uv_ws_outbox *outbox);

#endif
