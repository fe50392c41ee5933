#include "map.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

enum side { SMALLER, GREATER };

static enum side other(enum side side)
{
	return side == SMALLER ? GREATER : SMALLER;
}

static int height_of(const struct map_entry *entry)
{
	return entry ? entry->height : 0;
}

static void measure(struct map_entry *entry)
{
	int smaller = height_of(entry->child[SMALLER]), greater = height_of(entry->child[GREATER]);

	entry->height = (uint8_t)((smaller > greater ? smaller : greater) + 1);
}

static enum side side_of(const struct map_entry *entry)
{
	return entry->parent->child[GREATER] == entry ? GREATER : SMALLER;
}

/* Puts `entry` (may be NULL) where `old` hangs. */
static void hang_in_place_of(struct map *map, const struct map_entry *old, struct map_entry *entry)
{
	if (!old->parent)
		map->root = entry;
	else
		old->parent->child[side_of(old)] = entry;
	if (entry)
		entry->parent = old->parent;
}

static void hang_below(struct map_entry *parent, enum side side, struct map_entry *entry)
{
	parent->child[side] = entry;
	if (entry)
		entry->parent = parent;
}

/* The child on `side` takes the place of `entry`, which becomes its child on the other side. */
static struct map_entry *rotate(struct map *map, struct map_entry *entry, enum side side)
{
	struct map_entry *child = entry->child[side];

	hang_in_place_of(map, entry, child);
	hang_below(entry, side, child->child[other(side)]);
	hang_below(child, other(side), entry);
	measure(entry);
	measure(child);
	return child;
}

/* Makes the heights of both sides differ by at most one; returns who is at the place now. */
static struct map_entry *balance(struct map *map, struct map_entry *entry)
{
	int lean = height_of(entry->child[GREATER]) - height_of(entry->child[SMALLER]);
	enum side side = lean > 0 ? GREATER : SMALLER;
	struct map_entry *child = entry->child[side];

	measure(entry);
	if (lean >= -1 && lean <= 1)
		return entry;
	if (height_of(child->child[other(side)]) > height_of(child->child[side]))
		rotate(map, child, other(side));
	return rotate(map, entry, side);
}

/* The tree below `entry` has changed: balances there and at all above. */
static void balance_upwards(struct map *map, struct map_entry *entry)
{
	for (; entry; entry = entry->parent)
		entry = balance(map, entry);
}

void map_init(struct map *map, size_t limit)
{
	*map = (struct map){.limit = limit};
}

void map_free(struct map *map)
{
	struct map_entry *entry = map->root;

	/* From leaf to leaf, each freed when it has no children left: no recursion, no balance. */
	while (entry) {
		struct map_entry *parent = entry->parent;

		if (entry->child[SMALLER] || entry->child[GREATER]) {
			entry = entry->child[entry->child[SMALLER] ? SMALLER : GREATER];
			continue;
		}
		if (parent)
			parent->child[side_of(entry)] = NULL;
		free(entry);
		entry = parent;
	}
	map_init(map, map->limit);
}

/* Where `key` is, or else the entry that it would hang below, with the side. NULL: an empty map. */
static struct map_entry *descend(const struct map *map, struct str key, int *order)
{
	struct map_entry *entry = map->root, *last = NULL;

	*order = 0;
	while (entry) {
		last = entry;
		*order = str_compare(key, map_key(entry));
		if (*order == 0)
			break;
		entry = entry->child[*order > 0 ? GREATER : SMALLER];
	}
	return last;
}

int map_put(struct map *map, struct str key, void *value)
{
	int order;
	struct map_entry *parent = descend(map, key, &order), *entry;

	if (parent && order == 0) {
		parent->value = value;
		return 0;
	}
	if (map->count >= map->limit)
		return -1;
	entry = mem_new(1, sizeof(*entry) + key.n);
	entry->value = value;
	entry->key_length = key.n;
	if (key.n > 0)
		memcpy(entry->key, key.p, key.n);
	if (parent)
		hang_below(parent, order > 0 ? GREATER : SMALLER, entry);
	else
		map->root = entry;
	map->count++;
	balance_upwards(map, entry);
	return 0;
}

struct map_entry *map_find(const struct map *map, struct str key)
{
	int order;
	struct map_entry *entry = descend(map, key, &order);

	return order == 0 ? entry : NULL;
}

void *map_get(const struct map *map, struct str key)
{
	struct map_entry *entry = map_find(map, key);

	return entry ? entry->value : NULL;
}

/* The outermost entry below `entry` on one side. */
static struct map_entry *outermost(struct map_entry *entry, enum side side)
{
	while (entry->child[side])
		entry = entry->child[side];
	return entry;
}

/*
 * Takes an entry with two children out by putting its successor in its place. The entries are
 * moved, not their contents, so that pointers to entries stay true. Returns where to balance from.
 */
static struct map_entry *replace_by_successor(struct map *map, struct map_entry *entry)
{
	struct map_entry *successor = outermost(entry->child[GREATER], SMALLER);
	struct map_entry *start = successor->parent == entry ? successor : successor->parent;

	hang_in_place_of(map, successor, successor->child[GREATER]);
	hang_in_place_of(map, entry, successor);
	hang_below(successor, SMALLER, entry->child[SMALLER]);
	hang_below(successor, GREATER, entry->child[GREATER]);
	return start;
}

void *map_remove(struct map *map, struct str key)
{
	struct map_entry *entry = map_find(map, key), *start;
	void *value;

	if (!entry)
		return NULL;
	if (entry->child[SMALLER] && entry->child[GREATER]) {
		start = replace_by_successor(map, entry);
	} else {
		start = entry->parent;
		hang_in_place_of(map, entry,
				 entry->child[entry->child[SMALLER] ? SMALLER : GREATER]);
	}
	balance_upwards(map, start);
	map->count--;
	value = entry->value;
	free(entry);
	return value;
}

struct map_entry *map_first(const struct map *map)
{
	return map->root ? outermost(map->root, SMALLER) : NULL;
}

/* Up to the first ancestor that `entry` is on the smaller side of. */
static struct map_entry *next_above(const struct map_entry *entry)
{
	while (entry->parent && side_of(entry) == GREATER)
		entry = entry->parent;
	return entry->parent;
}

struct map_entry *map_next(const struct map_entry *entry)
{
	if (entry->child[GREATER])
		return outermost(entry->child[GREATER], SMALLER);
	return next_above(entry);
}

struct map_entry *map_at_or_after(const struct map *map, struct str key)
{
	int order;
	struct map_entry *entry = descend(map, key, &order);

	return entry && order > 0 ? map_next(entry) : entry;
}

struct str map_key(const struct map_entry *entry)
{
	return (struct str){entry->key, entry->key_length};
}
