#include "pod_difference.h"

#include "base/json.h"
#include "base/json_string.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct comparison {
	char *path;
	size_t length;
};

/* Members of the live Pod that may stand where the planned one has none. */
static const char *const filled_in[] = {
	"metadata.annotations.*",
	"metadata.*",
	"spec.imagePullSecrets",
	"spec.nodeName",
	"spec.nodeSelector",
	"spec.nodeSelector.*",
	"spec.overhead",
	"spec.preemptionPolicy",
	"spec.priority",
	"spec.priorityClassName",
	"spec.schedulerName",
	"spec.schedulingGates",
	"spec.securityContext.fsGroup",
	"spec.securityContext.seLinuxOptions",
	"spec.serviceAccount",
	"spec.tolerations",
	"spec.containers[0].securityContext.seLinuxOptions",
};

/*
 * And those that may not, though what is around them may: a label or annotation of ours that we did
 * not set says something that is not so, and one of gVisor's changes the sandbox.
 */
static const char *const never_filled_in[] = {
	"metadata.annotations.dev.gvisor.*",
	"metadata.annotations.sandboxtask.io/*",
	"metadata.labels.sandboxtask.io/*",
};

static size_t enter(struct comparison *c, struct str key)
{
	size_t before = c->length, room = POD_DIFFERENCE_SIZE - before;
	int n = snprintf(c->path + before, room, "%s%.*s", before > 0 ? "." : "", STR_ARGS(key));

	c->length = before + ((size_t)n < room ? (size_t)n : room - 1);
	return before;
}

static size_t enter_item(struct comparison *c, size_t index)
{
	size_t before = c->length, room = POD_DIFFERENCE_SIZE - before;
	int n = snprintf(c->path + before, room, "[%zu]", index);

	c->length = before + ((size_t)n < room ? (size_t)n : room - 1);
	return before;
}

static void leave(struct comparison *c, size_t before)
{
	c->length = before;
	c->path[before] = '\0';
}

/* Whether the path is `pattern`, or, where that ends in ".*", a member of what stands before. */
static bool path_is(const struct comparison *c, const char *pattern)
{
	size_t n = strlen(pattern);

	if (pattern[n - 1] != '*')
		return strcmp(c->path, pattern) == 0;
	/* Keys of labels hold points: everything below counts. */
	return strncmp(c->path, pattern, n - 1) == 0 && c->length > n - 1;
}

static bool is_false(struct str value)
{
	bool boolean;

	return json_to_bool(value, &boolean) && !boolean;
}

static bool is_user_but_root(const struct comparison *c, struct str value)
{
	int64_t user;

	return (path_is(c, "spec.securityContext.runAsUser") ||
		path_is(c, "spec.containers[0].securityContext.runAsUser")) &&
	       json_to_int(value, 1, INT64_MAX, &user);
}

/* The member that the path names stands in the live Pod only. */
static bool may_be_added(const struct comparison *c, struct str value)
{
	for (size_t i = 0; i < sizeof(never_filled_in) / sizeof(never_filled_in[0]); i++)
		if (path_is(c, never_filled_in[i]))
			return false;
	for (size_t i = 0; i < sizeof(filled_in) / sizeof(filled_in[0]); i++)
		if (path_is(c, filled_in[i]))
			return true;
	return is_user_but_root(c, value);
}

/* A text, list or object with nothing in it. */
static bool is_empty(struct str value)
{
	struct json_walk walk = json_walk(value);

	switch (json_kind(value)) {
	case JSON_STRING: return json_string_equal(value, STR(""));
	case JSON_ARRAY:
	case JSON_OBJECT: return !json_next(&walk, NULL, NULL);
	case JSON_NOTHING:
	case JSON_NULL:
	case JSON_BOOLEAN:
	case JSON_NUMBER: break;
	}
	return false;
}

/* The member that the path names stands in the planned Pod only. */
static bool may_be_absent(const struct comparison *c, struct str value)
{
	/* Kubernetes leaves them out, and a class may well say `nodeSelector: {}`. */
	return is_false(value) || is_empty(value) || path_is(c, "metadata.ownerReferences");
}

/* The text stands where the planned Pod has another one. */
static bool may_be_instead(const struct comparison *c, struct str live)
{
	/* Of AlwaysPullImages: each Pod has to show anew that it may have the image. */
	return path_is(c, "spec.containers[0].imagePullPolicy") &&
	       json_string_equal(live, STR("Always"));
}

static bool differ(struct comparison *c, struct str planned, struct str live);

static bool objects_differ(struct comparison *c, struct str planned, struct str live)
{
	struct json_walk walk = json_walk(planned);
	struct str key, value, other;

	while (json_next(&walk, &key, &value)) {
		struct str name = str_slice(key, 1, key.n - 1);
		size_t before = enter(c, name);

		if (json_find(live, name, &other) ? differ(c, value, other)
						  : !may_be_absent(c, value))
			return true;
		leave(c, before);
	}
	walk = json_walk(live);
	while (json_next(&walk, &key, &value)) {
		struct str name = str_slice(key, 1, key.n - 1);
		size_t before = enter(c, name);

		/* No name of Kubernetes needs an escape; one that has it may hide another. */
		if (memchr(name.p, '\\', name.n) ||
		    (!json_find(planned, name, &other) && !may_be_added(c, value)))
			return true;
		leave(c, before);
	}
	return false;
}

static bool is_among(struct comparison *c, struct str item, struct str live)
{
	struct json_walk walk = json_walk(live);
	size_t before = c->length;
	bool found = false;
	struct str other;

	while (!found && json_next(&walk, NULL, &other)) {
		found = !differ(c, item, other);
		leave(c, before);
	}
	return found;
}

/* A list that others may add to: every planned item has to be there. */
static bool supersets_differ(struct comparison *c, struct str planned, struct str live)
{
	struct json_walk walk = json_walk(planned);
	struct str item;

	for (size_t i = 0; json_next(&walk, NULL, &item); i++) {
		size_t before = enter_item(c, i);

		if (!is_among(c, item, live))
			return true;
		leave(c, before);
	}
	return false;
}

static bool lists_differ(struct comparison *c, struct str planned, struct str live)
{
	struct json_walk of_planned = json_walk(planned), of_live = json_walk(live);
	struct str item, other;

	if (path_is(c, "spec.tolerations"))
		return supersets_differ(c, planned, live);
	for (size_t i = 0;; i++) {
		bool has_planned = json_next(&of_planned, NULL, &item);
		bool has_live = json_next(&of_live, NULL, &other);
		size_t before;

		if (!has_planned && !has_live)
			return false;
		before = enter_item(c, i);
		if (!has_planned || !has_live || differ(c, item, other))
			return true;
		leave(c, before);
	}
}

/* Recursion ends where the planned Pod, which is ours, ends. */
static bool differ(struct comparison *c, struct str planned, struct str live)
{
	enum json_kind kind = json_kind(planned);

	/* Owners say who cleans up, not what runs; a cascading deletion may take them away. */
	if (path_is(c, "metadata.ownerReferences"))
		return false;
	if (kind != json_kind(live))
		return true;
	switch (kind) {
	case JSON_OBJECT: return objects_differ(c, planned, live);
	case JSON_ARRAY: return lists_differ(c, planned, live);
	case JSON_STRING:
		return json_string_compare(planned, live) != 0 && !may_be_instead(c, live);
	case JSON_NOTHING:
	case JSON_NULL:
	case JSON_BOOLEAN:
	case JSON_NUMBER: return !str_equal(planned, live);
	}
	return true;
}

bool pod_difference(struct str planned, struct str live, char path[POD_DIFFERENCE_SIZE])
{
	static const char *const parts[] = {"metadata", "spec"};
	struct comparison c = {.path = path};

	path[0] = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct str key = str_of(parts[i]), ours, theirs;
		size_t before = enter(&c, key);

		if (!json_find(planned, key, &ours) || !json_find(live, key, &theirs) ||
		    differ(&c, ours, theirs))
			return true;
		leave(&c, before);
	}
	return false;
}
