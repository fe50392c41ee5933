#include "kube/cache.h"

#include "base/buf.h"

#include "tap.h"

#include <string.h>

static struct kube_object make(const char *in_namespace, const char *name, const char *uid,
			       const char *version)
{
	struct kube_object object = {.raw = str_of(version)};

	snprintf(object.in_namespace, sizeof(object.in_namespace), "%s", in_namespace);
	snprintf(object.name, sizeof(object.name), "%s", name);
	snprintf(object.uid, sizeof(object.uid), "%s", uid);
	snprintf(object.resource_version, sizeof(object.resource_version), "%s", version);
	return object;
}

static int put(struct cache *cache, struct kube_object object)
{
	char uid[KUBE_OBJECT_UID_SIZE] = "";
	enum cache_change change;
	struct err err;

	if (cache_put(cache, &object, &change, uid, &err) < 0)
		return (enum cache_change) - 1;
	if (change == CACHE_REPLACED)
		is(uid, "u1", "the predecessor's uid is told");
	return change;
}

static void note_gone(void *context, const struct kube_object *object)
{
	struct buf *gone = context;

	buf_printf(gone, "%s/%s@%s ", object->in_namespace, object->name, object->resource_version);
}

static const char *after(const struct cache *cache, const char *in_namespace, const char *name)
{
	static char text[KUBE_OBJECT_NAMESPACE_SIZE + KUBE_OBJECT_NAME_SIZE];
	const struct kube_object *object = cache_after(cache, str_of(in_namespace), str_of(name));

	if (!object)
		return "none";
	snprintf(text, sizeof(text), "%s/%s", object->in_namespace, object->name);
	return text;
}

int main(void)
{
	struct cache cache;
	struct buf gone;
	struct kube_object object;

	cache_init(&cache, 3, true);
	buf_init(&gone, 1000);
	cmp_ok(put(&cache, make("n", "a", "u1", "1")), "==", CACHE_NEW, "an unknown object is new");
	cmp_ok(put(&cache, make("n", "a", "u1", "1")), "==", CACHE_SAME, "the same is the same");
	cmp_ok(put(&cache, make("n", "a", "u1", "2")), "==", CACHE_CHANGED, "another version");
	cmp_ok(put(&cache, make("m", "a", "u2", "1")), "==", CACHE_NEW, "another namespace");
	cmp_ok(put(&cache, make("n", "a", "u3", "2")), "==", CACHE_REPLACED, "another uid");
	is(cache_get(&cache, STR("n"), STR("a"))->uid, "u3", "is the one that is known now");
	ok(str_equal(cache_get(&cache, STR("n"), STR("a"))->raw, STR("2")), "its text is kept");
	ok(!cache_get(&cache, STR("n"), STR("b")), "what is not known is not there");
	cmp_ok(put(&cache, make("", "node", "u4", "1")), "==", CACHE_NEW,
	       "an object in no namespace");
	cmp_ok(put(&cache, make("n", "c", "u5", "1")), "==", -1, "one over the limit is refused");

	is(after(&cache, "n", ""), "n/a", "one that follows a name in its namespace");
	is(after(&cache, "m", "A"), "m/a", "whether or not the name is known");
	is(after(&cache, "m", "a"), "none", "and not that of the next namespace");
	is(after(&cache, "n", "b"), "none", "nor one before");
	is(after(&cache, "", "a"), "/node", "nor one of a namespace that begins like it");

	cache_begin(&cache);
	put(&cache, make("n", "a", "u3", "2"));
	cache_sweep(&cache, note_gone, &gone);
	is(gone.data, "/node@1 m/a@1 ", "what a list has not shown is gone");
	cmp_ok(cache.entries.count, "==", 1, "and the rest is there");
	object = make("n", "a", "u3", "9");
	cache_remove(&cache, &object);
	cache_remove(&cache, &object);
	cmp_ok(cache.entries.count, "==", 0, "removing twice is fine");
	put(&cache, make("n", "z", "u6", "1"));
	cache_free(&cache);
	buf_free(&gone);
	done_testing();
}
