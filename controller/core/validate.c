#include "validate.h"

#include "base/buf.h"
#include "base/quantity.h"
#include "language.h"
#include "plan.h"
#include "selector.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct subject {
	const struct task *task;
	const struct task_spec *spec;
	const struct class *class; /* NULL in checks of the first chain */
	struct str namespace_labels;
	struct refusal *refusal;
};

/* A check: true when it found something wrong, and told it. */
typedef bool check(const struct subject *s);

static bool refuse(const struct subject *s, enum reason reason, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool refuse(const struct subject *s, enum reason reason, const char *format, ...)
{
	va_list args;

	s->refusal->reason = reason;
	va_start(args, format);
	vsnprintf(s->refusal->message, sizeof(s->refusal->message), format, args);
	va_end(args);
	return true;
}

static bool has_nul(struct str text)
{
	return text.n > 0 && memchr(text.p, '\0', text.n) != NULL;
}

/* --- The task by itself. --- */

static bool spec_is_unreadable(const struct subject *s)
{
	if (s->task->spec_error[0] == '\0')
		return false;
	return refuse(s, REASON_InvalidSpec, "%s", s->task->spec_error);
}

static bool code_is_wrong(const struct subject *s)
{
	struct str code = s->spec->code;

	if (code.n == 0)
		return refuse(s, REASON_InvalidSpec, "spec.code is empty: give the program's text");
	if (has_nul(code))
		return refuse(s, REASON_InvalidSpec,
			      "spec.code holds U+0000, which no source file can hold");
	if (code.n > VALIDATE_CODE_BYTES_MAX)
		return refuse(s, REASON_InputTooLarge,
			      "spec.code has %zu bytes of UTF-8, at most %u are allowed: pass data "
			      "by spec.stdin",
			      code.n, VALIDATE_CODE_BYTES_MAX);
	return false;
}

static bool args_are_wrong(const struct subject *s)
{
	for (size_t i = 0; i < s->spec->arg_count; i++) {
		struct str arg = s->spec->args[i];

		if (has_nul(arg))
			return refuse(s, REASON_InvalidSpec,
				      "spec.args[%zu] holds U+0000, which ends a string for the "
				      "operating system",
				      i);
		if (arg.n > VALIDATE_ARG_BYTES_MAX)
			return refuse(s, REASON_InputTooLarge,
				      "spec.args[%zu] has %zu bytes of UTF-8, at most %u are "
				      "allowed: pass data by spec.stdin",
				      i, arg.n, VALIDATE_ARG_BYTES_MAX);
	}
	return false;
}

static bool is_env_name(struct str name)
{
	if (name.n == 0 || name.n > VALIDATE_ENV_NAME_MAX)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';

		if (!is_letter && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return true;
}

static bool env_name_is_wrong(const struct subject *s, size_t i)
{
	const struct task_env *env = s->spec->env;

	if (!is_env_name(env[i].name))
		return refuse(s, REASON_InvalidSpec,
			      "spec.env[%zu].name must be 1 to %u letters, digits and '_', and not "
			      "start with a digit",
			      i, VALIDATE_ENV_NAME_MAX);
	for (size_t j = 0; j < i; j++)
		if (str_equal(env[j].name, env[i].name))
			return refuse(s, REASON_InvalidSpec,
				      "spec.env[%zu].name is that of spec.env[%zu]: give each "
				      "name once",
				      i, j);
	return false;
}

static bool env_is_wrong(const struct subject *s)
{
	for (size_t i = 0; i < s->spec->env_count; i++) {
		struct str value = s->spec->env[i].value;

		if (env_name_is_wrong(s, i))
			return true;
		if (has_nul(value))
			return refuse(s, REASON_InvalidSpec,
				      "spec.env[%zu].value holds U+0000, which ends a string for "
				      "the operating system",
				      i);
		if (value.n > VALIDATE_ENV_BYTES_MAX)
			return refuse(s, REASON_InputTooLarge,
				      "spec.env[%zu].value has %zu bytes of UTF-8, at most %u are "
				      "allowed: pass data by spec.stdin",
				      i, value.n, VALIDATE_ENV_BYTES_MAX);
	}
	return false;
}

static bool stdin_is_wrong(const struct subject *s)
{
	if (s->spec->stdin_text.n <= VALIDATE_STDIN_BYTES_MAX)
		return false;
	return refuse(s, REASON_InputTooLarge,
		      "spec.stdin has %zu bytes of UTF-8, at most %u are allowed",
		      s->spec->stdin_text.n, VALIDATE_STDIN_BYTES_MAX);
}

static bool object_is_too_large(const struct subject *s)
{
	if (s->task->stored_bytes <= VALIDATE_STORED_BYTES_MAX)
		return false;
	return refuse(s, REASON_InputTooLarge,
		      "spec and metadata take %zu bytes when stored as JSON, where <, >, & and "
		      "control characters take six each; at most %u are allowed",
		      s->task->stored_bytes, VALIDATE_STORED_BYTES_MAX);
}

/* --- The task in its class. --- */

static bool namespace_is_not_allowed(const struct subject *s)
{
	if (selector_matches(s->class->namespace_selector, s->namespace_labels))
		return false;
	return refuse(s, REASON_ClassNotAllowed,
		      "spec.sandboxClassName: the labels of namespace %.*s don't match the "
		      "namespaceSelector of SandboxClass %.*s",
		      STR_ARGS(s->task->namespace), STR_ARGS(s->class->name));
}

/* "python3 (python), node (node)", as far as it fits. */
static void list_runtimes(const struct class *class, struct buf *out)
{
	for (size_t i = 0; i < class->runtime_count; i++) {
		const struct class_runtime *runtime = &class->runtimes[i];

		if (buf_printf(out, "%s%.*s (%.*s)", i > 0 ? ", " : "", STR_ARGS(runtime->name),
			       STR_ARGS(runtime->language)) < 0)
			return;
	}
}

static bool runtime_is_missing(const struct subject *s)
{
	const struct task_spec *spec = s->spec;
	bool is_named = spec->runtime.n > 0;
	struct str language = spec->language.n > 0 ? spec->language : STR("python");
	struct buf list;

	if (plan_runtime(spec, s->class))
		return false;
	buf_init(&list, SNAPSHOT_MESSAGE_SIZE / 2);
	list_runtimes(s->class, &list);
	refuse(s, REASON_LanguageNotSupported,
	       "%s: SandboxClass %.*s has no runtime %s %.*s; it has: %s",
	       is_named ? "spec.runtime" : "spec.language", STR_ARGS(s->class->name),
	       is_named ? "named" : "for", STR_ARGS(is_named ? spec->runtime : language),
	       list.data);
	buf_free(&list);
	return true;
}

static bool language_is_unknown(const struct subject *s)
{
	const struct class_runtime *runtime = plan_runtime(s->spec, s->class);

	if (language_find(runtime->language))
		return false;
	return refuse(s, REASON_LanguageNotSupported,
		      "%s: runtime %.*s of SandboxClass %.*s runs %.*s, which this version "
		      "can't; it runs python",
		      s->spec->runtime.n > 0 ? "spec.runtime" : "spec.language",
		      STR_ARGS(runtime->name), STR_ARGS(s->class->name),
		      STR_ARGS(runtime->language));
}

static bool language_and_runtime_disagree(const struct subject *s)
{
	const struct class_runtime *runtime = plan_runtime(s->spec, s->class);

	if (s->spec->language.n == 0 || str_equal(runtime->language, s->spec->language))
		return false;
	return refuse(
		s, REASON_InvalidSpec,
		"spec.language is %.*s, but spec.runtime %.*s runs %.*s: leave one of them out",
		STR_ARGS(s->spec->language), STR_ARGS(runtime->name), STR_ARGS(runtime->language));
}

static bool is_above(const struct subject *s, const char *field, int64_t given, int64_t max)
{
	if (given <= max)
		return false;
	return refuse(s, REASON_LimitAboveMaximum,
		      "%s is %" PRId64 ", SandboxClass %.*s allows at most %" PRId64, field, given,
		      STR_ARGS(s->class->name), max);
}

static bool is_more_than(const struct subject *s, const char *field, int64_t given, int64_t max,
			 void write(char text[QUANTITY_SIZE], int64_t amount))
{
	char given_text[QUANTITY_SIZE], max_text[QUANTITY_SIZE];

	if (given <= max)
		return false;
	write(given_text, given);
	write(max_text, max);
	return refuse(s, REASON_LimitAboveMaximum, "%s is %s, SandboxClass %.*s allows at most %s",
		      field, given_text, STR_ARGS(s->class->name), max_text);
}

static bool limit_is_above_maximum(const struct subject *s)
{
	const struct task_spec *spec = s->spec;
	const struct class *class = s->class;

	return is_more_than(s, "spec.resources.cpu", spec->cpu_milli, class->cpu_milli.max,
			    quantity_from_milli) ||
	       is_more_than(s, "spec.resources.memory", spec->memory_bytes, class->memory_bytes.max,
			    quantity_from_bytes) ||
	       is_more_than(s, "spec.resources.tmp", spec->tmp_bytes, class->tmp_bytes.max,
			    quantity_from_bytes) ||
	       is_above(s, "spec.timeouts.startSeconds", spec->start_seconds,
			class->start_seconds.max) ||
	       is_above(s, "spec.timeouts.runSeconds", spec->run_seconds, class->run_seconds.max) ||
	       is_above(s, "spec.output.stdoutBytes", spec->stdout_bytes,
			class->stdout_bytes.max) ||
	       is_above(s, "spec.output.stderrBytes", spec->stderr_bytes, class->stderr_bytes.max);
}

static bool tmp_is_more_than_memory(const struct subject *s)
{
	bool memory_is_given = s->spec->memory_bytes != TASK_NOT_GIVEN;
	int64_t memory =
		memory_is_given ? s->spec->memory_bytes : s->class->memory_bytes.by_default;
	char tmp_text[QUANTITY_SIZE], memory_text[QUANTITY_SIZE];

	if (s->spec->tmp_bytes <= memory)
		return false;
	quantity_from_bytes(tmp_text, s->spec->tmp_bytes);
	quantity_from_bytes(memory_text, memory);
	return refuse(s, REASON_InvalidSpec,
		      "spec.resources.tmp is %s, but it is a part of memory, which is %s%s: raise "
		      "spec.resources.memory or lower tmp",
		      tmp_text, memory_text, memory_is_given ? "" : " by the class's default");
}

/* --- The chains. --- */

static check *const of_task[] = {
	spec_is_unreadable, code_is_wrong,  args_are_wrong,
	env_is_wrong,	    stdin_is_wrong, object_is_too_large,
};

static check *const of_task_and_class[] = {
	namespace_is_not_allowed, runtime_is_missing,	  language_and_runtime_disagree,
	language_is_unknown,	  limit_is_above_maximum, tmp_is_more_than_memory,
};

void validate(const struct task *task, const struct class *class, struct str namespace_labels,
	      struct refusal *refusal)
{
	struct subject s = {
		.task = task,
		.spec = &task->spec,
		.class = class,
		.namespace_labels = namespace_labels,
		.refusal = refusal,
	};

	*refusal = (struct refusal){.reason = REASON_NONE};
	for (size_t i = 0; i < sizeof(of_task) / sizeof(of_task[0]); i++)
		if (of_task[i](&s))
			return;
	if (!class)
		return;
	for (size_t i = 0; i < sizeof(of_task_and_class) / sizeof(of_task_and_class[0]); i++)
		if (of_task_and_class[i](&s))
			return;
}
