#include "plan.h"

#include "base/hex.h"
#include "base/json.h"
#include "base/json_string.h"
#include "base/sha256.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define PLAN_VERSION 1

/* --- Hashes of the input. --- */

/* Length first, so that no two lists of strings have the same bytes. */
static void hash_string(struct sha256 *hash, struct str s)
{
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)((uint64_t)s.n >> (8 * i));
	sha256_update(hash, length, sizeof(length));
	sha256_update(hash, s.p, s.n);
}

static void finish(struct sha256 *hash, char hex[PLAN_SHA256_SIZE])
{
	uint8_t digest[SHA256_BYTES];

	sha256_final(hash, digest);
	hex_encode(hex, digest, sizeof(digest));
}

void plan_hash(struct str text, char sha256[PLAN_SHA256_SIZE])
{
	struct sha256 hash;

	sha256_init(&hash);
	sha256_update(&hash, text.p, text.n);
	finish(&hash, sha256);
}

static void hash_args(const struct task_spec *spec, char hex[PLAN_SHA256_SIZE])
{
	struct sha256 hash;

	sha256_init(&hash);
	for (size_t i = 0; i < spec->arg_count; i++)
		hash_string(&hash, spec->args[i]);
	finish(&hash, hex);
}

static void hash_env(const struct task_spec *spec, char hex[PLAN_SHA256_SIZE])
{
	struct sha256 hash;

	sha256_init(&hash);
	for (size_t i = 0; i < spec->env_count; i++) {
		hash_string(&hash, spec->env[i].name);
		hash_string(&hash, spec->env[i].value);
	}
	finish(&hash, hex);
}

/* --- Text. --- */

/* The bounds of the inputs (decode.h) leave room: a plan never meets the limit of its buffer. */
static void must(int result)
{
	assert(result == 0);
	(void)result;
}

static void write_TEXT(struct buf *out, struct str value)
{
	struct err err;

	must(buf_append_char(out, '"'));
	must(json_string_escape(out, value, &err));
	must(buf_append_char(out, '"'));
}

static void write_HASH(struct buf *out, struct str value)
{
	write_TEXT(out, value);
}

static void write_NUMBER(struct buf *out, int64_t value)
{
	must(buf_printf(out, "%" PRId64, value));
}

static void write_FLAG(struct buf *out, bool value)
{
	must(buf_append_str(out, value ? STR("true") : STR("false")));
}

static void write_JSON(struct buf *out, struct str value)
{
	must(buf_append_str(out, value.n > 0 ? value : STR("null")));
}

static void write_text(struct plan *plan)
{
	must(buf_printf(&plan->text, "{\"version\":%d", PLAN_VERSION));
#define X(kind, name, key)                                       \
	must(buf_append_str(&plan->text, STR(",\"" key "\":"))); \
	write_##kind(&plan->text, plan->name);
	PLAN_FIELDS(X)
#undef X
	must(buf_append_char(&plan->text, '}'));
}

/*
 * Strings of the plan live in its own text. They are written escaped but none of them ever needs an
 * escape (names, images, hashes), so a value is its raw string without the quotes.
 */
static bool read_TEXT(struct str raw, struct str *value)
{
	if (json_kind(raw) != JSON_STRING || memchr(raw.p, '\\', raw.n))
		return false;
	*value = str_slice(raw, 1, raw.n - 1);
	return true;
}

static bool read_HASH(struct str raw, struct str *value)
{
	uint8_t digest[SHA256_BYTES];

	return read_TEXT(raw, value) && hex_decode(*value, digest, sizeof(digest));
}

static bool read_NUMBER(struct str raw, int64_t *value)
{
	return json_to_int(raw, TASK_NOT_GIVEN, INT64_MAX, value);
}

static bool read_FLAG(struct str raw, bool *value)
{
	return json_to_bool(raw, value);
}

static bool read_JSON(struct str raw, struct str *value)
{
	*value = json_kind(raw) == JSON_NULL ? (struct str){NULL, 0} : raw;
	return true;
}

/* Reads the fields out of `plan->text`, which every string of the plan then borrows from. */
static int read_text(struct plan *plan, struct err *err)
{
	struct str text = buf_str(&plan->text), raw;
	int64_t version;

	if (json_check(text, err) < 0)
		return err_wrap(err, "plan");
	if (!json_find(text, STR("version"), &raw) ||
	    !json_to_int(raw, PLAN_VERSION, PLAN_VERSION, &version))
		return err_set(err, ERR_INVALID, "plan: no version that this controller knows");
#define X(kind, name, key)                                                      \
	if (!json_find(text, STR(key), &raw) || !read_##kind(raw, &plan->name)) \
		return err_set(err, ERR_INVALID, "plan: %s is missing or not valid", key);
	PLAN_FIELDS(X)
#undef X
	return 0;
}

int plan_read(struct plan *plan, struct str text, struct err *err)
{
	struct plan read = {0};

	buf_init(&read.text, PLAN_BYTES_MAX);
	if (buf_append_str(&read.text, text) < 0)
		return err_set(err, ERR_TOO_LARGE, "plan: more than %u bytes", PLAN_BYTES_MAX);
	if (read_text(&read, err) < 0) {
		buf_free(&read.text);
		return -1;
	}
	plan_hash(text, read.sha256);
	*plan = read;
	return 0;
}

void plan_free(struct plan *plan)
{
	buf_free(&plan->text);
	*plan = (struct plan){0};
}

/* --- From a task and its class. --- */

const struct class_runtime *plan_runtime(const struct task_spec *spec, const struct class *class)
{
	struct str language = spec->language.n > 0 ? spec->language : STR("python");

	for (size_t i = 0; i < class->runtime_count; i++) {
		const struct class_runtime *runtime = &class->runtimes[i];

		if (spec->runtime.n > 0 ? str_equal(runtime->name, spec->runtime)
					: str_equal(runtime->language, language))
			return runtime;
	}
	return NULL;
}

static int64_t given_or(int64_t given, int64_t by_default)
{
	return given != TASK_NOT_GIVEN ? given : by_default;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void take_class(struct plan *p, const struct task *task, const struct class *class)
{
	p->class_name = class->name;
	p->class_uid = class->uid;
	p->class_generation = class->generation;
	p->runtime_class_name = class->runtime_class_name;
	p->pod_namespace = class->pod_namespace.n > 0 ? class->pod_namespace : task->namespace;
	p->run_as_user = class->run_as_user;
	p->memory_limit_required = class->memory_limit_required;
	p->hold_seconds = class->hold_seconds;
	p->open_files = class->open_files;
	p->processes = class->processes;
	p->tmp_inodes = class->tmp_inodes;
	p->cpu_seconds = class->cpu_seconds;
	p->overhead_cpu_milli = class->overhead_cpu_milli;
	p->overhead_memory_bytes = class->overhead_memory_bytes;
	p->overhead_storage_bytes = class->overhead_storage_bytes;
	p->cpu_request_percent = class->cpu_request_percent;
	p->priority_class_name = class->priority_class_name;
	p->node_selector = class->node_selector;
	p->tolerations = class->tolerations;
	p->image_pull_secrets = class->image_pull_secrets;
}

static void take_limits(struct plan *p, const struct task_spec *spec, const struct class *class)
{
	p->cpu_milli = given_or(spec->cpu_milli, class->cpu_milli.by_default);
	p->memory_bytes = given_or(spec->memory_bytes, class->memory_bytes.by_default);
	/* Files live in memory: a task that asks for little memory gets no more tmp than that. */
	p->tmp_bytes =
		given_or(spec->tmp_bytes, smaller(class->tmp_bytes.by_default, p->memory_bytes));
	p->file_size = given_or(class->file_size, p->tmp_bytes);
	p->start_seconds = given_or(spec->start_seconds, class->start_seconds.by_default);
	p->run_seconds = given_or(spec->run_seconds, class->run_seconds.by_default);
	p->stdout_bytes = given_or(spec->stdout_bytes, class->stdout_bytes.by_default);
	p->stderr_bytes = given_or(spec->stderr_bytes, class->stderr_bytes.by_default);
	p->fail_on_overflow = spec->fail_on_overflow;
}

void plan_make(struct plan *plan, const struct task *task, const struct class *class)
{
	const struct class_runtime *runtime = plan_runtime(&task->spec, class);
	char code[PLAN_SHA256_SIZE], stdin_text[PLAN_SHA256_SIZE], args[PLAN_SHA256_SIZE];
	char env[PLAN_SHA256_SIZE], runtime_env[PLAN_SHA256_SIZE];
	struct err err;

	assert(runtime);
	*plan = (struct plan){
		.runtime = runtime->name, .language = runtime->language, .image = runtime->image};
	buf_init(&plan->text, PLAN_BYTES_MAX);
	take_class(plan, task, class);
	take_limits(plan, &task->spec, class);
	plan_hash(task->spec.code, code);
	plan_hash(task->spec.stdin_text, stdin_text);
	hash_args(&task->spec, args);
	hash_env(&task->spec, env);
	plan_hash(runtime->env, runtime_env);
	plan->code_sha256 = str_of(code);
	plan->stdin_sha256 = str_of(stdin_text);
	plan->args_sha256 = str_of(args);
	plan->env_sha256 = str_of(env);
	plan->runtime_env_sha256 = str_of(runtime_env);
	write_text(plan);
	/* From here on the plan stands on its own text: task and class may go. */
	must(read_text(plan, &err));
	plan_hash(buf_str(&plan->text), plan->sha256);
}

/* --- Sizes. --- */

int64_t plan_pod_cpu_milli(const struct plan *plan)
{
	return plan->cpu_milli + plan->overhead_cpu_milli;
}

/* Never nothing: without a request Kubernetes takes the limit for it. */
int64_t plan_pod_cpu_request_milli(const struct plan *plan)
{
	return (plan_pod_cpu_milli(plan) * plan->cpu_request_percent + 99) / 100;
}

int64_t plan_outcome_bytes(const struct plan *plan)
{
	return plan->stdout_bytes + plan->stderr_bytes + PLAN_RECORD_BYTES;
}

int64_t plan_pod_memory_bytes(const struct plan *plan)
{
	return plan->memory_bytes + PLAN_BUNDLE_BYTES + plan_outcome_bytes(plan) +
	       plan->overhead_memory_bytes;
}

/*
 * The node's log of the container counts as its storage. An outcome travels through it, once per
 * attach that has to begin again; the kubelet's rotation (10 MiB × 5) bounds the sum.
 */
int64_t plan_pod_storage_bytes(const struct plan *plan)
{
	return plan->overhead_storage_bytes;
}

int64_t plan_deadline_seconds(const struct plan *plan)
{
	return plan->start_seconds + plan->run_seconds + plan->hold_seconds;
}
