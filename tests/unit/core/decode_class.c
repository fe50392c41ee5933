#include "core/decode_class.h"

#include "core/task.h"

#include "golden.h"
#include "objects.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

static bool equals(struct str s, const char *text)
{
	return str_equal(s, str_of(text));
}

static void the_default_class_is_read(void)
{
	struct class c;
	struct err err;

	if (!ok(decode_class(&c, json_of(OBJECTS_CLASS), &err) == 0, "a class of defaults is read"))
		diag("%s", err.message);
	ok(equals(c.name, "default") && equals(c.uid, "class-uid") && c.generation == 3,
	   "who it is");
	ok(c.runtime_count == 1 && equals(c.runtimes[0].name, "python3") &&
		   equals(c.runtimes[0].language, "python") &&
		   equals(c.runtimes[0].image, "docker.io/sandboxtask/runner-python:1"),
	   "its runtime");
	ok(equals(c.runtime_class_name, "gvisor") && equals(c.pod_namespace, "sandboxtask-pods"),
	   "where its Pods go");
	ok(c.gvisor_required && !c.memory_limit_required, "what it demands");
	cmp_ok(c.run_as_user, "==", TASK_NOT_GIVEN, "the image's user");
	ok(c.cpu_milli.by_default == 1000 && c.cpu_milli.max == 2000, "CPU");
	ok(c.memory_bytes.by_default == 256 * MIB && c.memory_bytes.max == 1024 * MIB, "memory");
	ok(c.tmp_bytes.by_default == 64 * MIB && c.tmp_bytes.max == 256 * MIB, "tmp");
	ok(c.start_seconds.by_default == 120 && c.start_seconds.max == 600, "start budget");
	ok(c.run_seconds.by_default == 60 && c.run_seconds.max == 600, "run budget");
	ok(c.stdout_bytes.by_default == MIB && c.stdout_bytes.max == 4 * MIB, "stdout");
	ok(c.stderr_bytes.by_default == 262144 && c.stderr_bytes.max == MIB, "stderr");
	ok(c.open_files == 1024 && c.processes == 128 && c.tmp_inodes == 16384, "limits");
	ok(c.file_size == TASK_NOT_GIVEN && c.cpu_seconds == TASK_NOT_GIVEN, "limits not given");
	ok(c.overhead_cpu_milli == 100 && c.overhead_memory_bytes == 64 * MIB &&
		   c.overhead_storage_bytes == 64 * MIB,
	   "overhead");
	ok(c.max_tasks == 100 && c.max_tasks_per_namespace == 20, "concurrency");
	cmp_ok(c.hold_seconds, "==", 3600, "hold time");
	cmp_ok(c.cpu_request_percent, "==", 100, "the CPU that is kept for a Pod");
	decode_class_free(&c);
}

static void everything_else_is_read_too(void)
{
	struct class c;
	struct err err;

	if (!ok(decode_class(
			&c,
			json_of(OBJECTS_CLASS_WITH(
				"[{'name':'a','language':'b','image':'i','env':["
				"{'name':'X','value':'1'}]}]",
				",'runAsUser':1234,'namespaceSelector':{'matchLabels':{'a':'b'}},"
				"'imagePullSecrets':[{'name':'s'}],'isolation':{'sandbox':'GVisor',"
				"'memoryLimit':'Required'},'limits':{'openFiles':16,'processes':1,"
				"'tmpInodes':64,'fileSize':'1Mi','cpuSeconds':9},'scheduling':{"
				"'nodeSelector':{'n':'s'},'tolerations':[{'operator':'Exists'}],"
				"'priorityClassName':'low','cpuRequestPercent':20},"
				"'podMetadata':{'labels':{'l':'1'},"
				"'annotations':{'x':'y'}},'podNamespace':''")),
			&err) == 0,
		"a class of everything is read"))
		diag("%s", err.message);
	ok(equals(c.runtimes[0].env, "[{\"name\":\"X\",\"value\":\"1\"}]"),
	   "a runtime's variables");
	cmp_ok(c.run_as_user, "==", 1234, "its user");
	ok(equals(c.namespace_selector, "{\"matchLabels\":{\"a\":\"b\"}}"), "its namespaces");
	ok(equals(c.image_pull_secrets, "[{\"name\":\"s\"}]"), "its pull secrets");
	ok(c.memory_limit_required, "its demand");
	ok(c.file_size == MIB && c.cpu_seconds == 9, "its limits");
	ok(equals(c.node_selector, "{\"n\":\"s\"}") &&
		   equals(c.tolerations, "[{\"operator\":\"Exists\"}]") &&
		   equals(c.priority_class_name, "low") && c.cpu_request_percent == 20,
	   "its nodes");
	ok(equals(c.labels, "{\"l\":\"1\"}") && equals(c.annotations, "{\"x\":\"y\"}"),
	   "its metadata for Pods");
	cmp_ok(c.pod_namespace.n, "==", 0, "an empty Pod namespace stays empty");
	decode_class_free(&c);
}

/* The default class with one piece of its text replaced. */
static int decode_with(struct class *c, const char *from, const char *to, struct err *err)
{
	static char text[4096];
	const char *at = strstr(OBJECTS_CLASS, from);

	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - OBJECTS_CLASS), OBJECTS_CLASS, to,
		 at + strlen(from));
	return decode_class(c, json_of(text), err);
}

static void a_class_that_breaks_the_schema_is_an_error(void)
{
	static const struct {
		const char *name, *from, *to, *message;
	} rows[] = {
		{"no name", "'name':'default',", "", "^metadata.name: is missing$"},
		{"no generation", ",'generation':3", "", "^metadata.generation: is missing$"},
		{"no image", ",'image':'docker.io/sandboxtask/runner-python:1'", "",
		 "^spec.runtimes\\[\\].image: is missing$"},
		{"an image with a quote", "runner-python:1", "runner\\\"",
		 "^spec.runtimes\\[0\\].image: must"},
		{"no runtimeClassName", "'runtimeClassName':'gvisor',", "",
		 "^spec.runtimeClassName: is missing$"},
		{"a sandbox of another kind", "'GVisor'", "'Kata'",
		 "^spec.isolation.sandbox: must be GVisor$"},
		{"no maximum of memory", ",'max':'1Gi'", "",
		 "^spec.resources.memory.max: is missing$"},
		{"a start budget of 0", "'default':120", "'default':0",
		 "^spec.timeouts.startSeconds.default: must be an integer"},
		{"an overhead below what the sandbox needs", "'memory':'64Mi'", "'memory':'1Mi'",
		 "^spec.overhead.memory: must be a quantity from 32Mi to 16Gi"},
		{"no hold time", "'holdSeconds':3600,", "", "^spec.holdSeconds: is missing$"},
		{"a share of the CPU that is none", "'cpuRequestPercent':100",
		 "'cpuRequestPercent':0", "^spec.scheduling.cpuRequestPercent: must be an integer"},
		{"a list of tolerations that is none", "'cpuRequestPercent':100",
		 "'tolerations':{}", "^spec.scheduling.tolerations: must be a list$"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct class c;
		struct err err = {0};

		ok(decode_with(&c, rows[i].from, rows[i].to, &err) < 0, "%s is an error",
		   rows[i].name);
		like(err.message, rows[i].message, "  that names it");
		decode_class_free(&c);
	}
}

/* As Kubernetes 1.36.3 served it, completed from one runtime by the schema's defaults. */
static void a_real_class_is_read(void)
{
	struct class c;
	struct buf json;
	struct err err;

	buf_init(&json, GOLDEN_BYTES_MAX);
	golden_read(&json, "tests/golden/live-class.json");
	if (!ok(decode_class(&c, buf_str(&json), &err) == 0, "a class of the API server is read"))
		diag("%s", err.message);
	ok(c.memory_bytes.max == 1024 * MIB && c.hold_seconds == 3600, "with its defaults");
	decode_class_free(&c);
	buf_free(&json);
}

int main(void)
{
	a_real_class_is_read();
	the_default_class_is_read();
	everything_else_is_read_too();
	a_class_that_breaks_the_schema_is_an_error();
	done_testing();
}
