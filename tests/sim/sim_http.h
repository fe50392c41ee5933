/*
 * sim_http: the HTTP half of sim_io: requests on their way to the world's API server and answers on
 * their way back. A request that is cancelled, or whose sender died, arrives or does not.
 */
#ifndef SIM_SIM_HTTP_H
#define SIM_SIM_HTTP_H

#include "sim_io.h"

struct io_http *sim_http_start(struct io *io, const struct io_http_request *request,
			       const struct io_http_callbacks *callbacks, void *context);
void sim_http_cancel(struct io *io, struct io_http *http);

/* The io is dead: nothing of it is listened to any more. */
void sim_http_kill(struct sim_io *sio);

bool sim_http_uses(const struct sim_io *sio, const struct io_endpoint *endpoint);

/* What is on its way in a world that ends. */
void sim_http_free_all(struct sim_world *world);

#endif
