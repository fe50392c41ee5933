#include "input.h"

#include "base/json.h"
#include "base/json_string.h"
#include "base/mem.h"
#include "core/language.h"
#include "proto/bundle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MODE 0444

static uint32_t to_ms(int64_t seconds)
{
	return (uint32_t)(seconds * 1000);
}

static void take_limits(struct bundle *b, const struct plan *p)
{
	b->memory_bytes = (uint64_t)p->memory_bytes;
	b->tmp_bytes = (uint64_t)p->tmp_bytes;
	b->tmp_inodes = (uint32_t)p->tmp_inodes;
	b->processes = (uint32_t)p->processes;
	b->open_files = (uint32_t)p->open_files;
	b->file_bytes = (uint64_t)p->file_size;
	b->cpu_seconds = p->cpu_seconds == TASK_NOT_GIVEN ? 0 : (uint32_t)p->cpu_seconds;
	/* Threads that libraries should start: a whole one for a part of a CPU. */
	b->cpus = (uint16_t)((p->cpu_milli + 999) / 1000);
	b->stdout_bytes = (uint32_t)p->stdout_bytes;
	b->stderr_bytes = (uint32_t)p->stderr_bytes;
	b->on_overflow = p->fail_on_overflow ? OVERFLOW_FAIL : OVERFLOW_TRUNCATE;
	b->start_ms = to_ms(p->start_seconds);
	b->run_ms = to_ms(p->run_seconds);
}

/* --- Environment: the runtime's, then the task's, of which the later one counts. --- */

static int add_env(struct bundle *b, struct str name, struct str value, struct err *err)
{
	if (b->env_count == BUNDLE_ENV_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "runtime and task have more than %d environment variables",
			       BUNDLE_ENV_MAX);
	b->env[b->env_count++] = (struct bundle_env){.name = name, .value = value};
	return 0;
}

static int decode_member(struct str object, struct str key, struct buf *texts, struct str *text,
			 struct err *err)
{
	struct str raw;
	size_t begin = texts->length;
	bool has_nul = false;

	*text = STR("");
	if (!json_find(object, key, &raw))
		return 0;
	if (json_kind(raw) != JSON_STRING || json_string_decode(raw, texts, &has_nul, err) < 0 ||
	    has_nul)
		return err_set(err, ERR_INVALID, "the runtime's env holds what is no variable");
	*text = (struct str){texts->data + begin, texts->length - begin};
	return 0;
}

static int take_runtime_env(struct bundle *b, struct str runtime_env, struct buf *texts,
			    struct err *err)
{
	struct json_walk walk = json_walk(runtime_env);
	struct str item, name, value;

	while (json_next(&walk, NULL, &item)) {
		if (decode_member(item, STR("name"), texts, &name, err) < 0 ||
		    decode_member(item, STR("value"), texts, &value, err) < 0 ||
		    add_env(b, name, value, err) < 0)
			return -1;
	}
	return 0;
}

static int take_env(struct bundle *b, const struct task_spec *spec, struct err *err)
{
	for (size_t i = 0; i < spec->env_count; i++)
		if (add_env(b, spec->env[i].name, spec->env[i].value, err) < 0)
			return -1;
	return 0;
}

/* --- The whole. --- */

static int take_program(struct bundle *b, const struct task_spec *spec, struct str language_name,
			struct err *err)
{
	const struct language *language = language_find(language_name);

	if (!language)
		return err_set(err, ERR_INVALID, "a language that this version can't run");
	b->mode = BUNDLE_SCRIPT;
	b->language = language->name;
	b->argv[b->argv_count++] = language->program;
	b->argv[b->argv_count++] = language->file;
	for (size_t i = 0; i < spec->arg_count; i++)
		b->argv[b->argv_count++] = spec->args[i];
	b->parts[b->parts_count++] = (struct bundle_part){
		.role = PART_CODE, .path = language->file, .mode = FILE_MODE, .data = spec->code};
	if (spec->stdin_text.n > 0)
		b->parts[b->parts_count++] =
			(struct bundle_part){.role = PART_STDIN, .data = spec->stdin_text};
	return 0;
}

_Static_assert(TASK_ARGS_MAX + 2 <= BUNDLE_ARGV_MAX, "the program and its file come first");

/* The object's pieces are in the manifest and in the task: here they get memory of their own. */
static struct input *keep(const struct object *object)
{
	struct input *input = mem_new(1, sizeof(*input));
	size_t offset = 0;

	buf_init(&input->bytes, object->total);
	input->object = *object;
	for (size_t i = 0; i < object->count; i++)
		buf_append_str(&input->bytes, object->pieces[i]);
	assert(input->bytes.length == object->total);
	for (size_t i = 0; i < object->count; i++) {
		input->object.pieces[i].p = input->bytes.data + offset;
		offset += object->pieces[i].n;
	}
	return input;
}

struct input *input_new(const struct task *task, const struct plan *plan, struct str runtime_env,
			struct err *err)
{
	struct bundle *bundle = mem_new(1, sizeof(*bundle));
	uint8_t *manifest = mem_new(1, 4 + BUNDLE_MANIFEST_BYTES_MAX);
	struct object object = {0};
	struct input *input = NULL;
	struct buf texts;

	/* Decoded text is never longer than its JSON: with room for that the buffer never moves. */
	buf_init(&texts, runtime_env.n);
	buf_append_str(&texts, runtime_env);
	buf_clear(&texts);
	take_limits(bundle, plan);
	if (take_program(bundle, &task->spec, plan->language, err) == 0 &&
	    take_runtime_env(bundle, runtime_env, &texts, err) == 0 &&
	    take_env(bundle, &task->spec, err) == 0 &&
	    bundle_encode(bundle, manifest, 4 + BUNDLE_MANIFEST_BYTES_MAX, &object, err) == 0)
		input = keep(&object);
	buf_free(&texts);
	free(manifest);
	free(bundle);
	return input;
}

void input_delete(struct input *input)
{
	if (!input)
		return;
	buf_free(&input->bytes);
	free(input);
}
