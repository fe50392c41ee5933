/*
 * sim_watch: one watch of a simulated API server: the changes since a version that match its
 * selectors, as lines of JSON, with a bookmark every minute and an end after timeoutSeconds.
 *
 * An object that stops to match is told as deleted, one that begins to match as added. A version
 * that was compacted away is answered by an event of type ERROR with code 410, as API servers do.
 */
#ifndef SIM_SIM_WATCH_H
#define SIM_SIM_WATCH_H

#include "sim_store.h"
#include "sim_target.h"

#define SIM_WATCH_BOOKMARK_MS 60000

/* Told by nobody but the watch's user. */
struct sim_watch_callbacks {
	void (*line)(void *context, struct str line);
	/* The last one; the watch is to be deleted then, or later. */
	void (*end)(void *context);
};

struct sim_watch;

/* NULL with a static text: the request is none of a watch. Nothing is told before it starts. */
struct sim_watch *sim_watch_new(struct sim_store *store, const struct sim_resource *resource,
				const struct sim_target *target, bool as_table, const char **fault);
/* Tells what has happened since its version, and what happens from now on. */
void sim_watch_start(struct sim_watch *watch, const struct sim_watch_callbacks *callbacks,
		     void *context);
void sim_watch_delete(struct sim_watch *watch);

/* Hands a change to a watch: for the one who knows all watches. */
void sim_watch_hear(struct sim_watch *watch, const struct sim_commit *commit);

/* The list in which that one keeps it. */
struct list *sim_watch_link(struct sim_watch *watch);
struct sim_watch *sim_watch_of_link(struct list *link);

#endif
