/*
 * pod: what the core knows of a Pod, decoded from its JSON (decode.h). All strings borrow from that
 * JSON or from `texts`.
 */
#ifndef CORE_POD_H
#define CORE_POD_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POD_CONDITIONS_MAX 32

struct pod_condition {
	struct str type, status, reason, message;
};

enum pod_container_state {
	POD_CONTAINER_UNKNOWN, /* the kubelet has not said anything about it */
	POD_CONTAINER_WAITING,
	POD_CONTAINER_RUNNING,
	POD_CONTAINER_TERMINATED,
};

/* The container `sandbox`; the Pod has no other, or it is not the one we planned. */
struct pod_container {
	enum pod_container_state state;
	struct str reason, message; /* of waiting or terminated */
	int64_t exit_code, signal;  /* of terminated; 0 when it does not say */
	struct str image_id;	    /* by digest, empty until the kubelet knows */
};

struct pod {
	struct str name, namespace, uid, resource_version;
	struct str node_name;
	struct str task_uid; /* the label */
	struct str task;     /* the annotation: namespace/name */
	struct str plan;     /* the annotation: the frozen plan's text */
	bool deleting; /* has a deletionTimestamp: it gets its grace period, then it is gone */
	struct str phase, reason, message;
	struct pod_condition conditions[POD_CONDITIONS_MAX];
	size_t condition_count;
	struct pod_container container;
	struct str json; /* the object itself, as it came: what the comparison reads */
	struct buf texts;
};

#endif
