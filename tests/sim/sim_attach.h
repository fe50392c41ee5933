/*
 * sim_attach: the server's end of an attach: from the websocket's handshake to the streams of a
 * container, which it may outlive in both directions. The client's end is sim_ws.
 *
 * "Connected" comes a moment before the output is wired, as on a real node, so the first words of a
 * runner may be missed. Bytes that a client sent before it went away arrive all, or none.
 */
#ifndef SIM_SIM_ATTACH_H
#define SIM_SIM_ATTACH_H

#include "sim_world.h"

struct io_ws;
struct sim_attach;

/* Sends the handshake. `ws` hears by sim_ws_hear what comes back. */
struct sim_attach *sim_attach_new(struct sim_world *world, struct io_ws *ws, const char *target);

/* One message to the container. */
void sim_attach_send(struct sim_attach *attach, struct str message);
/* Bytes that are on their way there. */
size_t sim_attach_unsent(const struct sim_attach *attach);

/* The client is gone: from here on it hears nothing. */
void sim_attach_leave(struct sim_attach *attach, bool loses_bytes);

/* For the node: output of the container to one who is attached, and its end. */
void sim_attach_output(struct sim_attach *attach, struct str bytes);
void sim_attach_end(struct sim_attach *attach);
/* Nothing passes between the two ends any more, and neither is told. */
void sim_attach_cut(struct sim_attach *attach);
/* In the list of its Pod. */
struct sim_attach *sim_attach_of_link(struct list *pod_link);

void sim_attach_free_all(struct sim_world *world);

#endif
