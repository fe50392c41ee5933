/*
 * uv_tls: the client side of TLS for an endpoint, as OpenSSL wants it.
 *
 * libwebsockets 4.1's own ways are not used: it loads only the first certificate of a CA bundle and
 * only the leaf of a client chain, checks no name at all for an IPv6 server, and takes a
 * certificate that is not valid yet. The context made here verifies the peer by itself: bundle,
 * chain, name or address, with SNI only where RFC 6066 allows it (a name, never an address).
 *
 * curl gets the same PEM texts as blobs and does its own, sound verification; that the texts parse
 * is checked here for both.
 */
#ifndef KUBE_UV_TLS_H
#define KUBE_UV_TLS_H

#include "io.h"

#include <openssl/ssl.h>

/*
 * A context for connections to `config`'s server, or NULL with ERR_INVALID. It remembers the
 * server's name until uv_tls_free; `config` is only read.
 */
SSL_CTX *uv_tls_new(const struct io_endpoint_config *config, struct err *err);
void uv_tls_free(SSL_CTX *context);

/* Why the peer's certificate was refused, or NULL when that was not the trouble. */
const char *uv_tls_refusal(SSL *ssl);

#endif
