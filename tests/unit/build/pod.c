#include "build/pod.h"

#include "base/json.h"

#include "golden.h"
#include "plans.h"
#include "tap.h"

#include <string.h>

static void build(struct buf *text, const char *spec, const char *class_json,
		  struct pod_request *request)
{
	struct plan plan;
	struct err err;

	plans_make(&plan, spec, class_json);
	request->plan = &plan;
	request->task_name = STR("answer");
	request->task_namespace = STR("team");
	request->task_uid = STR(PLANS_UID);
	request->attempt = 2;
	buf_init(text, POD_BYTES_MAX);
	if (pod_write(text, request, &err) < 0)
		fail("%s", err.message);
	plan_free(&plan);
}

static void the_default_pod(void)
{
	struct pod_request request = {0};
	struct buf text;

	build(&text, "{'code':'print(42)'}", OBJECTS_CLASS, &request);
	golden("pod-default", buf_str(&text));
	ok(!strstr(text.data, "print(42)"), "no code is in the Pod");
	buf_free(&text);
}

static void everything_that_a_class_can_say(void)
{
	struct pod_request request = {
		.labels = json_of("{'cost-center':'7','sandboxtask.io/task-uid':'forged',"
				  "'app.kubernetes.io/managed-by':'somebody'}"),
		.annotations = json_of(
			"{'note':'a\\nb','dev.gvisor.internal.x':'y','dev\\u002egvisor.y':'z'}"),
	};
	struct buf text;

	build(&text,
	      "{'code':'print(42)','resources':{'cpu':'250m','memory':'64Mi'},"
	      "'timeouts':{'startSeconds':10,'runSeconds':20},'output':{'stdoutBytes':0}}",
	      OBJECTS_CLASS_WITH(
		      OBJECTS_PYTHON,
		      ",'podNamespace':'','runAsUser':1234,"
		      "'imagePullSecrets':[{'name':'registry'}],"
		      "'scheduling':{'nodeSelector':{'pool':'sandbox'},'tolerations':"
		      "[{'key':'sandbox','operator':'Exists'}],'priorityClassName':'low',"
		      "'cpuRequestPercent':33}"),
	      &request);
	golden("pod-everything", buf_str(&text));
	ok(!strstr(text.data, "forged") && !strstr(text.data, "somebody"),
	   "a class can't set labels of ours");
	ok(!strstr(text.data, "gvisor."), "nor configure gVisor");
	buf_free(&text);
}

static void names_come_from_the_uid(void)
{
	static const struct {
		const char *name, *uid, *pod;
		int64_t attempt;
	} rows[] = {
		{"a UID of Kubernetes", PLANS_UID, "sbt-11111111222233334444555555555555-1", 1},
		{"every digit there is", "01234567-89ab-cdef-0123-456789abcdef",
		 "sbt-0123456789abcdef0123456789abcdef-1", 1},
		{"the largest attempt", PLANS_UID,
		 "sbt-11111111222233334444555555555555-2147483647", INT32_MAX},
		{"an attempt of 0", PLANS_UID, NULL, 0},
		{"too few digits", "1111", NULL, 1},
		{"too many digits", PLANS_UID "0", NULL, 1},
		{"capital letters", "AAAAAAAA-2222-3333-4444-555555555555", NULL, 1},
		{"a slash", "../11111-2222-3333-4444-555555555555", NULL, 1},
		{"nothing", "", NULL, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[POD_NAME_SIZE];
		int result = pod_name(name, str_of(rows[i].uid), rows[i].attempt);

		is(result == 0 ? name : NULL, rows[i].pod, "%s", rows[i].name);
	}
}

static void attempts_are_read_from_names(void)
{
	static const struct {
		const char *name, *pod;
		int64_t attempt;
	} rows[] = {
		{"the first", "sbt-11111111222233334444555555555555-1", 1},
		{"the twelfth", "sbt-11111111222233334444555555555555-12", 12},
		{"of another task", "sbt-21111111222233334444555555555555-1", 0},
		{"with something behind", "sbt-11111111222233334444555555555555-1x", 0},
		{"without a number", "sbt-11111111222233334444555555555555-", 0},
		{"with a leading zero", "sbt-11111111222233334444555555555555-01", 0},
		{"of some other Pod", "web-0", 0},
		{"of nothing", "", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cmp_ok(pod_attempt(str_of(rows[i].pod), STR(PLANS_UID)), "==", rows[i].attempt,
		       "a name %s", rows[i].name);
}

static void the_uid_is_read_out_of_a_name(void)
{
	static const struct {
		const char *name, *pod, *uid;
	} rows[] = {
		{"of the first Pod of a task", "sbt-0123456789abcdef0123456789abcdef-1",
		 "01234567-89ab-cdef-0123-456789abcdef"},
		{"of a later one", "sbt-0123456789abcdef0123456789abcdef-27",
		 "01234567-89ab-cdef-0123-456789abcdef"},
		{"without an attempt", "sbt-0123456789abcdef0123456789abcdef-", ""},
		{"with attempt 0", "sbt-0123456789abcdef0123456789abcdef-0", ""},
		{"with too few digits", "sbt-0123456789abcdef0123456789abcde-1", ""},
		{"with capital digits", "sbt-0123456789ABCDEF0123456789abcdef-1", ""},
		{"of something else", "web-0123456789abcdef0123456789abcdef-1", ""},
		{"that is nearly empty", "sbt-", ""},
		{"that is empty", "", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char uid[TASK_UID_SIZE] = "";
		bool is_ours = pod_task_uid(str_of(rows[i].pod), uid);

		is(uid, rows[i].uid, "the UID in a name %s", rows[i].name);
		ok(is_ours == (rows[i].uid[0] != '\0'), "and whether there is one");
	}
}

static void a_pod_that_is_too_large_is_an_error(void)
{
	static char labels[1 << 16];
	struct pod_request request = {.task_name = STR("a"),
				      .task_namespace = STR("b"),
				      .task_uid = STR(PLANS_UID),
				      .attempt = 1};
	struct plan plan;
	struct buf text;
	struct err err = {0};

	memset(labels, 'x', sizeof(labels));
	memcpy(labels, "{\"a\":\"", 6);
	memcpy(labels + sizeof(labels) - 2, "\"}", 2);
	request.labels = (struct str){labels, sizeof(labels)};
	plans_make(&plan, "{'code':'x'}", OBJECTS_CLASS);
	request.plan = &plan;
	buf_init(&text, 1 << 16);
	ok(pod_write(&text, &request, &err) < 0, "labels beyond the limit of the manifest");
	cmp_ok(err.code, "==", ERR_TOO_LARGE, "are too large");
	buf_free(&text);
	plan_free(&plan);
}

int main(void)
{
	the_default_pod();
	everything_that_a_class_can_say();
	names_come_from_the_uid();
	attempts_are_read_from_names();
	the_uid_is_read_out_of_a_name();
	a_pod_that_is_too_large_is_an_error();
	done_testing();
}
