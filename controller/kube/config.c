#include "config.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PORT_DEFAULT   443
#define PATH_BYTES_MAX 4096

static void text_free(struct config_text *text)
{
	free(text->path);
	text->path = NULL;
	secret_free(&text->text);
}

void config_free(struct config *config)
{
	text_free(&config->ca);
	text_free(&config->client_cert);
	text_free(&config->client_key);
	text_free(&config->token);
	free(config->host);
	free(config->prefix);
	free(config->server_name);
	free(config->in_namespace);
	*config = (struct config){0};
}

/* Takes "host", "host:port" or "[address]:port" apart. */
static int split_authority(struct str authority, struct str *host, uint16_t *port)
{
	struct str rest = authority;
	uint64_t number = PORT_DEFAULT;

	if (str_starts_with(authority, STR("["))) {
		rest = str_slice(authority, 1, authority.n);
		*host = str_split(&rest, ']');
		if (!rest.p || (rest.n > 0 && rest.p[0] != ':'))
			return -1;
		rest = rest.n > 0 ? str_slice(rest, 1, rest.n) : (struct str){NULL, 0};
	} else {
		*host = str_split(&rest, ':');
	}
	if (rest.p && (!str_to_uint(rest, UINT16_MAX, &number) || number == 0))
		return -1;
	*port = (uint16_t)number;
	return host->n > 0 ? 0 : -1;
}

int config_set_server(struct config *config, struct str url, struct err *err)
{
	const struct str scheme = STR("https://");
	struct str rest, authority, host, prefix;
	uint16_t port;

	if (!str_starts_with(url, scheme))
		return err_set(err, ERR_INVALID, "the server's URL has to begin with https://");
	rest = str_slice(url, scheme.n, url.n);
	authority = str_split(&rest, '/');
	prefix = rest.p ? (struct str){rest.p - 1, rest.n + 1} : STR("");
	while (str_ends_with(prefix, STR("/")))
		prefix.n--;
	for (size_t i = 0; i < url.n; i++)
		if (url.p[i] <= ' ' || url.p[i] >= 0x7f || strchr("?#@\"", url.p[i]))
			return err_set(err, ERR_INVALID,
				       "a character that can't be in a server's URL");
	if (split_authority(authority, &host, &port) < 0)
		return err_set(err, ERR_INVALID, "the server's URL has no valid host and port");
	free(config->host);
	free(config->prefix);
	config->host = mem_copy_string(host.p, host.n);
	config->prefix = mem_copy_string(prefix.p, prefix.n);
	config->port = port;
	return 0;
}

int config_read(struct io *io, struct config_text *text, struct err *err)
{
	struct buf content;
	int result;

	if (!text->path)
		return 0;
	buf_init(&content, SECRET_BYTES_MAX);
	result = io->read_file(io, text->path, &content, err);
	if (result == 0 && str_trim(buf_str(&content)).n == 0)
		result = err_set(err, ERR_INVALID, "%s is empty", text->path);
	if (result == 0)
		result = secret_set(&text->text, str_trim(buf_str(&content)), err);
	mem_wipe(content.data, content.length);
	buf_free(&content);
	return result;
}

struct io_endpoint *config_endpoint(struct io *io, const struct config *config, struct err *err)
{
	const struct io_endpoint_config endpoint = {
		.host = config->host,
		.port = config->port,
		.server_name = config->server_name,
		.ca_pem = secret_reveal(&config->ca.text),
		.client_cert_pem = secret_reveal(&config->client_cert.text),
		.client_key_pem = secret_reveal(&config->client_key.text),
		.insecure_skip_verify = config->insecure_skip_verify,
	};

	return io->endpoint_new(io, &endpoint, err);
}

static char *path_in(const char *folder, const char *name)
{
	struct buf path;
	int result;

	buf_init(&path, PATH_BYTES_MAX);
	result = buf_printf(&path, "%s/%s", folder, name);
	assert(result == 0);
	return path.data;
}

static char *read_namespace(struct io *io, const char *folder)
{
	struct config_text text = {.path = path_in(folder, "namespace")};
	struct err err;
	struct str name;
	char *copy;

	/* Not every Pod that has a token has this file; who needs the name asks for it. */
	(void)config_read(io, &text, &err);
	name = secret_reveal(&text.text);
	copy = mem_copy_string(name.n > 0 ? name.p : "", name.n);
	text_free(&text);
	return copy;
}

int config_in_cluster(struct config *config, struct io *io, const struct config_pod *pod,
		      struct err *err)
{
	struct config read = {0};
	uint64_t port;

	if (!pod->host || !pod->port || !pod->host[0] || !pod->port[0])
		return err_set(err, ERR_NOT_FOUND,
			       "this is no Pod: KUBERNETES_SERVICE_HOST and "
			       "KUBERNETES_SERVICE_PORT are not both set");
	if (!str_to_uint(str_of(pod->port), UINT16_MAX, &port) || port == 0)
		return err_set(err, ERR_INVALID, "KUBERNETES_SERVICE_PORT is no port: \"%s\"",
			       pod->port);
	read.host = mem_copy_string(pod->host, strlen(pod->host));
	read.port = (uint16_t)port;
	read.prefix = mem_copy_string("", 0);
	read.token.path = path_in(pod->folder, "token");
	read.ca.path = path_in(pod->folder, "ca.crt");
	if (config_read(io, &read.token, err) < 0 || config_read(io, &read.ca, err) < 0) {
		config_free(&read);
		return err_wrap(err, "the service account of this Pod");
	}
	read.in_namespace = read_namespace(io, pod->folder);
	*config = read;
	return 0;
}
