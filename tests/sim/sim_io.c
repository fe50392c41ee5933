#include "sim_io.h"

#include "sim_http.h"
#include "sim_ws.h"

#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct io_endpoint {
	struct sim_io *sio;
};

struct io_timer {
	struct list link;
	struct sim_event event;
	struct sim_io *sio;
	void (*fire)(void *context);
	void *context;
};

struct io_server {
	struct list link;
	uint16_t port;
	io_serve_fn *on_request;
	void *context;
};

struct io_reply {
	int status;
	struct buf *body;
};

static struct sim_io *sim_of(struct io *io)
{
	return (struct sim_io *)io;
}

/* --- Time and chance. --- */

static int64_t now_ms(struct io *io)
{
	return sim_of(io)->offset_ms + sim_of(io)->world->clock.now_ms;
}

static int64_t wall_ms(struct io *io)
{
	return sim_clock_wall_us(&sim_of(io)->world->clock) / 1000;
}

static void fill_random(struct io *io, void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		((uint8_t *)bytes)[i] = (uint8_t)random_next(&sim_of(io)->world->clock.random);
}

/* --- Timers. --- */

static void timer_free(struct io_timer *timer)
{
	sim_clock_cancel(&timer->sio->world->clock, &timer->event);
	list_remove(&timer->link);
	free(timer);
}

static void on_timer(void *context)
{
	struct io_timer *timer = context;
	void (*fire)(void *context) = timer->fire;
	int64_t held_ms = sim_io_held_ms(timer->sio);

	if (held_ms > 0) {
		sim_clock_in(&timer->sio->world->clock, &timer->event, held_ms, on_timer, timer);
		return;
	}
	context = timer->context;
	timer_free(timer);
	fire(context);
}

static struct io_timer *timer_start(struct io *io, int64_t delay_ms, void (*fire)(void *context),
				    void *context)
{
	struct sim_io *sio = sim_of(io);
	struct io_timer *timer = mem_new(1, sizeof(*timer));

	timer->sio = sio;
	timer->fire = fire;
	timer->context = context;
	list_push_back(&sio->timers, &timer->link);
	if (!sio->is_dead)
		sim_clock_in(&sio->world->clock, &timer->event, delay_ms, on_timer, timer);
	return timer;
}

static void timer_cancel(struct io *io, struct io_timer *timer)
{
	assert(timer->sio == sim_of(io));
	timer_free(timer);
}

/* --- Endpoints, files. --- */

static struct io_endpoint *endpoint_new(struct io *io, const struct io_endpoint_config *config,
					struct err *err)
{
	struct io_endpoint *endpoint = mem_new(1, sizeof(*endpoint));

	(void)config, (void)err;
	endpoint->sio = sim_of(io);
	endpoint->sio->endpoints++;
	return endpoint;
}

static void endpoint_delete(struct io *io, struct io_endpoint *endpoint)
{
	if (!endpoint)
		return;
	assert(endpoint->sio == sim_of(io) && !sim_http_uses(endpoint->sio, endpoint));
	endpoint->sio->endpoints--;
	free(endpoint);
}

static int read_file(struct io *io, const char *path, struct buf *content, struct err *err)
{
	return files_read(&sim_of(io)->files, path, content, err);
}

/* --- The controller's own port. --- */

static struct io_server *serve(struct io *io, const char *address, uint16_t port,
			       io_serve_fn *on_request, void *context, struct err *err)
{
	struct io_server *server = mem_new(1, sizeof(*server));

	(void)address, (void)err;
	server->port = port;
	server->on_request = on_request;
	server->context = context;
	list_push_back(&sim_of(io)->servers, &server->link);
	return server;
}

static void serve_stop(struct io *io, struct io_server *server)
{
	(void)io;
	list_remove(&server->link);
	free(server);
}

static void reply(struct io *io, struct io_reply *to, int status, const char *content_type,
		  struct str body)
{
	(void)io, (void)content_type;
	assert(to->status == 0);
	to->status = status;
	buf_append_str(to->body, body);
}

int sim_io_ask(struct sim_io *sio, uint16_t port, const char *path, struct buf *body)
{
	struct io_reply answer = {.body = body};
	struct io_server *server;

	list_for_each (server, &sio->servers, link)
		if (server->port == port && !sio->is_dead) {
			server->on_request(server->context, str_of(path), &answer);
			assert(answer.status != 0);
			break;
		}
	return answer.status;
}

/* --- Life and death. --- */

struct sim_io *sim_io_new(struct sim_world *world, const char *name)
{
	struct sim_io *sio = mem_new(1, sizeof(*sio));

	sio->world = world;
	snprintf(sio->name, sizeof(sio->name), "%s", name);
	sio->offset_ms = sim_clock_between(&world->clock, 0, 1000000);
	list_init(&sio->timers);
	list_init(&sio->https);
	list_init(&sio->sockets);
	list_init(&sio->servers);
	sio->io = (struct io){
		.now_ms = now_ms,
		.wall_ms = wall_ms,
		.random = fill_random,
		.timer_start = timer_start,
		.timer_cancel = timer_cancel,
		.endpoint_new = endpoint_new,
		.endpoint_delete = endpoint_delete,
		.http_start = sim_http_start,
		.http_cancel = sim_http_cancel,
		.ws_start = sim_ws_start,
		.ws_send = sim_ws_send,
		.ws_close = sim_ws_close,
		.serve = serve,
		.reply = reply,
		.serve_stop = serve_stop,
		.read_file = read_file,
	};
	return sio;
}

void sim_io_kill(struct sim_io *sio)
{
	struct io_timer *timer;

	if (sio->is_dead)
		return;
	sio->is_dead = true;
	sim_trace_add(&sio->world->trace, "%s dies", sio->name);
	list_for_each (timer, &sio->timers, link)
		sim_clock_cancel(&sio->world->clock, &timer->event);
	sim_http_kill(sio);
	sim_ws_kill(sio);
}

void sim_io_freeze(struct sim_io *sio, int64_t ms)
{
	sim_trace_add(&sio->world->trace, "%s freezes for %lld ms", sio->name, (long long)ms);
	sio->frozen_until_ms = sio->world->clock.now_ms + ms;
}

int64_t sim_io_held_ms(const struct sim_io *sio)
{
	int64_t left_ms = sio->frozen_until_ms - sio->world->clock.now_ms;

	return sio->is_dead || left_ms < 0 ? 0 : left_ms;
}

static size_t length(const struct list *list)
{
	size_t count = 0;

	for (const struct list *at = list->next; at != list; at = at->next)
		count++;
	return count;
}

size_t sim_io_delete(struct sim_io *sio)
{
	size_t leaked = length(&sio->timers) + length(&sio->https) + length(&sio->sockets) +
			length(&sio->servers) + sio->endpoints;

	sim_io_kill(sio);
	free(sio);
	return leaked;
}

bool sim_io_effect(struct sim_io *sio, const char *format, ...)
{
	struct sim_world *world = sio->world;
	char text[160];
	va_list args;

	if (sio->is_dead)
		return false;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	world->effects++;
	sim_trace_add(&world->trace, "%s %s (effect %llu)", sio->name, text,
		      (unsigned long long)world->effects);
	if (world->effects != world->point)
		return true;
	if (world->on_point)
		world->on_point(world->context, sio);
	else
		sim_io_kill(sio);
	return !sio->is_dead;
}
