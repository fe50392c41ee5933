#include "decode_task.h"

#include "base/json.h"
#include "base/json_string.h"
#include "fields.h"

#include <stddef.h>
#include <string.h>

#define NAME_MAX_BYTES	  253 /* of a DNS subdomain */
#define UID_MAX_BYTES	  64
#define VERSION_MAX_BYTES 64
#define SECONDS_MAX	  86400
#define OUTPUT_MAX	  (16 << 20)
#define BYTES_MAX	  (INT64_C(1) << 40)
#define MIB		  (INT64_C(1) << 20)

static int read_phase(struct fields *f, const struct fields_row *field, struct str value,
		      void *into)
{
	static const struct fields_row text = {.max = 64};
	static const char *const names[] = {
#define X(name) [TASK_##name] = #name,
		TASK_PHASES(X)
#undef X
	};
	enum task_phase *phase = (enum task_phase *)(void *)((char *)into + field->offset);
	struct str name;

	if (fields_token(f, &text, value, &name) < 0)
		return -1;
	*phase = TASK_PHASE_UNKNOWN;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_equal(name, str_of(names[i])))
			*phase = (enum task_phase)i;
	return 0;
}

static const struct fields_row task_env[] = {
	FIELD_TEXT("name", struct task_env, name),
	FIELD_TEXT("value", struct task_env, value),
	FIELD_END,
};

static const struct fields_row task_resources[] = {
	FIELD_CPU("cpu", struct task_spec, cpu_milli, 10, 1024000),
	FIELD_BYTES("memory", struct task_spec, memory_bytes, 16 * MIB, BYTES_MAX),
	FIELD_BYTES("tmp", struct task_spec, tmp_bytes, MIB, BYTES_MAX),
	FIELD_END,
};

static const struct fields_row task_timeouts[] = {
	FIELD_NUMBER("startSeconds", struct task_spec, start_seconds, 1, SECONDS_MAX),
	FIELD_NUMBER("runSeconds", struct task_spec, run_seconds, 1, SECONDS_MAX),
	FIELD_END,
};

static const struct fields_row task_output[] = {
	FIELD_NUMBER("stdoutBytes", struct task_spec, stdout_bytes, 0, OUTPUT_MAX),
	FIELD_NUMBER("stderrBytes", struct task_spec, stderr_bytes, 0, OUTPUT_MAX),
	FIELD_CHOICE("onOverflow", struct task_spec, fail_on_overflow, "Fail", "Truncate"),
	FIELD_END,
};

static const struct fields_row task_spec[] = {
	FIELD_TOKEN("sandboxClassName", struct task_spec, class_name, 63),
	FIELD_TOKEN("language", struct task_spec, language, 32),
	FIELD_TOKEN("runtime", struct task_spec, runtime, 63),
	FIELD_TEXT("code", struct task_spec, code),
	FIELD_TEXT("stdin", struct task_spec, stdin_text),
	FIELD_LIST_OF(fields_texts, "args", struct task_spec, args, arg_count, TASK_ARGS_MAX, NULL),
	FIELD_LIST_OF(fields_objects, "env", struct task_spec, env, env_count, TASK_ENV_MAX,
		      task_env),
	FIELD_WITHIN("resources", task_resources),
	FIELD_WITHIN("timeouts", task_timeouts),
	FIELD_WITHIN("output", task_output),
	FIELD_END,
};

static const struct fields_row task_condition[] = {
	FIELD_TOKEN("type", struct task_condition, type, 316),
	FIELD_TOKEN("status", struct task_condition, status, 16),
	FIELD_TOKEN("reason", struct task_condition, reason, 128),
	FIELD_TOKEN("lastTransitionTime", struct task_condition, transition_time, 64),
	FIELD_END,
};

static const struct fields_row task_status[] = {
	{.key = "phase", .read = read_phase, .offset = offsetof(struct task_status, phase)},
	FIELD_TOKEN("reason", struct task_status, reason, 128),
	FIELD_TEXT("message", struct task_status, message),
	FIELD_TOKEN("startedAt", struct task_status, started_at, 64),
	FIELD_NUMBER("attempt", struct task_status, attempt, 0, INT32_MAX),
	FIELD_TOKEN("podUID", struct task_status, pod_uid, UID_MAX_BYTES),
	FIELD_TOKEN("podName", struct task_status, pod_name, NAME_MAX_BYTES),
	FIELD_TOKEN("podNamespace", struct task_status, pod_namespace, 63),
	FIELD_TOKEN("session", struct task_status, session, 20),
	FIELD_TOKEN("planSHA256", struct task_status, plan_sha256, 64),
	FIELD_NUMBER("queuePosition", struct task_status, queue_position, 0, INT32_MAX),
	FIELD_LIST_OF(fields_objects, "conditions", struct task_status, conditions, condition_count,
		      TASK_CONDITIONS_MAX, task_condition),
	FIELD_END,
};

static const struct fields_row task_metadata[] = {
	FIELD_TOKEN("name", struct task, name, NAME_MAX_BYTES),
	FIELD_TOKEN("namespace", struct task, namespace, 63),
	FIELD_TOKEN("uid", struct task, uid, UID_MAX_BYTES),
	FIELD_TOKEN("resourceVersion", struct task, resource_version, VERSION_MAX_BYTES),
	FIELD_TOKEN("creationTimestamp", struct task, created_at, 64),
	FIELD_PRESENCE("deletionTimestamp", struct task, deleting),
	FIELD_END,
};

static const struct fields_row task_object[] = {
	FIELD_WITHIN("metadata", task_metadata),
	FIELD_WITHIN_MEMBER("status", struct task, status, task_status),
	FIELD_END,
};

static const struct fields_row task_spec_object[] = {
	FIELD_WITHIN_MEMBER("spec", struct task, spec, task_spec),
	FIELD_END,
};

/* What escaping on the API server's side adds to a text that came in fewer bytes. */
static size_t stored_surplus(struct str text, size_t raw_length)
{
	size_t stored = json_string_stored_length(text) + 2;

	return stored > raw_length ? stored - raw_length : 0;
}

static size_t task_stored_bytes(const struct task *task, struct str json)
{
	const struct task_spec *spec = &task->spec;
	struct str metadata = {NULL, 0}, spec_json = {NULL, 0}, raw;
	size_t bytes;

	json_find(json, STR("metadata"), &metadata);
	json_find(json, STR("spec"), &spec_json);
	bytes = metadata.n + spec_json.n;
	if (json_find(spec_json, STR("code"), &raw))
		bytes += stored_surplus(spec->code, raw.n);
	if (json_find(spec_json, STR("stdin"), &raw))
		bytes += stored_surplus(spec->stdin_text, raw.n);
	/* Small ones are counted whole: twice is still an upper bound, and needs no second walk. */
	for (size_t i = 0; i < spec->arg_count; i++)
		bytes += stored_surplus(spec->args[i], spec->args[i].n + 2);
	for (size_t i = 0; i < spec->env_count; i++)
		bytes += stored_surplus(spec->env[i].value, spec->env[i].value.n + 2);
	return bytes;
}

int decode_task(struct task *task, struct str json, struct err *err)
{
	struct err spec_err = {0};
	struct fields f;

	*task = (struct task){
		.spec = {.cpu_milli = TASK_NOT_GIVEN,
			 .memory_bytes = TASK_NOT_GIVEN,
			 .tmp_bytes = TASK_NOT_GIVEN,
			 .start_seconds = TASK_NOT_GIVEN,
			 .run_seconds = TASK_NOT_GIVEN,
			 .stdout_bytes = TASK_NOT_GIVEN,
			 .stderr_bytes = TASK_NOT_GIVEN},
		.status = {.queue_position = TASK_NOT_GIVEN},
	};
	if (fields_begin(&f, &task->texts, json, err) < 0 ||
	    fields_read(&f, task_object, json, task) < 0 ||
	    fields_require(task->name, "metadata.name", err) < 0 ||
	    fields_require(task->namespace, "metadata.namespace", err) < 0 ||
	    fields_require(task->uid, "metadata.uid", err) < 0 ||
	    fields_require(task->resource_version, "metadata.resourceVersion", err) < 0)
		return -1;
	f.err = &spec_err;
	f.path_length = 0;
	if (fields_read(&f, task_spec_object, json, task) < 0)
		memcpy(task->spec_error, spec_err.message, sizeof(task->spec_error));
	if (task->spec.class_name.n == 0)
		task->spec.class_name = STR("default");
	task->stored_bytes = task_stored_bytes(task, json);
	return 0;
}

void decode_task_free(struct task *task)
{
	buf_free(&task->texts);
	*task = (struct task){0};
}
