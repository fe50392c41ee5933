/*
 * policy: what the admins have said: the SandboxClasses, and the labels of namespaces by which they
 * choose who may use them. Two watches, which go on until the term ends.
 */
#ifndef MANAGER_POLICY_H
#define MANAGER_POLICY_H

#include "base/map.h"
#include "core/class.h"
#include "kube/watch.h"

#include <stdbool.h>

#define POLICY_CLASSES_MAX 1000

struct term;

struct policy {
	struct term *term;
	struct map classes; /* by name: struct class; one that can't be read is not there */
	struct watch *class_watch, *namespaces;
	/* Grows with every change: what was judged by an older one is stale. Never 0. */
	unsigned version;
};

/* The term hears of every change (term_note_policy). */
void policy_start(struct policy *policy, struct term *term);
void policy_end(struct policy *policy);

/* Everything has been listed once: what is not there does not exist. */
bool policy_is_known(const struct policy *policy);

/* NULL: there is none, or it can't be read. */
const struct class *policy_class(const struct policy *policy, struct str name);
/* Whether Pods of a class are to be in this namespace, whatever its tasks'. */
bool policy_names_space(const struct policy *policy, struct str name);
/* Whether a class lets the tasks of this namespace have their Pods in it, because it is theirs. */
bool policy_lets_pods_into(const struct policy *policy, struct str name);
/* The watch has told of it. */
bool policy_knows_namespace(const struct policy *policy, struct str name);
/* The one behind that name, in the order of names; NULL: none. Valid until the loop turns. */
const struct kube_object *policy_next_namespace(const struct policy *policy, struct str name);
/* Raw JSON; empty when the namespace is not known, or has none. */
struct str policy_namespace_labels(const struct policy *policy, struct str name);

#endif
