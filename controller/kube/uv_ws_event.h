/* uv_ws_event: what libwebsockets tells about a websocket, from the handshake to the last byte. */
#ifndef KUBE_UV_WS_EVENT_H
#define KUBE_UV_WS_EVENT_H

#include <libwebsockets.h>

/* The callback of all connections; `user` is their struct io_ws. */
int uv_ws_event_on(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
		   size_t length);

#endif
