#include "sim_http.h"

#include "sim_pipe.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD, LINE, END }; /* kinds of what a watch's stream carries */

struct exchange;

/* The controller's end. */
struct io_http {
	struct list link;
	struct sim_io *sio;
	const struct io_endpoint *endpoint;
	struct exchange *exchange; /* NULL: the io is dead */
	struct io_http_callbacks callbacks;
	void *context;
	size_t body_limit, received;
	int64_t silence_ms;
	struct sim_event timeout, silence;
};

/* The server's end, which may outlive the other. */
struct exchange {
	struct list link;
	struct sim_world *world;
	struct io_http *http; /* NULL: nobody listens any more */
	char name[32];	      /* of the sender */
	char *method, *target, *accept, *content_type, *token;
	struct str body;
	struct sim_answer answer;
	struct sim_event event; /* the request arrives, then the answer */
	bool has_arrived, is_busy;
	struct sim_pipe stream; /* of a watch */
};

/* --- Both ends. --- */

static void exchange_free(struct exchange *x)
{
	sim_clock_cancel(&x->world->clock, &x->event);
	if (x->answer.watch)
		sim_pipe_free(&x->stream);
	sim_answer_free(&x->answer);
	list_remove(&x->link);
	free(x->method);
	free(x->target);
	free(x->accept);
	free(x->content_type);
	free(x->token);
	free((void *)(uintptr_t)x->body.p);
	free(x);
}

/* Nobody listens any more. What is on its way to the server may still get there. */
static void abandon(struct exchange *x)
{
	x->http = NULL;
	if (x->is_busy)
		return;
	if (x->answer.watch || (!x->has_arrived && random_chance(&x->world->clock.random, 50)))
		exchange_free(x);
}

static void http_free(struct io_http *http)
{
	struct sim_clock *clock = &http->sio->world->clock;

	sim_clock_cancel(clock, &http->timeout);
	sim_clock_cancel(clock, &http->silence);
	list_remove(&http->link);
	free(http);
}

/* The last callback, with nothing of the request left. */
static void end(struct io_http *http, const struct err *err)
{
	struct io_http_callbacks callbacks = http->callbacks;
	void *context = http->context;

	abandon(http->exchange);
	http_free(http);
	callbacks.done(context, err);
}

/* The connection breaks: what was said on it is not heard. */
static void break_off(struct io_http *http)
{
	struct err err;

	err_set(&err, ERR_TRANSPORT, "the connection broke");
	end(http, &err);
}

/* --- Limits of time. --- */

/* One that is frozen finds out later. */
static bool is_held(struct io_http *http, struct sim_event *event, void (*again)(void *context))
{
	int64_t held_ms = sim_io_held_ms(http->sio);

	if (held_ms > 0)
		sim_clock_in(&http->sio->world->clock, event, held_ms, again, http);
	return held_ms > 0;
}

static void on_timeout(void *context)
{
	struct io_http *http = context;
	struct err err;

	if (is_held(http, &http->timeout, on_timeout))
		return;
	err_set(&err, ERR_TIMEOUT, "no whole answer in time");
	end(http, &err);
}

static void on_silence(void *context)
{
	struct io_http *http = context;

	if (!is_held(http, &http->silence, on_silence))
		break_off(http);
}

static void note_sound(struct io_http *http)
{
	if (http->silence_ms > 0)
		sim_clock_in(&http->sio->world->clock, &http->silence, http->silence_ms, on_silence,
			     http);
}

/* --- Trouble on the way. --- */

static bool has_trouble(struct exchange *x)
{
	return random_chance(&x->world->clock.random, x->world->trouble_percent);
}

/* The API server has no time. */
static void refuse(struct exchange *x)
{
	if (random_chance(&x->world->clock.random, 50)) {
		sim_answer_refuse(&x->answer, 429, "TooManyRequests", "too many requests");
		x->answer.retry_after_ms = 1000;
	} else {
		sim_answer_refuse(&x->answer, 503, "ServiceUnavailable", "shutting down");
	}
}

/* --- The answer. --- */

static void deliver_bytes(struct exchange *x, struct str bytes)
{
	struct io_http *http = x->http;
	struct err err;

	if (!http || bytes.n == 0)
		return;
	http->received += bytes.n;
	if (http->body_limit > 0 && http->received > http->body_limit) {
		err_set(&err, ERR_TOO_LARGE, "more than %zu bytes of answer", http->body_limit);
		end(http, &err);
		return;
	}
	http->callbacks.data(http->context, bytes);
}

/* The network cuts anywhere. */
static void deliver_body(struct exchange *x, struct str bytes)
{
	size_t cut = random_below(&x->world->clock.random, (uint32_t)bytes.n + 1);

	deliver_bytes(x, str_slice(bytes, 0, cut));
	deliver_bytes(x, str_slice(bytes, cut, bytes.n));
}

static void hear_answer(struct exchange *x)
{
	if (!sim_io_effect(x->http->sio, "hears %d to %s %.*s", x->answer.status, x->method,
			   (int)strcspn(x->target, "?"), x->target))
		return;
	x->http->callbacks.head(x->http->context, x->answer.status, x->answer.retry_after_ms);
	deliver_body(x, buf_str(&x->answer.body));
	if (x->http)
		end(x->http, NULL);
}

static void on_answer(void *context)
{
	struct exchange *x = context;
	int64_t held_ms = x->http ? sim_io_held_ms(x->http->sio) : 0;

	if (held_ms > 0) {
		sim_clock_in(&x->world->clock, &x->event, held_ms, on_answer, x);
		return;
	}
	x->is_busy = true;
	if (x->http && has_trouble(x))
		break_off(x->http);
	else if (x->http)
		hear_answer(x);
	exchange_free(x);
}

/* --- A watch's stream. --- */

/* It comes back too late, now and then, and has to list again. */
static void break_stream(struct exchange *x)
{
	if (random_chance(&x->world->clock.random, 50))
		sim_store_compact(&x->world->api.store);
	break_off(x->http);
}

static void hear_stream(struct exchange *x, int kind, struct str bytes)
{
	if (has_trouble(x)) {
		break_stream(x);
		return;
	}
	if (!sim_io_effect(x->http->sio, "hears %zu bytes of the watch of %.*s", bytes.n,
			   (int)strcspn(x->target, "?"), x->target))
		return;
	note_sound(x->http);
	switch (kind) {
	case HEAD: x->http->callbacks.head(x->http->context, 200, 0); return;
	case LINE: deliver_body(x, bytes); return;
	case END: end(x->http, NULL); return;
	}
}

static void on_stream(void *context, int kind, struct str bytes)
{
	struct exchange *x = context;

	x->is_busy = true;
	hear_stream(x, kind, bytes);
	x->is_busy = false;
	if (!x->http)
		exchange_free(x);
}

static int64_t held_ms_of(void *context)
{
	const struct exchange *x = context;

	return sim_io_held_ms(x->http->sio);
}

static void on_line(void *context, struct str line)
{
	struct exchange *x = context;

	sim_pipe_send(&x->stream, LINE, line);
}

static void on_watch_end(void *context)
{
	struct exchange *x = context;

	sim_pipe_send(&x->stream, END, STR(""));
}

static void open_stream(struct exchange *x)
{
	static const struct sim_watch_callbacks CALLBACKS = {on_line, on_watch_end};

	sim_pipe_init(&x->stream, &x->world->clock, on_stream, x);
	x->stream.held_ms = held_ms_of;
	sim_pipe_send(&x->stream, HEAD, STR(""));
	sim_watch_start(x->answer.watch, &CALLBACKS, x);
}

/* --- The request. --- */

static void on_arrival(void *context)
{
	struct exchange *x = context;
	struct sim_request request = {
		.actor = x->name,
		.method = x->method,
		.target = x->target,
		.accept = str_of(x->accept),
		.content_type = str_of(x->content_type),
		.token = str_of(x->token),
		.body = x->body,
	};

	x->has_arrived = true;
	if (!x->http && strcmp(x->method, "GET") == 0) {
		exchange_free(x);
		return;
	}
	sim_check_request(&x->world->check, &request);
	if (has_trouble(x))
		refuse(x);
	else
		sim_api_handle(&x->world->api, &request, &x->answer);
	if (x->answer.watch)
		open_stream(x);
	else
		sim_clock_in(&x->world->clock, &x->event,
			     sim_clock_between(&x->world->clock, 1, SIM_PIPE_MS_MAX), on_answer, x);
}

static char *copy(const char *text)
{
	return text ? mem_copy_string(text, strlen(text)) : NULL;
}

static struct exchange *exchange_new(struct io_http *http, const struct io_http_request *request)
{
	struct sim_world *world = http->sio->world;
	struct exchange *x = mem_new(1, sizeof(*x));

	x->world = world;
	x->http = http;
	memcpy(x->name, http->sio->name, sizeof(x->name));
	x->method = copy(request->method);
	x->target = copy(request->target);
	x->accept = copy(request->accept);
	x->content_type = copy(request->content_type);
	x->token = mem_copy_string(request->bearer_token.n > 0 ? request->bearer_token.p : "",
				   request->bearer_token.n);
	if (request->body.n > 0)
		x->body = (struct str){mem_copy_string(request->body.p, request->body.n),
				       request->body.n};
	sim_answer_init(&x->answer);
	list_push_back(&world->exchanges, &x->link);
	sim_clock_in(&world->clock, &x->event,
		     sim_io_held_ms(http->sio) +
			     sim_clock_between(&world->clock, 1, SIM_PIPE_MS_MAX),
		     on_arrival, x);
	return x;
}

static bool leaves(struct sim_io *sio, const struct io_http_request *request)
{
	if (strcmp(request->method, "GET") == 0)
		return !sio->is_dead;
	if (!sio->is_dead && !strstr(request->target, "/leases"))
		sim_check_writer(&sio->world->check, sio->name, request->target);
	return sim_io_effect(sio, "sends %s %.*s", request->method,
			     (int)strcspn(request->target, "?"), request->target);
}

struct io_http *sim_http_start(struct io *io, const struct io_http_request *request,
			       const struct io_http_callbacks *callbacks, void *context)
{
	struct sim_io *sio = (struct sim_io *)io;
	struct io_http *http = mem_new(1, sizeof(*http));

	http->sio = sio;
	http->endpoint = request->endpoint;
	http->callbacks = *callbacks;
	http->context = context;
	http->body_limit = request->body_limit;
	http->silence_ms = request->silence_ms;
	list_push_back(&sio->https, &http->link);
	if (!leaves(sio, request))
		return http;
	http->exchange = exchange_new(http, request);
	if (request->timeout_ms > 0)
		sim_clock_in(&sio->world->clock, &http->timeout, request->timeout_ms, on_timeout,
			     http);
	note_sound(http);
	return http;
}

void sim_http_cancel(struct io *io, struct io_http *http)
{
	assert(http->sio == (struct sim_io *)io);
	if (http->exchange)
		abandon(http->exchange);
	http_free(http);
}

void sim_http_kill(struct sim_io *sio)
{
	struct io_http *http;

	list_for_each (http, &sio->https, link) {
		sim_clock_cancel(&sio->world->clock, &http->timeout);
		sim_clock_cancel(&sio->world->clock, &http->silence);
		if (http->exchange)
			abandon(http->exchange);
		http->exchange = NULL;
	}
}

bool sim_http_uses(const struct sim_io *sio, const struct io_endpoint *endpoint)
{
	const struct io_http *http;

	list_for_each (http, &sio->https, link)
		if (http->endpoint == endpoint)
			return true;
	return false;
}

void sim_http_free_all(struct sim_world *world)
{
	struct exchange *x;

	while ((x = list_first(&world->exchanges, struct exchange, link)))
		exchange_free(x);
}
