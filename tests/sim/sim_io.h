/*
 * sim_io: the world of one controller instance: a struct io (kube/io.h) whose other side is a
 * sim_world. Time is the world's clock, counted from a beginning of its own; chance is the world's;
 * every endpoint leads to the world's API server, and what goes there takes a few milliseconds.
 *
 * It keeps all rules of io.h. There are no half-open connections to the API server of this world,
 * which answers pings whatever there is behind it, so the silence of a websocket never comes to its
 * end; and serve is asked by sim_io_ask alone.
 */
#ifndef SIM_SIM_IO_H
#define SIM_SIM_IO_H

#include "base/list.h"
#include "kube/io.h"

#include "files.h"
#include "sim_world.h"

struct sim_io {
	struct io io; /* first */
	struct sim_world *world;
	char name[32]; /* of the controller: the actor of its writes */
	bool is_dead;
	int64_t frozen_until_ms; /* of the world's clock */
	int64_t offset_ms;	 /* of its monotonic clock */
	struct list timers, https, sockets, servers;
	unsigned endpoints;
	struct files files;
};

struct sim_io *sim_io_new(struct sim_world *world, const char *name);

/* Nothing starts any more, and nothing is called back. What is on its way to the server arrives or
 * does not. May be called from inside a callback. */
void sim_io_kill(struct sim_io *sio);

/* The process gets no turn for so long: nothing is called back, and what it has just started to
 * send leaves when it gets one again. Time goes on. */
void sim_io_freeze(struct sim_io *sio, int64_t ms);
/* How long that will still last; 0: it is awake, or dead. */
int64_t sim_io_held_ms(const struct sim_io *sio);

/* The owner must have ended, by end or cancel, whatever he started: how much of it he did not is
 * returned, and is a leak of his. */
size_t sim_io_delete(struct sim_io *sio);

/* An effect, in words, is about to happen. False: the io is dead, now or before, and it does not.
 * What leaves the controller leaves sim_io_held_ms later. */
bool sim_io_effect(struct sim_io *sio, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What the controller's own port answers; the status, 0 when nobody listens there. */
int sim_io_ask(struct sim_io *sio, uint16_t port, const char *path, struct buf *body);

#endif
