#include "uv_ws.h"

#include "base/buf.h"
#include "base/mem.h"
#include "uv_alarm.h"
#include "uv_endpoint.h"
#include "uv_resolve.h"
#include "uv_socket.h"
#include "uv_ws_context.h"
#include "uv_ws_outbox.h"
#include "uv_ws_pulse.h"

/* --- The end. --- */

void uv_ws_forget_token(struct io_ws *ws)
{
	if (ws->authorization)
		mem_wipe(ws->authorization, strlen(ws->authorization));
	free(ws->authorization);
	ws->authorization = NULL;
}

void uv_ws_free(struct io_ws *ws)
{
	uv_ws_outbox_clear(&ws->outbox);
	buf_free(&ws->message);
	buf_free(&ws->refusal);
	uv_ws_forget_token(ws);
	free(ws->target);
	free(ws->subprotocols);
	free(ws);
}

/* Lets their half go: politely when the handshake was through, else at once. */
static void let_wsi_go(struct io_ws *ws)
{
	if (ws->is_open) {
		lws_set_timeout(ws->wsi, PENDING_TIMEOUT_CLOSE_SEND, WS_CLOSE_GRACE_MS / 1000);
		lws_callback_on_writable(ws->wsi);
	} else {
		lws_set_timeout(ws->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
	}
	uv_ws_context_kick(ws->ws_context);
}

/* Our half is over; nothing is called back from here on. */
static void retire(struct io_ws *ws)
{
	ws->is_over = true;
	ws->endpoint->users--;
	ws->endpoint = NULL;
	list_remove(&ws->link);
	uv_alarm_drop(ws->uv, &ws->timer);
	if (ws->resolve)
		uv_resolve_cancel(ws->resolve);
	if (ws->wsi)
		let_wsi_go(ws);
	else if (!ws->has_wsi)
		uv_ws_free(ws);
}

void uv_ws_end(struct io_ws *ws, const struct err *err)
{
	const struct io_ws_callbacks callbacks = ws->callbacks;
	struct err copy = *err;
	struct io_ws_end end = {ws->close_code, ws->http_status, &copy, {NULL, 0}};
	struct buf refusal = ws->refusal;
	void *context = ws->context;

	copy.http_status = ws->http_status;
	end.body = buf_str(&refusal);
	buf_init(&ws->refusal, WS_REFUSAL_BYTES_MAX);
	retire(ws);
	callbacks.ended(context, &end);
	buf_free(&refusal);
}

/* --- The pulse. --- */

static void on_pulse(void *context)
{
	struct io_ws *ws = context;
	int64_t now = (int64_t)uv_now(ws->uv->loop);
	bool has_unsent = !uv_ws_outbox_is_empty(&ws->outbox);
	enum uv_ws_pulse_verdict verdict = uv_ws_pulse_judge(&ws->pulse, has_unsent, now);
	struct err err;

	ws->timer = NULL;
	if (verdict == PULSE_ASK_KERNEL &&
	    uv_socket_is_unanswered(lws_get_socket_fd(ws->wsi), ws->silence_ms))
		verdict = PULSE_DEAD;
	if (verdict == PULSE_DEAD) {
		err_set(&err, ERR_TIMEOUT, "%s: nothing heard in %lld ms, not even a pong",
			ws->endpoint->authority, (long long)ws->silence_ms);
		uv_ws_end(ws, &err);
		return;
	}
	ws->wants_ping = true;
	lws_callback_on_writable(ws->wsi);
	ws->timer =
		uv_alarm_start(&ws->uv->io, ws->silence_ms / WS_PINGS_PER_SILENCE, on_pulse, ws);
}

void uv_ws_start_pulse(struct io_ws *ws)
{
	uv_alarm_drop(ws->uv, &ws->timer);
	uv_ws_pulse_start(&ws->pulse, ws->silence_ms, (int64_t)uv_now(ws->uv->loop));
	if (ws->silence_ms > 0)
		ws->timer = uv_alarm_start(&ws->uv->io, ws->silence_ms / WS_PINGS_PER_SILENCE,
					   on_pulse, ws);
}

/* --- Starting. --- */

static void on_handshake_timeout(void *context)
{
	struct io_ws *ws = context;
	struct err err;

	ws->timer = NULL;
	err_set(&err, ERR_TIMEOUT, "%s: no websocket in %lld ms", ws->endpoint->authority,
		(long long)ws->connect_timeout_ms);
	uv_ws_end(ws, &err);
}

static void connect_to(struct io_ws *ws, const char *address)
{
	const struct io_endpoint *endpoint = ws->endpoint;
	struct lws_client_connect_info info = {
		.context = uv_ws_context_lws(ws->ws_context),
		.address = address,
		.port = endpoint->port,
		.path = ws->target,
		.host = endpoint->authority,
		.protocol = ws->subprotocols,
		.local_protocol_name = "sandboxtask",
		.userdata = ws,
		/* Over HTTP/2 it would hang for ever: the server has no websockets there. */
		.alpn = "http/1.1",
		.ietf_version_or_minus_one = 13,
		.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT,
	};
	struct err err;

	/* Our SSL_CTX checks the name, rightly for IPv6 as well. */
	if (!endpoint->plain_text)
		info.ssl_connection |= LCCSCF_USE_SSL | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK;
	if (!lws_client_connect_via_info(&info) && !ws->is_over) {
		err_set(&err, ERR_TRANSPORT, "%s: can't connect to %s", endpoint->authority,
			address);
		ws->wsi = NULL;
		uv_ws_end(ws, &err);
	}
}

static void on_resolved(void *context, const struct uv_resolve_answer *answer,
			const struct err *resolve_err)
{
	struct io_ws *ws = context;
	const char *address;
	struct err err;
	int trouble;

	ws->resolve = NULL;
	if (!answer) {
		uv_ws_end(ws, resolve_err);
		return;
	}
	/* The next attempt takes the next address, in case this one is the bad one. */
	address = answer->address[ws->endpoint->websocket_address++ % answer->count];
	trouble = uv_socket_find_way(address, ws->endpoint->port);
	if (trouble != 0) {
		err_set_errno(&err, trouble, "%s: connecting to %s", ws->endpoint->authority,
			      address);
		err.code = ERR_TRANSPORT;
		uv_ws_end(ws, &err);
		return;
	}
	ws->ws_context = uv_endpoint_ws_context(ws->endpoint);
	if (!ws->ws_context) {
		err_set(&err, ERR_IO,
			"libwebsockets does not start: is its plugin for libuv "
			"(libwebsockets-evlib-uv) installed?");
		uv_ws_end(ws, &err);
		return;
	}
	connect_to(ws, address);
}

static char *bearer(struct str token)
{
	struct buf text;

	if (token.n == 0)
		return NULL;
	buf_init(&text, token.n + sizeof("Bearer "));
	buf_printf(&text, "Bearer %.*s", STR_ARGS(token));
	return text.data;
}

struct io_ws *uv_ws_start(struct io *io, const struct io_ws_request *request,
			  const struct io_ws_callbacks *callbacks, void *context)
{
	struct uv_io *uv = uv_io_of(io);
	struct io_ws *ws = mem_new(1, sizeof(*ws));

	assert(request->target[0] == '/' && request->subprotocols[0] != '\0');
	assert(request->connect_timeout_ms > 0);
	ws->uv = uv;
	ws->endpoint = request->endpoint;
	ws->endpoint->users++;
	ws->callbacks = *callbacks;
	ws->context = context;
	ws->target = mem_copy_string(request->target, strlen(request->target));
	ws->subprotocols = mem_copy_string(request->subprotocols, strlen(request->subprotocols));
	ws->authorization = bearer(request->bearer_token);
	ws->connect_timeout_ms = request->connect_timeout_ms;
	ws->silence_ms = request->silence_ms;
	buf_init(&ws->message, request->message_limit);
	buf_init(&ws->refusal, WS_REFUSAL_BYTES_MAX);
	uv_ws_outbox_init(&ws->outbox);
	list_push_back(&uv->websockets, &ws->link);
	ws->timer = uv_alarm_start(io, request->connect_timeout_ms, on_handshake_timeout, ws);
	ws->resolve = uv_resolve_start(uv, ws->endpoint->host, on_resolved, ws);
	return ws;
}

bool uv_ws_send(struct io *io, struct io_ws *ws, struct str message)
{
	(void)io;
	assert(message.n <= IO_WS_SEND_BYTES_MAX);
	if (ws->outbox.bytes > 0 && ws->outbox.bytes + message.n > WS_QUEUE_BYTES_MAX) {
		ws->was_refused = true;
		return false;
	}
	uv_ws_outbox_push(&ws->outbox, message);
	if (ws->is_open && ws->wsi)
		lws_callback_on_writable(ws->wsi);
	return true;
}

void uv_ws_close(struct io *io, struct io_ws *ws)
{
	(void)io;
	retire(ws);
}

void uv_ws_close_all(struct uv_io *uv)
{
	while (!list_is_empty(&uv->websockets))
		retire(list_first(&uv->websockets, struct io_ws, link));
}
