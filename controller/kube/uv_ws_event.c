/*
 * What libwebsockets 4.1.6 does, and what is done about it, is in uv_tls.c (certificates),
 * uv_ws_context.c (its end, its timers), uv_ws.c (the way out) and here: it loses the reason of a
 * refused handshake unless the body is read inside one callback; takes a missing subprotocol for
 * the one it wanted; hands over frames in pieces; and, told by libuv of an error, closes without
 * reading what has come, so that we read before we write.
 */
#include "uv_ws_event.h"

#include "status.h"
#include "uv_endpoint.h"
#include "uv_socket.h"
#include "uv_tls.h"
#include "uv_ws.h"

#include <poll.h>

/* The reason that is reported, when their half ends, in place of what libwebsockets says. */
static void set_reason(struct io_ws *ws, enum err_code code, const char *text)
{
	err_set(&ws->err, code, "%s: %s", ws->endpoint->authority, text);
	ws->has_err = true;
}

static void heard(struct io_ws *ws)
{
	uv_ws_pulse_heard(&ws->pulse, (int64_t)uv_now(ws->uv->loop));
}

/* --- The handshake, as libwebsockets calls us. --- */

static int add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
		      unsigned char *end_of_room)
{
	return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
					   (const unsigned char *)value, (int)strlen(value), at,
					   end_of_room);
}

static int append_headers(struct io_ws *ws, struct lws *wsi, unsigned char **at, size_t room)
{
	unsigned char *end_of_room = *at + room;

	if ((ws->authorization &&
	     add_header(wsi, "authorization:", ws->authorization, at, end_of_room) != 0) ||
	    add_header(wsi, "user-agent:", ws->uv->user_agent, at, end_of_room) != 0) {
		set_reason(ws, ERR_TOO_LARGE, "the token leaves no room in the request's headers");
		return -1;
	}
	return 0;
}

/*
 * The answer's head is here. Whatever it is, this is the only place from which its body can be
 * read, and only what has come already: libwebsockets closes as soon as we return.
 */
static void read_refusal(struct io_ws *ws, struct lws *wsi)
{
	char room[LWS_PRE + WS_REFUSAL_BYTES_MAX], *at = room + LWS_PRE;
	int length = WS_REFUSAL_BYTES_MAX;

	ws->http_status = (int)lws_http_client_http_response(wsi);
	if (ws->http_status == 101)
		ws->http_status = 0;
	else
		lws_http_client_read(wsi, &at, &length);
}

static void keep_refusal(struct io_ws *ws, struct str part)
{
	size_t room = ws->refusal.limit - ws->refusal.length;

	buf_append_str(&ws->refusal, str_slice(part, 0, room));
}

static int check_subprotocol(struct io_ws *ws, struct lws *wsi)
{
	int length =
		lws_hdr_copy(wsi, ws->subprotocol, sizeof(ws->subprotocol), WSI_TOKEN_PROTOCOL);

	if (length > 0)
		return 0;
	set_reason(ws, ERR_PROTOCOL, "the server chose no subprotocol");
	return -1;
}

static void on_open(struct io_ws *ws)
{
	ws->is_open = true;
	uv_socket_keep_alive(lws_get_socket_fd(ws->wsi));
	uv_ws_forget_token(ws);
	uv_ws_start_pulse(ws);
	ws->callbacks.open(ws->context, str_of(ws->subprotocol));
}

static void on_connection_error(struct io_ws *ws, struct lws *wsi, struct str what)
{
	const char *refusal = ws->ws_context ? uv_tls_refusal(lws_get_ssl(wsi)) : NULL;
	struct err err = ws->err;

	ws->wsi = NULL;
	if (ws->is_over)
		return;
	if (ws->http_status > 0)
		err_set(&err, status_code_of_http(ws->http_status),
			"%s: the handshake was refused with status %d", ws->endpoint->authority,
			ws->http_status);
	else if (refusal)
		err_set(&err, ERR_TRANSPORT, "%s: the server's certificate: %s",
			ws->endpoint->authority, refusal);
	else if (!ws->has_err)
		err_set(&err, ERR_TRANSPORT, "%s: no websocket: %.*s", ws->endpoint->authority,
			STR_ARGS(what));
	uv_ws_end(ws, &err);
}

/* --- Once it is open. --- */

static int on_receive(struct io_ws *ws, struct lws *wsi, struct str piece)
{
	bool is_first = lws_is_first_fragment(wsi), is_final = lws_is_final_fragment(wsi);

	heard(ws);
	if (ws->is_over)
		return 0;
	if (!lws_frame_is_binary(wsi)) {
		set_reason(ws, ERR_PROTOCOL, "a text message came, where all are binary");
		return -1;
	}
	if (is_first)
		buf_clear(&ws->message);
	if (piece.n > ws->message.limit - ws->message.length) {
		set_reason(ws, ERR_TOO_LARGE, "a message is over the limit");
		return -1;
	}
	if (is_first && is_final) {
		ws->callbacks.message(ws->context, piece);
		return 0;
	}
	buf_append_str(&ws->message, piece);
	if (is_final)
		ws->callbacks.message(ws->context, buf_str(&ws->message));
	return 0;
}

static bool has_something_to_read(struct lws *wsi)
{
	struct pollfd poll_fd = {.fd = lws_get_socket_fd(wsi), .events = POLLIN};

	return poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & POLLIN);
}

static int write_one(struct io_ws *ws, struct lws *wsi)
{
	unsigned char ping[LWS_PRE + PULSE_PING_BYTES];
	size_t length;
	unsigned char *bytes;

	if (ws->wants_ping) {
		ws->wants_ping = false;
		uv_ws_pulse_ping(&ws->pulse, ping + LWS_PRE);
		return lws_write(wsi, ping + LWS_PRE, PULSE_PING_BYTES, LWS_WRITE_PING);
	}
	if (uv_ws_outbox_is_empty(&ws->outbox))
		return 0;
	bytes = uv_ws_outbox_first(&ws->outbox, &length);
	if (lws_write(wsi, bytes, length, LWS_WRITE_BINARY) < (int)length)
		return -1;
	uv_ws_outbox_pop(&ws->outbox);
	uv_ws_pulse_data_sent(&ws->pulse);
	return 0;
}

static int on_writable(struct io_ws *ws, struct lws *wsi)
{
	if (ws->is_over) {
		lws_close_reason(wsi, LWS_CLOSE_STATUS_NORMAL, NULL, 0);
		return -1;
	}
	/* A write that fails makes libwebsockets close unread what the other side said last. */
	if (has_something_to_read(wsi)) {
		lws_callback_on_writable(wsi);
		return 0;
	}
	if (write_one(ws, wsi) < 0)
		return -1;
	if (ws->wants_ping || !uv_ws_outbox_is_empty(&ws->outbox))
		lws_callback_on_writable(wsi);
	if (ws->was_refused && ws->outbox.bytes <= WS_QUEUE_BYTES_MAX / 2) {
		ws->was_refused = false;
		ws->callbacks.writable(ws->context);
	}
	return 0;
}

static void on_peer_close(struct io_ws *ws, struct str payload)
{
	if (payload.n >= 2)
		ws->close_code = (unsigned char)payload.p[0] << 8 | (unsigned char)payload.p[1];
}

static void on_closed(struct io_ws *ws)
{
	struct err err = ws->err;

	ws->wsi = NULL;
	if (ws->is_over)
		return;
	if (ws->close_code > 0)
		err_set(&err, ERR_TRANSPORT, "%s: closed by the server with code %d",
			ws->endpoint->authority, ws->close_code);
	else if (!ws->has_err)
		err_set(&err, ERR_TRANSPORT, "%s: the connection ended without a close",
			ws->endpoint->authority);
	uv_ws_end(ws, &err);
}

/* Their half is gone, with or without a word. */
static void on_destroyed(struct io_ws *ws)
{
	struct err err;

	uv_ws_context_release(ws->ws_context);
	ws->wsi = NULL;
	ws->has_wsi = false;
	if (ws->is_over) {
		uv_ws_free(ws);
		return;
	}
	err_set(&err, ERR_TRANSPORT, "%s: the connection ended", ws->endpoint->authority);
	uv_ws_end(ws, &err);
}

static void on_created(struct io_ws *ws, struct lws *wsi)
{
	if (ws->has_wsi)
		return;
	uv_ws_context_hold(ws->ws_context);
	ws->has_wsi = true;
	ws->wsi = wsi;
}

int uv_ws_event_on(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
		   size_t length)
{
	struct io_ws *ws = user;
	struct str bytes = {in, length};

	if (!ws)
		return 0;
	/* All that is not named is of no interest to a client of websockets. */
	switch ((int)reason) {
	case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
	case LWS_CALLBACK_WSI_CREATE: on_created(ws, wsi); return 0;
	case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
		return ws->is_over ? -1 : append_headers(ws, wsi, in, length);
	case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP: read_refusal(ws, wsi); return 0;
	case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ: keep_refusal(ws, bytes); return 0;
	case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
		return ws->is_over ? -1 : check_subprotocol(ws, wsi);
	case LWS_CALLBACK_CLIENT_ESTABLISHED:
		if (ws->is_over)
			return -1;
		on_open(ws);
		return 0;
	case LWS_CALLBACK_CLIENT_RECEIVE: return on_receive(ws, wsi, bytes);
	case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
		uv_ws_pulse_pong(&ws->pulse, bytes, (int64_t)uv_now(ws->uv->loop));
		return 0;
	case LWS_CALLBACK_CLIENT_WRITEABLE: return on_writable(ws, wsi);
	case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: on_peer_close(ws, bytes); return 0;
	case LWS_CALLBACK_CLIENT_CONNECTION_ERROR: on_connection_error(ws, wsi, bytes); return 0;
	case LWS_CALLBACK_CLIENT_CLOSED: on_closed(ws); return 0;
	case LWS_CALLBACK_WSI_DESTROY:
		if (ws->has_wsi)
			on_destroyed(ws);
		return 0;
	default: return 0;
	}
}
