#include "workqueue.h"

#include "base/mem.h"

#include <stdlib.h>

struct workqueue_item {
	struct heap_node due; /* in the heap while it waits */
	struct map_entry *entry;
	bool in_flight;
	int64_t again_ms; /* asked for while in flight; WORKQUEUE_NEVER: nobody did */
};

void workqueue_init(struct workqueue *q, size_t limit)
{
	map_init(&q->items, limit);
	heap_init(&q->due);
}

void workqueue_free(struct workqueue *q)
{
	heap_free(&q->due);
	map_for_each (entry, &q->items)
		free(entry->value);
	map_free(&q->items);
}

static struct workqueue_item *find_or_make(struct workqueue *q, struct str key)
{
	struct workqueue_item *item = map_get(&q->items, key);

	if (item)
		return item;
	item = mem_new(1, sizeof(*item));
	item->again_ms = WORKQUEUE_NEVER;
	if (map_put(&q->items, key, item) < 0) {
		free(item);
		return NULL;
	}
	item->entry = map_find(&q->items, key);
	return item;
}

static void wait_until(struct workqueue *q, struct workqueue_item *item, int64_t due_ms)
{
	if (!heap_contains(&item->due))
		heap_push(&q->due, &item->due, due_ms);
	else if (due_ms < item->due.key)
		heap_adjust(&q->due, &item->due, due_ms);
}

int workqueue_add(struct workqueue *q, struct str key, int64_t due_ms)
{
	struct workqueue_item *item = find_or_make(q, key);

	if (!item)
		return -1;
	if (!item->in_flight)
		wait_until(q, item, due_ms);
	else if (due_ms < item->again_ms)
		item->again_ms = due_ms;
	return 0;
}

bool workqueue_take(struct workqueue *q, int64_t now_ms, struct str *key)
{
	struct heap_node *first = heap_peek(&q->due);
	struct workqueue_item *item;

	if (!first || first->key > now_ms)
		return false;
	item = heap_item(heap_pop(&q->due), struct workqueue_item, due);
	item->in_flight = true;
	*key = map_key(item->entry);
	return true;
}

static struct workqueue_item *land(struct workqueue *q, struct str key)
{
	struct workqueue_item *item = map_get(&q->items, key);

	if (!item || !item->in_flight)
		return NULL;
	item->in_flight = false;
	return item;
}

void workqueue_done(struct workqueue *q, struct str key)
{
	struct workqueue_item *item = land(q, key);

	if (!item)
		return;
	if (item->again_ms == WORKQUEUE_NEVER) {
		free(map_remove(&q->items, key));
		return;
	}
	wait_until(q, item, item->again_ms);
	item->again_ms = WORKQUEUE_NEVER;
}

void workqueue_failed(struct workqueue *q, struct str key, int64_t due_ms)
{
	struct workqueue_item *item = land(q, key);

	if (!item)
		return;
	/* What was asked for meanwhile is the same look, which would fail as fast. */
	item->again_ms = WORKQUEUE_NEVER;
	wait_until(q, item, due_ms);
}

int64_t workqueue_next_ms(const struct workqueue *q)
{
	const struct heap_node *first = heap_peek(&q->due);

	return first ? first->key : WORKQUEUE_NEVER;
}
