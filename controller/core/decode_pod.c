#include "decode_pod.h"

#include "base/json.h"
#include "base/json_string.h"
#include "fields.h"
#include "plan.h"

#include <stddef.h>
#include <string.h>

#define NAME_MAX_BYTES	  253
#define UID_MAX_BYTES	  64
#define VERSION_MAX_BYTES 64

#define CONTAINER_NAME STR("sandbox")

static const struct fields_row labels[] = {
	FIELD_TOKEN("sandboxtask.io/task-uid", struct pod, task_uid, 63),
	FIELD_END,
};

static const struct fields_row annotations[] = {
	FIELD_TEXT("sandboxtask.io/task", struct pod, task),
	FIELD_TEXT("sandboxtask.io/plan", struct pod, plan),
	FIELD_END,
};

static const struct fields_row metadata[] = {
	FIELD_TOKEN("name", struct pod, name, NAME_MAX_BYTES),
	FIELD_TOKEN("namespace", struct pod, namespace, 63),
	FIELD_TOKEN("uid", struct pod, uid, UID_MAX_BYTES),
	FIELD_TOKEN("resourceVersion", struct pod, resource_version, VERSION_MAX_BYTES),
	FIELD_PRESENCE("deletionTimestamp", struct pod, deleting),
	FIELD_WITHIN("labels", labels),
	FIELD_WITHIN("annotations", annotations),
	FIELD_END,
};

static const struct fields_row spec[] = {
	FIELD_TOKEN("nodeName", struct pod, node_name, NAME_MAX_BYTES),
	FIELD_END,
};

static const struct fields_row condition[] = {
	FIELD_TEXT("type", struct pod_condition, type),
	FIELD_TEXT("status", struct pod_condition, status),
	FIELD_TEXT("reason", struct pod_condition, reason),
	FIELD_TEXT("message", struct pod_condition, message),
	FIELD_END,
};

static const struct fields_row waiting[] = {
	FIELD_TEXT("reason", struct pod_container, reason),
	FIELD_TEXT("message", struct pod_container, message),
	FIELD_END,
};

static const struct fields_row running[] = {FIELD_END};

static const struct fields_row terminated[] = {
	FIELD_TEXT("reason", struct pod_container, reason),
	FIELD_TEXT("message", struct pod_container, message),
	FIELD_NUMBER("exitCode", struct pod_container, exit_code, INT32_MIN, INT32_MAX),
	FIELD_NUMBER("signal", struct pod_container, signal, INT32_MIN, INT32_MAX),
	FIELD_END,
};

/* The member of `state` that is there says which state it is. */
static int read_state(struct fields *f, const struct fields_row *field, struct str value,
		      void *into)
{
	struct pod_container *container = into;

	container->state = field->fields == waiting   ? POD_CONTAINER_WAITING
			   : field->fields == running ? POD_CONTAINER_RUNNING
						      : POD_CONTAINER_TERMINATED;
	return fields_read(f, field->fields, value, container);
}

static const struct fields_row state[] = {
	{.key = "waiting", .read = read_state, .fields = waiting},
	{.key = "running", .read = read_state, .fields = running},
	{.key = "terminated", .read = read_state, .fields = terminated},
	FIELD_END,
};

static const struct fields_row container_status[] = {
	FIELD_TEXT("imageID", struct pod_container, image_id),
	FIELD_WITHIN("state", state),
	FIELD_END,
};

/* Of the containers only ours; a Pod with others fails the comparison (build/pod_difference.h). */
static int read_containers(struct fields *f, const struct fields_row *field, struct str value,
			   void *into)
{
	struct json_walk walk = json_walk(value);
	struct str item, name;
	struct pod *pod = into;

	if (json_kind(value) != JSON_ARRAY)
		return fields_refuse(f, "must be a list");
	while (json_next(&walk, NULL, &item))
		if (json_find(item, STR("name"), &name) && json_string_equal(name, CONTAINER_NAME))
			return fields_read(f, field->fields, item, &pod->container);
	return 0;
}

static const struct fields_row status[] = {
	FIELD_TEXT("phase", struct pod, phase),
	FIELD_TEXT("reason", struct pod, reason),
	FIELD_TEXT("message", struct pod, message),
	FIELD_LIST_OF(fields_objects, "conditions", struct pod, conditions, condition_count,
		      POD_CONDITIONS_MAX, condition),
	{.key = "containerStatuses", .read = read_containers, .fields = container_status},
	FIELD_END,
};

static const struct fields_row object[] = {
	FIELD_WITHIN("metadata", metadata),
	FIELD_WITHIN("spec", spec),
	FIELD_WITHIN("status", status),
	FIELD_END,
};

int decode_pod(struct pod *pod, struct str json, struct err *err)
{
	struct fields f;

	*pod = (struct pod){.json = json};
	if (fields_begin(&f, &pod->texts, json, err) < 0 ||
	    fields_read(&f, object, json, pod) < 0 ||
	    fields_require(pod->name, "metadata.name", err) < 0 ||
	    fields_require(pod->namespace, "metadata.namespace", err) < 0 ||
	    fields_require(pod->uid, "metadata.uid", err) < 0)
		return -1;
	return 0;
}

void decode_pod_free(struct pod *pod)
{
	buf_free(&pod->texts);
	*pod = (struct pod){0};
}
