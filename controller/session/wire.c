#include "wire.h"

#include "base/mem.h"
#include "channels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- The buffer of a frame: the hub's while there is nothing in it, else an own one. --- */

static void borrow_buffer(struct wire *wire)
{
	if (!wire->mid_frame)
		wire->reader.buffer = wire->hub->in;
}

static void give_buffer_back(struct wire *wire)
{
	if (reader_is_idle(&wire->reader)) {
		free(wire->mid_frame);
		wire->mid_frame = NULL;
	} else if (!wire->mid_frame) {
		wire->mid_frame = mem_new(1, FRAME_WIRE_MAX);
		reader_move(&wire->reader, wire->mid_frame);
	}
}

/* --- The end. --- */

/* Everything that belongs to the connection, but the websocket. */
static void forget(struct wire *wire)
{
	if (wire->timer)
		wire->io->timer_cancel(wire->io, wire->timer);
	free(wire->mid_frame);
	free(wire->unsent);
	wire->timer = NULL;
	wire->mid_frame = NULL;
	wire->unsent = NULL;
	wire->is_open = false;
}

void wire_close(struct wire *wire)
{
	if (!wire->ws)
		return;
	wire->io->ws_close(wire->io, wire->ws);
	wire->ws = NULL;
	forget(wire);
}

static void go_down(struct wire *wire, enum attach_verdict verdict, const char *text)
{
	forget(wire);
	wire->callbacks->down(wire->context, verdict, text);
}

static void on_ended(void *context, const struct io_ws_end *end)
{
	struct wire *wire = context;
	char text[ATTACH_TEXT_SIZE];

	wire->ws = NULL;
	attach_describe(end, text);
	go_down(wire, attach_judge(end, wire->has_status),
		wire->has_status ? wire->status_text : text);
}

static void on_timer(void *context)
{
	struct wire *wire = context;

	wire->timer = NULL;
	wire->io->ws_close(wire->io, wire->ws);
	wire->ws = NULL;
	if (wire->has_status)
		go_down(wire, ATTACH_ENDED, wire->status_text);
	else
		go_down(wire, ATTACH_LOST, "nothing could be sent any more");
}

static void wait_at_most(struct wire *wire, int64_t delay_ms)
{
	if (wire->timer)
		wire->io->timer_cancel(wire->io, wire->timer);
	wire->timer = wire->io->timer_start(wire->io, delay_ms, on_timer, wire);
}

/* --- Receiving. --- */

static void on_open(void *context, struct str subprotocol)
{
	struct wire *wire = context;

	if (!channels_speak(subprotocol)) {
		wire_close(wire);
		go_down(wire, ATTACH_REFUSED,
			"the server chose a subprotocol that was not offered");
		return;
	}
	wire->is_open = true;
	wire->callbacks->open(wire->context);
}

static void read_frames(struct wire *wire, struct str bytes)
{
	struct frame frame;

	wire->heard_bytes += bytes.n;
	borrow_buffer(wire);
	while (reader_next(&wire->reader, &bytes, &frame))
		wire->callbacks->frame(wire->context, &frame);
	give_buffer_back(wire);
	wire->callbacks->pause(wire->context);
}

static void read_status(struct wire *wire, struct str bytes)
{
	if (wire->has_status)
		return;
	wire->has_status = true;
	attach_text(str_slice(bytes, 0, WIRE_STATUS_BYTES_MAX), wire->status_text);
	wait_at_most(wire, WIRE_AFTER_STATUS_MS);
}

static void on_message(void *context, struct str message)
{
	struct wire *wire = context;
	struct str bytes;

	switch (channels_read(message, &bytes)) {
	case CHANNELS_STDOUT: read_frames(wire, bytes); return;
	case CHANNELS_STATUS: read_status(wire, bytes); return;
	case CHANNELS_NOTHING: return;
	}
}

/* --- Sending. --- */

static void on_writable(void *context)
{
	struct wire *wire = context;
	struct str message = {(const char *)wire->unsent, wire->unsent_length};

	if (!wire->unsent || wire->has_status)
		return;
	if (!wire->io->ws_send(wire->io, wire->ws, message))
		return;
	free(wire->unsent);
	wire->unsent = NULL;
	wire->io->timer_cancel(wire->io, wire->timer);
	wire->timer = NULL;
	wire->callbacks->pause(wire->context);
}

bool wire_can_send(const struct wire *wire)
{
	return wire->is_open && !wire->has_status && !wire->unsent;
}

uint8_t *wire_room(struct wire *wire)
{
	return wire->hub->out + CHANNELS_HEAD_BYTES;
}

void wire_send(struct wire *wire, size_t length)
{
	struct str message = channels_stdin(wire->hub->out, length);

	assert(wire_can_send(wire) && length <= CONTROLLER_FRAME_MAX);
	if (wire->io->ws_send(wire->io, wire->ws, message))
		return;
	wire->unsent = mem_new(1, message.n);
	memcpy(wire->unsent, message.p, message.n);
	wire->unsent_length = message.n;
	wait_at_most(wire, WIRE_BLOCKED_MS);
}

/* --- The beginning. --- */

void wire_init(struct wire *wire, struct io *io, struct hub *hub,
	       const struct wire_callbacks *callbacks, void *context)
{
	*wire = (struct wire){
		.io = io,
		.hub = hub,
		.callbacks = callbacks,
		.context = context,
	};
	reader_init(&wire->reader, hub->in);
}

void wire_open(struct wire *wire, const struct wire_request *request)
{
	static const struct io_ws_callbacks callbacks = {
		.open = on_open,
		.message = on_message,
		.writable = on_writable,
		.ended = on_ended,
	};
	struct io_ws_request ws_request = {
		.endpoint = request->endpoint,
		.target = request->target,
		.subprotocols = CHANNELS_SUBPROTOCOLS,
		.bearer_token = request->bearer_token,
		.connect_timeout_ms = WIRE_CONNECT_TIMEOUT_MS,
		.silence_ms = WIRE_SILENCE_MS,
		.message_limit = WIRE_MESSAGE_BYTES_MAX,
	};

	assert(!wire->ws);
	wire->has_status = false;
	reader_restart(&wire->reader);
	wire->ws = wire->io->ws_start(wire->io, &ws_request, &callbacks, wire);
}

bool wire_is_up(const struct wire *wire)
{
	return wire->ws != NULL;
}
