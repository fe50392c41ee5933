#include "watch_internal.h"

#include "status.h"

#include <string.h>

/* --- Events. --- */

/* An event's object: as it is, or as the one row of a Table. */
static int read_event_object(struct watch *watch, struct str value, struct kube_object *object,
			     struct err *err)
{
	struct str row, columns = {NULL, 0};

	if (!watch->as_table)
		return kube_object_read(value, object, err);
	if (!kube_object_table_row(value, &row, &columns))
		return err_set(err, ERR_PROTOCOL, "an event of a watch as Table has no row");
	if (watch_keep_columns(watch, columns, err) < 0)
		return -1;
	return kube_object_read_row(row, object, err);
}

static int apply_event(struct watch *watch, struct str json, struct err *err)
{
	struct kube_object object;
	enum kube_object_event type;
	struct str value;

	if (kube_object_read_event(json, &type, &value, err) < 0)
		return -1;
	if (type == KUBE_OBJECT_ERROR)
		return status_to_err(0, 0, value, err);
	if (type == KUBE_OBJECT_BOOKMARK)
		return kube_object_read_version(value, watch->version, err);
	if (read_event_object(watch, value, &object, err) < 0)
		return -1;
	watch->has_events = true;
	memcpy(watch->version, object.resource_version, sizeof(watch->version));
	if (type != KUBE_OBJECT_DELETED)
		return watch_put(watch, &object, err);
	cache_remove(&watch->cache, &object);
	watch_tell_deleted(watch, &object);
	return 0;
}

/* --- One watch. --- */

static void end_watch(struct watch *watch)
{
	client_route_release(watch->client, &watch->route);
	splitter_reset(&watch->splitter);
}

/* Only a new list heals what can't be read or is too old; all else goes on where it was. */
static bool needs_list(const struct watch *watch, const struct err *err)
{
	switch (err->code) {
	case ERR_GONE:
	case ERR_INVALID:
	case ERR_PROTOCOL:
	case ERR_TOO_LARGE:
	case ERR_NOT_FOUND: return true;
	case ERR_TIMEOUT: return watch->future_tries >= WATCH_FUTURE_TRIES;
	case ERR_UNAVAILABLE: return err->http_status == 404; /* the kind itself is not there */
	case ERR_ALREADY_EXISTS:
	case ERR_CONFLICT:
	case ERR_UNAUTHORIZED:
	case ERR_FORBIDDEN:
	case ERR_THROTTLED:
	case ERR_TRANSPORT:
	case ERR_IO: return false;
	}
	return true;
}

/* What has ended, by its head and its error, becomes the next step. */
static void after_watch(struct watch *watch, const struct err *err)
{
	int64_t lived_ms = watch->io->now_ms(watch->io) - watch->opened_at_ms;
	struct err too_short;

	end_watch(watch);
	if (!err && !watch->has_events && lived_ms < WATCH_SHORT_MS) {
		err_set(&too_short, ERR_UNAVAILABLE, "a watch ended after %lld ms without an event",
			(long long)lived_ms);
		err = &too_short;
	}
	if (!err) {
		watch_stream_open(watch);
		return;
	}
	if (err->code == ERR_UNAUTHORIZED)
		client_route_note_unauthorized(watch->client);
	if (err->code == ERR_TRANSPORT)
		client_route_note_transport_error(watch->client);
	if (needs_list(watch, err))
		watch_forget_version(watch);
	watch_wait_after(watch, err);
}

static void on_head(void *context, int status, int64_t retry_after_ms)
{
	struct watch *watch = context;

	watch->status = status;
	watch->retry_after_ms = retry_after_ms;
	if (status != 200)
		return;
	watch_move(watch, WATCH_STREAMING);
	watch->opened_at_ms = watch->io->now_ms(watch->io);
	watch->future_tries = 0;
}

/* Stops listening to a stream that can't be believed any more. */
static void give_up_stream(struct watch *watch, const struct err *err)
{
	watch->io->http_cancel(watch->io, watch->http);
	watch->http = NULL;
	after_watch(watch, err);
}

static void on_data(void *context, struct str bytes)
{
	struct watch *watch = context;
	struct str object;
	struct err err;
	int result = 0;

	if (watch->state != WATCH_STREAMING) {
		buf_append_str(&watch->refusal,
			       str_slice(bytes, 0, watch->refusal.limit - watch->refusal.length));
		return;
	}
	watch_enter(watch);
	while (!watch->is_deleted &&
	       (result = splitter_next(&watch->splitter, &bytes, &object, &err)) > 0) {
		result = apply_event(watch, object, &err);
		if (result < 0)
			break;
	}
	if (watch_leave(watch) && result < 0)
		give_up_stream(watch, &err);
}

static void on_done(void *context, const struct err *io_err)
{
	struct watch *watch = context;
	struct err err;

	watch->http = NULL;
	if (io_err || watch->status == 200) {
		/* Bytes of an object that never became whole are dropped: it comes again. */
		after_watch(watch, io_err);
		return;
	}
	status_to_err(watch->status, watch->retry_after_ms, buf_str(&watch->refusal), &err);
	if (status_has_cause(buf_str(&watch->refusal), STR("ResourceVersionTooLarge")))
		watch->future_tries++;
	after_watch(watch, &err);
}

static void build_watch_target(struct watch *watch, struct target *target, int seconds)
{
	char text[16];

	watch_target(watch, target);
	snprintf(text, sizeof(text), "%d", seconds);
	target_query(target, "watch", STR("true"));
	target_query(target, "allowWatchBookmarks", STR("true"));
	target_query(target, "timeoutSeconds", str_of(text));
	target_query(target, "resourceVersion", str_of(watch->version));
}

void watch_stream_open(struct watch *watch)
{
	static const struct io_http_callbacks CALLBACKS = {on_head, on_data, on_done};
	int seconds = WATCH_SECONDS_MIN +
		      (int)(watch_chance(watch) % (WATCH_SECONDS_MAX - WATCH_SECONDS_MIN + 1));
	struct io_http_request request = {
		.kind = IO_HTTP_WATCH,
		.method = "GET",
		.accept = watch->as_table ? WATCH_ACCEPT_TABLE : NULL,
		.timeout_ms = seconds * 1000 + WATCH_GRACE_MS,
		.silence_ms = WATCH_SILENCE_MS,
	};
	struct target target;

	watch_move(watch, WATCH_OPENING);
	watch->status = 0;
	watch->has_events = false;
	watch->opened_at_ms = watch->io->now_ms(watch->io);
	buf_clear(&watch->refusal);
	build_watch_target(watch, &target, seconds);
	watch->route = client_route_take(watch->client);
	request.endpoint = watch->route.endpoint;
	request.bearer_token = watch->route.token;
	request.target = target.text.data;
	watch->http = watch->io->http_start(watch->io, &request, &CALLBACKS, watch);
	target_free(&target);
}
