/*
 * uv_endpoint: a server, and what is kept open to it: two curl multis and one lws context, each
 * made when it is first needed.
 */
#ifndef KUBE_UV_ENDPOINT_H
#define KUBE_UV_ENDPOINT_H

#include "uv_core.h"
#include "uv_http_multi.h"
#include "uv_ws_context.h"

#include <openssl/ssl.h>

#define ENDPOINT_HOST_BYTES_MAX 253 /* RFC 1035 */
#define ENDPOINT_PEM_BYTES_MAX	(1024 * 1024)

/*
 * Connections of calls to one server: with one alone, a write would wait behind a long answer of a
 * server without HTTP/2; more than two gain nothing with it.
 */
#define ENDPOINT_CALL_CONNECTIONS 2L

struct io_endpoint {
	struct uv_io *uv;
	struct list link;
	char *host;
	char *name;	 /* in the certificate */
	char *authority; /* "host:port", with brackets around IPv6 */
	uint16_t port;
	bool insecure_skip_verify, plain_text;
	struct str ca_pem, client_cert_pem, client_key_pem; /* owned */
	SSL_CTX *tls;					    /* NULL for plain text */
	unsigned users;					    /* operations under way */
	struct uv_http_multi *multis[IO_HTTP_WATCH + 1];
	struct uv_ws_context *ws_context;
	size_t websocket_address; /* which of the host's addresses is tried next, modulo */
	struct uv_soon_call destroy;
};

/* The members endpoint_new and endpoint_delete of struct io. */
struct io_endpoint *uv_endpoint_new(struct io *io, const struct io_endpoint_config *config,
				    struct err *err);
void uv_endpoint_delete(struct io *io, struct io_endpoint *endpoint);

void uv_endpoint_delete_all(struct uv_io *uv);

/* From the loop only. */
struct uv_http_multi *uv_endpoint_multi(struct io_endpoint *endpoint, enum io_http_kind kind);
struct uv_ws_context *uv_endpoint_ws_context(struct io_endpoint *endpoint);

#endif
