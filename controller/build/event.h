/*
 * event: an Event (events.k8s.io/v1) about a task, for `kubectl describe`.
 *
 * Events are a courtesy: they are sent off the critical path, and a failed one is forgotten. They
 * hold reasons and names, never code, input or output.
 */
#ifndef BUILD_EVENT_H
#define BUILD_EVENT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define EVENT_BYTES_MAX	 (8u << 10)
#define EVENT_NOTE_MAX	 1024 /* bytes, as the API demands */
#define EVENT_CONTROLLER "sandboxtask.io/controller"

struct event {
	struct str task_name, task_namespace, task_uid;
	struct str pod_name, pod_namespace, pod_uid; /* empty: no Pod has to do with it */
	const char *instance;			     /* of the controller, at most 128 bytes */
	const char *action;			     /* what was done, in CamelCase: "CreatePod" */
	const char *reason;			     /* why, in CamelCase */
	struct str note;			     /* cut at its limit, on a character */
	bool is_warning;
	int64_t now_us;
	uint64_t random; /* makes the name unique */
};

/* Appends the manifest. */
int event_write(struct buf *text, const struct event *event, struct err *err);

#endif
