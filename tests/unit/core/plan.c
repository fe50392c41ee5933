#include "core/plan.h"

#include "base/json.h"

#include "objects.h"
#include "plans.h"
#include "tap.h"

#include <string.h>

#define MIB (INT64_C(1) << 20)

static bool equals(struct str s, const char *text)
{
	return str_equal(s, str_of(text));
}

static void defaults_come_from_the_class(void)
{
	struct plan p;

	plans_make(&p, "{'code':'x'}", OBJECTS_CLASS);
	ok(equals(p.class_name, "default") && equals(p.class_uid, "class-uid") &&
		   p.class_generation == 3,
	   "the plan names its class, UID and generation");
	ok(equals(p.runtime, "python3") && equals(p.language, "python"), "and its runtime");
	ok(equals(p.image, "docker.io/sandboxtask/runner-python:1"), "and image");
	ok(equals(p.pod_namespace, "sandboxtask-pods"), "and where the Pod lives");
	ok(p.cpu_milli == 1000 && p.memory_bytes == 256 * MIB && p.tmp_bytes == 64 * MIB,
	   "resources are the class's");
	ok(p.start_seconds == 120 && p.run_seconds == 60 && p.hold_seconds == 3600, "so are times");
	ok(p.stdout_bytes == MIB && p.stderr_bytes == 262144 && !p.fail_on_overflow,
	   "so are outputs");
	cmp_ok(p.file_size, "==", 64 * MIB, "a file may be as large as tmp");
	cmp_ok(p.cpu_seconds, "==", TASK_NOT_GIVEN, "no limit of CPU seconds stays none");
	cmp_ok(p.node_selector.n, "==", 0, "nothing asked of the node stays nothing");
	plan_free(&p);
	plan_free(&p);
	pass("freeing twice does nothing");
}

static void what_the_task_asks_for_counts(void)
{
	struct plan p;

	plans_make(&p,
		   "{'code':'x','resources':{'cpu':'250m','memory':'32Mi'},"
		   "'timeouts':{'startSeconds':5,'runSeconds':7},"
		   "'output':{'stdoutBytes':0,'stderrBytes':1,'onOverflow':'Fail'}}",
		   OBJECTS_CLASS);
	ok(p.cpu_milli == 250 && p.memory_bytes == 32 * MIB, "resources are the task's");
	cmp_ok(p.tmp_bytes, "==", 32 * MIB, "tmp by default is never more than memory");
	ok(p.start_seconds == 5 && p.run_seconds == 7, "so are times");
	ok(p.stdout_bytes == 0 && p.stderr_bytes == 1 && p.fail_on_overflow,
	   "so are outputs, 0 bytes included");
	plan_free(&p);
	plans_make(&p, "{'code':'x'}",
		   OBJECTS_CLASS_WITH(OBJECTS_PYTHON, ",'podNamespace':'','runAsUser':7"));
	ok(equals(p.pod_namespace, "team"), "without a Pod namespace the Pod lives with its task");
	cmp_ok(p.run_as_user, "==", 7, "under the class's user");
	plan_free(&p);
}

static void the_runtime_is_chosen(void)
{
	struct class c = {.runtimes = {{STR("a"), STR("python"), STR("i"), {0}},
				       {STR("b"), STR("python"), STR("i"), {0}},
				       {STR("c"), STR("node"), STR("i"), {0}}},
			  .runtime_count = 3};
	static const struct {
		const char *name, *language, *runtime, *chosen;
	} rows[] = {
		{"nothing asked: the first of python", "", "", "a"},
		{"a language: the first of it", "node", "", "c"},
		{"a runtime: that one", "", "b", "b"},
		{"both: the runtime", "python", "c", "c"},
		{"an unknown language: none", "lua", "", NULL},
		{"an unknown runtime: none", "", "x", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_spec spec = {.language = str_of(rows[i].language),
					 .runtime = str_of(rows[i].runtime)};
		const struct class_runtime *runtime = plan_runtime(&spec, &c);

		is(runtime ? runtime->name.p : NULL, rows[i].chosen, "%s", rows[i].name);
	}
}

/* What has to change the plan, and what must not. */
static void every_input_is_frozen(void)
{
	static const struct {
		const char *name, *spec, *class_json;
		bool same;
	} rows[] = {
		{"the same again is the same plan", "{'code':'x','args':['ab'],'stdin':'s'}",
		 OBJECTS_CLASS, true},
		{"other code", "{'code':'y','args':['ab'],'stdin':'s'}", OBJECTS_CLASS, false},
		{"other stdin", "{'code':'x','args':['ab'],'stdin':'t'}", OBJECTS_CLASS, false},
		{"other arguments", "{'code':'x','args':['ac'],'stdin':'s'}", OBJECTS_CLASS, false},
		{"the same bytes in two arguments", "{'code':'x','args':['a','b'],'stdin':'s'}",
		 OBJECTS_CLASS, false},
		{"a variable", "{'code':'x','args':['ab'],'stdin':'s','env':[{'name':'A'}]}",
		 OBJECTS_CLASS, false},
		{"another run time",
		 "{'code':'x','args':['ab'],'stdin':'s','timeouts':{'runSeconds':61}}",
		 OBJECTS_CLASS, false},
		{"another user of the class", "{'code':'x','args':['ab'],'stdin':'s'}",
		 OBJECTS_CLASS_WITH(OBJECTS_PYTHON, ",'runAsUser':1000"), false},
		{"another image", "{'code':'x','args':['ab'],'stdin':'s'}",
		 OBJECTS_CLASS_WITH("[{'name':'python3','language':'python','image':'b'}]", ""),
		 false},
		{"variables of the runtime", "{'code':'x','args':['ab'],'stdin':'s'}",
		 OBJECTS_CLASS_WITH(
			 "[{'name':'python3','language':'python','image':"
			 "'docker.io/sandboxtask/runner-python:1','env':[{'name':'A'}]}]",
			 ""),
		 false},
		{"tolerations of the class", "{'code':'x','args':['ab'],'stdin':'s'}",
		 OBJECTS_CLASS_WITH(OBJECTS_PYTHON,
				    ",'scheduling':{'tolerations':[{'operator':'Exists'}]}"),
		 false},
		{"an isolation demand", "{'code':'x','args':['ab'],'stdin':'s'}",
		 OBJECTS_CLASS_WITH(OBJECTS_PYTHON,
				    ",'isolation':{'sandbox':'GVisor','memoryLimit':'Required'}"),
		 false},
	};
	struct plan first;

	plans_make(&first, rows[0].spec, OBJECTS_CLASS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan p;

		plans_make(&p, rows[i].spec, rows[i].class_json);
		ok((strcmp(p.sha256, first.sha256) == 0) == rows[i].same, "%s%s", rows[i].name,
		   rows[i].same ? "" : " is another plan");
		plan_free(&p);
	}
	plan_free(&first);
}

static void a_plan_is_read_as_it_was_written(void)
{
	struct plan written, read;
	struct err err;
	bool same = true;

	plans_make(&written, "{'code':'x'}",
		   OBJECTS_CLASS_WITH(
			   OBJECTS_PYTHON,
			   ",'scheduling':{'nodeSelector':{'a':'b'},'priorityClassName':'low',"
			   "'cpuRequestPercent':100},"
			   "'imagePullSecrets':[{'name':'s'}]"));
	if (!ok(plan_read(&read, buf_str(&written.text), &err) == 0, "a plan's text is a plan"))
		diag("%s", err.message);
	is(read.sha256, written.sha256, "with the same hash");
#define SAME_TEXT(name)	   str_equal(read.name, written.name)
#define SAME_HASH(name)	   str_equal(read.name, written.name)
#define SAME_JSON(name)	   str_equal(read.name, written.name)
#define SAME_NUMBER(name)  (read.name == written.name)
#define SAME_FLAG(name)	   (read.name == written.name)
#define X(kind, name, key) same = same && SAME_##kind(name);
	PLAN_FIELDS(X)
#undef X
	ok(same, "and the same value in every field");
	is_bytes(read.node_selector.p, read.node_selector.n, "{\"a\":\"b\"}", 9,
		 "JSON of the class included");
	ok(json_check(buf_str(&written.text), &err) == 0, "the text is JSON");
	plan_free(&written);
	plan_free(&read);
}

static void a_text_that_is_no_plan_is_an_error(void)
{
	struct plan good, plan = {0};
	struct err err = {0};
	char text[4096];
	char *at;

	ok(plan_read(&plan, STR("{"), &err) < 0, "no JSON");
	ok(plan_read(&plan, STR("{}"), &err) < 0, "no version");
	like(err.message, "^plan: no version", "which is named");
	ok(plan_read(&plan, STR("{\"version\":2}"), &err) < 0, "another version");
	ok(plan_read(&plan, STR("{\"version\":1}"), &err) < 0, "no fields");
	like(err.message, "^plan: className is missing or not valid$",
	     "the first of which is named");
	plans_make(&good, "{'code':'x'}", OBJECTS_CLASS);
	snprintf(text, sizeof(text), "%s", good.text.data);
	at = strstr(text, "\"codeSHA256\":\"");
	at[strlen("\"codeSHA256\":\"")] = 'X';
	ok(plan_read(&plan, str_of(text), &err) < 0, "a hash that is none");
	like(err.message, "^plan: codeSHA256 is missing or not valid$", "which is named");
	snprintf(text, sizeof(text), "%s", good.text.data);
	at = strstr(text, "\"image\":\"");
	memcpy(at + strlen("\"image\":\""), "\\n", 2);
	ok(plan_read(&plan, str_of(text), &err) < 0, "an escape, which no plan has");
	plan_free(&good);
}

static void sizes_of_the_pod(void)
{
	struct plan p;

	plans_make(&p, "{'code':'x'}", OBJECTS_CLASS);
	cmp_ok(plan_pod_cpu_milli(&p), "==", 1100, "CPU: the program's and the overhead");
	cmp_ok(plan_pod_cpu_request_milli(&p), "==", 1100, "all of it is its alone");
	p.cpu_request_percent = 33;
	cmp_ok(plan_pod_cpu_request_milli(&p), "==", 363, "or as much as the class says");
	p.cpu_milli = 10;
	p.overhead_cpu_milli = 0;
	p.cpu_request_percent = 1;
	cmp_ok(plan_pod_cpu_request_milli(&p), "==", 1, "but never nothing");
	cmp_ok(plan_outcome_bytes(&p), "==", MIB + 262144 + 65536, "outcome: streams and record");
	cmp_ok(plan_pod_memory_bytes(&p),
	       "==", 256 * MIB + 64 * MIB + PLAN_BUNDLE_BYTES + plan_outcome_bytes(&p),
	       "memory: program, overhead, bundle, outcome");
	cmp_ok(plan_pod_storage_bytes(&p), "==", 64 * MIB, "storage: the node's log");
	cmp_ok(plan_deadline_seconds(&p), "==", 120 + 60 + 3600, "deadline: start, run, hold");
	plan_free(&p);
}

int main(void)
{
	defaults_come_from_the_class();
	what_the_task_asks_for_counts();
	the_runtime_is_chosen();
	every_input_is_frozen();
	a_plan_is_read_as_it_was_written();
	a_text_that_is_no_plan_is_an_error();
	sizes_of_the_pod();
	done_testing();
}
