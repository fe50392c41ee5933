/*
 * sim_ws: the websocket half of sim_io: the client's end of an attach.
 */
#ifndef SIM_SIM_WS_H
#define SIM_SIM_WS_H

#include "sim_io.h"

/* Of what is on its way to the server; one more message is refused. */
#define SIM_WS_WINDOW_BYTES (64 * 1024)

/* Kinds of what comes from the server; from 100 on it is the HTTP status of a refused handshake. */
enum sim_ws_kind { SIM_WS_OPENED, SIM_WS_MESSAGE, SIM_WS_CLOSED };

struct io_ws *sim_ws_start(struct io *io, const struct io_ws_request *request,
			   const struct io_ws_callbacks *callbacks, void *context);
bool sim_ws_send(struct io *io, struct io_ws *ws, struct str message);
void sim_ws_close(struct io *io, struct io_ws *ws);

/* The io is dead: nothing of it is listened to any more. */
void sim_ws_kill(struct sim_io *sio);

/* How long its controller is frozen. */
int64_t sim_ws_held_ms(const struct io_ws *ws);

/* For the server's end: something comes, or has arrived over there and makes room. */
void sim_ws_hear(struct io_ws *ws, int kind, struct str bytes);
void sim_ws_note_arrival(struct io_ws *ws, size_t length);

#endif
