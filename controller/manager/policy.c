#include "policy.h"

#include "base/json.h"
#include "base/mem.h"
#include "core/decode_class.h"
#include "core/selector.h"
#include "kinds.h"
#include "term.h"

#include <stdlib.h>

static void note_change(struct policy *policy, const struct class *class)
{
	policy->version++;
	term_note_policy(policy->term, class);
}

/* --- Classes. --- */

static void forget_class(struct policy *policy, struct str name)
{
	struct class *class = map_remove(&policy->classes, name);

	if (!class)
		return;
	decode_class_free(class);
	free(class);
}

static struct class *read_class(struct policy *policy, const struct kube_object *object)
{
	struct class *class = mem_new(1, sizeof(*class));
	struct err err;

	if (decode_class(class, object->raw, &err) == 0) {
		if (map_put(&policy->classes, str_of(object->name), class) == 0)
			return class;
		err_set(&err, ERR_TOO_LARGE, "there are more than %d classes", POLICY_CLASSES_MAX);
	}
	log_error(term_config(policy->term)->log, "a SandboxClass can't be used",
		  log_name("class", str_of(object->name)), log_err(&err));
	decode_class_free(class);
	free(class);
	return NULL;
}

static void on_class_changed(void *context, const struct kube_object *object)
{
	struct policy *policy = context;

	forget_class(policy, str_of(object->name));
	note_change(policy, read_class(policy, object));
}

static void on_class_deleted(void *context, const struct kube_object *object)
{
	struct policy *policy = context;

	forget_class(policy, str_of(object->name));
	places_forget_class(term_places(policy->term), str_of(object->name));
	note_change(policy, NULL);
}

static void on_synced(void *context)
{
	const struct policy *policy = context;

	if (policy_is_known(policy))
		term_note_policy_known(policy->term);
}

static void on_classes_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	const struct policy *policy = context;

	term_note_watch_trouble(policy->term, &kind_classes, STR(""), err, retry_ms);
}

const struct class *policy_class(const struct policy *policy, struct str name)
{
	return map_get(&policy->classes, name);
}

bool policy_names_space(const struct policy *policy, struct str name)
{
	map_for_each (entry, &policy->classes) {
		const struct class *class = entry->value;

		if (str_equal(class->pod_namespace, name))
			return true;
	}
	return false;
}

bool policy_lets_pods_into(const struct policy *policy, struct str name)
{
	struct str labels = policy_namespace_labels(policy, name);

	map_for_each (entry, &policy->classes) {
		const struct class *class = entry->value;

		if (class->pod_namespace.n == 0 &&
		    selector_matches(class->namespace_selector, labels))
			return true;
	}
	return false;
}

/* --- Namespaces: their labels. --- */

static void on_namespace(void *context, const struct kube_object *object)
{
	(void)object;
	note_change(context, NULL);
}

static void on_namespaces_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	const struct policy *policy = context;

	term_note_watch_trouble(policy->term, &kind_namespaces, STR(""), err, retry_ms);
}

bool policy_knows_namespace(const struct policy *policy, struct str name)
{
	return watch_find(policy->namespaces, STR(""), name) != NULL;
}

const struct kube_object *policy_next_namespace(const struct policy *policy, struct str name)
{
	return watch_after(policy->namespaces, STR(""), name);
}

struct str policy_namespace_labels(const struct policy *policy, struct str name)
{
	const struct kube_object *object = watch_find(policy->namespaces, STR(""), name);
	struct str metadata, labels;

	if (object && json_find(object->raw, STR("metadata"), &metadata) &&
	    json_find(metadata, STR("labels"), &labels))
		return labels;
	return STR("");
}

/* --- Its life. --- */

bool policy_is_known(const struct policy *policy)
{
	return watch_is_synced(policy->class_watch) && watch_is_synced(policy->namespaces);
}

void policy_start(struct policy *policy, struct term *term)
{
	static const struct watch_config classes = {.resource = &kind_classes,
						    .in_namespace = "",
						    .label_selector = "",
						    .field_selector = ""};
	static const struct watch_config namespaces = {.resource = &kind_namespaces,
						       .in_namespace = "",
						       .label_selector = "",
						       .field_selector = "",
						       .keeps_objects = true};
	static const struct watch_callbacks of_classes = {on_class_changed, on_class_deleted,
							  on_synced, on_classes_trouble};
	static const struct watch_callbacks of_namespaces = {on_namespace, on_namespace, on_synced,
							     on_namespaces_trouble};
	const struct term_config *config = term_config(term);

	*policy = (struct policy){.term = term, .version = 1};
	map_init(&policy->classes, POLICY_CLASSES_MAX);
	policy->class_watch = watch_new(config->io, config->client, &classes, &of_classes, policy);
	policy->namespaces =
		watch_new(config->io, config->client, &namespaces, &of_namespaces, policy);
}

void policy_end(struct policy *policy)
{
	watch_delete(policy->class_watch);
	watch_delete(policy->namespaces);
	map_for_each (entry, &policy->classes) {
		decode_class_free(entry->value);
		free(entry->value);
	}
	map_free(&policy->classes);
}
