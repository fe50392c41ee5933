/* One effect at a time. What every fault does to a whole life, tests/sim/faults.c shows. */
#include "manager/effect.h"

#include "manager/term_internal.h"

#include "leader.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define MINUTE_MS 60000
#define START_MS  120000 /* the start budget of the class */
#define POD_NAME  "sbt-11111111222233334444555555555555-1"
#define ENDING	  "{'phase':'Failed','reason':'StartTimeout','attempt':0}"

static struct leader l;

static struct job *job(void)
{
	return leader_job(&l);
}

static void begin(void)
{
	leader_open_with_pod(&l);
}

static void finish(void)
{
	leader_close(&l);
}

/* --- Events about a Pod. --- */

#define EVENT(time, reason, message) \
	"{'metadata':{},'reason':'" reason "','message':'" message "','lastTimestamp':" time "}"

static void the_last_event_says_why(void)
{
	static const struct {
		const char *sentence, *items, *reason, *message;
	} rows[] = {
		{"the one that was seen last",
		 EVENT("'2026-01-02T00:00:09Z'", "Late", "b") "," EVENT("'2026-01-02T00:00:01Z'",
									"Early", "a"),
		 "Late", "b"},
		{"of those of one second the last",
		 EVENT("'2026-01-02T00:00:09Z'", "A", "a") "," EVENT("'2026-01-02T00:00:09Z'", "B",
								     "b"),
		 "B", "b"},
		{"one with a time before one without",
		 EVENT("'2026-01-02T00:00:09Z'", "Timed", "a") "," EVENT("null", "Timeless", "b"),
		 "Timed", "a"},
		{"one without a time, if there is no other", EVENT("null", "Timeless", "b"),
		 "Timeless", "b"},
		{"escapes are decoded", EVENT("null", "A", "\\\"x\\\""), "A", "\"x\""},
		{"one without words", "{}", "", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char body[2048];

		begin();
		snprintf(body, sizeof(body), LEADER_LIST("%s"), rows[i].items);
		leader_on(&l, "GET", "/events?", 200, body);
		leader_run(&l, START_MS);
		is(job()->pod.event_reason, rows[i].reason, "%s", rows[i].sentence);
		is(job()->pod.event_message, rows[i].message, "  with its words");
		finish();
	}
}

static void events_are_read_when_the_start_budget_is_over(void)
{
	begin();
	leader_run(&l, START_MS - 1);
	cmp_ok(leader_count(&l, "GET", "/events?"), "==", 0,
	       "a list of Events is dear: not before it counts");
	leader_on(&l, "GET", "/events?", 200,
		  LEADER_LIST(EVENT("null", "FailedCreatePodSandBox", "no runtime for runsc")));
	leader_run(&l, 1);
	cmp_ok(leader_count(&l, "GET", "/events?fieldSelector=involvedObject.uid%3Dmade"), "==", 1,
	       "then those of the Pod are read");
	like(leader_body(&l, "PATCH", "/status?"), "\"reason\":\"RuntimeUnavailable\"",
	     "and name the reason");
	like(leader_body(&l, "PATCH", "/status?"), "no runtime for runsc", "and the cause");
	leader_run(&l, MINUTE_MS);
	cmp_ok(leader_count(&l, "GET", "/events?"), "==", 1,
	       "once, though the write of the final status is repeated");
	finish();
}

static void a_pod_whose_status_says_why_needs_no_event(void)
{
	begin();
	leader_event(
		&l, "/pods?", "MODIFIED",
		leader_pod(&l, "made", "9000",
			   "{'phase':'Pending','containerStatuses':[{'name':'sandbox','state':"
			   "{'waiting':{'reason':'ErrImagePull','message':'no such tag'}}}]}"));
	leader_run(&l, START_MS);
	like(leader_body(&l, "PATCH", "/status?"), "\"reason\":\"ImagePullFailed\"",
	     "the Pod's status names the reason");
	cmp_ok(leader_count(&l, "GET", "/events?"), "==", 0, "and no Event is read");
	finish();
}

static void events_that_cant_be_had_change_nothing(void)
{
	static const struct {
		const char *sentence;
		int status;
		const char *body;
	} rows[] = {
		{"403", 403, "{}"},
		{"a time-out", 0, ""},
		{"garbage", 200, "{'items':["},
		{"no list", 200, "{'items':1}"},
		{"nothing", 200, " "},
		{"no Event", 200, LEADER_LIST("")},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		leader_on(&l, "GET", "/events?", rows[i].status, rows[i].body)->code = ERR_TIMEOUT;
		leader_run(&l, START_MS);
		like(leader_body(&l, "PATCH", "/status?"), "\"reason\":\"StartTimeout\"",
		     "%s: the task ends all the same", rows[i].sentence);
		cmp_ok(leader_count(&l, "GET", "/events?"), "==", 1, "  and it is not asked again");
		finish();
	}
}

/* --- A final status. --- */

/* The task ends by its start budget; the answer to that write is this one. */
static void end_by_time(int status, const char *body, enum err_code code)
{
	begin();
	leader_on(&l, "PATCH", "/status?", status, body)->code = code;
	leader_run(&l, 120000);
}

static unsigned count_in_log(const char *part)
{
	unsigned count = 0;

	for (const char *at = l.lines.data; (at = strstr(at, part)); at++)
		count++;
	return count;
}

static void a_final_status_is_announced_once(void)
{
	static const char FINAL[] = LEADER_TASK_OF("team", "answer", LEADER_UID, "900", ENDING);
	struct leader_rule *read;

	end_by_time(200, FINAL, 0);
	leader_run(&l, MINUTE_MS);
	cmp_ok(count_in_log("\"task finished\""), "==", 1, "when it is written");
	finish();
	end_by_time(0, "", ERR_TIMEOUT);
	cmp_ok(count_in_log("\"task finished\""), "==", 0,
	       "a write whose answer is lost is no end");
	read = leader_on(&l, "GET", LEADER_TASK, 200, FINAL);
	leader_run(&l, MINUTE_MS);
	cmp_ok(read->asked, ">", 0, "the task is read");
	cmp_ok(count_in_log("\"task finished\""), "==", 1, "and when it is final that was our end");
	finish();
}

static void a_final_status_that_somebody_else_wrote_is_not_ours(void)
{
	end_by_time(409, "{'kind':'Status','reason':'Conflict'}", 0);
	leader_on(&l, "GET", LEADER_TASK, 200,
		  LEADER_TASK_OF("team", "answer", LEADER_UID, "900",
				 "{'phase':'Failed','reason':'Cancelled'}"));
	leader_run(&l, MINUTE_MS);
	cmp_ok(count_in_log("\"task finished\""), "==", 0, "it is not announced");
	finish();
}

static void an_answer_that_is_another_task_is_none(void)
{
	end_by_time(200,
		    LEADER_TASK_OF("team", "answer", "22222222-2222-3333-4444-555555555555", "900",
				   ENDING),
		    0);
	leader_run(&l, MINUTE_MS);
	ok(job(), "the task is not forgotten for it");
	cmp_ok(leader_count(&l, "PATCH", "/status?"), "<=", 12, "and it is no hot loop");
	finish();
}

static void a_write_that_fails_is_no_hot_loop_though_reads_succeed(void)
{
	static const struct {
		const char *sentence;
		int status;
		const char *body;
	} rows[] = {
		{"409", 409, "{'kind':'Status','reason':'Conflict'}"},
		{"404", 404, "{'kind':'Status'}"},
		{"403", 403, "{'kind':'Status'}"},
		{"422", 422, "{'kind':'Status'}"},
		{"500", 500, "oops"},
		{"a cut connection", 0, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned before;

		end_by_time(rows[i].status, rows[i].body, ERR_TRANSPORT);
		leader_run(&l, MINUTE_MS);
		before = leader_count(&l, "PATCH", "/status?");
		leader_run(&l, 10 * MINUTE_MS);
		cmp_ok(before, "<=", 8, "%s: a minute of it costs a few writes", rows[i].sentence);
		cmp_ok(leader_count(&l, "PATCH", "/status?") - before, "<=", 21,
		       "  and later one in half a minute");
		finish();
	}
}

static void a_write_that_succeeds_ends_a_row_of_conflicts(void)
{
	begin();
	leader_on(&l, "DELETE", "/pods/", 200, "")->hangs = true;
	leader_on(&l, "PATCH", "/status?", 200,
		  LEADER_TASK_OF("team", "answer", LEADER_UID, "900", ENDING));
	job()->had_conflict = true;
	leader_run(&l, 120000);
	ok(!job()->had_conflict, "the next conflict is looked into at once again");
	finish();
}

static void what_is_too_large_is_written_without_texts(void)
{
	end_by_time(413, "", 0);
	leader_run(&l, 0);
	ok(job()->final_too_large, "a status that is too large is noted to be");
	cmp_ok(leader_count(&l, "PATCH", "/status?"), "==", 2, "and written again at once");
	finish();
}

static void retry_after_is_kept_to(void)
{
	begin();
	leader_on(&l, "PATCH", "/status?", 429, "")->retry_after_ms = 30000;
	leader_run(&l, 120000);
	cmp_ok(leader_count(&l, "PATCH", "/status?"), "==", 1, "a busy server is asked once");
	leader_run(&l, 29999);
	cmp_ok(leader_count(&l, "PATCH", "/status?"), "==", 1, "and not before it wants to be");
	leader_run(&l, 1);
	cmp_ok(leader_count(&l, "PATCH", "/status?"), "==", 2, "then again");
	finish();
}

/* --- Pods. --- */

static void a_refused_pod_is_tried_until_the_budget_ends(void)
{
	static const struct {
		const char *sentence;
		int status;
		const char *body, *reason;
	} rows[] = {
		{"a quota", 403, "{'kind':'Status','message':'exceeded quota: q'}", "PodRejected"},
		{"a server in trouble", 500, "oops", "StartTimeout"},
		{"a busy server", 429, "", "StartTimeout"},
		{"no answer", 0, "", "StartTimeout"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		leader_open(&l);
		leader_on(&l, "GET", "/sandboxtasks?", 200,
			  LEADER_TABLE(LEADER_ROW("answer", LEADER_UID, "77")));
		leader_on(&l, "GET", LEADER_TASK, 200,
			  LEADER_TASK_OF("team", "answer", LEADER_UID, "77", OBJECTS_PENDING));
		leader_on(&l, "PATCH", "/networkpolicies/", 200, LEADER_ECHO);
		leader_on(&l, "POST", "/pods?", rows[i].status, rows[i].body)->code = ERR_TRANSPORT;
		leader_begin(&l);
		leader_run(&l, 119000);
		cmp_ok(leader_count(&l, "PATCH", "/status?"), "==", 0, "%s is waited for",
		       rows[i].sentence);
		cmp_ok(leader_count(&l, "POST", "/pods?"), "<=", 12, "  with few tries");
		cmp_ok(leader_count(&l, "POST", "/pods?"), ">=", 5, "  but some");
		leader_run(&l, 2000);
		like(leader_body(&l, "PATCH", "/status?"), rows[i].reason, "  then it is %s",
		     rows[i].reason);
		finish();
	}
}

static void a_pod_that_was_there_is_looked_at(void)
{
	leader_open(&l);
	leader_on(&l, "GET", "/sandboxtasks?", 200,
		  LEADER_TABLE(LEADER_ROW("answer", LEADER_UID, "77")));
	leader_on(&l, "GET", LEADER_TASK, 200,
		  LEADER_TASK_OF("team", "answer", LEADER_UID, "77", OBJECTS_PENDING));
	leader_on(&l, "PATCH", "/networkpolicies/", 200, LEADER_ECHO);
	leader_on(&l, "POST", "/pods?", 409, "{'kind':'Status','reason':'AlreadyExists'}");
	leader_on(&l, "GET", "/pods/" POD_NAME, 200,
		  "{'metadata':{'name':'" POD_NAME "','namespace':'sandboxtask-pods',"
		  "'uid':'foreign','resourceVersion':'9'}}");
	leader_begin(&l);
	leader_run(&l, 100);
	like(leader_body(&l, "PATCH", "/status?"), "PodTampered",
	     "a Pod of the name that is not ours is not taken for it");
	cmp_ok(leader_count(&l, "DELETE", "/pods/"), "==", 0, "nor deleted");
	finish();
}

/* --- After the mark. --- */

#define DELETED "made\",\"deletionTimestamp\":\"2026-01-02T03:09:05Z"
#define GIVEN_UP                                                                         \
	"{'containerStatuses':[{'name':'sandbox','state':{'running':{}}}],'conditions':" \
	"[{'type':'DisruptionTarget','status':'True','reason':'DeletionByTaintManager'}]}"

/* Its Node stays, so its Pods do, as the kubelet has described them last. */
static void a_dead_node_does_not_hold_its_task(void)
{
	begin();
	leader_mark(&l);
	leader_on(&l, "PATCH", "/status?", 200,
		  LEADER_TASK_OF("team", "answer", LEADER_UID, "90",
				 "{'phase':'Failed','reason':'NodeLost','attempt':1}"));
	leader_event(&l, "/pods?", "MODIFIED", leader_pod(&l, "made", "400", LEADER_RUNNING));
	leader_run(&l, 5LL * MINUTE_MS);
	ok(job()->run, "a runner that can't be reached is attached to all the same");
	leader_event(&l, "/pods?", "MODIFIED", leader_pod(&l, DELETED, "401", GIVEN_UP));
	leader_run(&l, SNAPSHOT_OVERDUE_MS / 2);
	leader_event(&l, "/pods?", "MODIFIED", leader_pod(&l, DELETED, "402", GIVEN_UP));
	leader_run(&l, SNAPSHOT_OVERDUE_MS / 2 - 1);
	cmp_ok(leader_count(&l, "PATCH", "/status?"), "==", 0, "its Pod gets its time to go");
	leader_run(&l, 1);
	like(leader_body(&l, "PATCH", "/status?"), "\"reason\":\"NodeLost\"",
	     "then the task ends, as Kubernetes says of the node");
	ok(job() && !job()->run, "what is left is waited for, and not attached to any more");
	finish();
}

int main(void)
{
	the_last_event_says_why();
	events_are_read_when_the_start_budget_is_over();
	a_pod_whose_status_says_why_needs_no_event();
	events_that_cant_be_had_change_nothing();
	a_final_status_is_announced_once();
	a_final_status_that_somebody_else_wrote_is_not_ours();
	an_answer_that_is_another_task_is_none();
	a_write_that_fails_is_no_hot_loop_though_reads_succeed();
	a_write_that_succeeds_ends_a_row_of_conflicts();
	what_is_too_large_is_written_without_texts();
	retry_after_is_kept_to();
	a_refused_pod_is_tried_until_the_budget_ends();
	a_pod_that_was_there_is_looked_at();
	a_dead_node_does_not_hold_its_task();
	done_testing();
}
