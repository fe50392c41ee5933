#include "core/validate.h"

#include "core/decode_class.h"
#include "core/decode_task.h"

#include "objects.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

#define TWO_RUNTIMES                                           \
	"[{'name':'python3','language':'python','image':'a'}," \
	"{'name':'python2','language':'python','image':'b'},"  \
	"{'name':'node22','language':'node','image':'c'}]"

static struct class class;

static const struct row {
	const char *name, *spec;
	enum reason reason;
	const char *message;
} rows[] = {
	/* Right. */
	{"code alone is enough", "{'code':'x'}", REASON_NONE, ""},
	{"U+0000 in stdin is the program's matter", "{'code':'x','stdin':'\\u0000'}", REASON_NONE,
	 ""},
	{"a language of the class is found", "{'code':'x','language':'python'}", REASON_NONE, ""},
	{"a runtime is found by its name", "{'code':'x','runtime':'python2'}", REASON_NONE, ""},
	{"language and runtime may agree", "{'code':'x','language':'python','runtime':'python2'}",
	 REASON_NONE, ""},
	{"exactly the maximum is allowed",
	 "{'code':'x','resources':{'cpu':'2','memory':'1Gi','tmp':'256Mi'},"
	 "'timeouts':{'startSeconds':600,'runSeconds':600},"
	 "'output':{'stdoutBytes':4194304,'stderrBytes':1048576}}",
	 REASON_NONE, ""},
	{"tmp may take all of memory", "{'code':'x','resources':{'memory':'64Mi','tmp':'64Mi'}}",
	 REASON_NONE, ""},
	{"little memory is no mistake though the class's tmp is more",
	 "{'code':'x','resources':{'memory':'16Mi'}}", REASON_NONE, ""},
	{"letters from a to z and digits from 0 to 9 are letters and digits",
	 "{'code':'x','env':[{'name':'azAZ_09'}]}", REASON_NONE, ""},
	{"variables may be called anything that C would call them",
	 "{'code':'x','env':[{'name':'_a1'},{'name':'PATH'}]}", REASON_NONE, ""},

	/* Wrong by itself. */
	{"a wrong type is told as it was read", "{'code':1}", REASON_InvalidSpec,
	 "^spec.code: must be a string$"},
	{"no code", "{}", REASON_InvalidSpec, "^spec.code is empty"},
	{"empty code", "{'code':''}", REASON_InvalidSpec, "^spec.code is empty"},
	{"U+0000 in code", "{'code':'a\\u0000b'}", REASON_InvalidSpec, "^spec.code holds U\\+0000"},
	{"U+0000 in an argument", "{'code':'x','args':['a','\\u0000']}", REASON_InvalidSpec,
	 "^spec.args\\[1\\] holds U\\+0000"},
	{"U+0000 in a variable", "{'code':'x','env':[{'name':'A','value':'\\u0000'}]}",
	 REASON_InvalidSpec, "^spec.env\\[0\\].value holds U\\+0000"},
	{"a variable without a name", "{'code':'x','env':[{'value':'1'}]}", REASON_InvalidSpec,
	 "^spec.env\\[0\\].name must be"},
	{"a variable that starts with a digit", "{'code':'x','env':[{'name':'1A'}]}",
	 REASON_InvalidSpec, "^spec.env\\[0\\].name must be"},
	{"a variable with an equals sign", "{'code':'x','env':[{'name':'A=B'}]}",
	 REASON_InvalidSpec, "^spec.env\\[0\\].name must be"},
	{"a variable with U+0000 in its name", "{'code':'x','env':[{'name':'A\\u0000'}]}",
	 REASON_InvalidSpec, "^spec.env\\[0\\].name must be"},
	{"a variable twice", "{'code':'x','env':[{'name':'A'},{'name':'B'},{'name':'A'}]}",
	 REASON_InvalidSpec, "^spec.env\\[2\\].name is that of spec.env\\[0\\]"},

	/* Wrong in this class. */
	{"a language that the class does not have", "{'code':'x','language':'lua'}",
	 REASON_LanguageNotSupported,
	 "^spec.language: SandboxClass default has no runtime for lua; it has: python3 "
	 "\\(python\\), python2 \\(python\\), node22 \\(node\\)$"},
	{"a runtime that the class does not have", "{'code':'x','runtime':'python4'}",
	 REASON_LanguageNotSupported,
	 "^spec.runtime: SandboxClass default has no runtime named python4;"},
	{"a language is no name of a runtime", "{'code':'x','runtime':'python'}",
	 REASON_LanguageNotSupported, "no runtime named python;"},
	{"language and runtime that disagree",
	 "{'code':'x','language':'python','runtime':'node22'}", REASON_InvalidSpec,
	 "^spec.language is python, but spec.runtime node22 runs node"},
	{"a language that the class has, and this version can't run",
	 "{'code':'x','runtime':'node22'}", REASON_LanguageNotSupported,
	 "^spec.runtime: runtime node22 of SandboxClass default runs node, which this version "
	 "can't; it runs python$"},
	{"too much CPU", "{'code':'x','resources':{'cpu':'2001m'}}", REASON_LimitAboveMaximum,
	 "^spec.resources.cpu is 2001m, SandboxClass default allows at most 2$"},
	{"too much memory", "{'code':'x','resources':{'memory':'1025Mi'}}",
	 REASON_LimitAboveMaximum,
	 "^spec.resources.memory is 1025Mi, SandboxClass default allows at most 1Gi$"},
	{"too much tmp", "{'code':'x','resources':{'memory':'1Gi','tmp':'257Mi'}}",
	 REASON_LimitAboveMaximum, "^spec.resources.tmp is 257Mi, .* at most 256Mi$"},
	{"too long a start", "{'code':'x','timeouts':{'startSeconds':601}}",
	 REASON_LimitAboveMaximum, "^spec.timeouts.startSeconds is 601, .* at most 600$"},
	{"too long a run", "{'code':'x','timeouts':{'runSeconds':601}}", REASON_LimitAboveMaximum,
	 "^spec.timeouts.runSeconds is 601, .* at most 600$"},
	{"too much stdout", "{'code':'x','output':{'stdoutBytes':4194305}}",
	 REASON_LimitAboveMaximum, "^spec.output.stdoutBytes is 4194305, .* at most 4194304$"},
	{"too much stderr", "{'code':'x','output':{'stderrBytes':1048577}}",
	 REASON_LimitAboveMaximum, "^spec.output.stderrBytes is 1048577, .* at most 1048576$"},
	{"more tmp than memory", "{'code':'x','resources':{'memory':'64Mi','tmp':'65Mi'}}",
	 REASON_InvalidSpec, "^spec.resources.tmp is 65Mi, .* memory, which is 64Mi: raise"},

	/* The order of the chain. */
	{"a mistake of the task is told before one of the class", "{'code':'','language':'lua'}",
	 REASON_InvalidSpec, "^spec.code is empty"},
};

static struct refusal validated(const char *spec, const struct class *of, const char *labels)
{
	static char json[8192];
	struct refusal refusal;
	struct task task;
	struct err err;

	snprintf(json, sizeof(json), OBJECTS_TASK("%s"), spec);
	if (decode_task(&task, json_of(json), &err) < 0)
		fail("%s: %s", spec, err.message);
	validate(&task, of, json_of(labels), &refusal);
	decode_task_free(&task);
	return refusal;
}

static void rows_are_judged(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct refusal refusal = validated(rows[i].spec, &class, "{}");

		is(refusal.reason ? reason_name(refusal.reason) : "none",
		   rows[i].reason ? reason_name(rows[i].reason) : "none", "%s", rows[i].name);
		like(refusal.message, rows[i].message, "  in these words");
	}
}

static void without_its_class_a_task_is_judged_by_itself(void)
{
	cmp_ok(validated("{'code':'x','language':'lua'}", NULL, "{}").reason, "==", REASON_NONE,
	       "what depends on the class waits for it");
	cmp_ok(validated("{'code':''}", NULL, "{}").reason, "==", REASON_InvalidSpec,
	       "what does not is told at once");
}

static void a_class_may_choose_its_namespaces(void)
{
	struct class chosen;
	struct refusal refusal;
	struct err err;

	decode_class(
		&chosen,
		json_of(OBJECTS_CLASS_WITH(
			OBJECTS_PYTHON, ",'namespaceSelector':{'matchLabels':{'sandbox':'yes'}}")),
		&err);
	cmp_ok(validated("{'code':'x'}", &chosen, "{'sandbox':'yes'}").reason, "==", REASON_NONE,
	       "a namespace with the label may use the class");
	refusal = validated("{'code':'x'}", &chosen, "{}");
	cmp_ok(refusal.reason, "==", REASON_ClassNotAllowed, "another may not");
	like(refusal.message,
	     "^spec.sandboxClassName: the labels of namespace team don't match the "
	     "namespaceSelector",
	     "and is named");
	decode_class_free(&chosen);
}

static void tmp_is_held_against_the_class_memory_too(void)
{
	struct class small;
	struct refusal refusal;
	struct err err;

	decode_class(&small, json_of(OBJECTS_CLASS), &err);
	small.memory_bytes.by_default = 32 << 20;
	refusal = validated("{'code':'x','resources':{'tmp':'33Mi'}}", &small, "{}");
	cmp_ok(refusal.reason, "==", REASON_InvalidSpec, "tmp above the default memory is refused");
	like(refusal.message, "memory, which is 32Mi by the class's default",
	     "and says whose it is");
	decode_class_free(&small);
}

/* --- Sizes, on structs: JSON of these would only make the test slow. --- */

static struct task sized(size_t code, size_t arg, size_t env, size_t input, size_t stored)
{
	static char bytes[1 << 20];
	static bool filled;
	struct task task = {.name = STR("a"), .namespace = STR("b"), .stored_bytes = stored};
	struct task_spec *spec = &task.spec;

	if (!filled)
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = 'x';
	filled = true;
	spec->code = (struct str){bytes, code};
	spec->args[0] = (struct str){bytes, arg};
	spec->arg_count = 1;
	spec->env[0] = (struct task_env){STR("A"), {bytes, env}};
	spec->env_count = 1;
	spec->stdin_text = (struct str){bytes, input};
	return task;
}

static void bytes_are_counted_not_characters(void)
{
	static const struct {
		const char *name;
		size_t code, arg, env, input, stored;
		const char *message;
	} sizes[] = {
		{"exactly every limit", 262144, 4096, 32768, 524288, 786432, "^$"},
		{"one byte of code more", 262145, 1, 1, 1, 1,
		 "^spec.code has 262145 bytes of UTF-8, at most 262144"},
		{"one byte of an argument more", 1, 4097, 1, 1, 1,
		 "^spec.args\\[0\\] has 4097 bytes of UTF-8, at most 4096"},
		{"one byte of a variable more", 1, 1, 32769, 1, 1,
		 "^spec.env\\[0\\].value has 32769 bytes of UTF-8, at most 32768"},
		{"one byte of stdin more", 1, 1, 1, 524289, 1,
		 "^spec.stdin has 524289 bytes of UTF-8, at most 524288"},
		{"one stored byte more", 1, 1, 1, 1, 786433,
		 "^spec and metadata take 786433 bytes when stored as JSON, .* at most 786432"},
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct task task = sized(sizes[i].code, sizes[i].arg, sizes[i].env, sizes[i].input,
					 sizes[i].stored);
		struct refusal refusal;

		validate(&task, NULL, STR(""), &refusal);
		cmp_ok(refusal.reason, "==", i > 0 ? REASON_InputTooLarge : REASON_NONE, "%s",
		       sizes[i].name);
		like(refusal.message, sizes[i].message, "  in these words");
	}
}

static void a_long_list_of_runtimes_is_cut(void)
{
	static char name[64], language[33];
	struct class many = {.name = STR("many"), .runtime_count = CLASS_RUNTIMES_MAX};
	struct refusal refusal;

	for (size_t i = 0; i < 63; i++)
		name[i] = 'n';
	for (size_t i = 0; i < 32; i++)
		language[i] = 'l';
	for (size_t i = 0; i < CLASS_RUNTIMES_MAX; i++)
		many.runtimes[i] =
			(struct class_runtime){str_of(name), str_of(language), STR("i"), {0}};
	refusal = validated("{'code':'x'}", &many, "{}");
	cmp_ok(refusal.reason, "==", REASON_LanguageNotSupported,
	       "a class of many runtimes refuses");
	cmp_ok(strlen(refusal.message), "<", SNAPSHOT_MESSAGE_SIZE - 100,
	       "with as many of them as fit");
}

int main(void)
{
	struct err err;

	if (decode_class(&class, json_of(OBJECTS_CLASS_WITH(TWO_RUNTIMES, "")), &err) < 0)
		fail("%s", err.message);
	rows_are_judged();
	without_its_class_a_task_is_judged_by_itself();
	a_class_may_choose_its_namespaces();
	tmp_is_held_against_the_class_memory_too();
	bytes_are_counted_not_characters();
	a_long_list_of_runtimes_is_cut();
	decode_class_free(&class);
	done_testing();
}
