/* client_internal: what client.c and client_route.c share. */
#ifndef KUBE_CLIENT_INTERNAL_H
#define KUBE_CLIENT_INTERNAL_H

#include "client.h"

#include <assert.h>

/* An endpoint and how many use it. One that is no longer the client's goes with its last user. */
struct client_line {
	struct io_endpoint *endpoint;
	unsigned users;
};

struct client {
	struct io *io;
	struct log *log;
	struct config config;
	struct client_line *line;
	int64_t token_due_ms, trust_due_ms; /* when the files are read again */
	int64_t trust_read_ms;
	unsigned calls;
	client_observer *observer; /* or NULL */
	void *observer_context;
};

int client_route_init(struct client *client, struct err *err);
void client_route_free(struct client *client);

#endif
