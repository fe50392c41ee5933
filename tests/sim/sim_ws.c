#include "sim_ws.h"

#include "sim_attach.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct io_ws {
	struct list link;
	struct sim_io *sio;
	struct sim_attach *attach; /* NULL: the io is dead */
	struct io_ws_callbacks callbacks;
	void *context;
	struct sim_event timeout;  /* of the handshake */
	struct sim_event writable; /* owed */
	bool is_open, was_refused;
	size_t message_limit;
};

static void ws_free(struct io_ws *ws)
{
	sim_clock_cancel(&ws->sio->world->clock, &ws->timeout);
	sim_clock_cancel(&ws->sio->world->clock, &ws->writable);
	list_remove(&ws->link);
	free(ws);
}

/* The last callback, with nothing of the websocket left. */
static void end(struct io_ws *ws, const struct io_ws_end *how)
{
	struct io_ws_callbacks callbacks = ws->callbacks;
	void *context = ws->context;

	sim_attach_leave(ws->attach, false);
	ws_free(ws);
	callbacks.ended(context, how);
}

static void end_by_error(struct io_ws *ws, enum err_code code, const char *text)
{
	struct err err;

	err_set(&err, code, "%s", text);
	end(ws, &(struct io_ws_end){.err = &err});
}

int64_t sim_ws_held_ms(const struct io_ws *ws)
{
	return sim_io_held_ms(ws->sio);
}

static void on_timeout(void *context)
{
	struct io_ws *ws = context;
	int64_t held_ms = sim_ws_held_ms(ws);

	if (held_ms > 0) {
		sim_clock_in(&ws->sio->world->clock, &ws->timeout, held_ms, on_timeout, ws);
		return;
	}
	end_by_error(context, ERR_TIMEOUT, "no handshake in time");
}

struct io_ws *sim_ws_start(struct io *io, const struct io_ws_request *request,
			   const struct io_ws_callbacks *callbacks, void *context)
{
	struct sim_io *sio = (struct sim_io *)io;
	struct io_ws *ws = mem_new(1, sizeof(*ws));

	ws->sio = sio;
	ws->callbacks = *callbacks;
	ws->context = context;
	ws->message_limit = request->message_limit;
	list_push_back(&sio->sockets, &ws->link);
	if (sio->is_dead)
		return ws;
	ws->attach = sim_attach_new(sio->world, ws, request->target);
	if (request->connect_timeout_ms > 0)
		sim_clock_in(&sio->world->clock, &ws->timeout, request->connect_timeout_ms,
			     on_timeout, ws);
	return ws;
}

bool sim_ws_send(struct io *io, struct io_ws *ws, struct str message)
{
	struct sim_io *sio = (struct sim_io *)io;
	size_t unsent;

	assert(message.n <= IO_WS_SEND_BYTES_MAX);
	if (sio->is_dead)
		return true;
	assert(ws->is_open && ws->attach);
	unsent = sim_attach_unsent(ws->attach);
	ws->was_refused = unsent > 0 && unsent + message.n > SIM_WS_WINDOW_BYTES;
	if (ws->was_refused)
		return false;
	if (sim_io_effect(sio, "sends %zu bytes to a runner", message.n))
		sim_attach_send(ws->attach, message);
	return true;
}

void sim_ws_close(struct io *io, struct io_ws *ws)
{
	assert(ws->sio == (struct sim_io *)io);
	if (ws->attach)
		sim_attach_leave(ws->attach, false);
	ws_free(ws);
}

void sim_ws_kill(struct sim_io *sio)
{
	struct io_ws *ws;

	list_for_each (ws, &sio->sockets, link) {
		sim_clock_cancel(&sio->world->clock, &ws->timeout);
		sim_clock_cancel(&sio->world->clock, &ws->writable);
		if (ws->attach)
			sim_attach_leave(ws->attach, random_chance(&sio->world->clock.random, 50));
		ws->attach = NULL;
	}
}

static void hear_message(struct io_ws *ws, struct str bytes)
{
	if (ws->message_limit > 0 && bytes.n > ws->message_limit)
		end_by_error(ws, ERR_TOO_LARGE, "a message is too large");
	else
		ws->callbacks.message(ws->context, bytes);
}

static void hear_end(struct io_ws *ws, int http_status, struct str body)
{
	struct io_ws_end how = {.http_status = http_status, .body = body};
	struct err err;

	if (http_status == 0)
		how.close_code = 1000;
	err_set(&err, http_status > 0 ? ERR_UNAVAILABLE : ERR_TRANSPORT, "%s",
		http_status > 0 ? "the handshake was refused" : "the server closed");
	err.http_status = http_status;
	how.err = &err;
	end(ws, &how);
}

void sim_ws_hear(struct io_ws *ws, int kind, struct str bytes)
{
	if (random_chance(&ws->sio->world->clock.random, ws->sio->world->trouble_percent)) {
		end_by_error(ws, ERR_TRANSPORT, "the connection broke");
		return;
	}
	if (!sim_io_effect(ws->sio, "hears %zu bytes of a runner", bytes.n))
		return;
	switch (kind) {
	case SIM_WS_OPENED:
		sim_clock_cancel(&ws->sio->world->clock, &ws->timeout);
		ws->is_open = true;
		ws->callbacks.open(ws->context, bytes);
		return;
	case SIM_WS_MESSAGE: hear_message(ws, bytes); return;
	case SIM_WS_CLOSED: hear_end(ws, 0, STR("")); return;
	default: hear_end(ws, kind, bytes); return;
	}
}

static void on_writable(void *context)
{
	struct io_ws *ws = context;

	ws->was_refused = false;
	ws->callbacks.writable(ws->context);
}

void sim_ws_note_arrival(struct io_ws *ws, size_t length)
{
	int64_t held_ms = sim_ws_held_ms(ws);

	if (held_ms == 0 && !sim_io_effect(ws->sio, "has %zu bytes heard by a runner", length))
		return;
	if (ws->was_refused && sim_attach_unsent(ws->attach) <= SIM_WS_WINDOW_BYTES / 2)
		sim_clock_in(&ws->sio->world->clock, &ws->writable, held_ms, on_writable, ws);
}
