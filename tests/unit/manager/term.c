#include "manager/term_internal.h"

#include "build/networkpolicy.h"
#include "leader.h"
#include "tap.h"

#include <string.h>

static struct leader l;

#define MINUTE_MS 60000

#define UID_A "aaaaaaaa-2222-3333-4444-555555555555"
#define UID_B "bbbbbbbb-2222-3333-4444-555555555555"
#define UID_C "cccccccc-2222-3333-4444-555555555555"

#define TASK(status)  LEADER_TASK_OF("team", "answer", LEADER_UID, "77", status)
#define POD_OF_TASK   "/pods/sbt-11111111222233334444555555555555-1"
#define STATUS_OF_POD "{'phase':'Pending'}"
/* The uid, and what else an answer to a deletion has. */
#define DELETED_AS "made\",\"deletionTimestamp\":\"2026-01-02T03:04:06Z"

/* One task, and an API server that takes what is made. */
static void begin(const char *task)
{
	leader_open(&l);
	leader_on(&l, "GET", "/sandboxtasks?", 200,
		  LEADER_TABLE(LEADER_ROW("answer", LEADER_UID, "77")));
	leader_on(&l, "GET", LEADER_TASK, 200, task);
	leader_on(&l, "PATCH", "/networkpolicies/", 200, LEADER_ECHO);
	leader_on(&l, "POST", "/pods?", 201, LEADER_ECHO);
	leader_begin(&l);
	leader_run(&l, 100);
}

static struct job *job_of(const char *uid)
{
	return term_job(l.term, str_of(uid));
}

static void a_task_gets_its_pod(void)
{
	begin(TASK(OBJECTS_PENDING));
	cmp_ok(leader_count(&l, "GET", LEADER_TASK), "==", 1, "a task is read once");
	cmp_ok(leader_count(&l, "PATCH", "/networkpolicies/" NETWORKPOLICY_NAME), "==", 1,
	       "the network is closed");
	cmp_ok(leader_count(&l, "POST", "/namespaces/sandboxtask-pods/pods?"), "==", 1,
	       "then its Pod is made");
	leader_run(&l, 1000);
	cmp_ok(leader_count(&l, "POST", "/pods?"), "==", 1, "once");
	leader_close(&l);
}

static void begin_three_of(const char *classes)
{
	leader_open(&l);
	l.tasks_max = 1;
	leader_on(&l, "GET", "/sandboxclasses?", 200, classes);
	leader_on(&l, "GET", "/sandboxtasks?", 200,
		  LEADER_TABLE(LEADER_ROW("a", UID_A, "71") "," LEADER_ROW(
			  "b", UID_B, "72") ","
					    "{'cells':[],'object':{'metadata':{'namespace':'other',"
					    "'name':'c','uid':'" UID_C
					    "','resourceVersion':'73'}}}"));
	leader_on(&l, "GET", "/team/sandboxtasks/a", 200,
		  LEADER_TASK_OF("team", "a", UID_A, "71", "{'phase':'Queued'}"));
	leader_on(&l, "GET", "/team/sandboxtasks/b", 200,
		  LEADER_TASK_OF("team", "b", UID_B, "72", "{'phase':'Queued'}"));
	leader_on(&l, "GET", "/other/sandboxtasks/c", 200,
		  LEADER_TASK_OF("other", "c", UID_C, "73", "{'phase':'Queued'}"));
	leader_on(&l, "PATCH", "/networkpolicies/", 200, LEADER_ECHO);
	leader_on(&l, "POST", "/pods?", 201, LEADER_ECHO);
	leader_begin(&l);
	leader_run(&l, 100);
}

static void begin_three(void)
{
	begin_three_of(LEADER_LIST(OBJECTS_CLASS));
}

/* The one place is free, and two want it that have to be read again first. */
static void a_turn_is_kept_while_the_task_is_read(void)
{
	begin_three();
	cmp_ok(leader_count(&l, "POST", "/pods?"), "==", 1, "one place: one Pod");
	leader_on(&l, "GET", "/team/sandboxtasks/a", 404, "{'kind':'Status'}");
	leader_on(&l, "GET", "/pods/sbt-aaaaaaaa", 404, "{'kind':'Status'}");
	leader_event(&l, "/sandboxtasks?", "DELETED",
		     LEADER_ROW_EVENT(LEADER_ROW("a", UID_A, "80")));
	leader_run(&l, MINUTE_MS);
	cmp_ok(leader_count(&l, "POST", "/pods?"), "==", 2, "the place is given to another");
	cmp_ok(leader_count(&l, "GET", "/team/sandboxtasks/b") +
		       leader_count(&l, "GET", "/other/sandboxtasks/c"),
	       "==", 3, "who was read for it, and did not lose it by that");
	cmp_ok(l.term->places.taken, "==", 1, "one place is taken");
	leader_close(&l);
}

static void a_place_is_kept_while_the_task_is_doubted(void)
{
	begin_three();
	leader_on(&l, "GET", "/team/sandboxtasks/a", 200, "")->hangs = true;
	leader_event(&l, "/sandboxtasks?", "MODIFIED",
		     LEADER_ROW_EVENT(LEADER_ROW("a", UID_A, "80")));
	leader_run(&l, 1000);
	cmp_ok(leader_count(&l, "POST", "/pods?"), "==", 1,
	       "a task that is changed keeps its place until it is read");
	leader_close(&l);
}

/* A list that does not have a task any more tells its last known version. */
static void a_task_missing_from_a_new_list_is_read(void)
{
	begin(TASK(OBJECTS_PENDING));
	leader_on(&l, "GET", LEADER_TASK, 404, "{'kind':'Status'}");
	leader_on(&l, "DELETE", POD_OF_TASK, 200, "{}");
	leader_on(&l, "GET", "/sandboxtasks?", 200, LEADER_TABLE(""));
	leader_event(&l, "/sandboxtasks?", "ERROR", "{'kind':'Status','code':410}");
	leader_run(&l, 10000);
	cmp_ok(leader_count(&l, "GET", LEADER_TASK), "==", 2, "it is read");
	cmp_ok(leader_count(&l, "DELETE", POD_OF_TASK), "==", 1, "and its Pod goes");
	leader_close(&l);
}

static void a_task_made_anew_under_its_name_is_another(void)
{
	begin(TASK(OBJECTS_PENDING));
	leader_on(&l, "GET", LEADER_TASK, 200,
		  LEADER_TASK_OF("team", "answer", UID_B, "90", OBJECTS_PENDING));
	leader_on(&l, "DELETE", POD_OF_TASK, 200, "{}");
	leader_on(&l, "GET", "/sandboxtasks?", 200,
		  LEADER_TABLE(LEADER_ROW("answer", UID_B, "90")));
	leader_event(&l, "/sandboxtasks?", "ERROR", "{'kind':'Status','code':410}");
	leader_run(&l, 10000);
	cmp_ok(leader_count(&l, "DELETE", POD_OF_TASK), "==", 1, "the old one's Pod goes");
	like(leader_body(&l, "POST", "/pods?"),
	     "sbt-bbbbbbbb2222333344445555555555"
	     "55-1",
	     "the new one gets its own");
	leader_close(&l);
}

/* A Pod may say of itself what it wants. */
static void the_watch_of_tasks_knows_a_name_better_than_a_pod(void)
{
	leader_open(&l);
	leader_on(&l, "GET", "/pods?", 200,
		  LEADER_LIST("{'metadata':{'name':'sbt-11111111222233334444555555555555-1',"
			      "'namespace':'sandboxtask-pods','uid':'forged','resourceVersion':'9',"
			      "'annotations':{'sandboxtask.io/task':'other/lie'}}}"));
	leader_on(&l, "GET", LEADER_TASK, 200, TASK(OBJECTS_PENDING));
	leader_on(&l, "GET", "/other/sandboxtasks/lie", 0, "")->code = ERR_TRANSPORT;
	leader_on(&l, "PATCH", "/status?", 200, "")->hangs = true;
	leader_begin(&l);
	leader_run(&l, 100);
	is(job_of(LEADER_UID)->name, "lie", "a Pod that is seen first names its task");
	leader_event(&l, "/sandboxtasks?", "ADDED",
		     LEADER_ROW_EVENT(LEADER_ROW("answer", LEADER_UID, "77")));
	leader_run(&l, 100);
	is(job_of(LEADER_UID)->name, "answer", "the task's own name counts");
	cmp_ok(leader_count(&l, "GET", LEADER_TASK), "==", 1, "and it is read");
	like(leader_body(&l, "PATCH", "/status?"), "PodTampered", "the Pod is found out");
	leader_close(&l);
}

static void pods_of_others_are_nobodys(void)
{
	static const struct {
		const char *sentence, *name, *annotation;
	} rows[] = {
		{"a Pod of another name", "web-1", "team/answer"},
		{"a Pod that names no task", "sbt-11111111222233334444555555555555-1", "answer"},
		{"a Pod that names half a task", "sbt-11111111222233334444555555555555-1", "team/"},
		{"a Pod that names nothing", "sbt-11111111222233334444555555555555-1", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char pod[1024];

		snprintf(pod, sizeof(pod),
			 "{'metadata':{'name':'%s','namespace':'sandboxtask-pods','uid':'u',"
			 "'resourceVersion':'9','annotations':{'sandboxtask.io/task':'%s'}}}",
			 rows[i].name, rows[i].annotation);
		leader_open(&l);
		leader_begin(&l);
		leader_run(&l, 100);
		leader_event(&l, "/pods?", "ADDED", pod);
		leader_run(&l, 1000);
		cmp_ok(l.term->jobs.count, "==", 0, "%s makes no job", rows[i].sentence);
		leader_close(&l);
	}
}

static void a_finished_task_leaves_no_pod(void)
{
	begin(TASK(OBJECTS_PENDING));
	leader_on(&l, "GET", LEADER_TASK, 200,
		  LEADER_TASK_OF("team", "answer", LEADER_UID, "90",
				 "{'phase':'Failed','reason':'Cancelled','attempt':1}"));
	leader_on(&l, "GET", POD_OF_TASK, 200, leader_pod(&l, "made", "400", STATUS_OF_POD));
	leader_on(&l, "DELETE", POD_OF_TASK, 200, leader_pod(&l, DELETED_AS, "401", STATUS_OF_POD));
	leader_event(&l, "/pods?", "DELETED", leader_pod(&l, "made", "400", STATUS_OF_POD));
	leader_event(&l, "/sandboxtasks?", "DELETED",
		     LEADER_ROW_EVENT(LEADER_ROW("answer", LEADER_UID, "90")));
	leader_run(&l, 1000);
	cmp_ok(leader_count(&l, "DELETE", POD_OF_TASK), "==", 1,
	       "a Pod that the watch has lost sight of is looked for and deleted");
	ok(job_of(LEADER_UID), "until it is gone there is something to do");
	leader_on(&l, "GET", POD_OF_TASK, 404, "{'kind':'Status'}");
	leader_event(&l, "/pods?", "ADDED", leader_pod(&l, DELETED_AS, "401", STATUS_OF_POD));
	leader_event(&l, "/pods?", "DELETED", leader_pod(&l, DELETED_AS, "402", STATUS_OF_POD));
	leader_run(&l, 1000);
	ok(!job_of(LEADER_UID), "then the task is forgotten");
	cmp_ok(l.term->places.taken, "==", 0, "and its place is free");
	leader_close(&l);
}

static bool is_looked_at(const char *name)
{
	return map_get(&l.term->spaces, str_of(name)) != NULL;
}

static void lose_task(const char *path, const char *pod, const char *row)
{
	leader_on(&l, "GET", path, 404, "{'kind':'Status'}");
	leader_on(&l, "GET", pod, 404, "{'kind':'Status'}");
	leader_event(&l, "/sandboxtasks?", "DELETED", row);
	leader_run(&l, MINUTE_MS);
}

/* A namespace may be about to end, or our rights in it, once the last task there is over. */
static void a_namespace_is_looked_at_while_a_task_needs_it(void)
{
	begin_three_of(LEADER_LIST(OBJECTS_CLASS_WITH(OBJECTS_PYTHON, ",'podNamespace':''")));
	cmp_ok(leader_count(&l, "POST", "/namespaces/team/pods?"), "==", 1,
	       "a task has its Pod in its own namespace");
	lose_task("/team/sandboxtasks/a", "/pods/sbt-aaaaaaaa",
		  LEADER_ROW_EVENT(LEADER_ROW("a", UID_A, "80")));
	cmp_ok(leader_count(&l, "POST", "/namespaces/team/pods?"), "==", 2,
	       "when it is over the next one has its Pod there");
	ok(is_looked_at("team"), "so that it is still looked at");
	ok(is_looked_at("other"), "as is one in which a task waits for its place");
	lose_task("/team/sandboxtasks/b", "/pods/sbt-bbbbbbbb",
		  LEADER_ROW_EVENT(LEADER_ROW("b", UID_B, "81")));
	cmp_ok(leader_count(&l, "POST", "/namespaces/other/pods?"), "==", 1,
	       "which then has its Pod there");
	cmp_ok(leader_count(&l, "GET", "/namespaces/other/pods?"), "==", 2,
	       "of a namespace that was listed and watched once");
	ok(!is_looked_at("team"), "one without a task is looked at no more");
	leader_close(&l);
}

static void a_namespace_is_looked_at_while_a_class_names_it(void)
{
	begin(TASK(OBJECTS_PENDING));
	term_space(l.term, STR("named"));
	leader_event(&l, "/sandboxclasses?", "DELETED", OBJECTS_CLASS);
	ok(!is_looked_at("named"), "one that no class names and no task is in is left alone");
	ok(is_looked_at("sandboxtask-pods"), "one that no class names any more, but a task is in, "
					     "is not");
	leader_close(&l);
}

/* Places are given away when it is known who has one; a list that fails is not waited for. */
static void the_last_list_gives_places_away(void)
{
	static const struct {
		const char *sentence;
		int status;
	} rows[] = {{"a list that comes late", 200}, {"a list that is refused", 403}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct leader_rule *tasks, *late;

		leader_open(&l);
		tasks = leader_on(&l, "GET", "/sandboxtasks?", 200,
				  LEADER_TABLE(LEADER_ROW("answer", LEADER_UID, "77")));
		leader_on(&l, "GET", LEADER_TASK, 200, TASK("{'phase':'Queued'}"));
		leader_on(&l, "PATCH", "/networkpolicies/", 200, LEADER_ECHO);
		leader_on(&l, "POST", "/pods?", 201, LEADER_ECHO);
		late = leader_on(&l, "GET", "/unused/pods?", rows[i].status, LEADER_LIST(""));
		tasks->hangs = late->hangs = true;
		leader_begin(&l);
		term_space(l.term, STR("unused"));
		tasks->hangs = false;
		leader_run(&l, 3000);
		cmp_ok(leader_count(&l, "POST", "/pods?"), "==", 0,
		       "before all Pods are listed nobody gets a place");
		late->hangs = false;
		leader_run(&l, 100);
		cmp_ok(leader_count(&l, "POST", "/pods?"), "==", 1, "%s lets them",
		       rows[i].sentence);
		leader_close(&l);
	}
}

/* --- What hangs in one namespace. --- */

#define MANY (TERM_EFFECTS_PER_NAMESPACE_MAX + 4)

/* A row of a task that nobody has read yet. */
static void show_task(const char *in_namespace, int n)
{
	char row[512];

	snprintf(row, sizeof(row),
		 LEADER_ROW_EVENT(
			 "{'cells':[],'object':{'metadata':{'namespace':'%s','name':'t%d','uid':"
			 "'%08d-2222-3333-4444-%s55555555','resourceVersion':'8%d'}}}"),
		 in_namespace, n, n, in_namespace, n);
	leader_event(&l, "/sandboxtasks?", "ADDED", row);
}

static struct io_http *pending(const char *part)
{
	for (size_t i = 0; i < l.fake.request_count; i++)
		if (l.fake.requests[i].is_pending && strstr(l.fake.requests[i].target, part))
			return fake_io_request(&l.fake, i);
	return NULL;
}

static void begin_stuck(void)
{
	leader_open(&l);
	leader_on(&l, "GET", "/team/sandboxtasks/", 200, "")->hangs = true;
	leader_begin(&l);
	for (int n = 0; n < MANY; n++)
		show_task("team", n);
	leader_run(&l, 100);
}

static void what_hangs_in_one_namespace_holds_up_no_other(void)
{
	begin_stuck();
	cmp_ok(leader_count(&l, "GET", "/team/sandboxtasks/"), "==", TERM_EFFECTS_PER_NAMESPACE_MAX,
	       "so many effects of one namespace are under way, and no more");
	show_task("busy", 0);
	leader_run(&l, 100);
	cmp_ok(leader_count(&l, "GET", "/busy/sandboxtasks/t0"), "==", 1,
	       "another namespace's task does not wait for them");
	show_task("team", MANY - 1);
	leader_run(&l, 1000);
	cmp_ok(leader_count(&l, "GET", "/team/sandboxtasks/"), "==", TERM_EFFECTS_PER_NAMESPACE_MAX,
	       "who is held back is not brought forward by news");
	leader_close(&l);
}

static void who_was_held_back_goes_on_when_an_effect_ends(void)
{
	char target[64];

	begin_stuck();
	for (int n = TERM_EFFECTS_PER_NAMESPACE_MAX; n < MANY; n++) {
		fake_io_fail(pending("/team/sandboxtasks/"), ERR_TRANSPORT);
		leader_run(&l, 0);
		snprintf(target, sizeof(target), "/team/sandboxtasks/t%d", n);
		ok(pending(target), "one ends, and t%d is read at once, in its turn", n);
	}
	leader_run(&l, MINUTE_MS);
	cmp_ok(leader_count(&l, "GET", "/team/sandboxtasks/"), "==", MANY,
	       "those that failed wait for a part of the share again");
	leader_close(&l);
}

static void a_term_ends_at_any_time(void)
{
	leader_open(&l);
	leader_on(&l, "GET", "/sandboxtasks?", 200,
		  LEADER_TABLE(LEADER_ROW("answer", LEADER_UID, "77")));
	leader_begin(&l);
	term_send_event(l.term, STR("team"), STR("{}"));
	cmp_ok(fake_io_pending(&l.fake), ">", 3, "there is much under way");
	leader_close(&l);
	term_delete(NULL);
	pass("and nothing is an end too");
}

static void events_are_not_queued_for_ever(void)
{
	leader_open(&l);
	leader_on(&l, "POST", "/events?", 201, "")->hangs = true;
	leader_begin(&l);
	for (int i = 0; i < TERM_EVENTS_MAX + 10; i++)
		term_send_event(l.term, STR("team"), STR("{}"));
	cmp_ok(leader_count(&l, "POST", "/events?"), "==", TERM_EVENTS_MAX,
	       "so many Events are on their way, and no more");
	leader_close(&l);
}

int main(void)
{
	a_task_gets_its_pod();
	a_turn_is_kept_while_the_task_is_read();
	a_place_is_kept_while_the_task_is_doubted();
	a_task_missing_from_a_new_list_is_read();
	a_task_made_anew_under_its_name_is_another();
	the_watch_of_tasks_knows_a_name_better_than_a_pod();
	pods_of_others_are_nobodys();
	a_finished_task_leaves_no_pod();
	a_namespace_is_looked_at_while_a_task_needs_it();
	a_namespace_is_looked_at_while_a_class_names_it();
	the_last_list_gives_places_away();
	what_hangs_in_one_namespace_holds_up_no_other();
	who_was_held_back_goes_on_when_an_effect_ends();
	a_term_ends_at_any_time();
	events_are_not_queued_for_ever();
	done_testing();
}
