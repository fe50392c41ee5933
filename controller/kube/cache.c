#include "cache.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* "namespace/name": a slash is in neither. */
#define KEY_SIZE (KUBE_OBJECT_NAMESPACE_SIZE + KUBE_OBJECT_NAME_SIZE)

static struct str key_of(char room[KEY_SIZE], struct str in_namespace, struct str name)
{
	int length = snprintf(room, KEY_SIZE, "%.*s/%.*s", STR_ARGS(in_namespace), STR_ARGS(name));

	return (struct str){room, (size_t)length < KEY_SIZE ? (size_t)length : KEY_SIZE - 1};
}

static struct str key_of_object(char room[KEY_SIZE], const struct kube_object *object)
{
	return key_of(room, str_of(object->in_namespace), str_of(object->name));
}

static void set_object(struct cache *cache, struct cache_entry *entry,
		       const struct kube_object *object)
{
	free((char *)(uintptr_t)entry->object.raw.p);
	entry->object = *object;
	entry->object.raw = (struct str){NULL, 0};
	if (cache->keeps_objects)
		entry->object.raw =
			(struct str){mem_copy_string(object->raw.p, object->raw.n), object->raw.n};
}

static void entry_delete(struct cache_entry *entry)
{
	free((char *)(uintptr_t)entry->object.raw.p);
	free(entry);
}

void cache_init(struct cache *cache, size_t limit, bool keeps_objects)
{
	*cache = (struct cache){.keeps_objects = keeps_objects};
	map_init(&cache->entries, limit);
}

void cache_free(struct cache *cache)
{
	map_for_each (entry, &cache->entries)
		entry_delete(entry->value);
	map_free(&cache->entries);
}

int cache_put(struct cache *cache, const struct kube_object *object, enum cache_change *change,
	      char replaced_uid[KUBE_OBJECT_UID_SIZE], struct err *err)
{
	char room[KEY_SIZE];
	struct str key = key_of_object(room, object);
	struct cache_entry *entry = map_get(&cache->entries, key);

	*change = CACHE_SAME;
	if (!entry) {
		entry = mem_new(1, sizeof(*entry));
		if (map_put(&cache->entries, key, entry) < 0) {
			free(entry);
			return err_set(err, ERR_TOO_LARGE, "there are more than %zu objects",
				       cache->entries.limit);
		}
		*change = CACHE_NEW;
	} else if (strcmp(entry->object.uid, object->uid) != 0) {
		memcpy(replaced_uid, entry->object.uid, KUBE_OBJECT_UID_SIZE);
		*change = CACHE_REPLACED;
	} else if (strcmp(entry->object.resource_version, object->resource_version) != 0) {
		*change = CACHE_CHANGED;
	}
	entry->seen = cache->generation;
	if (*change != CACHE_SAME)
		set_object(cache, entry, object);
	return 0;
}

const struct kube_object *cache_get(const struct cache *cache, struct str in_namespace,
				    struct str name)
{
	char room[KEY_SIZE];
	struct cache_entry *entry = map_get(&cache->entries, key_of(room, in_namespace, name));

	return entry ? &entry->object : NULL;
}

const struct kube_object *cache_after(const struct cache *cache, struct str in_namespace,
				      struct str name)
{
	char room[KEY_SIZE];
	struct str key = key_of(room, in_namespace, name);
	struct map_entry *found = map_at_or_after(&cache->entries, key);
	struct cache_entry *entry;

	if (found && str_equal(map_key(found), key))
		found = map_next(found);
	if (!found)
		return NULL;
	entry = found->value;
	return str_equal(str_of(entry->object.in_namespace), in_namespace) ? &entry->object : NULL;
}

void cache_remove(struct cache *cache, const struct kube_object *object)
{
	char room[KEY_SIZE];
	struct cache_entry *entry = map_remove(&cache->entries, key_of_object(room, object));

	if (entry)
		entry_delete(entry);
}

void cache_begin(struct cache *cache)
{
	cache->generation++;
}

void cache_sweep(struct cache *cache, void (*gone)(void *context, const struct kube_object *object),
		 void *context)
{
	map_for_each (entry, &cache->entries) {
		struct cache_entry *known = entry->value;

		if (known->seen == cache->generation)
			continue;
		map_remove(&cache->entries, map_key(entry));
		gone(context, &known->object);
		entry_delete(known);
	}
}
