#include "fake_ws.h"

#include "base/mem.h"
#include "tap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct sent {
	struct list link;
	struct str bytes;
};

static struct fake_ws *fake_of(struct io *io)
{
	return ((struct fake_io *)io)->websockets;
}

static struct io_ws *ws_start(struct io *io, const struct io_ws_request *request,
			      const struct io_ws_callbacks *callbacks, void *context)
{
	struct fake_ws *fake = fake_of(io);
	struct io_ws *ws = mem_new(1, sizeof(*ws));

	assert(fake->count < FAKE_SOCKETS_MAX);
	fake->sockets[fake->count++] = ws;
	ws->fake = fake;
	ws->is_pending = true;
	ws->target = mem_copy_string(request->target, strlen(request->target));
	ws->token = mem_copy_string(request->bearer_token.p ? request->bearer_token.p : "",
				    request->bearer_token.n);
	ws->endpoint = request->endpoint;
	ws->connect_timeout_ms = request->connect_timeout_ms;
	ws->silence_ms = request->silence_ms;
	ws->message_limit = request->message_limit;
	ws->callbacks = *callbacks;
	ws->context = context;
	list_init(&ws->sent);
	return ws;
}

static bool ws_send(struct io *io, struct io_ws *ws, struct str message)
{
	struct sent *sent;

	(void)io;
	assert(ws->is_pending);
	if (++ws->fake->sends == ws->fake->block_at)
		ws->is_blocked = true;
	ws->is_wanted = ws->is_blocked;
	if (ws->is_blocked)
		return false;
	sent = mem_new(1, sizeof(*sent));
	sent->bytes = (struct str){mem_copy_string(message.p, message.n), message.n};
	list_push_back(&ws->sent, &sent->link);
	return true;
}

static void drop_sent(struct io_ws *ws)
{
	struct str message;

	while (fake_ws_take(ws, &message))
		free((void *)(uintptr_t)message.p);
}

static void ws_close(struct io *io, struct io_ws *ws)
{
	(void)io;
	assert(ws->is_pending);
	ws->is_pending = ws->is_open = false;
	ws->fake->closed++;
	drop_sent(ws);
}

void fake_ws_init(struct fake_ws *ws, struct fake_io *fake)
{
	*ws = (struct fake_ws){.fake = fake};
	fake->websockets = ws;
	fake->io.ws_start = ws_start;
	fake->io.ws_send = ws_send;
	fake->io.ws_close = ws_close;
}

void fake_ws_free(struct fake_ws *ws)
{
	int pending = 0;

	for (size_t i = 0; i < ws->count; i++) {
		pending += ws->sockets[i]->is_pending;
		drop_sent(ws->sockets[i]);
		free(ws->sockets[i]->target);
		free(ws->sockets[i]->token);
		free(ws->sockets[i]);
	}
	cmp_ok(pending, "==", 0, "no websocket is left");
}

struct io_ws *fake_ws_last(const struct fake_ws *ws)
{
	assert(ws->count > 0);
	return ws->sockets[ws->count - 1];
}

void fake_ws_open(struct io_ws *ws, const char *subprotocol)
{
	assert(ws->is_pending && !ws->is_open);
	ws->is_open = true;
	ws->callbacks.open(ws->context, str_of(subprotocol));
}

/* A copy of exactly its length, so that a sanitizer sees what is read beyond it. */
void fake_ws_message(struct io_ws *ws, const void *bytes, size_t length)
{
	char *copy = malloc(length > 0 ? length : 1);

	assert(ws->is_open);
	memcpy(copy, bytes, length);
	ws->callbacks.message(ws->context, (struct str){copy, length});
	free(copy);
}

static void say_on(struct io_ws *ws, char channel, struct str bytes)
{
	char *message = malloc(1 + bytes.n);

	message[0] = channel;
	if (bytes.n > 0)
		memcpy(message + 1, bytes.p, bytes.n);
	fake_ws_message(ws, message, 1 + bytes.n);
	free(message);
}

void fake_ws_stdout(struct io_ws *ws, struct str bytes)
{
	say_on(ws, 1, bytes);
}

void fake_ws_status(struct io_ws *ws, const char *json)
{
	say_on(ws, 3, str_of(json));
}

void fake_ws_end(struct io_ws *ws, struct fake_end end)
{
	struct err err;
	struct io_ws_end ws_end = {
		.close_code = end.close_code,
		.http_status = end.http_status,
		.err = &err,
		.body = str_of(end.body),
	};

	assert(ws->is_pending);
	ws->is_pending = ws->is_open = false;
	drop_sent(ws);
	err_set(&err, end.code, "the fake websocket ends");
	err.http_status = end.http_status;
	ws->callbacks.ended(ws->context, &ws_end);
}

void fake_ws_block(struct io_ws *ws, bool is_blocked)
{
	ws->is_blocked = is_blocked;
	if (is_blocked || !ws->is_wanted)
		return;
	ws->is_wanted = false;
	ws->callbacks.writable(ws->context);
}

bool fake_ws_take(struct io_ws *ws, struct str *message)
{
	struct sent *sent = list_first(&ws->sent, struct sent, link);

	if (!sent)
		return false;
	list_remove(&sent->link);
	*message = sent->bytes;
	free(sent);
	return true;
}
