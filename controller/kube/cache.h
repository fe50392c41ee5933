/*
 * cache: the objects that a watch knows, by namespace and name.
 *
 * Kept so that a new list can be compared with what was there: what changed, what is new, what is
 * gone. Optionally the objects' texts are kept as well. Pure.
 */
#ifndef KUBE_CACHE_H
#define KUBE_CACHE_H

#include "base/map.h"
#include "kube_object.h"

#include <stdbool.h>

struct cache {
	struct map entries;
	bool keeps_objects;
	unsigned generation; /* of the list that is being read */
};

struct cache_entry {
	struct kube_object object; /* `raw` is owned, and empty when texts are not kept */
	unsigned seen;		   /* generation */
};

enum cache_change { CACHE_SAME, CACHE_NEW, CACHE_CHANGED, CACHE_REPLACED };

void cache_init(struct cache *cache, size_t limit, bool keeps_objects);
void cache_free(struct cache *cache);

/*
 * Notes an object and says what that means: unknown so far, another version, another object of the
 * same name (whose predecessor's uid is put into `replaced_uid`), or nothing. -1 with ERR_TOO_LARGE
 * when the cache is full.
 */
int cache_put(struct cache *cache, const struct kube_object *object, enum cache_change *change,
	      char replaced_uid[KUBE_OBJECT_UID_SIZE], struct err *err);

/* NULL when it is not known. Valid until the object is put or removed. */
const struct kube_object *cache_get(const struct cache *cache, struct str in_namespace,
				    struct str name);

/* The one that follows that name in its namespace, whether or not that is known; NULL: none. */
const struct kube_object *cache_after(const struct cache *cache, struct str in_namespace,
				      struct str name);

void cache_remove(struct cache *cache, const struct kube_object *object);

/* Begins a list: what is put from now on has been seen. */
void cache_begin(struct cache *cache);

/*
 * Takes out what was not seen since cache_begin, and calls `gone` for each of these objects, which
 * must leave the cache alone.
 */
void cache_sweep(struct cache *cache, void (*gone)(void *context, const struct kube_object *object),
		 void *context);

#endif
