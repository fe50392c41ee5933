/*
 * workqueue: which keys are to be looked at, and when.
 *
 * Events only add keys; whoever works takes one, does one thing, and gives it back. The rules are
 * those of client-go's workqueue, as one structure:
 * - a key is in the queue once, at the earliest time that anybody asked for;
 * - a key that was taken is in flight: it is not handed out again until it is given back, and
 *   what was asked for meanwhile is kept until then;
 * - a key that failed comes back when its owner says, and what was asked for meanwhile does not
 *   bring it forward: how long to wait is the owner's to know, since a key that fails at one thing
 *   and succeeds at the next would never wait for long if the queue counted.
 *
 * No clock of its own: times are milliseconds that the caller reads. Of keys that are due at the
 * same time the first that was added comes first.
 */
#ifndef CORE_WORKQUEUE_H
#define CORE_WORKQUEUE_H

#include "base/heap.h"
#include "base/map.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKQUEUE_NEVER INT64_MAX

struct workqueue {
	struct map items; /* by key: struct workqueue_item */
	struct heap due;
};

/* At most `limit` keys, waiting and in flight together. Allocates nothing. */
void workqueue_init(struct workqueue *q, size_t limit);
void workqueue_free(struct workqueue *q);

/* Asks for a look at `due_ms`. -1: the queue is full. */
int workqueue_add(struct workqueue *q, struct str key, int64_t due_ms);

/* Takes the first key that is due; false when none is. Valid until the key is given back. */
bool workqueue_take(struct workqueue *q, int64_t now_ms, struct str *key);

/* Gives a taken key back: done, or failed and to be taken again at `due_ms`. Both accept a key that
 * was not taken, and do nothing. */
void workqueue_done(struct workqueue *q, struct str key);
void workqueue_failed(struct workqueue *q, struct str key, int64_t due_ms);

/* When the next key is due; WORKQUEUE_NEVER when none waits. */
int64_t workqueue_next_ms(const struct workqueue *q);

#endif
