/*
 * uv_ws: the websockets of kube/io.h by libwebsockets.
 *
 * A websocket has two halves: ours, which ends when its user is told (or says) so, and that of
 * libwebsockets (the wsi), which ends when LWS_CALLBACK_WSI_DESTROY has come, a turn of the loop
 * or a polite close later. The memory goes with the last of the two.
 */
#ifndef KUBE_UV_WS_H
#define KUBE_UV_WS_H

#include "base/buf.h"
#include "uv_core.h"
#include "uv_ws_context.h"
#include "uv_ws_outbox.h"
#include "uv_ws_pulse.h"

/* Bytes on their way out before ws_send says no. One message is always taken. */
#define WS_QUEUE_BYTES_MAX (256 * 1024)
/* What is kept of what a server says when it refuses the handshake. */
#define WS_REFUSAL_BYTES_MAX 4096
/* A ping goes out this many times within silence_ms. */
#define WS_PINGS_PER_SILENCE 3
/* How long a socket that was closed by its user may take to say so to the other side. */
#define WS_CLOSE_GRACE_MS	 2000
#define WS_SUBPROTOCOL_BYTES_MAX 128

struct io_ws {
	struct uv_io *uv;
	struct list link;
	struct io_endpoint *endpoint; /* of our half */
	struct uv_ws_context *ws_context;
	struct io_ws_callbacks callbacks;
	void *context;
	char *target, *subprotocols;
	char *authorization; /* wiped when the handshake is over */
	int64_t connect_timeout_ms, silence_ms;
	struct uv_resolve *resolve;
	struct io_timer *timer; /* until open: the handshake's limit; then the pulse */
	bool is_open, is_over;
	bool has_wsi;	 /* their half lives, maybe only to be freed */
	struct lws *wsi; /* as long as it may be spoken to */
	struct uv_ws_outbox outbox;
	bool was_refused; /* ws_send said no */
	bool wants_ping;
	struct uv_ws_pulse pulse;
	struct buf message; /* the fragments so far */
	struct buf refusal; /* the body of a refused handshake */
	char subprotocol[WS_SUBPROTOCOL_BYTES_MAX];
	int http_status, close_code;
	bool has_err; /* `err` says why libwebsockets was told to close */
	struct err err;
};

/* The members ws_start, ws_send and ws_close of struct io. */
struct io_ws *uv_ws_start(struct io *io, const struct io_ws_request *request,
			  const struct io_ws_callbacks *callbacks, void *context);
bool uv_ws_send(struct io *io, struct io_ws *ws, struct str message);
void uv_ws_close(struct io *io, struct io_ws *ws);

void uv_ws_close_all(struct uv_io *uv);

/* For uv_ws_event.c: tells the user, ends our half, lets the other go. */
void uv_ws_end(struct io_ws *ws, const struct err *err);
/* When both halves have ended. */
void uv_ws_free(struct io_ws *ws);
/* Both when the handshake is through. */
void uv_ws_forget_token(struct io_ws *ws);
void uv_ws_start_pulse(struct io_ws *ws);

#endif
