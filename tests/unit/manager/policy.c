#include "manager/policy.h"

#include "manager/term_internal.h"

#include "leader.h"
#include "tap.h"

#define MINUTE_MS 60000

static struct leader l;
static struct leader_rule *classes, *namespaces;

#define NAMESPACE(name, version, more) \
	"{'metadata':{'name':'" name "','uid':'" name "','resourceVersion':'" version "'" more "}}"

static void begin(void)
{
	leader_open(&l);
	classes = leader_on(&l, "GET", "/sandboxclasses?", 200, LEADER_LIST(OBJECTS_CLASS));
	namespaces = leader_on(&l, "GET", "/v1/namespaces?", 200,
			       LEADER_LIST(NAMESPACE("team", "1", ",'labels':{'a':'b'}")));
	leader_on(&l, "GET", "/sandboxtasks?", 200,
		  LEADER_TABLE(LEADER_ROW("answer", LEADER_UID, "77")));
	leader_on(&l, "GET", LEADER_TASK, 200,
		  LEADER_TASK_OF("team", "answer", LEADER_UID, "77", OBJECTS_PENDING));
	leader_on(&l, "PATCH", "/networkpolicies/", 200, "")->hangs = true;
}

static void finish(void)
{
	leader_close(&l);
}

static const struct policy *policy(void)
{
	return term_policy(l.term);
}

static const struct job *job(void)
{
	return term_job(l.term, STR(LEADER_UID));
}

static void nothing_is_judged_before_all_is_known(void)
{
	static const struct {
		const char *sentence;
		struct leader_rule **late;
	} rows[] = {{"classes", &classes}, {"namespaces", &namespaces}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		(*rows[i].late)->hangs = true;
		leader_begin(&l);
		leader_run(&l, MINUTE_MS);
		ok(!policy_is_known(policy()), "without the list of %s nothing is known",
		   rows[i].sentence);
		cmp_ok(leader_count(&l, "GET", LEADER_TASK), "==", 0, "  and no task is looked at");
		(*rows[i].late)->hangs = false;
		leader_run(&l, 0);
		ok(policy_is_known(policy()), "  with it everything is");
		cmp_ok(leader_count(&l, "GET", LEADER_TASK), "==", 1, "  and tasks are");
		finish();
	}
}

static void lists_that_fail_are_asked_for_again(void)
{
	static const struct {
		const char *sentence;
		int status;
		const char *body;
	} rows[] = {
		{"401", 401, "{}"},	{"403", 403, "{}"},	      {"404", 404, "{}"},
		{"410", 410, "{}"},	{"429", 429, "{}"},	      {"500", 500, ""},
		{"a time-out", 0, ""},	{"garbage", 200, "{'items'"}, {"an empty body", 200, " "},
		{"no list", 200, "{}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		*classes = (struct leader_rule){.method = "GET",
						.part = "/sandboxclasses?",
						.status = rows[i].status,
						.code = ERR_TIMEOUT,
						.body = rows[i].body};
		leader_begin(&l);
		leader_run(&l, MINUTE_MS);
		ok(!policy_is_known(policy()), "%s is no list", rows[i].sentence);
		cmp_ok(classes->asked, "<=", 8, "  and is asked for ever later");
		classes->status = 200;
		classes->body = LEADER_LIST(OBJECTS_CLASS);
		leader_run(&l, MINUTE_MS);
		ok(policy_class(policy(), STR("default")), "  until it comes");
		finish();
	}
}

static void a_class_is_known_as_it_is_now(void)
{
	unsigned version;

	begin();
	leader_begin(&l);
	leader_run(&l, 0);
	version = policy()->version;
	ok(policy_class(policy(), STR("default")), "a class is known by its name");
	ok(!policy_class(policy(), STR("other")), "another is not");
	ok(job()->plan, "a task of it is planned");
	leader_event(&l, "/sandboxclasses?", "DELETED", OBJECTS_CLASS);
	ok(!policy_class(policy(), STR("default")), "deleted it is not known any more");
	cmp_ok(policy()->version, ">", version, "what was judged by it is stale");
	leader_run(&l, 0);
	ok(!job()->plan, "so the task is judged again");
	leader_event(&l, "/sandboxclasses?", "ADDED", OBJECTS_CLASS);
	leader_run(&l, 0);
	ok(job()->plan, "and again when it is back");
	finish();
}

static void a_class_that_cant_be_read_is_none(void)
{
	begin();
	leader_begin(&l);
	leader_event(&l, "/sandboxclasses?", "MODIFIED",
		     "{'metadata':{'name':'default','uid':'class-uid','resourceVersion':'6'},"
		     "'spec':{'runtimes':'none'}}");
	leader_run(&l, 0);
	ok(!policy_class(policy(), STR("default")), "it is not known as it was before either");
	like(l.lines.data, "a SandboxClass can't be used\" class=default", "the log says so");
	leader_event(&l, "/sandboxclasses?", "MODIFIED", OBJECTS_CLASS);
	leader_run(&l, 0);
	ok(policy_class(policy(), STR("default")), "until it is mended");
	finish();
}

static void a_class_brings_the_namespace_of_its_pods(void)
{
	begin();
	leader_begin(&l);
	leader_run(&l, 0);
	ok(leader_count(&l, "GET", "/namespaces/sandboxtask-pods/pods?") > 0,
	   "its Pods are watched before any task needs it");
	finish();
}

static void labels_are_those_of_now(void)
{
	unsigned version;

	begin();
	leader_begin(&l);
	leader_run(&l, 0);
	ok(str_equal(policy_namespace_labels(policy(), STR("team")), json_of("{'a':'b'}")),
	   "labels are as they came");
	ok(policy_namespace_labels(policy(), STR("other")).n == 0, "of no other namespace");
	version = policy()->version;
	leader_event(&l, "/v1/namespaces?", "MODIFIED", NAMESPACE("team", "2", ",'labels':{}"));
	ok(str_equal(policy_namespace_labels(policy(), STR("team")), STR("{}")),
	   "changed they are new");
	cmp_ok(policy()->version, ">", version, "and what was judged by them is stale");
	leader_event(&l, "/v1/namespaces?", "MODIFIED", NAMESPACE("team", "3", ""));
	ok(policy_namespace_labels(policy(), STR("team")).n == 0, "they may be gone");
	leader_event(&l, "/v1/namespaces?", "DELETED", NAMESPACE("team", "4", ""));
	ok(policy_namespace_labels(policy(), STR("team")).n == 0, "with their namespace");
	finish();
}

/*
 * The watch of tasks may be ahead of that of namespaces, by a moment or by as long as that is in
 * trouble. Without labels a selector may match as well as not.
 */
static void a_task_is_not_judged_by_labels_that_have_not_come(void)
{
	static const struct {
		const char *sentence, *class_json;
	} rows[] = {
		{"a class that wants a label",
		 OBJECTS_CLASS_WITH(OBJECTS_PYTHON,
				    ",'namespaceSelector':{'matchLabels':{'a':'b'}}")},
		{"a class that wants none",
		 OBJECTS_CLASS_WITH(OBJECTS_PYTHON, ",'namespaceSelector':{'matchExpressions':[{"
						    "'key':'no','operator':'DoesNotExist'}]}")},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char list[4096];

		begin();
		snprintf(list, sizeof(list), LEADER_LIST("%s"), rows[i].class_json);
		classes->body = list;
		namespaces->body = LEADER_LIST("");
		leader_begin(&l);
		leader_run(&l, MINUTE_MS);
		ok(!job()->plan, "%s: nothing is planned before the labels are known",
		   rows[i].sentence);
		cmp_ok(leader_count(&l, "PATCH", LEADER_TASK "/status"), "==", 0,
		       "  and nobody is refused");
		leader_event(&l, "/v1/namespaces?", "ADDED",
			     NAMESPACE("team", "60", ",'labels':{'a':'b'}"));
		leader_run(&l, 0);
		ok(job()->plan, "  with them the task is planned");
		finish();
	}
}

static void labels_that_never_come_end_the_task(void)
{
	begin();
	classes->body = LEADER_LIST(OBJECTS_CLASS_WITH(OBJECTS_PYTHON, ",'namespaceSelector':{}"));
	namespaces->body = LEADER_LIST("");
	leader_begin(&l);
	leader_run(&l, 3LL * MINUTE_MS);
	like(leader_body(&l, "PATCH", LEADER_TASK "/status"), "\"reason\":\"Internal\"",
	     "when the start budget is over, and not as a missing class");
	finish();
}

static void a_class_that_is_replaced_may_be_away_for_a_while(void)
{
	begin();
	leader_begin(&l);
	leader_run(&l, 110000);
	leader_event(&l, "/sandboxclasses?", "DELETED", OBJECTS_CLASS);
	leader_run(&l, MINUTE_MS);
	cmp_ok(leader_count(&l, "PATCH", LEADER_TASK "/status"), "==", 0,
	       "a class is waited for, however old the task is");
	leader_run(&l, 2LL * MINUTE_MS);
	like(leader_body(&l, "PATCH", LEADER_TASK "/status"), "\"reason\":\"ClassNotFound\"",
	     "as long as the start budget");
	finish();
}

int main(void)
{
	nothing_is_judged_before_all_is_known();
	lists_that_fail_are_asked_for_again();
	a_class_is_known_as_it_is_now();
	a_class_that_cant_be_read_is_none();
	a_class_brings_the_namespace_of_its_pods();
	labels_are_those_of_now();
	a_task_is_not_judged_by_labels_that_have_not_come();
	labels_that_never_come_end_the_task();
	a_class_that_is_replaced_may_be_away_for_a_while();
	done_testing();
}
