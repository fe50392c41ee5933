#include "manager/input.h"

#include "plans.h"

#include "core/decode_task.h"
#include "proto/bundle.h"

#include <stdlib.h>

static struct plan plan;
static struct task task;
static struct bundle bundle;
static struct input *input;
static struct err err;

/* The input of this spec by the example class, and the bundle that a runner reads from it. */
static bool make(const char *spec, const char *runtime_env)
{
	static char json[OBJECTS_TEXT_SIZE];
	char *text, *env = NULL;
	size_t n = strlen(runtime_env);

	plans_make(&plan, spec, OBJECTS_CLASS);
	snprintf(json, sizeof(json), OBJECTS_TASK("%s"), spec);
	if (decode_task(&task, json_of(json), &err) < 0)
		fail("%s", err.message);
	/* Exactly as long as it is, so that a sanitizer sees what is read beyond it. */
	if (n > 0) {
		env = malloc(n);
		memcpy(env, json_of(runtime_env).p, n);
	}
	input = input_new(&task, &plan, (struct str){env, n}, &err);
	free(env);
	if (!input)
		return false;
	text = (char *)(uintptr_t)input->bytes.data;
	return bundle_decode((struct str){text, input->bytes.length}, &bundle, &err) == 0;
}

static void drop(void)
{
	input_delete(input);
	decode_task_free(&task);
	plan_free(&plan);
}

static const char *text_of(struct str s)
{
	static char texts[4][256];
	static int next;
	char *text = texts[next++ % 4];

	snprintf(text, 256, "%.*s", STR_ARGS(s));
	return text;
}

/* "A=1 B=2" */
static const char *environment(void)
{
	static char text[1024];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < bundle.env_count; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s=%.*s", i > 0 ? " " : "",
				      STR_ARGS(bundle.env[i].name), STR_ARGS(bundle.env[i].value));
	return text;
}

static void a_small_task_is_a_program_and_its_limits(void)
{
	ok(make("{'code':'print(1)'}", ""), "a task with nothing but code makes a bundle");
	cmp_ok(bundle.mode, "==", BUNDLE_SCRIPT, "that is run as a script");
	is(text_of(bundle.language), "python", "of the default language");
	cmp_ok(bundle.argv_count, "==", 2, "without arguments");
	is(text_of(bundle.argv[0]), "python3", "by its interpreter");
	is(text_of(bundle.argv[1]), "main.py", "from a file with a name that tracebacks show");
	cmp_ok(bundle.parts_count, "==", 1, "there is one part: no stdin is the end of stdin");
	cmp_ok(bundle.parts[0].role, "==", PART_CODE, "the code");
	is(text_of(bundle.parts[0].path), "main.py", "in that file");
	cmp_ok(bundle.parts[0].mode, "==", 0444, "which is read-only");
	is(text_of(bundle.parts[0].data), "print(1)", "byte for byte");
	cmp_ok(bundle.memory_bytes, "==", 256u << 20, "memory is the class's default");
	cmp_ok(bundle.tmp_bytes, "==", 64u << 20, "so is tmp");
	cmp_ok(bundle.file_bytes, "==", 64u << 20, "a file may be as large as tmp");
	cmp_ok(bundle.cpu_seconds, "==", 0, "without a limit of CPU time");
	cmp_ok(bundle.cpus, "==", 1, "one CPU is one thread");
	cmp_ok(bundle.run_ms, "==", 60000, "times are milliseconds");
	cmp_ok(bundle.start_ms, "==", 120000, "of both budgets");
	cmp_ok(bundle.stdout_bytes, "==", 1048576, "stdout is kept up to its limit");
	cmp_ok(bundle.stderr_bytes, "==", 262144, "so is stderr");
	cmp_ok(bundle.on_overflow, "==", OVERFLOW_TRUNCATE, "and cut beyond");
	drop();
}

static void what_the_user_gives_arrives(void)
{
	ok(make("{'code':'x\\u0001\\ud83d\\ude00','stdin':'a\\nb\\t','args':['--n=1','','a b'],"
		"'env':[{'name':'A','value':'1'}],'resources':{'cpu':'1500m','memory':'512Mi',"
		"'tmp':'1Mi'},'timeouts':{'startSeconds':7,'runSeconds':9},"
		"'output':{'stdoutBytes':10,'stderrBytes':20,'onOverflow':'Fail'}}",
		""),
	   "a task with everything makes a bundle");
	is(text_of(bundle.parts[0].data), "x\1\360\237\230\200", "code is decoded to its bytes");
	cmp_ok(bundle.parts_count, "==", 2, "there are two parts");
	cmp_ok(bundle.parts[1].role, "==", PART_STDIN, "the second is stdin");
	is(text_of(bundle.parts[1].data), "a\nb\t", "byte for byte");
	cmp_ok(bundle.argv_count, "==", 5, "arguments follow the file");
	is(text_of(bundle.argv[2]), "--n=1", "in their order");
	is(text_of(bundle.argv[3]), "", "an empty one is one");
	is(text_of(bundle.argv[4]), "a b", "and no shell sees them");
	cmp_ok(bundle.cpus, "==", 2, "a part of a CPU is a whole thread");
	cmp_ok(bundle.memory_bytes, "==", 512u << 20, "what is asked for counts");
	cmp_ok(bundle.run_ms, "==", 9000, "also for times");
	cmp_ok(bundle.on_overflow, "==", OVERFLOW_FAIL, "and for what happens beyond limits");
	drop();
}

static void the_runtime_has_variables_too(void)
{
	static const struct {
		const char *sentence, *runtime, *task, *wanted;
	} rows[] = {
		{"none", "", "", ""},
		{"an empty list of the runtime's", "[]", "", ""},
		{"the runtime's alone", "[{'name':'A','value':'1'},{'name':'B','value':'2'}]", "",
		 "A=1 B=2"},
		{"the task's alone", "", "{'name':'A','value':'1'}", "A=1"},
		{"the task's come after the runtime's, so that they count",
		 "[{'name':'A','value':'1'}]", "{'name':'A','value':'2'}", "A=1 A=2"},
		{"a value that is not there is empty", "[{'name':'A'}]", "", "A="},
		{"escapes are decoded", "[{'name':'A','value':'\\u0041\\n'}]", "", "A=A\n"},
		{"unknown members are passed over", "[{'name':'A','value':'1','valueFrom':{}}]", "",
		 "A=1"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char spec[512];

		snprintf(spec, sizeof(spec), "{'code':'x','env':[%s]}", rows[i].task);
		ok(make(spec, rows[i].runtime), "%s", rows[i].sentence);
		is(environment(), rows[i].wanted, "  arrive");
		drop();
	}
}

static void variables_that_are_none_are_refused(void)
{
	static const struct {
		const char *sentence, *runtime, *message;
	} rows[] = {
		{"a name that is a number", "[{'name':1,'value':'1'}]", "no variable"},
		{"a value that is a number", "[{'name':'A','value':1}]", "no variable"},
		{"a value with U+0000", "[{'name':'A','value':'a\\u0000b'}]", "no variable"},
		{"half a surrogate", "[{'name':'A','value':'\\ud83d'}]", "no variable"},
		{"a variable without a name", "[{'value':'1'}]", "env"},
		{"a name with an equals sign", "[{'name':'A=B','value':'1'}]", "env"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ok(!make("{'code':'x'}", rows[i].runtime), "%s is refused", rows[i].sentence);
		like(err.message, rows[i].message, "  and the message says where");
		drop();
	}
}

/* The largest number of variables that a class and a task may have. */
static void too_many_variables_are_refused(void)
{
	static char env[16384];

	for (int count = BUNDLE_ENV_MAX; count <= BUNDLE_ENV_MAX + 1; count++) {
		size_t n = (size_t)snprintf(env, sizeof(env), "[");

		for (int i = 0; i < count; i++)
			n += (size_t)snprintf(env + n, sizeof(env) - n, "%s{'name':'A%d'}",
					      i > 0 ? "," : "", i);
		snprintf(env + n, sizeof(env) - n, "]");
		if (count == BUNDLE_ENV_MAX) {
			ok(make("{'code':'x'}", env), "%d variables are taken", count);
			cmp_ok(bundle.env_count, "==", count, "  all of them");
		} else {
			ok(!make("{'code':'x'}", env), "one more is refused");
			like(err.message, "more than 128", "  and the message names the limit");
		}
		drop();
	}
}

static void the_object_is_what_the_hash_says(void)
{
	struct sha256 hash;
	uint8_t sha256[SHA256_BYTES];
	uint64_t total = 0;

	make("{'code':'print(1)','stdin':'x'}", "");
	sha256_init(&hash);
	for (size_t i = 0; i < input->object.count; i++) {
		sha256_update(&hash, input->object.pieces[i].p, input->object.pieces[i].n);
		total += input->object.pieces[i].n;
	}
	sha256_final(&hash, sha256);
	cmp_ok(total, "==", input->object.total, "its pieces have its length");
	is_bytes(sha256, SHA256_BYTES, input->object.sha256, SHA256_BYTES, "and its hash");
	drop();
	input_delete(NULL);
}

int main(void)
{
	a_small_task_is_a_program_and_its_limits();
	what_the_user_gives_arrives();
	the_runtime_has_variables_too();
	variables_that_are_none_are_refused();
	too_many_variables_are_refused();
	the_object_is_what_the_hash_says();
	done_testing();
}
