/*
 * queue: the tasks that wait for a place, and whose turn it is.
 *
 * One place after the other goes round the namespaces, so that a namespace with a thousand tasks
 * costs another one nothing but its share; inside a namespace the oldest task is first. The places
 * themselves are counted by the caller: it asks for the next task when one is free, and says which
 * namespaces have all the places that they may have.
 *
 * The number of waiting tasks is bounded: one more is refused at once (QueueFull), which an honest
 * caller can act on, instead of being kept in a queue that only grows.
 */
#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H

#include "base/list.h"
#include "base/map.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one class. */
#define QUEUE_WAITING_MAX 10000

struct queue {
	struct map tasks;      /* by UID: struct queue_task */
	struct map namespaces; /* by name: struct queue_namespace, while it has tasks */
	struct list turns;     /* of the namespaces: the first is next */
};

void queue_init(struct queue *q, size_t limit);
void queue_free(struct queue *q);

/*
 * Lets a task wait; one that waits already keeps its place. `created_ms` is its age: the time of
 * creation, on any clock that all tasks share. -1: the queue is full.
 */
int queue_add(struct queue *q, struct str uid, struct str namespace, int64_t created_ms);

/* The task has its place, or is gone. Does nothing for one that does not wait. */
void queue_remove(struct queue *q, struct str uid);

/*
 * The task whose turn it is, among the namespaces that `may_start` lets (NULL: all): takes it out
 * and moves its namespace to the end of the round. The UID is written to `uid`, of `size` bytes.
 * False when nobody waits who may start.
 */
bool queue_next(struct queue *q, bool (*may_start)(void *context, struct str namespace),
		void *context, char *uid, size_t size);

/* How many tasks will start before this one, if all may and none comes; -1: it does not wait. */
int64_t queue_position(const struct queue *q, struct str uid);

size_t queue_count(const struct queue *q);

#endif
