#include "uv_ws_outbox.h"

#include "base/mem.h"

#include <libwebsockets.h>

struct message {
	struct list link;
	size_t length;
	unsigned char bytes[]; /* LWS_PRE of room, then the payload */
};

void uv_ws_outbox_init(struct uv_ws_outbox *outbox)
{
	list_init(&outbox->messages);
	outbox->bytes = 0;
}

void uv_ws_outbox_clear(struct uv_ws_outbox *outbox)
{
	while (!uv_ws_outbox_is_empty(outbox))
		uv_ws_outbox_pop(outbox);
}

bool uv_ws_outbox_is_empty(const struct uv_ws_outbox *outbox)
{
	return list_is_empty(&outbox->messages);
}

void uv_ws_outbox_push(struct uv_ws_outbox *outbox, struct str payload)
{
	struct message *message = mem_new(1, sizeof(*message) + LWS_PRE + payload.n);

	message->length = payload.n;
	if (payload.n > 0)
		memcpy(message->bytes + LWS_PRE, payload.p, payload.n);
	list_push_back(&outbox->messages, &message->link);
	outbox->bytes += payload.n;
}

unsigned char *uv_ws_outbox_first(struct uv_ws_outbox *outbox, size_t *length)
{
	struct message *message = list_first(&outbox->messages, struct message, link);

	*length = message->length;
	return message->bytes + LWS_PRE;
}

void uv_ws_outbox_pop(struct uv_ws_outbox *outbox)
{
	struct message *message = list_first(&outbox->messages, struct message, link);

	list_remove(&message->link);
	outbox->bytes -= message->length;
	free(message);
}
