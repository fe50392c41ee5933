/* uv_http: the HTTP requests of kube/io.h by libcurl. */
#ifndef KUBE_UV_HTTP_H
#define KUBE_UV_HTTP_H

#include "uv_core.h"

/* A new connection has to stand after this long, whatever the request may take in all. */
#define HTTP_CONNECT_TIMEOUT_MS 10000L
/* The longest Retry-After that is believed. */
#define HTTP_RETRY_AFTER_SECONDS_MAX 3600

/* The members http_start and http_cancel of struct io. */
struct io_http *uv_http_start(struct io *io, const struct io_http_request *request,
			      const struct io_http_callbacks *callbacks, void *context);
void uv_http_cancel(struct io *io, struct io_http *http);

void uv_http_cancel_all(struct uv_io *uv);

#endif
