/*
 * pod: the sandbox Pod of one attempt, as the controller creates it and compares it ever after.
 *
 * One container whose first process is the runner; restricted Pod Security and more: read-only
 * root, no token, no service links, no capability. It says all it can by itself instead of leaving
 * it to defaults, so that the comparison (pod_difference.h) has little to forgive.
 *
 * The Pod holds no code and no input, only the hashes in its plan: what is in a Pod can be read by
 * everyone who may read Pods.
 */
#ifndef BUILD_POD_H
#define BUILD_POD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "core/plan.h"

#include <stdbool.h>
#include <stdint.h>

#define POD_BYTES_MAX	  (1u << 20)
#define POD_NAME_SIZE	  64 /* of a DNS label, with its NUL */
#define POD_GRACE_SECONDS 30
#define POD_CONTAINER	  "sandbox"

/* What the Pod is made from, beside the plan. */
struct pod_request {
	const struct plan *plan;
	struct str task_name, task_namespace, task_uid;
	int64_t attempt;
	struct str labels, annotations; /* of the class, for others: JSON objects or empty */
};

/*
 * "sbt-" + the 32 hex digits of the UID + "-" + attempt. -1 when the UID is none: it has to have 32
 * digits beside its dashes.
 */
int pod_name(char name[POD_NAME_SIZE], struct str task_uid, int64_t attempt);

/* The attempt in a Pod's name; 0 when it is not the name of a Pod of this task. */
int64_t pod_attempt(struct str name, struct str task_uid);

/*
 * The UID of the task whose Pod has this name, in the form that Kubernetes gives UIDs (8-4-4-4-12
 * digits). False when it is not the name of any task's Pod.
 */
bool pod_task_uid(struct str name, char uid[TASK_UID_SIZE]);

/* Appends the manifest. ERR_TOO_LARGE: the class's labels and annotations are larger than a Pod. */
int pod_write(struct buf *text, const struct pod_request *request, struct err *err);

#endif
