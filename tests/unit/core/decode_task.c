#include "core/decode_task.h"

#include "golden.h"
#include "objects.h"
#include "tap.h"

#include <stdio.h>

static int decode(struct task *task, const char *json, struct err *err)
{
	return decode_task(task, json_of(json), err);
}

static bool equals(struct str s, const char *text)
{
	return str_equal(s, str_of(text));
}

static void a_whole_task_is_read(void)
{
	struct task task;
	struct err err;

	ok(decode(&task,
		  OBJECTS_TASK_WITH(
			  "{'sandboxClassName':'big','language':'python','runtime':'python3',"
			  "'code':'print(\\u00221\\u0022)\\n','args':['a','b c'],"
			  "'env':[{'name':'A','value':'1'},{'name':'B'}],'stdin':'{\\u0000}',"
			  "'resources':{'cpu':'500m','memory':'256Mi','tmp':1048576},"
			  "'timeouts':{'startSeconds':30,'runSeconds':5},"
			  "'output':{'stdoutBytes':0,'stderrBytes':7,'onOverflow':'Fail'}}",
			  "{'phase':'Running','reason':'PodLost','message':'m','startedAt':"
			  "'2026-01-02T03:04:06Z','attempt':2,'podUID':'u','podName':'p',"
			  "'podNamespace':'n','session':'18446744073709551615','planSHA256':'s',"
			  "'queuePosition':4}"),
		  &err) == 0,
	   "a task with every field is read");
	ok(equals(task.name, "answer") && equals(task.namespace, "team"), "its name");
	ok(equals(task.uid, "11111111-2222-3333-4444-555555555555"), "its UID");
	ok(equals(task.resource_version, "77"), "its version");
	ok(equals(task.created_at, "2026-01-02T03:04:05Z") && !task.deleting, "its time");
	ok(equals(task.spec.class_name, "big"), "its class");
	ok(equals(task.spec.code, "print(\"1\")\n"), "its code, unescaped");
	is_bytes(task.spec.stdin_text.p, task.spec.stdin_text.n, "{\0}", 3,
		 "its stdin, to the byte");
	ok(task.spec.arg_count == 2 && equals(task.spec.args[1], "b c"), "its arguments");
	ok(task.spec.env_count == 2 && equals(task.spec.env[0].value, "1"), "its variables");
	cmp_ok(task.spec.env[1].value.n, "==", 0, "a variable may have no value");
	cmp_ok(task.spec.cpu_milli, "==", 500, "its CPU");
	cmp_ok(task.spec.memory_bytes, "==", 256 << 20, "its memory");
	cmp_ok(task.spec.tmp_bytes, "==", 1 << 20, "its tmp");
	ok(task.spec.start_seconds == 30 && task.spec.run_seconds == 5, "its times");
	ok(task.spec.stdout_bytes == 0 && task.spec.stderr_bytes == 7, "its outputs");
	ok(task.spec.fail_on_overflow, "its way with overflow");
	cmp_ok(task.status.phase, "==", TASK_Running, "its phase");
	ok(task_is_marked(&task) && task.status.attempt == 2, "its mark");
	ok(equals(task.status.session, "18446744073709551615"), "its session, above 2^53");
	cmp_ok(task.status.queue_position, "==", 4, "its place in the queue");
	is(task.spec_error, "", "and nothing is wrong with it");
	decode_task_free(&task);
	decode_task_free(&task);
	pass("freeing twice does nothing");
}

static void what_is_not_given_is_known_as_such(void)
{
	struct task task;
	struct err err;

	ok(decode(&task, OBJECTS_TASK("{'code':'x'}"), &err) == 0, "a task of code alone is read");
	ok(equals(task.spec.class_name, "default"), "the class is default");
	cmp_ok(task.spec.language.n, "==", 0, "no language");
	cmp_ok(task.spec.cpu_milli, "==", TASK_NOT_GIVEN, "no CPU");
	cmp_ok(task.spec.memory_bytes, "==", TASK_NOT_GIVEN, "no memory");
	cmp_ok(task.spec.run_seconds, "==", TASK_NOT_GIVEN, "no run time");
	cmp_ok(task.spec.stdout_bytes, "==", TASK_NOT_GIVEN,
	       "no stdout, which is not 0 bytes of it");
	ok(!task_is_marked(&task) && !task_is_terminal(&task), "no mark, no end");
	cmp_ok(task.status.condition_count, "==", 1, "the default's condition");
	ok(equals(task.status.conditions[0].type, "Reconciling"), "which is Reconciling");
	cmp_ok(task.status.queue_position, "==", TASK_NOT_GIVEN, "no place in a queue");
	decode_task_free(&task);
}

static void phases_are_read_by_name(void)
{
	static const struct {
		const char *status;
		enum task_phase phase;
		bool terminal;
	} phases[] = {
		{"{}", TASK_Pending, false},
		{"{'phase':'Queued'}", TASK_Queued, false},
		{"{'phase':'Starting'}", TASK_Starting, false},
		{"{'phase':'Installing'}", TASK_Installing, false},
		{"{'phase':'Succeeded'}", TASK_Succeeded, true},
		{"{'phase':'Failed'}", TASK_Failed, true},
		{"{'phase':'FromTheFuture'}", TASK_PHASE_UNKNOWN, false},
		{"{'phase':'succeeded'}", TASK_PHASE_UNKNOWN, false},
	};

	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		char json[1024];
		struct task task;
		struct err err;

		snprintf(json, sizeof(json), OBJECTS_TASK_WITH("{'code':'x'}", "%s"),
			 phases[i].status);
		decode(&task, json, &err);
		cmp_ok(task.status.phase, "==", phases[i].phase, "status %s", phases[i].status);
		ok(task_is_terminal(&task) == phases[i].terminal, "  is %sfinal",
		   phases[i].terminal ? "" : "not ");
		decode_task_free(&task);
	}
}

static void a_wrong_spec_is_kept_for_the_status(void)
{
	struct task task;
	struct err err;

	ok(decode(&task, OBJECTS_TASK("{'code':1}"), &err) == 0,
	   "a task whose spec is wrong is read all the same");
	is(task.spec_error, "spec.code: must be a string", "with what is wrong");
	decode_task_free(&task);
	decode(&task, OBJECTS_TASK("{'code':'x','timeouts':{'runSeconds':0}}"), &err);
	is(task.spec_error, "spec.timeouts.runSeconds: must be an integer from 1 to 86400",
	   "and where, and the bounds");
	decode_task_free(&task);
}

static void an_object_without_metadata_is_an_error(void)
{
	static const struct {
		const char *name, *json, *message;
	} rows[] = {
		{"no object", "[]", "^: must be an object"},
		{"no JSON", "{", "."},
		{"no metadata", "{'spec':{}}", "^metadata.name: is missing"},
		{"no namespace", "{'metadata':{'name':'a'}}", "^metadata.namespace: is missing"},
		{"no UID", "{'metadata':{'name':'a','namespace':'b'}}",
		 "^metadata.uid: is missing"},
		{"no version", "{'metadata':{'name':'a','namespace':'b','uid':'c'}}",
		 "^metadata.resourceVersion: is missing"},
		{"a wrong status",
		 "{'metadata':{'name':'a','namespace':'b','uid':'c','resourceVersion':'1'},"
		 "'status':{'attempt':'x'}}",
		 "^status.attempt: must be an integer"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task task;
		struct err err = {0};

		ok(decode(&task, rows[i].json, &err) < 0, "%s is an error", rows[i].name);
		like(err.message, rows[i].message, "  that names it");
		decode_task_free(&task);
	}
}

static size_t stored(const char *spec)
{
	char json[1024];
	struct task task;
	struct err err;
	size_t bytes;

	snprintf(json, sizeof(json), OBJECTS_TASK("%s"), spec);
	decode(&task, json, &err);
	bytes = task.stored_bytes;
	decode_task_free(&task);
	return bytes;
}

static void stored_bytes_are_those_of_the_api_server(void)
{
	size_t plain = stored("{'code':'aaaa'}");

	cmp_ok(plain, ">", sizeof("{'code':'aaaa'}"), "metadata counts");
	cmp_ok(stored("{'code':'aa<<'}"), "==", plain + 10,
	       "a character that Go escapes counts six");
	cmp_ok(stored("{'code':'aa\\u003c\\u003c'}"), "==", plain + 10,
	       "also when it came escaped already");
	cmp_ok(stored("{'code':'a','stdin':'<<'}"), "==", stored("{'code':'a','stdin':'aa'}") + 10,
	       "in stdin too");
	cmp_ok(stored("{'code':'a','args':['<<']}"),
	       "==", stored("{'code':'a','args':['aa']}") + 10, "in arguments");
	cmp_ok(stored("{'code':'a','env':[{'name':'A','value':'<<'}]}"),
	       "==", stored("{'code':'a','env':[{'name':'A','value':'aa'}]}") + 10, "in variables");
}

static void deletion_is_seen(void)
{
	struct task task;
	struct err err;

	decode(&task,
	       "{'metadata':{'name':'a','namespace':'b','uid':'c','resourceVersion':'1',"
	       "'deletionTimestamp':'2026-01-01T00:00:00Z'},'spec':{'code':'x'}}",
	       &err);
	ok(task.deleting, "a deletionTimestamp means that the task is being deleted");
	decode_task_free(&task);
}

/* As Kubernetes 1.36.3 served it, before anyone wrote its status. */
static void a_real_task_is_read(void)
{
	struct task task;
	struct buf json;
	struct err err;

	buf_init(&json, GOLDEN_BYTES_MAX);
	golden_read(&json, "tests/golden/live-task.json");
	if (!ok(decode_task(&task, buf_str(&json), &err) == 0, "a task of the API server is read"))
		diag("%s", err.message);
	ok(equals(task.spec.code, "print(42)") && task.status.phase == TASK_Pending,
	   "with its code");
	is(task.spec_error, "", "and nothing is wrong with it");
	decode_task_free(&task);
	buf_free(&json);
}

int main(void)
{
	a_real_task_is_read();
	a_whole_task_is_read();
	what_is_not_given_is_known_as_such();
	phases_are_read_by_name();
	a_wrong_spec_is_kept_for_the_status();
	an_object_without_metadata_is_an_error();
	stored_bytes_are_those_of_the_api_server();
	deletion_is_seen();
	done_testing();
}
