#include "manager/job.h"

#include "manager/term_internal.h"

#include "leader.h"
#include "tap.h"

#include <stdio.h>

#define OTHER_UID "22222222-2222-3333-4444-555555555555"
#define MARK                                                                               \
	"{'phase':'Running','startedAt':'2026-01-02T03:04:05Z','attempt':1,'podUID':'p1'," \
	"'podName':'sbt-11111111222233334444555555555555-1',"                              \
	"'podNamespace':'sandboxtask-pods','planSHA256':'00'}"

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

static int note_task(const char *uid, const char *version, const char *status)
{
	char text[2048];

	snprintf(text, sizeof(text), LEADER_TASK_OF("team", "answer", "%s", "%s", "%s"), uid,
		 version, status);
	return job_note_task(job, json_of(text), &err);
}

static int note_pod(int attempt, const char *uid, const char *version)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 LEADER_POD_OF("sandboxtask-pods", "%d", "%s", "%s", LEADER_UID), attempt, uid,
		 version);
	return job_note_pod(job, json_of(text), &err);
}

/* "p1 at 7", or "none". */
static const char *pod_text(void)
{
	static char text[64];

	if (!job->pod.pod)
		return "none";
	snprintf(text, sizeof(text), "%.*s at %.*s", STR_ARGS(job->pod.pod->uid),
		 STR_ARGS(job->pod.pod->resource_version));
	return text;
}

/* --- The task. --- */

static void a_task_is_known_at_the_newest_version(void)
{
	static const struct {
		const char *sentence, *watched, *read;
		enum knowledge known;
	} rows[] = {
		{"a task that was read is there", "", "10", KNOWN_PRESENT},
		{"the version of the watch is there too", "10", "10", KNOWN_PRESENT},
		{"what was read may be newer", "9", "10", KNOWN_PRESENT},
		{"versions are numbers, not texts", "9", "10", KNOWN_PRESENT},
		{"what is older than the watch says nothing", "11", "10", KNOWN_UNSEEN},
		{"versions that are no numbers are unlike", "b", "a", KNOWN_UNSEEN},
		{"or alike", "a", "a", KNOWN_PRESENT},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		job_note_version(job, rows[i].watched);
		note_task(LEADER_UID, rows[i].read, OBJECTS_PENDING);
		cmp_ok(job->task_known, "==", rows[i].known, "%s", rows[i].sentence);
		finish();
	}
}

static void the_watch_makes_a_task_unseen(void)
{
	begin();
	ok(!job_note_version(job, "10"), "of a task that was not read nothing gets old");
	note_task(LEADER_UID, "10", OBJECTS_PENDING);
	ok(!job_note_version(job, "10"), "its own version is no news");
	ok(!job_note_version(job, "9"), "nor is an older one");
	ok(!job_note_version(job, ""), "nor one that is not told");
	cmp_ok(job->task_known, "==", KNOWN_PRESENT, "it stays as it is");
	is(job->seen_version, "10", "and the newest one is kept");
	ok(job_note_version(job, "11"), "a newer one is news");
	cmp_ok(job->task_known, "==", KNOWN_UNSEEN, "and makes it unseen");
	note_task(LEADER_UID, "12", OBJECTS_PENDING);
	cmp_ok(job->task_known, "==", KNOWN_PRESENT, "until it is read");
	job_doubt_task(job);
	cmp_ok(job->task_known, "==", KNOWN_UNSEEN, "it can be doubted without a version");
	job_note_task_absent(job);
	job_doubt_task(job);
	cmp_ok(job->task_known, "==", KNOWN_ABSENT, "but not one that is not there");
	finish();
}

static void another_task_of_the_name_is_none(void)
{
	begin();
	note_task(OTHER_UID, "10", OBJECTS_PENDING);
	cmp_ok(job->task_known, "==", KNOWN_ABSENT, "ours is gone");
	ok(!job->task, "and nothing of the other one is kept");
	ok(job_is_over(job), "there is nothing left to do");
	finish();
}

static void what_is_no_task_changes_nothing(void)
{
	static const char *const texts[] = {
		"", "{", "[]", "{}", "{'metadata':{}}", "{'metadata':{'name':'answer'}}", "null"};

	begin();
	note_task(LEADER_UID, "10", OBJECTS_PENDING);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ok(job_note_task(job, json_of(texts[i]), &err) < 0, "%s is no task", texts[i]);
		ok(job_note_pod(job, json_of(texts[i]), &err) < 0, "  and no Pod");
	}
	ok(job->task && job->task_known == KNOWN_PRESENT, "the task is what it was");
	is(pod_text(), "none", "and so is its Pod");
	finish();
}

static void a_task_that_waits_is_not_kept_in_memory(void)
{
	begin();
	note_task(LEADER_UID, "10", OBJECTS_PENDING);
	job_unload(job);
	ok(!job->task && !job->plan, "neither the task nor its plan");
	cmp_ok(job->task_known, "==", KNOWN_UNSEEN, "so it is read again");
	finish();
}

static void a_name_may_be_set_right(void)
{
	begin();
	note_task(LEADER_UID, "10", OBJECTS_PENDING);
	ok(!job_note_name(job, STR("team"), STR("answer")), "the same name is no news");
	ok(job->task, "and the task stays");
	ok(job_note_name(job, STR("other"), STR("answer")), "another namespace is");
	ok(job_note_name(job, STR("other"), STR("name")), "so is another name");
	is(job->name, "name", "and counts from now on");
	cmp_ok(job->task_known, "==", KNOWN_UNSEEN, "the task is read by it");
	finish();
}

/* --- The Pod. --- */

static void the_newest_text_of_a_pod_counts(void)
{
	static const struct {
		const char *sentence;
		int attempt;
		const char *uid, *version, *wanted;
	} rows[] = {
		{"the same again", 2, "p2", "20", "p2 at 20"},
		{"a newer version", 2, "p2", "21", "p2 at 21"},
		{"an older version", 2, "p2", "19", "p2 at 20"},
		{"an older version with fewer digits", 2, "p2", "9", "p2 at 20"},
		{"a lower attempt, however new", 1, "p1", "30", "p2 at 20"},
		{"a higher attempt, however new", 3, "p3", "30", "p2 at 20"},
		{"another one of the same name", 2, "px", "25", "px at 25"},
		{"another one of the same name, from before", 2, "px", "15", "p2 at 20"},
		{"one of a name that is not its own", 0, "py", "30", "p2 at 20"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		note_pod(2, "p2", "20");
		note_pod(rows[i].attempt, rows[i].uid, rows[i].version);
		is(pod_text(), rows[i].wanted, "%s: %s counts", rows[i].sentence, rows[i].wanted);
		cmp_ok(job->pod.known, "==", KNOWN_PRESENT, "  it is there");
		cmp_ok(job->pod.attempts_seen, "==", 2, "  and its attempt is the last");
		finish();
	}
}

/* What a watch tells of one that leaves its selection is how it was before, at the new version. */
static void a_pod_in_doubt_is_read_anew_at_the_same_version(void)
{
	begin();
	note_pod(1, "p1", "20");
	job->pod.is_compared = true;
	note_pod(1, "p1", "20");
	ok(job->pod.is_compared, "the same text is not compared again");
	job_doubt_pod(job);
	note_pod(1, "p1", "19");
	cmp_ok(job->pod.known, "==", KNOWN_UNSEEN, "an older text does not end a doubt");
	note_pod(1, "p1", "20");
	cmp_ok(job->pod.known, "==", KNOWN_PRESENT, "one of the same version does");
	ok(!job->pod.is_compared, "and is compared, since it may be another");
	finish();
}

static void what_is_known_of_a_pod_is_not_of_the_next(void)
{
	begin();
	note_pod(1, "p1", "20");
	job->pod.event_reason = strdup("FailedMount");
	job->is_create_refused = true;
	leader_run(&l, 500);
	note_pod(1, "p1", "21");
	is(job->pod.event_reason, "FailedMount", "the last Event stays with its Pod");
	cmp_ok(job->pod.since_ms, "==", l.fake.now_ms - 500, "so does its age");
	job_note_pod_absent(job);
	note_pod(2, "p2", "22");
	ok(!job->pod.event_reason, "but is not of the next one");
	cmp_ok(job->pod.since_ms, "==", l.fake.now_ms, "which begins now");
	ok(!job->is_create_refused, "and was not refused");
	finish();
}

static void a_marked_pod_is_the_only_one_that_runs(void)
{
	begin();
	note_pod(1, "p1", "20");
	note_task(LEADER_UID, "10", MARK);
	note_pod(2, "p2", "30");
	is(pod_text(), "p1 at 20", "a Pod of another attempt does not take its place");
	note_pod(1, "p1", "21");
	is(pod_text(), "p1 at 21", "its own news do");
	note_pod(1, "px", "31");
	is(pod_text(), "px at 31", "another one of its name shows that it is gone");
	note_task(LEADER_UID, "40",
		  "{'phase':'Failed','startedAt':'2026-01-02T03:04:05Z','attempt':1}");
	note_pod(2, "p2", "41");
	is(pod_text(), "px at 31", "nor does it when the task is over");
	job_note_pod_absent(job);
	note_pod(2, "p2", "42");
	is(pod_text(), "p2 at 42", "but when that one is gone");
	finish();
}

/* As after a change of leaders, when Pods are told before the task is read. */
static void a_mark_that_is_read_later_says_which_pod_counts(void)
{
	char name[POD_NAME_SIZE];

	begin();
	note_pod(2, "p2", "30");
	note_task(LEADER_UID, "10", MARK);
	cmp_ok(job->pod.known, "==", KNOWN_UNSEEN, "a Pod beside the marked one is not it");
	job_pod_name(job, name);
	is(name, "sbt-11111111222233334444555555555555-1", "the marked one is looked for");
	note_pod(1, "p1", "20");
	is(pod_text(), "p1 at 20", "and counts, though its attempt is lower");
	note_pod(2, "p2", "31");
	is(pod_text(), "p1 at 20", "the other one does not any more");
	finish();
}

static void a_pod_has_a_name_when_there_was_one(void)
{
	char name[POD_NAME_SIZE];

	begin();
	ok(!job_pod_name(job, name), "there was none");
	job_note_attempt(job, 2);
	job_note_attempt(job, 1);
	ok(job_pod_name(job, name), "there may be one");
	is(name, "sbt-11111111222233334444555555555555-2", "of the highest attempt");
	note_task(LEADER_UID, "10", "{'phase':'Starting','attempt':3}");
	job_pod_name(job, name);
	is(name, "sbt-11111111222233334444555555555555-3", "that the status knows, too");
	note_pod(1, "p1", "20");
	job_doubt_pod(job);
	job_pod_name(job, name);
	is(name, "sbt-11111111222233334444555555555555-1", "one that was seen is looked for first");
	job_note_pod_absent(job);
	cmp_ok(job->pod.known, "==", KNOWN_UNSEEN, "and says nothing about the last one");
	job_pod_name(job, name);
	is(name, "sbt-11111111222233334444555555555555-3", "which is looked for next");
	job_note_pod_absent(job);
	cmp_ok(job->pod.known, "==", KNOWN_ABSENT, "when that is gone, too, there is none");
	finish();
}

static void a_pods_namespace_is_known_from_the_pod_first(void)
{
	begin();
	ok(job_pod_namespace(job).n == 0, "nothing is known");
	note_task(LEADER_UID, "10", OBJECTS_PENDING);
	job_judge(job);
	ok(str_equal(job_pod_namespace(job), STR("sandboxtask-pods")), "the plan says it");
	note_task(LEADER_UID, "11", "{'phase':'Starting','podNamespace':'noted'}");
	ok(str_equal(job_pod_namespace(job), STR("noted")), "the status knows better");
	note_pod(1, "p1", "20");
	ok(str_equal(job_pod_namespace(job), STR("sandboxtask-pods")), "and the Pod best");
	finish();
}

/* --- Over. --- */

static void a_job_is_over_when_nothing_of_ours_is_left(void)
{
	static const struct {
		const char *sentence, *status;
		enum knowledge pod;
		bool is_over;
	} rows[] = {
		{"a task that is new", "{'phase':'Pending'}", KNOWN_ABSENT, false},
		{"a task that runs", "{'phase':'Running'}", KNOWN_PRESENT, false},
		{"a finished task with its Pod", "{'phase':'Failed'}", KNOWN_PRESENT, false},
		{"a finished task", "{'phase':'Succeeded'}", KNOWN_ABSENT, true},
		{"a task of a later version's phase", "{'phase':'Thinking'}", KNOWN_ABSENT, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		note_task(LEADER_UID, "10", rows[i].status);
		job->pod.known = rows[i].pod;
		ok(job_is_over(job) == rows[i].is_over, "%s is %s", rows[i].sentence,
		   rows[i].is_over ? "over" : "not over");
		job_doubt_task(job);
		ok(!job_is_over(job), "  and not while it is in doubt");
		finish();
	}
}

/* --- Judging. --- */

static void a_place_is_for_who_may_run(void)
{
	begin();
	job_judge(job);
	cmp_ok(places_waiting(&l.term->places), "==", 0, "a task that was not read asks for none");
	note_task(LEADER_UID, "10", OBJECTS_PENDING);
	job_judge(job);
	cmp_ok(job->admission, "==", ADMISSION_GRANTED, "a sound one gets one");
	cmp_ok(job->admitted_ms, "==", l.fake.now_ms, "at this time");
	job_doubt_task(job);
	job_judge(job);
	cmp_ok(l.term->places.taken, "==", 1, "in doubt it keeps it");
	note_task(LEADER_UID, "11", "{'phase':'Failed'}");
	job_judge(job);
	cmp_ok(l.term->places.taken, "==", 0, "finished it has none");
	finish();
}

static void who_runs_has_a_place(void)
{
	begin();
	l.term->places.max = 0;
	note_task(LEADER_UID, "10", OBJECTS_PENDING);
	job_judge(job);
	cmp_ok(job->admission, "==", ADMISSION_WAITING, "without a free place one waits");
	note_pod(1, "p1", "20");
	job_judge(job);
	cmp_ok(job->admission, "==", ADMISSION_GRANTED, "but not with a Pod");
	cmp_ok(l.term->places.taken, "==", 1, "which counts");
	finish();
}

static void a_bad_task_gets_no_place(void)
{
	begin();
	note_task(LEADER_UID, "10", OBJECTS_PENDING);
	job->task->spec.language = STR("ruby");
	job_judge(job);
	cmp_ok(job->refusal.reason, "!=", REASON_NONE, "it is refused");
	ok(!job->plan, "and not planned");
	cmp_ok(l.term->places.taken, "==", 0, "and takes no place");
	finish();
}

static void a_frozen_plan_is_the_marks(void)
{
	struct snapshot s;
	struct session_view view;

	begin();
	note_task(LEADER_UID, "10", MARK);
	note_pod(1, "p1", "20");
	job_snapshot(job, &s, &view);
	ok(!s.plan, "a plan that does not hash to the mark is none");
	ok(!s.pod_difference, "and nothing is compared with it");
	cmp_ok(s.admission, "==", ADMISSION_GRANTED, "the run has its place all the same");
	finish();
}

int main(void)
{
	a_task_is_known_at_the_newest_version();
	the_watch_makes_a_task_unseen();
	another_task_of_the_name_is_none();
	what_is_no_task_changes_nothing();
	a_task_that_waits_is_not_kept_in_memory();
	a_name_may_be_set_right();
	the_newest_text_of_a_pod_counts();
	a_pod_in_doubt_is_read_anew_at_the_same_version();
	what_is_known_of_a_pod_is_not_of_the_next();
	a_marked_pod_is_the_only_one_that_runs();
	a_mark_that_is_read_later_says_which_pod_counts();
	a_pod_has_a_name_when_there_was_one();
	a_pods_namespace_is_known_from_the_pod_first();
	a_job_is_over_when_nothing_of_ours_is_left();
	a_place_is_for_who_may_run();
	who_runs_has_a_place();
	a_bad_task_gets_no_place();
	a_frozen_plan_is_the_marks();
	done_testing();
}
