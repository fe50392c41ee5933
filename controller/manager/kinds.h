/*
 * kinds: the kinds of objects that the controller works with, as their paths have them.
 */
#ifndef MANAGER_KINDS_H
#define MANAGER_KINDS_H

#include "kube/target.h"

extern const struct target_resource kind_tasks;
extern const struct target_resource kind_classes;
extern const struct target_resource kind_outputs;
extern const struct target_resource kind_namespaces;
extern const struct target_resource kind_pods;
/* The label selector of our Pods. */
#define KINDS_PODS_OF_OURS "app.kubernetes.io/managed-by=sandboxtask"
extern const struct target_resource kind_network_policies;
extern const struct target_resource kind_leases;
/* Written in the newer group, and read in the older one, whose selectors reach more fields. */
extern const struct target_resource kind_events;
extern const struct target_resource kind_events_to_read;

#endif
