/*
 * places: who may run now. A task needs a place to get its Pod and keeps it until it is over; there
 * are so many places in all, so many in each class, and so many in it for one namespace.
 *
 * Classes take turns for the places that they share, and inside a class namespaces do (queue.h), so
 * that nobody's thousand tasks hold up anybody else's one. A task that has a Pod already, after a
 * change of leaders for instance, has its place whether or not one is free. Pure.
 */
#ifndef MANAGER_PLACES_H
#define MANAGER_PLACES_H

#include "base/map.h"
#include "core/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

#define PLACES_CLASSES_MAX 1000
#define PLACES_TASKS_MAX   100000

struct places {
	struct map tasks;   /* by UID: struct places_task */
	struct map classes; /* by name: struct places_class */
	int64_t max, taken;
	struct map_entry *last; /* the class that had the last turn; NULL: none, or it is gone */
};

void places_init(struct places *places, int64_t max);
void places_free(struct places *places);

/* What a class allows, from now on; what is taken stays taken. */
void places_set_class(struct places *places, struct str name, int64_t max,
		      int64_t max_per_namespace);

/* There is no such class any more: it goes with its last task, and allows till then what it did. */
void places_forget_class(struct places *places, struct str name);

/*
 * Lets a task wait in its class, whose limits must have been set; one that waits or has its place
 * stays as it is. FULL: it can't wait either. `created_ms` is its age, on any clock they share.
 */
enum admission places_ask(struct places *places, struct str uid, struct str class,
			  struct str namespace, int64_t created_ms);

/* The task has a place, free or not. The class need not be known. */
void places_take(struct places *places, struct str uid, struct str class, struct str namespace);

/* It neither has nor wants one any more. Does nothing for one that is not known. */
void places_leave(struct places *places, struct str uid);

/* Gives one free place to the task whose turn it is, whose UID is written. False: none, or nobody.
 */
bool places_next(struct places *places, char *uid, size_t size);

/* How many tasks of its class will get their place before it; -1: it does not wait. */
int64_t places_position(const struct places *places, struct str uid);

int64_t places_waiting(const struct places *places);

#endif
