/*
 * sim_client: what a controller has at its start: an io, a log, and a client (kube/client.h) with a
 * token from a file. The log goes into the checks and the trace of the world.
 */
#ifndef SIM_SIM_CLIENT_H
#define SIM_SIM_CLIENT_H

#include "sim_io.h"

#include "kube/client.h"

struct sim_client {
	struct sim_io *sio;
	struct io *io; /* of it */
	struct log log;
	struct client *client;
};

/* `name` begins with "controller", or the checks take its writes for somebody else's. */
void sim_client_init(struct sim_client *c, struct sim_world *world, const char *name);

/* Frees client and io, which is killed first if it is not dead. Whatever the owner has not ended is
 * a failed check. */
void sim_client_free(struct sim_client *c);

#endif
