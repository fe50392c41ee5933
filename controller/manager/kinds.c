#include "kinds.h"

const struct target_resource kind_tasks = {"sandboxtask.io", "v1beta1", "sandboxtasks", true};
const struct target_resource kind_classes = {"sandboxtask.io", "v1beta1", "sandboxclasses", false};
const struct target_resource kind_outputs = {"sandboxtask.io", "v1beta1", "sandboxoutputs", true};
const struct target_resource kind_namespaces = {"", "v1", "namespaces", false};
const struct target_resource kind_pods = {"", "v1", "pods", true};
const struct target_resource kind_network_policies = {"networking.k8s.io", "v1", "networkpolicies",
						      true};
const struct target_resource kind_leases = {"coordination.k8s.io", "v1", "leases", true};
const struct target_resource kind_events = {"events.k8s.io", "v1", "events", true};
const struct target_resource kind_events_to_read = {"", "v1", "events", true};
