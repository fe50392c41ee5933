#include "uv_endpoint.h"

#include "base/buf.h"
#include "base/mem.h"
#include "uv_resolve.h"
#include "uv_tls.h"

#include <ctype.h>

static struct str copy(struct str s)
{
	return (struct str){s.n > 0 ? mem_copy_string(s.p, s.n) : NULL, s.n};
}

static void wipe_and_free(struct str s)
{
	char *bytes = (char *)(uintptr_t)s.p;

	if (bytes)
		mem_wipe(bytes, s.n);
	free(bytes);
}

/* A host goes into URLs, headers and a look-up: letters, digits, dots, dashes; or an address. */
static bool is_host(const char *host)
{
	size_t length = host ? strlen(host) : 0;

	if (length == 0 || length > ENDPOINT_HOST_BYTES_MAX)
		return false;
	if (uv_resolve_is_address(host))
		return true;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)host[i];

		if (!isalnum(c) && c != '.' && c != '-' && c != '_')
			return false;
	}
	return true;
}

static int check(const struct io_endpoint_config *config, struct err *err)
{
	if (!is_host(config->host))
		return err_set(err, ERR_INVALID, "not a host name or address: \"%.*s\"",
			       ENDPOINT_HOST_BYTES_MAX, config->host ? config->host : "");
	if (config->server_name && !is_host(config->server_name))
		return err_set(err, ERR_INVALID, "not a server name: \"%.*s\"",
			       ENDPOINT_HOST_BYTES_MAX, config->server_name);
	if (config->port == 0)
		return err_set(err, ERR_INVALID, "port 0 of %s is none", config->host);
	if (config->ca_pem.n > ENDPOINT_PEM_BYTES_MAX ||
	    config->client_cert_pem.n > ENDPOINT_PEM_BYTES_MAX ||
	    config->client_key_pem.n > ENDPOINT_PEM_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE, "a PEM text has more than %d bytes",
			       ENDPOINT_PEM_BYTES_MAX);
	return 0;
}

static char *authority(const char *host, uint16_t port)
{
	bool needs_brackets = strchr(host, ':') != NULL;
	struct buf text;

	buf_init(&text, ENDPOINT_HOST_BYTES_MAX + 16);
	buf_printf(&text, needs_brackets ? "[%s]:%u" : "%s:%u", host, port);
	return text.data;
}

static void destroy(void *context);

struct io_endpoint *uv_endpoint_new(struct io *io, const struct io_endpoint_config *config,
				    struct err *err)
{
	struct uv_io *uv = uv_io_of(io);
	const char *name = config->server_name ? config->server_name : config->host;
	struct io_endpoint *endpoint;
	SSL_CTX *tls = NULL;

	if (check(config, err) < 0)
		return NULL;
	if (!config->plain_text) {
		tls = uv_tls_new(config, err);
		if (!tls)
			return NULL;
	}
	endpoint = mem_new(1, sizeof(*endpoint));
	endpoint->uv = uv;
	endpoint->tls = tls;
	endpoint->host = mem_copy_string(config->host, strlen(config->host));
	endpoint->name = mem_copy_string(name, strlen(name));
	endpoint->authority = authority(config->host, config->port);
	endpoint->port = config->port;
	endpoint->insecure_skip_verify = config->insecure_skip_verify;
	endpoint->plain_text = config->plain_text;
	endpoint->ca_pem = copy(config->ca_pem);
	endpoint->client_cert_pem = copy(config->client_cert_pem);
	endpoint->client_key_pem = copy(config->client_key_pem);
	uv_soon_call_init(&endpoint->destroy, destroy, endpoint);
	list_push_back(&uv->endpoints, &endpoint->link);
	return endpoint;
}

static void free_rest(void *context)
{
	struct io_endpoint *endpoint = context;

	endpoint->uv->pending--;
	uv_tls_free(endpoint->tls);
	wipe_and_free(endpoint->ca_pem);
	wipe_and_free(endpoint->client_cert_pem);
	wipe_and_free(endpoint->client_key_pem);
	free(endpoint->host);
	free(endpoint->name);
	free(endpoint->authority);
	free(endpoint);
}

static void destroy(void *context)
{
	struct io_endpoint *endpoint = context;

	for (size_t i = 0; i <= IO_HTTP_WATCH; i++)
		uv_http_multi_delete(endpoint->multis[i]);
	if (endpoint->ws_context)
		uv_ws_context_delete(endpoint->ws_context, free_rest, endpoint);
	else
		free_rest(endpoint);
}

/* The caller may be a callback of curl or lws, so that both can go only from the loop. */
void uv_endpoint_delete(struct io *io, struct io_endpoint *endpoint)
{
	struct uv_io *uv = uv_io_of(io);

	if (!endpoint)
		return;
	assert(endpoint->users == 0);
	list_remove(&endpoint->link);
	uv->pending++;
	uv_soon_ask(&uv->soon, &endpoint->destroy);
}

void uv_endpoint_delete_all(struct uv_io *uv)
{
	while (!list_is_empty(&uv->endpoints))
		uv_endpoint_delete(&uv->io,
				   list_item(uv->endpoints.next, struct io_endpoint, link));
}

struct uv_http_multi *uv_endpoint_multi(struct io_endpoint *endpoint, enum io_http_kind kind)
{
	if (!endpoint->multis[kind])
		endpoint->multis[kind] = uv_http_multi_new(
			endpoint->uv, kind == IO_HTTP_CALL ? ENDPOINT_CALL_CONNECTIONS : 0);
	return endpoint->multis[kind];
}

struct uv_ws_context *uv_endpoint_ws_context(struct io_endpoint *endpoint)
{
	if (!endpoint->ws_context)
		endpoint->ws_context = uv_ws_context_new(endpoint->uv, endpoint->tls);
	return endpoint->ws_context;
}
