#include "heap.h"

#include "mem.h"

#include <assert.h>
#include <stdlib.h>

#define FIRST_CAPACITY 16

/* Places count from 1: the children of place p are 2p and 2p + 1, its parent is p / 2. */

static bool comes_before(const struct heap_node *a, const struct heap_node *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return a->sequence < b->sequence;
}

static struct heap_node *at(const struct heap *heap, size_t place)
{
	return heap->items[place - 1];
}

static void set(struct heap *heap, size_t place, struct heap_node *item)
{
	heap->items[place - 1] = item;
	item->place = place;
}

/* Puts `item` at `place` or above, moving down those that come after it. */
static void sift_up(struct heap *heap, size_t place, struct heap_node *item)
{
	while (place > 1 && comes_before(item, at(heap, place / 2))) {
		set(heap, place, at(heap, place / 2));
		place /= 2;
	}
	set(heap, place, item);
}

/* Puts `item` at `place` or below, moving up those that come before it. */
static void sift_down(struct heap *heap, size_t place, struct heap_node *item)
{
	for (;;) {
		size_t child = 2 * place;

		if (child > heap->count)
			break;
		if (child < heap->count && comes_before(at(heap, child + 1), at(heap, child)))
			child++;
		if (!comes_before(at(heap, child), item))
			break;
		set(heap, place, at(heap, child));
		place = child;
	}
	set(heap, place, item);
}

/* Puts `item` at `place`, or where the order wants it from there. */
static void settle(struct heap *heap, size_t place, struct heap_node *item)
{
	if (place > 1 && comes_before(item, at(heap, place / 2)))
		sift_up(heap, place, item);
	else
		sift_down(heap, place, item);
}

void heap_init(struct heap *heap)
{
	*heap = (struct heap){0};
}

void heap_free(struct heap *heap)
{
	for (size_t place = 1; place <= heap->count; place++)
		at(heap, place)->place = 0;
	free(heap->items);
	heap_init(heap);
}

bool heap_contains(const struct heap_node *item)
{
	return item->place > 0;
}

void heap_push(struct heap *heap, struct heap_node *item, int64_t key)
{
	assert(!heap_contains(item));
	if (heap->count == heap->capacity) {
		heap->capacity = heap->capacity > 0 ? 2 * heap->capacity : FIRST_CAPACITY;
		heap->items = mem_resize(heap->items, heap->capacity, sizeof(*heap->items));
	}
	item->key = key;
	item->sequence = heap->next_sequence++;
	heap->count++;
	sift_up(heap, heap->count, item);
}

struct heap_node *heap_peek(const struct heap *heap)
{
	return heap->count > 0 ? at(heap, 1) : NULL;
}

struct heap_node *heap_pop(struct heap *heap)
{
	struct heap_node *first = heap_peek(heap);

	if (first)
		heap_remove(heap, first);
	return first;
}

void heap_remove(struct heap *heap, struct heap_node *item)
{
	size_t place = item->place;
	struct heap_node *last;

	if (!heap_contains(item))
		return;
	assert(place <= heap->count && at(heap, place) == item);
	last = at(heap, heap->count);
	heap->count--;
	item->place = 0;
	if (last != item)
		settle(heap, place, last);
}

void heap_adjust(struct heap *heap, struct heap_node *item, int64_t key)
{
	if (!heap_contains(item)) {
		heap_push(heap, item, key);
		return;
	}
	assert(item->place <= heap->count && at(heap, item->place) == item);
	item->key = key;
	item->sequence = heap->next_sequence++;
	settle(heap, item->place, item);
}
