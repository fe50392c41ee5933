/*
 * objects: whatever the API server, or whoever writes into it, can send. The first byte says what
 * it is taken for; what is accepted has to survive everything that is made of it.
 */
#include "fuzz.h"

#include "build/networkpolicy.h"
#include "build/pod.h"
#include "build/pod_difference.h"
#include "core/decode_class.h"
#include "core/decode_lease.h"
#include "core/decode_pod.h"
#include "core/decode_task.h"
#include "core/plan.h"
#include "core/podstatus.h"
#include "core/selector.h"
#include "core/validate.h"
#include "objects.h"

#include "base/json.h"

#include <assert.h>
#include <string.h>

/* A plan of anything valid is read as it was written, and its Pod is itself. */
static void plan_and_build(const struct task *task, const struct class *class)
{
	char path[POD_DIFFERENCE_SIZE];
	struct refusal refusal;
	struct plan plan, read;
	struct buf pod;
	struct err err;

	validate(task, class, STR("{}"), &refusal);
	assert(memchr(refusal.message, '\0', sizeof(refusal.message)));
	if (refusal.reason != REASON_NONE)
		return;
	plan_make(&plan, task, class);
	assert(plan_read(&read, buf_str(&plan.text), &err) == 0);
	assert(strcmp(plan.sha256, read.sha256) == 0);
	buf_init(&pod, POD_BYTES_MAX);
	if (pod_write(&pod,
		      &(struct pod_request){.plan = &read,
					    .task_name = task->name,
					    .task_namespace = task->namespace,
					    .task_uid = STR("11111111-2222-3333-4444-555555555555"),
					    .attempt = 1,
					    .labels = class->labels,
					    .annotations = class->annotations},
		      &err) == 0) {
		assert(json_check(buf_str(&pod), &err) == 0);
		assert(!pod_difference(buf_str(&pod), buf_str(&pod), path));
	}
	buf_free(&pod);
	plan_free(&plan);
	plan_free(&read);
}

static void as_task(struct str json)
{
	struct class class;
	struct task task;
	struct err err;

	assert(decode_class(&class, json_of(OBJECTS_CLASS), &err) == 0);
	if (decode_task(&task, json, &err) == 0)
		plan_and_build(&task, &class);
	decode_task_free(&task);
	decode_class_free(&class);
}

static void as_class(struct str json)
{
	struct class class;
	struct task task;
	struct err err;

	assert(decode_task(&task, json_of(OBJECTS_TASK("{'code':'x'}")), &err) == 0);
	if (decode_class(&class, json, &err) == 0)
		plan_and_build(&task, &class);
	decode_class_free(&class);
	decode_task_free(&task);
}

static void as_pod(struct str json)
{
	char path[POD_DIFFERENCE_SIZE];
	struct podstatus status;
	struct pod pod;
	struct err err;
	struct buf text;

	if (decode_pod(&pod, json, &err) == 0) {
		podstatus(&(struct podstatus_evidence){.pod = &pod, .over = pod.deleting}, &status);
		buf_init(&text, 100);
		podstatus_describe(&status, &text);
		buf_free(&text);
		pod_difference(
			json_of("{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{}]}}"),
			json, path);
		pod_difference(json, json, path);
		networkpolicy_is_sound(json);
	}
	decode_pod_free(&pod);
}

static void as_lease(struct str json)
{
	char version[LEASE_VERSION_SIZE];
	struct lease_record record;
	struct err err;

	decode_lease(&record, version, json, &err);
}

static void as_plan(struct str json)
{
	struct plan plan = {0};
	struct err err;

	plan_read(&plan, json, &err);
	plan_free(&plan);
}

static void as_selector(struct str json)
{
	struct err err;

	if (json_check(json, &err) == 0)
		selector_matches(json, json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const kinds[])(struct str) = {
		as_task, as_class, as_pod, as_lease, as_plan, as_selector,
	};
	struct str json = {(const char *)data + 1, size - 1};

	/* json_of keeps texts of tests, which are shorter. */
	if (size > 0 && size < OBJECTS_TEXT_SIZE)
		kinds[data[0] % (sizeof(kinds) / sizeof(kinds[0]))](json);
	return 0;
}
