/*
 * heap: the item with the smallest key first; for timers and delayed work.
 *
 *	struct timer { …; struct heap_node due; };
 *
 *	heap_push(&timers, &timer->due, now_ms + 500);
 *	while ((first = heap_peek(&timers)) && first->key <= now_ms)
 *		fire(heap_item(heap_pop(&timers), struct timer, due));
 *
 * A binary heap of pointers to nodes inside of the items, so that an item can be taken out or moved
 * in the middle, in O(log n). Of equal keys the one that was pushed or adjusted first comes first:
 * what happens at the same time happens in a known order.
 *
 * The heap owns its array and no item. Its size is that of what its caller keeps anyway, so it has
 * no limit of its own. A zeroed node is in no heap.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_node {
	int64_t key;	   /* changed by heap_adjust only, while the item is in a heap */
	uint64_t sequence; /* decides between equal keys */
	size_t place;	   /* in the array, counted from 1; 0: in no heap */
};

struct heap {
	struct heap_node **items;
	size_t count, capacity;
	uint64_t next_sequence;
};

/* Allocates nothing. */
void heap_init(struct heap *heap);

/* Frees the array, not the items, and leaves an empty heap. The items count as taken out. */
void heap_free(struct heap *heap);

bool heap_contains(const struct heap_node *item);

/* Puts an item in, which must be in no heap. */
void heap_push(struct heap *heap, struct heap_node *item, int64_t key);

/* The first item, left in or taken out; NULL when the heap is empty. */
struct heap_node *heap_peek(const struct heap *heap);
struct heap_node *heap_pop(struct heap *heap);

/* Takes an item out, wherever it is; does nothing when it is in no heap. */
void heap_remove(struct heap *heap, struct heap_node *item);

/* Gives an item a new key, behind those that have the same one; pushes it when it is in no heap. */
void heap_adjust(struct heap *heap, struct heap_node *item, int64_t key);

/* What holds this node. */
#define heap_item(heap_node, type, member) \
	((type *)(void *)((char *)(heap_node)-offsetof(type, member)))

#endif
