#include "sim_store.h"

#include "sim_json.h"

#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KEY_SIZE 400

#define TASK_STATUS                                                                        \
	"{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"Reconciling\",\"status\":"     \
	"\"True\",\"reason\":\"Pending\",\"message\":\"The controller has not written to " \
	"this task yet.\",\"lastTransitionTime\":\"1970-01-01T00:00:00Z\"}]}"

static const struct sim_resource RESOURCES[] = {
	{{"sandboxtask.io", "v1beta1", "sandboxtasks", true}, "SandboxTask", TASK_STATUS},
	{{"sandboxtask.io", "v1beta1", "sandboxclasses", false}, "SandboxClass", NULL},
	{{"sandboxtask.io", "v1beta1", "sandboxoutputs", true}, "SandboxOutput", NULL},
	{{"", "v1", "pods", true}, "Pod", "{\"phase\":\"Pending\",\"qosClass\":\"Guaranteed\"}"},
	{{"", "v1", "namespaces", false}, "Namespace", NULL},
	{{"", "v1", "events", true}, "Event", NULL},
	{{"events.k8s.io", "v1", "events", true}, "Event", NULL},
	{{"networking.k8s.io", "v1", "networkpolicies", true}, "NetworkPolicy", NULL},
	{{"coordination.k8s.io", "v1", "leases", true}, "Lease", NULL},
};

#define RESOURCES_COUNT (sizeof(RESOURCES) / sizeof(RESOURCES[0]))

const struct sim_resource *sim_store_resource(struct str group, struct str plural)
{
	for (size_t i = 0; i < RESOURCES_COUNT; i++)
		if (str_equal(group, str_of(RESOURCES[i].path.group)) &&
		    str_equal(plural, str_of(RESOURCES[i].path.plural)))
			return &RESOURCES[i];
	return NULL;
}

const struct sim_resource *sim_store_kind(const char *plural)
{
	for (size_t i = 0; i < RESOURCES_COUNT; i++)
		if (strcmp(plural, RESOURCES[i].path.plural) == 0)
			return &RESOURCES[i];
	assert(!"a kind that the store has");
	return NULL;
}

/* --- Birth and death. --- */

void sim_store_init(struct sim_store *store, struct sim_clock *clock, struct sim_trace *trace)
{
	*store = (struct sim_store){.clock = clock, .trace = trace, .version = 1000};
	map_init(&store->objects, SIM_STORE_OBJECTS_MAX);
	list_init(&store->commits);
}

static void object_free(struct sim_object *object)
{
	buf_free(&object->json);
	free(object);
}

static void commit_free(struct sim_commit *commit)
{
	list_remove(&commit->link);
	free((void *)(uintptr_t)commit->before.p);
	free((void *)(uintptr_t)commit->after.p);
	free(commit);
}

void sim_store_free(struct sim_store *store)
{
	map_for_each (entry, &store->objects)
		object_free(entry->value);
	map_free(&store->objects);
	sim_store_compact(store);
}

void sim_store_compact(struct sim_store *store)
{
	struct sim_commit *commit;

	while ((commit = list_first(&store->commits, struct sim_commit, link)))
		commit_free(commit);
	store->compacted = store->version;
}

void sim_store_observe(struct sim_store *store, sim_observer *call, void *context)
{
	assert(store->observer_count < SIM_STORE_OBSERVERS_MAX);
	store->observers[store->observer_count].call = call;
	store->observers[store->observer_count++].context = context;
}

/* --- Finding. --- */

static struct str key_of(char key[KEY_SIZE], const struct sim_resource *resource,
			 struct str in_namespace, struct str name)
{
	snprintf(key, KEY_SIZE, "%s.%s/%.*s/%.*s", resource->path.plural, resource->path.group,
		 STR_ARGS(in_namespace), STR_ARGS(name));
	return str_of(key);
}

static struct str key_of_object(char key[KEY_SIZE], const struct sim_object *object)
{
	return key_of(key, object->resource, str_of(object->in_namespace), str_of(object->name));
}

struct sim_object *sim_store_find(const struct sim_store *store,
				  const struct sim_resource *resource, struct str in_namespace,
				  struct str name)
{
	char key[KEY_SIZE];

	return map_get(&store->objects, key_of(key, resource, in_namespace, name));
}

struct sim_object *sim_store_next(const struct sim_store *store,
				  const struct sim_resource *resource,
				  const struct sim_object *after)
{
	struct map_entry *entry;
	char key[KEY_SIZE];

	if (after)
		entry = map_next(map_find(&store->objects, key_of_object(key, after)));
	else
		entry = map_at_or_after(&store->objects, key_of(key, resource, STR(""), STR("")));
	if (!entry || ((struct sim_object *)entry->value)->resource != resource)
		return NULL;
	return entry->value;
}

/* --- Changing. --- */

static struct str copy(struct str text)
{
	return text.n == 0 ? STR("") : (struct str){mem_copy_string(text.p, text.n), text.n};
}

static const char *change_name(enum sim_change change)
{
	static const char *const names[] = {"creates", "changes", "removes"};

	return names[change];
}

/* Notes a change that the object has just gone through, and tells it. */
static void commit(struct sim_store *store, const char *actor, const struct sim_object *object,
		   enum sim_change change, struct str before)
{
	struct sim_commit *c = mem_new(1, sizeof(*c));
	struct str now = buf_str(&object->json);

	*c = (struct sim_commit){.change = change,
				 .resource = object->resource,
				 .version = object->version,
				 .actor = actor};
	memcpy(c->in_namespace, object->in_namespace, sizeof(c->in_namespace));
	memcpy(c->name, object->name, sizeof(c->name));
	memcpy(c->uid, object->uid, sizeof(c->uid));
	/* STR("") is no memory of ours to free. */
	c->before = before.n > 0 ? copy(before) : (struct str){NULL, 0};
	c->after = change != SIM_DELETED ? copy(now) : (struct str){NULL, 0};
	list_push_back(&store->commits, &c->link);
	sim_trace_add(store->trace, "%s %s %s %s/%s @%" PRIu64 " %.*s", actor, change_name(change),
		      c->resource->kind, c->in_namespace, c->name, c->version,
		      STR_ARGS(sim_json_word(now, "status.phase")));
	for (size_t i = 0; i < store->observer_count; i++)
		store->observers[i].call(store->observers[i].context, c);
}

static void set(struct sim_object *object, struct str patch)
{
	struct buf merged;

	buf_init(&merged, SIM_JSON_BYTES_MAX);
	sim_json_merge(&merged, buf_str(&object->json), patch);
	buf_free(&object->json);
	object->json = merged;
}

static void set_version(struct sim_store *store, struct sim_object *object)
{
	char patch[80];

	object->version = ++store->version;
	snprintf(patch, sizeof(patch), "{\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"}}",
		 object->version);
	set(object, str_of(patch));
}

static void set_identity(struct sim_store *store, struct sim_object *object)
{
	const char *in_namespace = object->in_namespace;
	char patch[512];

	snprintf(object->uid, sizeof(object->uid), "%08" PRIx64 "-0000-4000-8000-%012" PRIx64,
		 random_next(&store->clock->random) >> 32, ++store->made);
	snprintf(patch, sizeof(patch),
		 "{\"metadata\":{\"uid\":\"%s\",\"generation\":1,"
		 "\"creationTimestamp\":\"%s\"%s%s%s}}",
		 object->uid, sim_clock_text(store->clock),
		 in_namespace[0] ? ",\"namespace\":\"" : "", in_namespace,
		 in_namespace[0] ? "\"" : "");
	set(object, str_of(patch));
}

/* What was sent as status is left out where the status is a subresource. */
static void set_first_status(struct sim_object *object)
{
	char patch[512];

	if (!object->resource->status)
		return;
	set(object, STR("{\"status\":null}"));
	snprintf(patch, sizeof(patch), "{\"status\":%s}", object->resource->status);
	set(object, str_of(patch));
}

static void set_name(char *to, size_t size, struct str from)
{
	assert(from.n < size);
	snprintf(to, size, "%.*s", STR_ARGS(from));
}

struct sim_object *sim_store_create(struct sim_store *store, const char *actor,
				    const struct sim_resource *resource, struct str in_namespace,
				    struct str json)
{
	struct sim_object *object = mem_new(1, sizeof(*object));
	char key[KEY_SIZE];

	object->resource = resource;
	set_name(object->in_namespace, sizeof(object->in_namespace), in_namespace);
	set_name(object->name, sizeof(object->name), sim_json_word(json, "metadata.name"));
	buf_init(&object->json, SIM_JSON_BYTES_MAX);
	buf_append_str(&object->json, json);
	set_identity(store, object);
	set_first_status(object);
	set_version(store, object);
	assert(!map_find(&store->objects, key_of_object(key, object)));
	if (map_put(&store->objects, key_of_object(key, object), object) < 0)
		assert(!"SIM_STORE_OBJECTS_MAX objects");
	commit(store, actor, object, SIM_ADDED, STR(""));
	return object;
}

bool sim_store_patch(struct sim_store *store, const char *actor, struct sim_object *object,
		     struct str patch)
{
	struct buf before = object->json;
	bool is_changed;

	buf_init(&object->json, SIM_JSON_BYTES_MAX);
	sim_json_merge(&object->json, buf_str(&before), patch);
	is_changed = !str_equal(buf_str(&before), buf_str(&object->json));
	if (is_changed) {
		set_version(store, object);
		commit(store, actor, object, SIM_MODIFIED, buf_str(&before));
	}
	buf_free(&before);
	return is_changed;
}

bool sim_store_patchf(struct sim_store *store, const char *actor, struct sim_object *object,
		      const char *format, ...)
{
	struct buf patch;
	va_list args;
	bool is_changed;

	buf_init(&patch, SIM_JSON_BYTES_MAX);
	va_start(args, format);
	buf_vprintf(&patch, format, args);
	va_end(args);
	for (size_t i = 0; i < patch.length; i++)
		patch.data[i] = patch.data[i] == '\'' ? '"' : patch.data[i];
	is_changed = sim_store_patch(store, actor, object, buf_str(&patch));
	buf_free(&patch);
	return is_changed;
}

void sim_store_remove(struct sim_store *store, const char *actor, struct sim_object *object)
{
	char key[KEY_SIZE];
	struct buf before;

	map_remove(&store->objects, key_of_object(key, object));
	buf_init(&before, SIM_JSON_BYTES_MAX);
	buf_append_str(&before, buf_str(&object->json));
	set_version(store, object);
	commit(store, actor, object, SIM_DELETED, buf_str(&before));
	buf_free(&before);
	object_free(object);
}
