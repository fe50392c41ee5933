#include "fake_io.h"

#include "base/mem.h"
#include "tap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct io_endpoint {
	char ca[64];
};

static struct fake_io *fake_of(struct io *io)
{
	return (struct fake_io *)io;
}

static int64_t now_ms(struct io *io)
{
	return fake_of(io)->now_ms;
}

/* 2026-01-01T00:00:00Z, and what has passed. */
static int64_t wall_ms(struct io *io)
{
	return INT64_C(1767225600000) + fake_of(io)->now_ms;
}

static void fill_random(struct io *io, void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		((unsigned char *)bytes)[i] = (unsigned char)fake_of(io)->chance;
}

static struct io_timer *timer_start(struct io *io, int64_t delay_ms, void (*fire)(void *context),
				    void *context)
{
	struct fake_io *fake = fake_of(io);

	for (size_t i = 0; i < FAKE_TIMERS_MAX; i++) {
		struct io_timer *timer = &fake->timers[i];

		if (timer->is_pending)
			continue;
		*timer = (struct io_timer){true, fake->now_ms + (delay_ms > 0 ? delay_ms : 0),
					   fake->timer_order++, fire, context};
		return timer;
	}
	assert(!"FAKE_TIMERS_MAX timers at once");
	return NULL;
}

static void timer_cancel(struct io *io, struct io_timer *timer)
{
	(void)io;
	assert(timer->is_pending);
	timer->is_pending = false;
}

static struct io_endpoint *endpoint_new(struct io *io, const struct io_endpoint_config *config,
					struct err *err)
{
	struct fake_io *fake = fake_of(io);
	struct io_endpoint *endpoint;

	if (str_equal(config->ca_pem, STR("bad"))) {
		err_set(err, ERR_INVALID, "a bad CA");
		return NULL;
	}
	endpoint = mem_new(1, sizeof(*endpoint));
	snprintf(fake->last_ca, sizeof(fake->last_ca), "%.*s", STR_ARGS(config->ca_pem));
	memcpy(endpoint->ca, fake->last_ca, sizeof(endpoint->ca));
	fake->endpoints++;
	fake->endpoints_made++;
	return endpoint;
}

static void endpoint_delete(struct io *io, struct io_endpoint *endpoint)
{
	struct fake_io *fake = fake_of(io);

	if (!endpoint)
		return;
	for (size_t i = 0; i < fake->request_count; i++)
		assert(!fake->requests[i].is_pending || fake->requests[i].endpoint != endpoint);
	fake->endpoints--;
	free(endpoint);
}

static char *copy(struct str text)
{
	return text.p ? mem_copy_string(text.p, text.n) : NULL;
}

static struct io_http *http_start(struct io *io, const struct io_http_request *request,
				  const struct io_http_callbacks *callbacks, void *context)
{
	struct fake_io *fake = fake_of(io);
	struct io_http *http = &fake->requests[fake->request_count++];

	assert(fake->request_count <= FAKE_REQUESTS_MAX);
	*http = (struct io_http){
		.fake = fake,
		.is_pending = true,
		.kind = request->kind,
		.method = copy(str_of(request->method)),
		.target = copy(str_of(request->target)),
		.accept = copy(str_of(request->accept)),
		.content_type = copy(str_of(request->content_type)),
		.token = copy(request->bearer_token),
		.body = copy(request->body),
		.endpoint = request->endpoint,
		.timeout_ms = request->timeout_ms,
		.silence_ms = request->silence_ms,
		.body_limit = request->body_limit,
		.callbacks = *callbacks,
		.context = context,
	};
	return http;
}

static void http_cancel(struct io *io, struct io_http *http)
{
	(void)io;
	assert(http->is_pending);
	http->is_pending = false;
}

static int read_file(struct io *io, const char *path, struct buf *content, struct err *err)
{
	return files_read(&fake_of(io)->files, path, content, err);
}

static struct io_server *serve(struct io *io, const char *address, uint16_t port,
			       io_serve_fn *on_request, void *context, struct err *err)
{
	struct fake_io *fake = fake_of(io);

	assert(!fake->server.is_open);
	if (fake->port_is_taken) {
		err_set(err, ERR_IO, "listening at %s port %u: taken", address, port);
		return NULL;
	}
	fake->server = (struct io_server){
		.is_open = true, .port = port, .on_request = on_request, .context = context};
	snprintf(fake->server.address, sizeof(fake->server.address), "%s", address);
	return &fake->server;
}

static void answer(struct io *io, struct io_reply *reply, int status, const char *content_type,
		   struct str body)
{
	int result;

	(void)io;
	assert(reply->status == 0);
	reply->status = status;
	snprintf(reply->content_type, sizeof(reply->content_type), "%s", content_type);
	result = buf_append_str(&reply->body, body);
	assert(result == 0);
}

static void serve_stop(struct io *io, struct io_server *server)
{
	(void)io;
	assert(server->is_open);
	server->is_open = false;
}

int fake_io_get(struct fake_io *fake, const char *path)
{
	assert(fake->server.is_open);
	fake->reply.status = 0;
	buf_clear(&fake->reply.body);
	fake->server.on_request(fake->server.context, str_of(path), &fake->reply);
	return fake->reply.status;
}

void fake_io_init(struct fake_io *fake)
{
	memset(fake, 0, sizeof(*fake));
	fake->now_ms = 1000000;
	buf_init(&fake->reply.body, FAKE_REPLY_MAX);
	fake->io = (struct io){
		.now_ms = now_ms,
		.wall_ms = wall_ms,
		.random = fill_random,
		.timer_start = timer_start,
		.timer_cancel = timer_cancel,
		.endpoint_new = endpoint_new,
		.endpoint_delete = endpoint_delete,
		.http_start = http_start,
		.http_cancel = http_cancel,
		.serve = serve,
		.reply = answer,
		.serve_stop = serve_stop,
		.read_file = read_file,
	};
}

void fake_io_free(struct fake_io *fake)
{
	cmp_ok(fake_io_pending(fake), "==", 0, "no request is left under way");
	cmp_ok(fake_io_next_timer(fake), "==", -1, "no timer is left");
	cmp_ok(fake->endpoints, "==", 0, "no endpoint is left");
	ok(!fake->server.is_open, "no port is left");
	buf_free(&fake->reply.body);
	for (size_t i = 0; i < fake->request_count; i++) {
		struct io_http *http = &fake->requests[i];

		free(http->method);
		free(http->target);
		free(http->accept);
		free(http->content_type);
		free(http->token);
		free(http->body);
	}
}

struct io_http *fake_io_request(struct fake_io *fake, size_t n)
{
	assert(n < fake->request_count);
	return &fake->requests[n];
}

struct io_http *fake_io_last(struct fake_io *fake)
{
	return fake_io_request(fake, fake->request_count - 1);
}

size_t fake_io_pending(const struct fake_io *fake)
{
	size_t count = 0;

	for (size_t i = 0; i < fake->request_count; i++)
		count += fake->requests[i].is_pending;
	return count;
}

void fake_io_head(struct io_http *request, int status, int64_t retry_after_ms)
{
	assert(request->is_pending);
	request->callbacks.head(request->context, status, retry_after_ms);
}

void fake_io_data(struct io_http *request, struct str bytes)
{
	assert(request->is_pending);
	if (bytes.n > 0)
		request->callbacks.data(request->context, bytes);
}

void fake_io_done(struct io_http *request)
{
	assert(request->is_pending);
	request->is_pending = false;
	request->callbacks.done(request->context, NULL);
}

void fake_io_fail(struct io_http *request, enum err_code code)
{
	struct err err;

	assert(request->is_pending);
	request->is_pending = false;
	err_set(&err, code, "the fake io says so");
	request->callbacks.done(request->context, &err);
}

void fake_io_answer(struct io_http *request, int status, const char *body)
{
	fake_io_head(request, status, 0);
	if (request->is_pending)
		fake_io_data(request, str_of(body));
	if (request->is_pending)
		fake_io_done(request);
}

static struct io_timer *next_timer(struct fake_io *fake)
{
	struct io_timer *next = NULL;

	for (size_t i = 0; i < FAKE_TIMERS_MAX; i++) {
		struct io_timer *timer = &fake->timers[i];

		if (timer->is_pending &&
		    (!next || timer->due_ms < next->due_ms ||
		     (timer->due_ms == next->due_ms && timer->order < next->order)))
			next = timer;
	}
	return next;
}

void fake_io_advance(struct fake_io *fake, int64_t ms)
{
	int64_t until = fake->now_ms + ms;
	struct io_timer *timer;

	while ((timer = next_timer(fake)) && timer->due_ms <= until) {
		fake->now_ms = timer->due_ms;
		timer->is_pending = false;
		timer->fire(timer->context);
	}
	fake->now_ms = until;
}

int64_t fake_io_next_timer(const struct fake_io *fake)
{
	int64_t next = -1;

	for (size_t i = 0; i < FAKE_TIMERS_MAX; i++) {
		int64_t delay = fake->timers[i].due_ms - fake->now_ms;

		if (fake->timers[i].is_pending && (next < 0 || delay < next))
			next = delay;
	}
	return next;
}

void fake_io_file(struct fake_io *fake, const char *path, const char *content)
{
	files_set(&fake->files, path, content);
}
