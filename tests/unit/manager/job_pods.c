/* Of several Pods with a task's names: which one its job looks at. */
#include "manager/job.h"

#include "manager/term_internal.h"

#include "leader.h"
#include "tap.h"

#include <stdio.h>

#define MARKED_AS_P1 \
	"{'phase':'Running','startedAt':'2026-01-02T03:04:05Z','attempt':1,'podUID':'p1'}"
#define MARKED_IN_ITS_NAMESPACE                                                             \
	"{'phase':'Running','startedAt':'2026-01-02T03:04:05Z','attempt':1,'podUID':'p1','" \
	"podNamespace':'sandboxtask-pods'}"

static struct leader l;
static struct job *job;
static struct err err;

static void begin(void)
{
	job = leader_open_with_job(&l);
}

static void finish(void)
{
	leader_close(&l);
}

static void note_task(const char *status)
{
	char text[2048];

	snprintf(text, sizeof(text), LEADER_TASK_OF("team", "answer", LEADER_UID, "10", "%s"),
		 status);
	job_note_task(job, json_of(text), &err);
}

static struct str pod_of(int attempt, const char *uid, const char *version, const char *task_uid)
{
	char text[1024];

	snprintf(text, sizeof(text), LEADER_POD_OF("sandboxtask-pods", "%d", "%s", "%s", "%s"),
		 attempt, uid, version, task_uid);
	return json_of(text);
}

static void note_ours(int attempt, const char *uid, const char *version)
{
	job_note_pod(job, pod_of(attempt, uid, version, LEADER_UID), &err);
}

/* One that has a name of ours, and nothing else. */
static void note_foreign(int attempt, const char *uid, const char *version)
{
	job_note_pod(job, pod_of(attempt, uid, version, ""), &err);
}

static const char *uid_looked_at(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "%.*s", STR_ARGS(job->pod.pod->uid));
	return text;
}

static void one_pod_at_a_time_is_looked_at(void)
{
	static const struct {
		const char *sentence;
		void (*note)(int attempt, const char *uid, const char *version);
		enum knowledge known;
		const char *after_lower, *after_higher;
	} rows[] = {
		{"beside ours that is there", note_ours, KNOWN_PRESENT, "p2", "p2"},
		{"beside ours in doubt", note_ours, KNOWN_UNSEEN, "p2", "p2"},
		{"after ours that is gone", note_ours, KNOWN_ABSENT, "p2", "p3"},
		{"beside a stranger's", note_foreign, KNOWN_PRESENT, "p1", "p3"},
		{"beside a stranger's in doubt", note_foreign, KNOWN_UNSEEN, "p2", "p2"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		rows[i].note(2, "p2", "20");
		job->pod.known = rows[i].known;
		note_ours(1, "p1", "30");
		is(uid_looked_at(), rows[i].after_lower, "%s: a lower attempt", rows[i].sentence);
		finish();
		begin();
		rows[i].note(2, "p2", "20");
		job->pod.known = rows[i].known;
		note_ours(3, "p3", "30");
		is(uid_looked_at(), rows[i].after_higher, "%s: a higher attempt", rows[i].sentence);
		finish();
	}
}

static void a_pod_without_its_label_is_still_ours(void)
{
	begin();
	note_task("{'phase':'Failed','podUID':'p1'}");
	note_foreign(1, "p1", "20");
	note_ours(2, "p2", "30");
	is(uid_looked_at(), "p1", "when the status names it");
	job_doubt_task(job);
	note_ours(2, "p2", "31");
	is(uid_looked_at(), "p1", "also while the task is in doubt");
	finish();
}

/* Namespaces are not all equally well guarded. */
static void a_pod_of_the_marked_name_elsewhere_is_another(void)
{
	begin();
	note_ours(1, "p1", "20");
	note_task(MARKED_AS_P1);
	job_note_pod(job, json_of(LEADER_POD_OF("team", "1", "px", "30", LEADER_UID)), &err);
	is(uid_looked_at(), "p1", "the marked one stays");
	finish();
	begin();
	job_note_pod(job, json_of(LEADER_POD_OF("team", "1", "px", "30", LEADER_UID)), &err);
	note_task(MARKED_IN_ITS_NAMESPACE);
	cmp_ok(job->pod.known, "==", KNOWN_UNSEEN, "seen before the mark was, it is in doubt");
	ok(str_equal(job_pod_namespace(job), STR("sandboxtask-pods")),
	   "and the marked one is asked for, in its namespace");
	note_ours(1, "p1", "20");
	is(uid_looked_at(), "p1", "which takes its place");
	finish();
}

static void another_pod_takes_the_place_when_its_turn_comes(void)
{
	begin();
	note_ours(2, "p2", "20");
	job_note_other_pod(job, pod_of(1, "p1", "10", LEADER_UID), &err);
	is(uid_looked_at(), "p1", "whatever its attempt and its version");
	cmp_ok(job->pod.known, "==", KNOWN_PRESENT, "it is there");
	cmp_ok(job->pod.attempts_seen, "==", 2, "and the last attempt stays the last");
	ok(job_note_other_pod(job, STR("{}"), &err) < 0, "what is no Pod does not");
	is(uid_looked_at(), "p1", "and changes nothing");
	finish();
}

/* --- Those in sight, from the first list to the last deletion. --- */

#define FINISHED \
	LEADER_TASK_OF("team", "answer", LEADER_UID, "90", "{'phase':'Failed','attempt':1}")
#define POD(n) "/pods/sbt-11111111222233334444555555555555-" n
#define DELETING                                                                          \
	"{'metadata':{'name':'sbt-11111111222233334444555555555555-%s','namespace':'%s'," \
	"'uid':'u%s','resourceVersion':'700','deletionTimestamp':'2026-01-02T03:04:06Z'," \
	"'labels':{'sandboxtask.io/task-uid':'" LEADER_UID "'}}}"

#define OURS(n)	    LEADER_POD_OF("sandboxtask-pods", n, "u" n, "6" n, LEADER_UID)
#define STRANGER(n) LEADER_POD_OF("sandboxtask-pods", n, "u" n, "6" n, "")

/* Of names that begin alike the longer one comes behind, so that its rule counts. */
static void can_be_deleted(const char *in_namespace, const char *attempt)
{
	static char parts[8][128], bodies[8][512];
	static int next;
	char *part = parts[next % 8], *body = bodies[next++ % 8];

	snprintf(part, 128, "/%s" POD("%s"), in_namespace, attempt);
	snprintf(body, 512, DELETING, attempt, in_namespace, attempt);
	leader_on(&l, "DELETE", part, 200, body);
}

static void begin_finished(const char *pods)
{
	leader_open(&l);
	leader_on(&l, "GET", LEADER_TASK, 200, FINISHED);
	leader_on(&l, "GET", "/sandboxtask-pods/pods?", 200, pods);
}

static void is_gone(const char *pod)
{
	leader_event(&l, "/sandboxtask-pods/pods?", "DELETED", pod);
}

static void all_pods_of_a_finished_task_are_deleted(void)
{
	static const char *const ours[] = {"1", "10", "2"};

	begin_finished(LEADER_LIST(
		OURS("1") "," OURS("10") "," OURS("1a") "," OURS("2") "," STRANGER("3")));
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		can_be_deleted("sandboxtask-pods", ours[i]);
	leader_on(&l, "GET", POD("10"), 200, OURS("10"));
	leader_on(&l, "GET", POD("2"), 200, OURS("2"));
	leader_on(&l, "GET", POD("3"), 200, STRANGER("3"));
	leader_begin(&l);
	leader_run(&l, 1000);
	cmp_ok(leader_count(&l, "DELETE", POD("2")), "==", 1, "one that was not looked at first");
	cmp_ok(leader_count(&l, "DELETE", POD("1")), "==", 2,
	       "so are the one that was, and a third");
	cmp_ok(leader_count(&l, "DELETE", "/pods/"), "==", 3, "each once, and no stranger's");
	leader_run(&l, 60000);
	cmp_ok(leader_count(&l, "GET", "/pods/sbt-"), "==", 3, "each of the others is read once");
	is_gone(OURS("1"));
	is_gone(OURS("10"));
	is_gone(OURS("2"));
	is_gone(STRANGER("3"));
	leader_on(&l, "GET", "/pods/sbt-", 404, "{'kind':'Status'}");
	leader_run(&l, 1000);
	cmp_ok(l.term->jobs.count, "==", 0, "then the task is forgotten");
	leader_close(&l);
}

static void a_pod_in_another_namespace_is_found_too(void)
{
	begin_finished(LEADER_LIST(OURS("1")));
	leader_on(&l, "GET", "/own/pods?", 200,
		  LEADER_LIST(LEADER_POD_OF("own", "1", "v1", "61", LEADER_UID)));
	leader_on(&l, "GET", "/own" POD("1"), 200,
		  LEADER_POD_OF("own", "1", "v1", "61", LEADER_UID));
	can_be_deleted("sandboxtask-pods", "1");
	can_be_deleted("own", "1");
	leader_begin(&l);
	term_space(l.term, STR("own"));
	leader_run(&l, 1000);
	is_gone(OURS("1"));
	leader_run(&l, 1000);
	cmp_ok(leader_count(&l, "DELETE", "/own" POD("1")), "==", 1,
	       "one of the same name in another namespace is deleted");
	leader_close(&l);
}

/* It is none that one can go on from in the order of those in sight. */
static void a_pod_is_found_behind_one_that_is_out_of_sight(void)
{
	struct leader_rule *task;

	begin_finished(LEADER_LIST(OURS("2")));
	task = leader_on(&l, "GET", LEADER_TASK, 200,
			 LEADER_TASK_OF("team", "answer", LEADER_UID, "90",
					"{'phase':'Failed','attempt':2,'podUID':'u2'}"));
	task->hangs = true;
	leader_on(&l, "GET", POD("2"), 200, STRANGER("2"));
	leader_on(&l, "GET", POD("1"), 200, OURS("1"));
	can_be_deleted("sandboxtask-pods", "2");
	can_be_deleted("sandboxtask-pods", "1");
	leader_begin(&l);
	is_gone(OURS("2")); /* for the watch: it was stripped of its label */
	leader_event(&l, "/sandboxtask-pods/pods?", "ADDED", OURS("1"));
	task->hangs = false;
	leader_run(&l, 1000);
	cmp_ok(leader_count(&l, "DELETE", POD("2")), "==", 1, "one without its label is deleted");
	cmp_ok(leader_count(&l, "DELETE", POD("1")), "==", 1, "and so is the one before it");
	leader_close(&l);
}

/* The watch is behind. */
static void a_pod_that_is_gone_already_is_not_asked_for_over_and_over(void)
{
	begin_finished(LEADER_LIST(OURS("1") "," OURS("2")));
	can_be_deleted("sandboxtask-pods", "1");
	leader_begin(&l);
	leader_run(&l, 60000);
	cmp_ok(leader_count(&l, "GET", POD("2")), ">", 1, "it is asked for again");
	cmp_ok(leader_count(&l, "GET", POD("2")), "<", 20, "but ever later");
	is_gone(OURS("2"));
	is_gone(OURS("1"));
	leader_run(&l, 60000);
	cmp_ok(l.term->jobs.count, "==", 0, "until the watch tells");
	leader_close(&l);
}

int main(void)
{
	one_pod_at_a_time_is_looked_at();
	a_pod_without_its_label_is_still_ours();
	a_pod_of_the_marked_name_elsewhere_is_another();
	another_pod_takes_the_place_when_its_turn_comes();
	all_pods_of_a_finished_task_are_deleted();
	a_pod_in_another_namespace_is_found_too();
	a_pod_is_found_behind_one_that_is_out_of_sight();
	a_pod_that_is_gone_already_is_not_asked_for_over_and_over();
	done_testing();
}
