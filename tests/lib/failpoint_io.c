#include "failpoint_io.h"

#include "base/mem.h"
#include "proto/payload.h"
#include "proto/reader.h"

#include <assert.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHANNEL_STDIN  '\0'
#define CHANNEL_STDOUT '\1'

struct io_http {
	struct failpoint_io *failpoint;
	struct io_http *real;
	struct io_http_callbacks callbacks;
	void *context;
	int status;
	bool is_meant; /* its answer is the moment */
};

struct io_ws {
	struct failpoint_io *failpoint;
	struct io_ws *real;
	struct io_ws_callbacks callbacks;
	void *context;
	struct reader up, down;
	uint8_t up_buffer[FRAME_WIRE_MAX], down_buffer[FRAME_WIRE_MAX];
	bool start_was_sent;
	unsigned starts;
};

static void die(void)
{
	kill(getpid(), SIGKILL);
	abort(); /* not reached */
}

static struct failpoint_io *failpoint_of(struct io *io)
{
	return (struct failpoint_io *)io;
}

/* --- Requests. --- */

static bool is_meant(const struct failpoint_io *f, const struct io_http_request *request)
{
	size_t n = strlen(f->marker);

	if (strcmp(request->method, f->method) != 0 || fnmatch(f->target, request->target, 0) != 0)
		return false;
	return n == 0 ||
	       (request->body.n > 0 && memmem(request->body.p, request->body.n, f->marker, n));
}

static void http_head(void *context, int status, int64_t retry_after_ms)
{
	struct io_http *http = context;

	http->status = status;
	http->callbacks.head(http->context, status, retry_after_ms);
}

static void http_data(void *context, struct str bytes)
{
	struct io_http *http = context;

	http->callbacks.data(http->context, bytes);
}

static void http_done(void *context, const struct err *err)
{
	struct io_http *http = context;
	struct io_http_callbacks callbacks = http->callbacks;
	void *above = http->context;

	if (http->is_meant && !err && http->status / 100 == 2)
		die();
	free(http);
	callbacks.done(above, err);
}

static struct io_http *http_start(struct io *io, const struct io_http_request *request,
				  const struct io_http_callbacks *callbacks, void *context)
{
	static const struct io_http_callbacks ours = {http_head, http_data, http_done};
	struct failpoint_io *f = failpoint_of(io);
	struct io_http *http = mem_new(1, sizeof(*http));

	if (f->moment == FAILPOINT_BEFORE_REQUEST && is_meant(f, request))
		die();
	http->failpoint = f;
	http->callbacks = *callbacks;
	http->context = context;
	http->is_meant = f->moment == FAILPOINT_AFTER_REQUEST && is_meant(f, request);
	http->real = f->real->http_start(f->real, request, &ours, http);
	return http;
}

static void http_cancel(struct io *io, struct io_http *http)
{
	struct io *real = failpoint_of(io)->real;

	real->http_cancel(real, http->real);
	free(http);
}

/* --- Frames in websockets. --- */

/* The rest of a message behind its channel; empty when it is another channel's. */
static struct str channel_bytes(struct str message, char channel)
{
	if (message.n < 1 || message.p[0] != channel)
		return STR("");
	return str_slice(message, 1, message.n);
}

static void note_starts(struct io_ws *ws, unsigned starts)
{
	if (starts == ws->starts)
		return;
	ws->starts = starts;
	fprintf(stderr, "starts %u\n", starts);
}

static void hear(struct io_ws *ws, const struct frame *frame)
{
	enum failpoint_moment moment = ws->failpoint->moment;
	struct payload_state state;

	if (frame->type != FRAME_STATE || !payload_get_state(frame->payload, &state))
		return;
	note_starts(ws, state.starts);
	if ((moment == FAILPOINT_RUNNING_HEARD && state.phase == PHASE_RUNNING) ||
	    (moment == FAILPOINT_DONE_HEARD && state.phase == PHASE_DONE))
		die();
}

static void ws_open(void *context, struct str subprotocol)
{
	struct io_ws *ws = context;

	ws->callbacks.open(ws->context, subprotocol);
}

static void ws_message(void *context, struct str bytes)
{
	struct io_ws *ws = context;
	struct str rest = channel_bytes(bytes, CHANNEL_STDOUT);
	struct frame frame;

	while (reader_next(&ws->down, &rest, &frame))
		hear(ws, &frame);
	if (ws->start_was_sent && ws->failpoint->moment == FAILPOINT_START_SENT)
		die();
	ws->callbacks.message(ws->context, bytes);
}

static void ws_writable(void *context)
{
	struct io_ws *ws = context;

	ws->callbacks.writable(ws->context);
}

static void ws_ended(void *context, const struct io_ws_end *end)
{
	struct io_ws *ws = context;
	struct io_ws_callbacks callbacks = ws->callbacks;
	void *above = ws->context;

	free(ws);
	callbacks.ended(above, end);
}

static struct io_ws *ws_start(struct io *io, const struct io_ws_request *request,
			      const struct io_ws_callbacks *callbacks, void *context)
{
	static const struct io_ws_callbacks ours = {ws_open, ws_message, ws_writable, ws_ended};
	struct failpoint_io *f = failpoint_of(io);
	struct io_ws *ws = mem_new(1, sizeof(*ws));

	ws->failpoint = f;
	ws->callbacks = *callbacks;
	ws->context = context;
	reader_init(&ws->up, ws->up_buffer);
	reader_init(&ws->down, ws->down_buffer);
	ws->real = f->real->ws_start(f->real, request, &ours, ws);
	return ws;
}

static bool ws_send(struct io *io, struct io_ws *ws, struct str message)
{
	struct io *real = failpoint_of(io)->real;
	struct str rest = channel_bytes(message, CHANNEL_STDIN);
	struct frame frame;

	if (!real->ws_send(real, ws->real, message))
		return false;
	while (reader_next(&ws->up, &rest, &frame))
		ws->start_was_sent |= frame.type == FRAME_START;
	return true;
}

static void ws_close(struct io *io, struct io_ws *ws)
{
	struct io *real = failpoint_of(io)->real;

	real->ws_close(real, ws->real);
	free(ws);
}

/* --- All the rest goes through as it is. --- */

static int64_t now_ms(struct io *io)
{
	struct io *real = failpoint_of(io)->real;

	return real->now_ms(real);
}

static int64_t wall_ms(struct io *io)
{
	struct io *real = failpoint_of(io)->real;

	return real->wall_ms(real);
}

static void random_bytes(struct io *io, void *bytes, size_t length)
{
	struct io *real = failpoint_of(io)->real;

	real->random(real, bytes, length);
}

static struct io_timer *timer_start(struct io *io, int64_t delay_ms, void (*fire)(void *context),
				    void *context)
{
	struct io *real = failpoint_of(io)->real;

	return real->timer_start(real, delay_ms, fire, context);
}

static void timer_cancel(struct io *io, struct io_timer *timer)
{
	struct io *real = failpoint_of(io)->real;

	real->timer_cancel(real, timer);
}

static struct io_endpoint *endpoint_new(struct io *io, const struct io_endpoint_config *config,
					struct err *err)
{
	struct io *real = failpoint_of(io)->real;

	return real->endpoint_new(real, config, err);
}

static void endpoint_delete(struct io *io, struct io_endpoint *endpoint)
{
	struct io *real = failpoint_of(io)->real;

	real->endpoint_delete(real, endpoint);
}

static struct io_server *serve(struct io *io, const char *address, uint16_t port,
			       io_serve_fn *on_request, void *context, struct err *err)
{
	struct io *real = failpoint_of(io)->real;

	return real->serve(real, address, port, on_request, context, err);
}

static void reply(struct io *io, struct io_reply *to, int status, const char *content_type,
		  struct str body)
{
	struct io *real = failpoint_of(io)->real;

	real->reply(real, to, status, content_type, body);
}

static void serve_stop(struct io *io, struct io_server *server)
{
	struct io *real = failpoint_of(io)->real;

	real->serve_stop(real, server);
}

static int read_file(struct io *io, const char *path, struct buf *content, struct err *err)
{
	struct io *real = failpoint_of(io)->real;

	return real->read_file(real, path, content, err);
}

/* --- The moment, from its text. --- */

static const struct {
	const char *text;
	enum failpoint_moment moment;
} frame_moments[] = {
	{"", FAILPOINT_NEVER},
	{"sent START", FAILPOINT_START_SENT},
	{"heard running", FAILPOINT_RUNNING_HEARD},
	{"heard done", FAILPOINT_DONE_HEARD},
};

static bool read_moment(struct failpoint_io *f, const char *text)
{
	char when[16];

	for (size_t i = 0; i < sizeof(frame_moments) / sizeof(frame_moments[0]); i++) {
		if (strcmp(text, frame_moments[i].text) != 0)
			continue;
		f->moment = frame_moments[i].moment;
		return true;
	}
	if (sscanf(text, "%15s %15s %255s %255[^\n]", when, f->method, f->target, f->marker) < 3)
		return false;
	f->moment =
		strcmp(when, "before") == 0 ? FAILPOINT_BEFORE_REQUEST : FAILPOINT_AFTER_REQUEST;
	return strcmp(when, "before") == 0 || strcmp(when, "after") == 0;
}

void failpoint_io_init(struct failpoint_io *failpoint, struct io *real, const char *text)
{
	*failpoint = (struct failpoint_io){
		.io = {now_ms, wall_ms, random_bytes, timer_start, timer_cancel, endpoint_new,
		       endpoint_delete, http_start, http_cancel, ws_start, ws_send, ws_close, serve,
		       reply, serve_stop, read_file},
		.real = real,
	};
	if (read_moment(failpoint, text))
		return;
	fprintf(stderr, "no such failpoint: %s\n", text);
	exit(2);
}
