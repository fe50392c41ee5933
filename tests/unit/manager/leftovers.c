#include "manager/leftovers.h"

#include "manager/term_internal.h"

#include "leader.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

#define MINUTE_MS 60000

#define OWN_CLASS(more) OBJECTS_CLASS_WITH(OBJECTS_PYTHON, ",'podNamespace':''" more)
#define NAMESPACE(name, labels)                                                                  \
	"{'metadata':{'name':'" name "','uid':'" name "','resourceVersion':'1','labels':" labels \
	"}}"
#define POD_OF_TASK "/pods/sbt-11111111222233334444555555555555-1"
#define LEFT_POD    LEADER_POD_OF("team", "1", "left", "40", LEADER_UID)
#define DELETED_POD                                                                         \
	LEADER_POD_OF("team", "1", "left','deletionTimestamp':'2026-01-02T03:04:06Z", "41", \
		      LEADER_UID)
#define FINISHED_TASK                                      \
	LEADER_TASK_OF("team", "answer", LEADER_UID, "90", \
		       "{'phase':'Succeeded','reason':'Completed','attempt':1}")
#define PODS_OF(name) "/namespaces/" name "/pods?"

#define MANY 100 /* namespaces */

static struct leader l;

static void open_with(const char *class_json)
{
	static char classes[8192];

	leader_open(&l);
	snprintf(classes, sizeof(classes), LEADER_LIST("%s"), class_json);
	leader_on(&l, "GET", "/sandboxclasses?", 200, classes);
}

/* One class has its Pods in a namespace of its own, another one with the tasks. */
static void open_with_both(void)
{
	static const char OWN[] = OWN_CLASS("");
	const char *name = strstr(OWN, "default'");
	char classes[8192];

	snprintf(classes, sizeof(classes), "%s,%.*sown%s", OBJECTS_CLASS, (int)(name - OWN), OWN,
		 name + strlen("default"));
	open_with(classes);
}

/* A finished task's Pod that the leader before did not come to delete. */
static struct leader_rule *open_with_left_pod(void)
{
	open_with(OWN_CLASS(""));
	leader_on(&l, "GET", LEADER_TASK, 200, FINISHED_TASK);
	leader_on(&l, "GET", POD_OF_TASK, 404, "{'kind':'Status'}");
	leader_on(&l, "DELETE", POD_OF_TASK, 200, DELETED_POD);
	return leader_on(&l, "GET", PODS_OF("team"), 200, LEADER_LIST(LEFT_POD));
}

static void a_pod_that_was_left_is_deleted(void)
{
	open_with_left_pod();
	leader_begin(&l);
	leader_run(&l, 100);
	cmp_ok(leader_count(&l, "GET", LEADER_TASK), "==", 1, "the task of a Pod is read");
	cmp_ok(leader_count(&l, "DELETE", POD_OF_TASK), "==", 1,
	       "which is finished, so the Pod is deleted");
	leader_event(&l, PODS_OF("team"), "DELETED", DELETED_POD);
	leader_run(&l, 1000);
	cmp_ok(l.term->jobs.count, "==", 0, "then there is nothing to do");
	ok(!map_get(&l.term->spaces, STR("team")), "and the namespace is looked at no more");
	leader_close(&l);
}

static void only_where_tasks_have_their_pods_with_them_is_looked(void)
{
	static const struct {
		const char *sentence, *class_json;
		unsigned lists;
	} rows[] = {
		{"a class that has its Pods elsewhere", OBJECTS_CLASS, 0},
		{"a class for any namespace", OWN_CLASS(""), 1},
		{"a class for namespaces like this",
		 OWN_CLASS(",'namespaceSelector':{'matchLabels':{'a':'b'}}"), 1},
		{"a class for others", OWN_CLASS(",'namespaceSelector':{'matchLabels':{'a':'c'}}"),
		 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		open_with(rows[i].class_json);
		leader_on(&l, "GET", "/v1/namespaces?", 200,
			  LEADER_LIST(NAMESPACE("team", "{'a':'b'}")));
		leader_begin(&l);
		leader_run(&l, MINUTE_MS);
		cmp_ok(leader_count(&l, "GET", PODS_OF("team")), "==", rows[i].lists,
		       "%s: so many lists, and no watch", rows[i].sentence);
		leader_close(&l);
	}
}

static void a_namespace_that_a_class_names_is_not_listed_again(void)
{
	open_with_both();
	leader_begin(&l);
	leader_run(&l, MINUTE_MS);
	cmp_ok(leader_count(&l, "GET", PODS_OF("team")), "==", 1,
	       "one class lets Pods into any namespace");
	cmp_ok(leader_count(&l, "GET", PODS_OF("sandboxtask-pods")), "==", 2,
	       "that of another is listed and watched anyway");
	leader_close(&l);
}

static void it_is_done_once_in_a_term(void)
{
	open_with(OWN_CLASS(""));
	leader_begin(&l);
	leader_run(&l, 100);
	leader_on(&l, "GET", "/v1/namespaces?", 200,
		  LEADER_LIST(NAMESPACE("team", "{}") "," NAMESPACE("younger", "{}")));
	leader_event(&l, "/v1/namespaces?", "ERROR", "{'kind':'Status','code':410}");
	leader_run(&l, MINUTE_MS);
	cmp_ok(leader_count(&l, "GET", "/v1/namespaces?limit"), "==", 2,
	       "namespaces are listed again");
	cmp_ok(leader_count(&l, "GET", PODS_OF("team")), "==", 1, "their Pods are not");
	cmp_ok(leader_count(&l, "GET", PODS_OF("younger")), "==", 0,
	       "nor those of one in which no earlier leader can have left any");
	leader_close(&l);
}

/* --- Many namespaces. --- */

static void open_with_many(void)
{
	static char list[MANY * 128];
	size_t n = 0;

	open_with(OWN_CLASS(""));
	for (int i = 0; i < MANY; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s" NAMESPACE("n%02d", "{}"),
				      i ? "," : "{'metadata':{'resourceVersion':'50'},'items':[", i,
				      i);
	snprintf(list + n, sizeof(list) - n, "]}");
	leader_on(&l, "GET", "/v1/namespaces?", 200, list);
}

static struct io_http *pending(const char *part)
{
	for (size_t i = 0; i < l.fake.request_count; i++)
		if (l.fake.requests[i].is_pending && strstr(l.fake.requests[i].target, part))
			return fake_io_request(&l.fake, i);
	return NULL;
}

static void a_few_are_listed_at_one_time(void)
{
	open_with_many();
	leader_on(&l, "GET", "/pods?", 200, "")->hangs = true;
	leader_begin(&l);
	leader_run(&l, 1000);
	cmp_ok(leader_count(&l, "GET", "/pods?"), "==", LEFTOVERS_LISTS_MAX,
	       "so many lists are under way, and no more");
	fake_io_answer(pending(PODS_OF("n02")), 200, json_of(LEADER_LIST("")).p);
	leader_run(&l, 0);
	cmp_ok(leader_count(&l, "GET", "/pods?"), "==", LEFTOVERS_LISTS_MAX + 1,
	       "one is through: the next one begins");
	ok(pending(PODS_OF("n04")), "which is that of the next name");
	leader_close(&l);
	pass("the term may end meanwhile");
}

static void every_one_is_listed_once(void)
{
	static const struct {
		const char *sentence;
		int status;
	} rows[] = {{"that is empty", 200}, {"in which we have no rights", 403}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		open_with_many();
		leader_on(&l, "GET", "/pods?", rows[i].status, LEADER_LIST(""));
		leader_begin(&l);
		leader_run(&l, MINUTE_MS);
		cmp_ok(leader_count(&l, "GET", "/pods?"), "==", MANY,
		       "every namespace %s is listed once", rows[i].sentence);
		cmp_ok(leader_count(&l, "GET", PODS_OF("n99")), "==", 1, "  to the last one");
		ok(!strstr(l.lines.data, "level=warning"), "  without a warning");
		leader_close(&l);
	}
}

/* --- What goes wrong. --- */

static void nobody_waits_for_it(void)
{
	open_with_both();
	leader_on(&l, "GET", PODS_OF("team"), 200, "")->hangs = true;
	leader_on(&l, "GET", "/sandboxtasks?", 200,
		  LEADER_TABLE(LEADER_ROW("answer", LEADER_UID, "77")));
	leader_on(&l, "GET", LEADER_TASK, 200,
		  LEADER_TASK_OF("team", "answer", LEADER_UID, "77", OBJECTS_PENDING));
	leader_on(&l, "PATCH", "/networkpolicies/", 200, LEADER_ECHO);
	leader_on(&l, "POST", "/pods?", 201, LEADER_ECHO);
	leader_begin(&l);
	leader_run(&l, 100);
	ok(pending(PODS_OF("team")), "a list of what may be left hangs");
	cmp_ok(leader_count(&l, "POST", "/pods?"), "==", 1, "a task has its place and its Pod");
	leader_close(&l);
}

static void trouble_is_tried_again_a_few_times(void)
{
	static const struct {
		const char *sentence;
		int status;
		enum err_code code;
		const char *body;
	} rows[] = {
		{"500", 500, 0, "oops"},
		{"429", 429, 0, ""},
		{"401", 401, 0, "{}"},
		{"404", 404, 0, "{}"},
		{"a refused connection", 0, ERR_TRANSPORT, ""},
		{"garbage", 200, 0, "{'items'"},
		{"no list", 200, 0, "{}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct leader_rule *rule = open_with_left_pod();

		rule->status = rows[i].status;
		rule->code = rows[i].code;
		rule->body = rows[i].body;
		leader_begin(&l);
		leader_run(&l, 10LL * MINUTE_MS);
		cmp_ok(leader_count(&l, "GET", PODS_OF("team")), ">=", LEFTOVERS_TRIES_MAX,
		       "%s: it is tried again", rows[i].sentence);
		/* One that is not authorized is made a second time with a new token. */
		cmp_ok(leader_count(&l, "GET", PODS_OF("team")), "<=", 2 * LEFTOVERS_TRIES_MAX,
		       "  a few times");
		like(l.lines.data, "whether Pods are left in a namespace is not known",
		     "  then the log says that it was given up");
		leader_close(&l);
	}
}

static void trouble_that_passes_leaves_nothing(void)
{
	struct leader_rule *rule = open_with_left_pod();

	rule->status = 503;
	leader_begin(&l);
	leader_run(&l, 3000);
	cmp_ok(leader_count(&l, "DELETE", POD_OF_TASK), "==", 0, "nothing is known at first");
	rule->status = 200;
	leader_run(&l, MINUTE_MS);
	cmp_ok(leader_count(&l, "DELETE", POD_OF_TASK), "==", 1,
	       "when the list comes, the Pod is deleted");
	leader_close(&l);
}

/* A task there may have needed the namespace meanwhile. */
static void a_list_says_nothing_about_a_namespace_in_sight(void)
{
	struct leader_rule *rule = open_with_left_pod();
	struct io_http *late;

	rule->hangs = true;
	leader_begin(&l);
	leader_run(&l, 0);
	late = pending(PODS_OF("team"));
	rule->hangs = false;
	late->is_pending = false; /* out of sight of the rules */
	rule->body = LEADER_LIST("");
	term_space(l.term, STR("team"));
	leader_run(&l, 0);
	ok(term_space_is_listed(l.term, STR("team")), "the watch has told what is there");
	late->is_pending = true;
	rule->body = LEADER_LIST(LEFT_POD);
	leader_run(&l, 1000);
	ok(!late->is_pending, "a list that was asked for before comes late");
	cmp_ok(l.term->jobs.count, "==", 0, "what it says is old");
	leader_close(&l);
}

int main(void)
{
	a_pod_that_was_left_is_deleted();
	only_where_tasks_have_their_pods_with_them_is_looked();
	a_namespace_that_a_class_names_is_not_listed_again();
	it_is_done_once_in_a_term();
	a_few_are_listed_at_one_time();
	every_one_is_listed_once();
	nobody_waits_for_it();
	trouble_is_tried_again_a_few_times();
	trouble_that_passes_leaves_nothing();
	a_list_says_nothing_about_a_namespace_in_sight();
	done_testing();
}
