#include "client_internal.h"

#include "base/json_string.h"
#include "base/mem.h"
#include "status.h"

#include <stdlib.h>
#include <string.h>

struct client_call {
	struct client *client;
	struct client_route route;
	struct io_http *http;
	struct io_timer *failing; /* the request could not even be built */
	char *method, *target, *accept, *content_type;
	struct buf body;
	int64_t timeout_ms, sent_at_ms;
	client_done *done;
	void *context;
	bool was_repeated;
	int status;
	int64_t retry_after_ms;
	struct buf answer;
	struct err err; /* what `failing` reports */
};

/* --- The end. --- */

static void call_free(struct client_call *call)
{
	struct client *client = call->client;

	client->calls--;
	if (call->http)
		client->io->http_cancel(client->io, call->http);
	if (call->failing)
		client->io->timer_cancel(client->io, call->failing);
	client_route_release(client, &call->route);
	buf_free(&call->body);
	buf_free(&call->answer);
	free(call->method);
	free(call->target);
	free(call->accept);
	free(call->content_type);
	free(call);
}

void client_cancel(struct client_call *call)
{
	call_free(call);
}

/* Tells the caller, who may do anything in the callback, with nothing of the call left. */
static void finish(struct client_call *call, const struct err *err)
{
	client_done *done = call->done;
	void *context = call->context;
	struct buf answer = call->answer;
	struct err copy;

	if (err) {
		copy = *err;
		err_wrap(&copy, "%s %.*s", call->method, (int)strcspn(call->target, "?"),
			 call->target);
	}
	buf_init(&call->answer, 0);
	call_free(call);
	done(context, err ? STR("") : buf_str(&answer), err ? &copy : NULL);
	buf_free(&answer);
}

/* --- One exchange. --- */

static void send(struct client_call *call);

static void on_head(void *context, int status, int64_t retry_after_ms)
{
	struct client_call *call = context;

	call->status = status;
	call->retry_after_ms = retry_after_ms;
}

static void on_data(void *context, struct str bytes)
{
	struct client_call *call = context;
	int result = buf_append_str(&call->answer, bytes);

	assert(result == 0); /* io keeps the same limit */
}

static bool may_repeat_with_new_token(const struct client_call *call)
{
	return call->status == 401 && !call->was_repeated && call->client->config.token.path;
}

static void tell_observer(const struct client_call *call, int status)
{
	const struct client *client = call->client;

	if (client->observer)
		client->observer(client->observer_context, call->method, status,
				 client->io->now_ms(client->io) - call->sent_at_ms);
}

static void on_done(void *context, const struct err *io_err)
{
	struct client_call *call = context;
	struct client *client = call->client;
	struct err err;

	call->http = NULL;
	client_route_release(client, &call->route);
	tell_observer(call, io_err ? 0 : call->status);
	if (io_err) {
		if (io_err->code == ERR_TRANSPORT)
			client_route_note_transport_error(client);
		finish(call, io_err);
		return;
	}
	if (call->status == 401)
		client_route_note_unauthorized(client);
	if (may_repeat_with_new_token(call)) {
		call->was_repeated = true;
		send(call);
		return;
	}
	if (call->status >= 200 && call->status < 300) {
		finish(call, NULL);
		return;
	}
	status_to_err(call->status, call->retry_after_ms, buf_str(&call->answer), &err);
	finish(call, &err);
}

static void send(struct client_call *call)
{
	static const struct io_http_callbacks CALLBACKS = {on_head, on_data, on_done};
	struct client *client = call->client;
	struct io_http_request request = {
		.kind = IO_HTTP_CALL,
		.method = call->method,
		.target = call->target,
		.accept = call->accept,
		.content_type = call->content_type,
		.body = buf_str(&call->body),
		.timeout_ms = call->timeout_ms,
		.body_limit = call->answer.limit,
	};

	buf_clear(&call->answer);
	call->status = 0;
	call->sent_at_ms = client->io->now_ms(client->io);
	call->route = client_route_take(client);
	request.endpoint = call->route.endpoint;
	request.bearer_token = call->route.token;
	call->http = client->io->http_start(client->io, &request, &CALLBACKS, call);
}

static void on_failing(void *context)
{
	struct client_call *call = context;
	struct err err = call->err;

	call->failing = NULL;
	finish(call, &err);
}

/* A starter can't fail; so this is told from the loop. */
static void fail_soon(struct client_call *call, const struct err *err)
{
	call->err = *err;
	call->failing = call->client->io->timer_start(call->client->io, 0, on_failing, call);
}

static char *copy(const char *text)
{
	return text ? mem_copy_string(text, strlen(text)) : NULL;
}

static struct client_call *call_new(struct client *client, const struct client_request *request,
				    client_done *done, void *context)
{
	struct client_call *call = mem_new(1, sizeof(*call));

	client->calls++;
	call->client = client;
	call->method = copy(request->method);
	call->target = copy(request->target);
	call->accept = copy(request->accept);
	call->content_type = copy(request->content_type);
	call->timeout_ms = request->timeout_ms ? request->timeout_ms : CLIENT_TIMEOUT_MS;
	call->done = done;
	call->context = context;
	buf_init(&call->body, CLIENT_BODY_BYTES_MAX);
	buf_init(&call->answer,
		 request->answer_limit ? request->answer_limit : CLIENT_ANSWER_BYTES_MAX);
	return call;
}

struct client_call *client_start(struct client *client, const struct client_request *request,
				 client_done *done, void *context)
{
	struct client_call *call = call_new(client, request, done, context);
	struct err err;

	if (buf_append_str(&call->body, request->body) == 0) {
		send(call);
	} else {
		err_set(&err, ERR_TOO_LARGE, "the request's body has more than %d bytes",
			CLIENT_BODY_BYTES_MAX);
		fail_soon(call, &err);
	}
	return call;
}

/* --- The verbs. --- */

/* Starts `request` with the target, or has the target's fault reported; frees the target. */
static struct client_call *start_at(struct client *client, struct target *target,
				    struct client_request *request, client_done *done,
				    void *context)
{
	struct client_call *call;
	struct err err;

	request->target = target->text.data;
	if (target_check(target, &err) == 0) {
		call = client_start(client, request, done, context);
	} else {
		call = call_new(client, request, done, context);
		fail_soon(call, &err);
	}
	target_free(target);
	return call;
}

static void target_of(struct target *target, const struct client *client,
		      const struct client_object *object)
{
	target_init(target);
	target_object(target, client_prefix(client), object->resource, object->in_namespace,
		      object->name, object->subresource);
}

struct client_call *client_get(struct client *client, const struct client_object *object,
			       client_done *done, void *context)
{
	struct client_request request = {.method = "GET"};
	struct target target;

	target_of(&target, client, object);
	return start_at(client, &target, &request, done, context);
}

struct client_call *client_create(struct client *client, const struct client_object *collection,
				  struct str body, client_done *done, void *context)
{
	struct client_request request = {
		.method = "POST", .content_type = "application/json", .body = body};
	struct target target;

	target_of(&target, client, collection);
	target_query(&target, "fieldManager", STR(CLIENT_FIELD_MANAGER));
	return start_at(client, &target, &request, done, context);
}

struct client_call *client_patch(struct client *client, const struct client_object *object,
				 enum client_patch kind, struct str body, client_done *done,
				 void *context)
{
	struct client_request request = {
		.method = "PATCH",
		.content_type = kind == CLIENT_APPLY ? "application/apply-patch+yaml"
						     : "application/merge-patch+json",
		.body = body,
	};
	struct target target;

	target_of(&target, client, object);
	target_query(&target, "fieldManager", STR(CLIENT_FIELD_MANAGER));
	if (kind == CLIENT_APPLY)
		target_query(&target, "force", STR("true"));
	return start_at(client, &target, &request, done, context);
}

static int append_condition(struct buf *body, const char *key, struct str value, bool is_second,
			    struct err *err)
{
	buf_printf(body, "%s\"%s\":\"", is_second ? "," : "", key);
	if (json_string_escape(body, value, err) < 0)
		return -1;
	buf_append_char(body, '"');
	return 0;
}

static int delete_options(struct buf *body, const struct client_preconditions *preconditions,
			  struct err *err)
{
	struct str uid = preconditions->uid, version = preconditions->resource_version;

	buf_append_str(body, STR("{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
				 "\"propagationPolicy\":\"Background\""));
	if (preconditions->grace_seconds >= 0)
		buf_printf(body, ",\"gracePeriodSeconds\":%d", preconditions->grace_seconds);
	if (uid.n > 0 || version.n > 0) {
		buf_append_str(body, STR(",\"preconditions\":{"));
		if (uid.n > 0 && append_condition(body, "uid", uid, false, err) < 0)
			return -1;
		if (version.n > 0 &&
		    append_condition(body, "resourceVersion", version, uid.n > 0, err) < 0)
			return -1;
		buf_append_char(body, '}');
	}
	buf_append_char(body, '}');
	return 0;
}

struct client_call *client_delete_object(struct client *client, const struct client_object *object,
					 const struct client_preconditions *preconditions,
					 client_done *done, void *context)
{
	struct client_request request = {.method = "DELETE", .content_type = "application/json"};
	struct client_call *call;
	struct target target;
	struct buf body;
	struct err err;

	buf_init(&body, TARGET_BYTES_MAX);
	target_of(&target, client, object);
	if (delete_options(&body, preconditions, &err) == 0) {
		request.body = buf_str(&body);
		call = start_at(client, &target, &request, done, context);
	} else {
		request.target = target.text.data;
		call = call_new(client, &request, done, context);
		fail_soon(call, &err);
		target_free(&target);
	}
	buf_free(&body);
	return call;
}

/* --- Birth and death. --- */

void client_observe(struct client *client, client_observer *observer, void *context)
{
	client->observer = observer;
	client->observer_context = context;
}

const char *client_prefix(const struct client *client)
{
	return client->config.prefix;
}

struct client *client_new(struct io *io, struct config *config, struct log *log, struct err *err)
{
	struct client *client = mem_new(1, sizeof(*client));

	client->io = io;
	client->log = log;
	client->config = *config;
	*config = (struct config){0};
	if (client_route_init(client, err) < 0) {
		client_delete(client);
		return NULL;
	}
	log_hide(log, &client->config.token.text);
	return client;
}

void client_delete(struct client *client)
{
	if (!client)
		return;
	assert(client->calls == 0);
	client_route_free(client);
	config_free(&client->config);
	free(client);
}
