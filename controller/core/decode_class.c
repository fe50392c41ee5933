#include "decode_class.h"

#include "fields.h"
#include "task.h"

#include <stddef.h>

#define NAME_MAX_BYTES 253
#define SECONDS_MAX    86400
#define OUTPUT_MAX     (16 << 20)
#define BYTES_MAX      (INT64_C(1) << 40)
#define MIB	       (INT64_C(1) << 20)
#define GIB	       (INT64_C(1) << 30)
#define CPU_MIN	       10
#define CPU_MAX	       1024000
/* Selectors, tolerations and pull secrets: each more than the schema's bounds allow. */
#define RAW_MAX_BYTES	      (32 << 10)
#define METADATA_MAX_BYTES    (256 << 10)
#define RUNTIME_ENV_MAX_BYTES (2 << 20)

/* A table with the members `default` and `max` of a range. */
#define RANGE_OF(kind, name, low, high)                                            \
	static const struct fields_row name[] = {                                  \
		FIELD_##kind("default", struct class, name.by_default, low, high), \
		FIELD_##kind("max", struct class, name.max, low, high),            \
		FIELD_END,                                                         \
	}

RANGE_OF(CPU, cpu_milli, CPU_MIN, CPU_MAX);
RANGE_OF(BYTES, memory_bytes, 16 * MIB, BYTES_MAX);
RANGE_OF(BYTES, tmp_bytes, MIB, BYTES_MAX);
RANGE_OF(NUMBER, start_seconds, 1, SECONDS_MAX);
RANGE_OF(NUMBER, run_seconds, 1, SECONDS_MAX);
RANGE_OF(NUMBER, stdout_bytes, 0, OUTPUT_MAX);
RANGE_OF(NUMBER, stderr_bytes, 0, OUTPUT_MAX);

static const struct fields_row resources[] = {
	FIELD_WITHIN("cpu", cpu_milli),
	FIELD_WITHIN("memory", memory_bytes),
	FIELD_WITHIN("tmp", tmp_bytes),
	FIELD_END,
};

static const struct fields_row timeouts[] = {
	FIELD_WITHIN("startSeconds", start_seconds),
	FIELD_WITHIN("runSeconds", run_seconds),
	FIELD_END,
};

static const struct fields_row output[] = {
	FIELD_WITHIN("stdoutBytes", stdout_bytes),
	FIELD_WITHIN("stderrBytes", stderr_bytes),
	FIELD_END,
};

static const struct fields_row limits[] = {
	FIELD_NUMBER("openFiles", struct class, open_files, 16, 1 << 20),
	FIELD_NUMBER("processes", struct class, processes, 1, 32768),
	FIELD_BYTES("fileSize", struct class, file_size, 1, BYTES_MAX),
	FIELD_NUMBER("cpuSeconds", struct class, cpu_seconds, 1, SECONDS_MAX),
	FIELD_NUMBER("tmpInodes", struct class, tmp_inodes, 64, 1 << 20),
	FIELD_END,
};

static const struct fields_row overhead[] = {
	FIELD_CPU("cpu", struct class, overhead_cpu_milli, 0, 16000),
	FIELD_BYTES("memory", struct class, overhead_memory_bytes, 32 * MIB, 16 * GIB),
	FIELD_BYTES("ephemeralStorage", struct class, overhead_storage_bytes, 16 * MIB, 16 * GIB),
	FIELD_END,
};

static const struct fields_row concurrency[] = {
	FIELD_NUMBER("maxTasks", struct class, max_tasks, 1, 10000),
	FIELD_NUMBER("maxTasksPerNamespace", struct class, max_tasks_per_namespace, 1, 10000),
	FIELD_END,
};

static const struct fields_row isolation[] = {
	FIELD_CHOICE("sandbox", struct class, gvisor_required, "GVisor", "GVisor"),
	FIELD_CHOICE("memoryLimit", struct class, memory_limit_required, "Required", "Optional"),
	FIELD_END,
};

static const struct fields_row scheduling[] = {
	FIELD_RAW_OBJECT("nodeSelector", struct class, node_selector, RAW_MAX_BYTES),
	FIELD_RAW_ARRAY("tolerations", struct class, tolerations, RAW_MAX_BYTES),
	FIELD_TOKEN("priorityClassName", struct class, priority_class_name, NAME_MAX_BYTES),
	FIELD_NUMBER("cpuRequestPercent", struct class, cpu_request_percent, 1, 100),
	FIELD_END,
};

static const struct fields_row pod_metadata[] = {
	FIELD_RAW_OBJECT("labels", struct class, labels, METADATA_MAX_BYTES),
	FIELD_RAW_OBJECT("annotations", struct class, annotations, METADATA_MAX_BYTES),
	FIELD_END,
};

static const struct fields_row runtime[] = {
	FIELD_TOKEN("name", struct class_runtime, name, 63),
	FIELD_TOKEN("language", struct class_runtime, language, 32),
	FIELD_TOKEN("image", struct class_runtime, image, 1024),
	FIELD_RAW_ARRAY("env", struct class_runtime, env, RUNTIME_ENV_MAX_BYTES),
	FIELD_END,
};

static const struct fields_row spec[] = {
	FIELD_LIST_OF(fields_objects, "runtimes", struct class, runtimes, runtime_count,
		      CLASS_RUNTIMES_MAX, runtime),
	FIELD_TOKEN("runtimeClassName", struct class, runtime_class_name, NAME_MAX_BYTES),
	FIELD_WITHIN("isolation", isolation),
	FIELD_TOKEN("podNamespace", struct class, pod_namespace, 63),
	FIELD_NUMBER("runAsUser", struct class, run_as_user, 1, INT32_MAX),
	FIELD_WITHIN("resources", resources),
	FIELD_WITHIN("timeouts", timeouts),
	FIELD_WITHIN("output", output),
	FIELD_WITHIN("limits", limits),
	FIELD_WITHIN("overhead", overhead),
	FIELD_WITHIN("concurrency", concurrency),
	FIELD_NUMBER("holdSeconds", struct class, hold_seconds, 60, SECONDS_MAX),
	FIELD_RAW_OBJECT("namespaceSelector", struct class, namespace_selector, RAW_MAX_BYTES),
	FIELD_WITHIN("scheduling", scheduling),
	FIELD_RAW_ARRAY("imagePullSecrets", struct class, image_pull_secrets, RAW_MAX_BYTES),
	FIELD_WITHIN("podMetadata", pod_metadata),
	FIELD_END,
};

static const struct fields_row metadata[] = {
	FIELD_TOKEN("name", struct class, name, 63),
	FIELD_TOKEN("uid", struct class, uid, 64),
	FIELD_NUMBER("generation", struct class, generation, 1, INT64_MAX),
	FIELD_END,
};

static const struct fields_row object[] = {
	FIELD_WITHIN("metadata", metadata),
	FIELD_WITHIN("spec", spec),
	FIELD_END,
};

/* What has a default in the schema, and no meaning when it is missing. */
static int require_numbers(const struct class *c, struct err *err)
{
	const struct {
		int64_t value;
		const char *path;
	} required[] = {
		{c->generation, "metadata.generation"},
		{c->cpu_milli.by_default, "spec.resources.cpu.default"},
		{c->cpu_milli.max, "spec.resources.cpu.max"},
		{c->memory_bytes.by_default, "spec.resources.memory.default"},
		{c->memory_bytes.max, "spec.resources.memory.max"},
		{c->tmp_bytes.by_default, "spec.resources.tmp.default"},
		{c->tmp_bytes.max, "spec.resources.tmp.max"},
		{c->start_seconds.by_default, "spec.timeouts.startSeconds.default"},
		{c->start_seconds.max, "spec.timeouts.startSeconds.max"},
		{c->run_seconds.by_default, "spec.timeouts.runSeconds.default"},
		{c->run_seconds.max, "spec.timeouts.runSeconds.max"},
		{c->open_files, "spec.limits.openFiles"},
		{c->processes, "spec.limits.processes"},
		{c->tmp_inodes, "spec.limits.tmpInodes"},
		{c->overhead_memory_bytes, "spec.overhead.memory"},
		{c->overhead_storage_bytes, "spec.overhead.ephemeralStorage"},
		{c->max_tasks, "spec.concurrency.maxTasks"},
		{c->max_tasks_per_namespace, "spec.concurrency.maxTasksPerNamespace"},
		{c->hold_seconds, "spec.holdSeconds"},
		{c->cpu_request_percent, "spec.scheduling.cpuRequestPercent"},
	};

	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
		if (required[i].value == 0)
			return err_set(err, ERR_INVALID, "%s: is missing", required[i].path);
	return 0;
}

static int require_runtimes(const struct class *c, struct err *err)
{
	for (size_t i = 0; i < c->runtime_count; i++)
		if (fields_require(c->runtimes[i].name, "spec.runtimes[].name", err) < 0 ||
		    fields_require(c->runtimes[i].language, "spec.runtimes[].language", err) < 0 ||
		    fields_require(c->runtimes[i].image, "spec.runtimes[].image", err) < 0)
			return -1;
	return 0;
}

int decode_class(struct class *class, struct str json, struct err *err)
{
	struct fields f;

	*class = (struct class){
		.run_as_user = TASK_NOT_GIVEN,
		.file_size = TASK_NOT_GIVEN,
		.cpu_seconds = TASK_NOT_GIVEN,
	};
	if (fields_begin(&f, &class->texts, json, err) < 0 ||
	    fields_read(&f, object, json, class) < 0 ||
	    fields_require(class->name, "metadata.name", err) < 0 ||
	    fields_require(class->uid, "metadata.uid", err) < 0 ||
	    fields_require(class->runtime_class_name, "spec.runtimeClassName", err) < 0 ||
	    require_numbers(class, err) < 0 || require_runtimes(class, err) < 0)
		return -1;
	return 0;
}

void decode_class_free(struct class *class)
{
	buf_free(&class->texts);
	*class = (struct class){0};
}
