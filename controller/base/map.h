/*
 * map: values by string keys, in the order of the keys.
 *
 *	struct map tasks;
 *	map_init(&tasks, TASKS_MAX);
 *	if (map_put(&tasks, key, task) < 0)
 *		…full…
 *	map_for_each (entry, &tasks)
 *		use(map_key(entry), entry->value);
 *	map_free(&tasks);
 *
 * A balanced tree (AVL) and no hash table: a walk has one order on every run, which the simulation
 * needs, and keys that somebody chose to collide cost no more than others. Each operation is
 * O(log n) comparisons.
 *
 * - Keys are bytes of any kind, compared like str_compare, and copied. Values are the caller's:
 *   whoever removes an entry, or frees the map, sees to its value first.
 * - The number of entries has a limit that is fixed at birth.
 * - An entry stays where it is until it is removed.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "str.h"

#include <stddef.h>
#include <stdint.h>

struct map_entry {
	void *value;		    /* may be changed freely */
	struct map_entry *parent;   /* NULL for the root */
	struct map_entry *child[2]; /* smaller keys, greater keys */
	uint8_t height;		    /* of the tree below, this entry included */
	size_t key_length;
	char key[];
};

struct map {
	struct map_entry *root;
	size_t count;
	size_t limit; /* `count` never exceeds it */
};

void map_init(struct map *map, size_t limit);

/* Frees the entries and their keys, not the values, and leaves an empty map of the same limit. */
void map_free(struct map *map);

/*
 * Sets the value of a key, in place of one that is there: 0, or -1 when the key is new and the map
 * is full. The old value is not freed; who wants it looks first.
 */
int map_put(struct map *map, struct str key, void *value);

/* The value, or NULL. */
void *map_get(const struct map *map, struct str key);

/* The entry, or NULL: tells a value that is NULL from none. */
struct map_entry *map_find(const struct map *map, struct str key);

/* Takes the key out and returns its value, or NULL when it is not there. */
void *map_remove(struct map *map, struct str key);

/* The first entry whose key is `key` or greater, or NULL: goes on where an earlier walk stopped. */
struct map_entry *map_at_or_after(const struct map *map, struct str key);

struct map_entry *map_first(const struct map *map);
struct map_entry *map_next(const struct map_entry *entry);

/* Valid as long as the entry is. */
struct str map_key(const struct map_entry *entry);

/*
 * Walks in the order of the keys; declares `entry`. The loop may remove the entry that it is at,
 * and may put values for keys that are there; any other removal or a new key must wait until it
 * ends.
 */
#define map_for_each(entry, map)                                               \
	for (struct map_entry *entry = map_first(map),                         \
			      *entry##_after = entry ? map_next(entry) : NULL; \
	     entry; entry = entry##_after, entry##_after = entry ? map_next(entry) : NULL)

#endif
