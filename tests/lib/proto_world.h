/*
 * world: one runner and some controllers around it, joined by pipes that lose, cut, join, delay and
 * repeat what they carry, under a clock that is only a number. One seed, one history.
 *
 * A pipe keeps the order of its bytes, as every stream does. What a controller sends goes to the
 * runner's stdin; what the runner sends is copied to every controller, each copy with faults of its
 * own.
 */
#ifndef TESTS_PROTO_WORLD_H
#define TESTS_PROTO_WORLD_H

#include "proto/controller_side.h"
#include "proto/reader.h"
#include "proto/runner_side.h"

#include "random.h"

#define PIPE_CHUNKS_MAX	   4096
#define PIPE_FULL_BYTES	   (64u << 10) /* a writer waits from here on */
#define CLIENTS_MAX	   2
#define WORLD_OBJECT_BYTES (300u << 10) /* of bundle and outcome, at most */
#define WORLD_END_MS	   (30 * 60 * 1000)

struct faults {
	unsigned loss_percent, repeat_percent, garbage_percent; /* of chunks */
	unsigned chunk_bytes;					/* at most; 0: never cut */
	unsigned delay_ms;					/* at most */
};

struct chunk {
	int64_t at_ms;
	size_t length;
	uint8_t *bytes;
};

struct pipe {
	struct chunk chunks[PIPE_CHUNKS_MAX];
	size_t first, count, bytes;
	int64_t last_ms; /* when its end arrives */
};

struct client {
	struct controller_side side;
	struct reader reader;
	uint8_t buffer[FRAME_WIRE_MAX];
	struct pipe up, down;
	bool present;
	const struct object *bundle;
	int64_t mark_ms;  /* how long it waits before START */
	int64_t start_ms; /* when it will give leave to start, once uploaded */
	uint64_t session; /* of the next attach */
	int reattaches;
	unsigned frames; /* sent */
	uint8_t outcome[WORLD_OBJECT_BYTES];
	uint64_t outcome_length;
};

struct world {
	struct random random;
	struct faults faults;
	int64_t now_ms;
	struct runner_side runner;
	struct reader reader;
	uint8_t buffer[FRAME_WIRE_MAX];
	uint8_t spool[WORLD_OBJECT_BYTES];
	uint8_t outcome_bytes[WORLD_OBJECT_BYTES];
	struct object outcome;
	int64_t run_ms, seal_ms; /* how long a run takes, when it ends */
	bool stdin_closed;
	unsigned starts, cancels, frames; /* events of the runner; frames it sent */
	struct client clients[CLIENTS_MAX];
};

/* A world with a runner that is ready, and an outcome that it will have. */
struct world *world_new(uint64_t seed, const struct faults *faults);
void world_delete(struct world *w);

/* Random bytes, written to `bytes` (WORLD_OBJECT_BYTES), as an object of two pieces. */
void world_object(struct world *w, struct object *o, uint8_t *bytes);

/* A controller without memory attaches, in the place of `c`, and will run `bundle`. */
void world_attach(struct world *w, struct client *c, uint64_t session, const struct object *bundle);

/* One thing happens: false when nothing ever will. */
bool world_step(struct world *w);

#endif
