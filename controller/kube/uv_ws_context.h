/*
 * uv_ws_context: one libwebsockets context on the loop, for the websockets of one endpoint.
 *
 * A context of its own per endpoint, because a changed CA or client certificate needs a new one
 * anyway, and because a context costs 4 ms and some 300 KiB only.
 */
#ifndef KUBE_UV_WS_CONTEXT_H
#define KUBE_UV_WS_CONTEXT_H

#include "uv_core.h"

#include <libwebsockets.h>
#include <openssl/ssl.h>

struct uv_ws_context;

/*
 * The callback of all wsi is uv_ws_event_on. `tls` NULL: plain text. NULL when
 * libwebsockets can't start: an image that lacks its plugin for libuv, which is a package apart.
 */
struct uv_ws_context *uv_ws_context_new(struct uv_io *uv, SSL_CTX *tls);

/* From the loop only. Kills what is still connected, then calls `deleted` from the loop. */
void uv_ws_context_delete(struct uv_ws_context *ours, void (*deleted)(void *context),
			  void *context);

struct lws_context *uv_ws_context_lws(struct uv_ws_context *ours);

/* A wsi was made for, or is about to be freed with, one websocket. */
void uv_ws_context_hold(struct uv_ws_context *ours);
void uv_ws_context_release(struct uv_ws_context *ours);

/*
 * Makes libwebsockets look at its timers and wishes. It does so only after an event of one of its
 * sockets; asked in between, it would sleep on (a connect to a black hole never ended).
 */
void uv_ws_context_kick(struct uv_ws_context *ours);

#endif
