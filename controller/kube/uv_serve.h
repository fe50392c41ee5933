/*
 * uv_serve: the port for /healthz, /readyz and /metrics.
 *
 * A responder of our own and not libwebsockets' server: what kubelets and Prometheus send is one
 * GET a connection, and for that 300 lines on uv_tcp are smaller than the guards that a general
 * server would need. It reads a request line strictly, looks at no header, answers one request per
 * connection and closes. Everything is bounded: connections, bytes of a head, time.
 */
#ifndef KUBE_UV_SERVE_H
#define KUBE_UV_SERVE_H

#include "uv_core.h"

/* One more is closed at once. */
#define SERVE_CONNECTIONS_MAX 32
#define SERVE_HEAD_BYTES_MAX  8192
#define SERVE_BODY_BYTES_MAX  (1024 * 1024)
/* From being accepted to having taken the whole answer. */
#define SERVE_TIMEOUT_MS 10000

/* The members serve, reply and serve_stop of struct io. `address` is numeric. */
struct io_server *uv_serve_start(struct io *io, const char *address, uint16_t port,
				 io_serve_fn *on_request, void *context, struct err *err);
void uv_serve_reply(struct io *io, struct io_reply *reply, int status, const char *content_type,
		    struct str body);
void uv_serve_stop(struct io *io, struct io_server *server);

void uv_serve_stop_all(struct uv_io *uv);

#endif
