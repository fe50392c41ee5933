#include "client_internal.h"

#include "base/mem.h"

#include <stdlib.h>

/* --- Lines: an endpoint each. --- */

static struct client_line *line_new(struct client *client, struct err *err)
{
	struct io_endpoint *endpoint = config_endpoint(client->io, &client->config, err);
	struct client_line *line;

	if (!endpoint)
		return NULL;
	line = mem_new(1, sizeof(*line));
	line->endpoint = endpoint;
	return line;
}

static void line_delete_if_unused(struct client *client, struct client_line *line)
{
	if (line->users > 0 || line == client->line)
		return;
	client->io->endpoint_delete(client->io, line->endpoint);
	free(line);
}

/* --- Files that are renewed. --- */

static void refresh_token(struct client *client)
{
	int64_t now_ms = client->io->now_ms(client->io);
	struct err err;

	if (!client->config.token.path || now_ms < client->token_due_ms)
		return;
	client->token_due_ms = now_ms + CLIENT_TOKEN_CACHE_MS;
	if (config_read(client->io, &client->config.token, &err) < 0)
		log_warning(client->log, "the old token stays in use", log_err(&err));
}

/* True when the file's content is not what was there. */
static bool has_changed(struct client *client, struct config_text *text)
{
	struct config_text copy = {.path = text->path};
	struct err err;
	bool changed = false;

	if (!text->path)
		return false;
	if (config_read(client->io, &copy, &err) < 0)
		log_warning(client->log, "the old certificate stays in use", log_err(&err));
	else if (!str_equal(secret_reveal(&copy.text), secret_reveal(&text->text)))
		changed = true;
	secret_free(&copy.text);
	return changed;
}

static void refresh_trust(struct client *client)
{
	struct config *config = &client->config;
	int64_t now_ms = client->io->now_ms(client->io);
	struct client_line *line, *old = client->line;
	struct err err;

	if (now_ms < client->trust_due_ms)
		return;
	client->trust_due_ms = now_ms + CLIENT_TRUST_CACHE_MS;
	client->trust_read_ms = now_ms;
	if (!has_changed(client, &config->ca) && !has_changed(client, &config->client_cert) &&
	    !has_changed(client, &config->client_key))
		return;
	/* A certificate and its key may be in the middle of being replaced: then the next look has
	 * both, and until then the old endpoint serves. */
	if (config_read(client->io, &config->ca, &err) < 0 ||
	    config_read(client->io, &config->client_cert, &err) < 0 ||
	    config_read(client->io, &config->client_key, &err) < 0 ||
	    !(line = line_new(client, &err))) {
		log_warning(client->log, "the old certificates stay in use", log_err(&err));
		client->trust_due_ms = now_ms + CLIENT_TRUST_RETRY_MS;
		return;
	}
	log_info(client->log, "the certificates have changed");
	client->line = line;
	line_delete_if_unused(client, old);
}

/* --- What is exported. --- */

int client_route_init(struct client *client, struct err *err)
{
	client->token_due_ms = client->io->now_ms(client->io) + CLIENT_TOKEN_CACHE_MS;
	client->trust_read_ms = client->io->now_ms(client->io);
	client->trust_due_ms = client->trust_read_ms + CLIENT_TRUST_CACHE_MS;
	client->line = line_new(client, err);
	return client->line ? 0 : -1;
}

void client_route_free(struct client *client)
{
	struct client_line *line = client->line;

	if (!line)
		return;
	assert(line->users == 0);
	client->line = NULL;
	line_delete_if_unused(client, line);
}

struct client_route client_route_take(struct client *client)
{
	refresh_token(client);
	refresh_trust(client);
	client->line->users++;
	return (struct client_route){
		.endpoint = client->line->endpoint,
		.token = secret_reveal(&client->config.token.text),
		.line = client->line,
	};
}

void client_route_release(struct client *client, struct client_route *route)
{
	struct client_line *line = route->line;

	if (!line)
		return;
	*route = (struct client_route){0};
	line->users--;
	line_delete_if_unused(client, line);
}

void client_route_note_unauthorized(struct client *client)
{
	client->token_due_ms = 0;
}

void client_route_note_transport_error(struct client *client)
{
	int64_t due_ms = client->trust_read_ms + CLIENT_TRUST_RETRY_MS;

	if (due_ms < client->trust_due_ms)
		client->trust_due_ms = due_ms;
}
