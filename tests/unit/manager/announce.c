#include "manager/announce.h"

#include "manager/term_internal.h"

#include "base/json.h"
#include "base/json_string.h"
#include "core/isolation.h"
#include "leader.h"
#include "tap.h"

#include <stdio.h>

static struct leader l;
static struct job *job;
static struct err err;

#define POD                                                                                   \
	"{'metadata':{'name':'sbt-11111111222233334444555555555555-1','namespace':"           \
	"'sandboxtask-pods','uid':'p1','resourceVersion':'20'},'spec':{'nodeName':'node-1'}," \
	"'status':{'containerStatuses':[{'name':'sandbox','imageID':'image@sha256:1'}]}}"
#define FINAL                                                                          \
	"{'phase':'Failed','reason':'NonZeroExit','startedAt':'2026-01-02T03:04:05Z'," \
	"'attempt':1,'podUID':'p1','podName':'sbt-11111111222233334444555555555555-1'}"

/* A task whose code and input hold a canary, which an announcement must not. */
static void begin(const char *status)
{
	char text[2048];

	leader_open(&l);
	leader_on(&l, "GET", LEADER_TASK, 200, "")->hangs = true;
	leader_begin(&l);
	job = term_add_job(l.term, STR(LEADER_UID), STR("team"), STR("answer"));
	snprintf(text, sizeof(text), LEADER_TASK_OF("team", "answer", LEADER_UID, "10", "%s"),
		 OBJECTS_PENDING);
	job_note_task(job, json_of(text), &err);
	job_judge(job);
	snprintf(text, sizeof(text), LEADER_TASK_OF("team", "answer", LEADER_UID, "11", "%s"),
		 status);
	job_note_task(job, json_of(text), &err);
	job_note_pod(job, json_of(POD), &err);
	buf_clear(&l.lines);
}

/* Nothing that was said holds what the user gave or the program printed. */
static void finish(void)
{
	const char *event = leader_body(&l, "POST", "/events?");

	ok(!strstr(l.lines.data ? l.lines.data : "", "canary"),
	   "  the log holds nothing of users'");
	ok(!event || !strstr(event, "canary"), "  nor does an Event");
	leader_close(&l);
}

static void decide(enum effect effect, enum reason reason, const char *message)
{
	job->decision = (struct decision){.effect = effect, .reason = reason};
	snprintf(job->decision.message, sizeof(job->decision.message), "%s", message);
}

static void every_effect_has_a_line(void)
{
	for (int effect = EFFECT_NONE + 1; effect < EFFECT_COUNT; effect++) {
		begin(OBJECTS_PENDING);
		decide((enum effect)effect, REASON_NONE, "");
		announce_done(job);
		like(l.lines.data,
		     "^[^ ]+ (debug|info|warning) \"[a-z ]+\" task=team/answer uid=" LEADER_UID
		     " pod=sbt-11111111222233334444555555555555-1",
		     "%s is one line, with what it is about",
		     reconcile_effect_name((enum effect)effect));
		finish();
	}
}

static void a_failure_has_one_too(void)
{
	struct err failure;

	begin(OBJECTS_PENDING);
	decide(EFFECT_CREATE_POD, REASON_NONE, "");
	err_set(&failure, ERR_FORBIDDEN, "POST /pods: HTTP 403: exceeded quota");
	failure.http_status = 403;
	announce_failed(job, &failure);
	like(l.lines.data,
	     "warning \"request failed\" task=team/answer uid=" LEADER_UID
	     " effect=CREATE_POD error=Forbidden http=403 detail=\"POST /pods: HTTP "
	     "403: exceeded quota\"",
	     "with effect and error");
	finish();
}

static void some_are_events(void)
{
	static const struct {
		enum effect effect;
		enum reason reason;
		const char *action, *event_reason, *type, *note;
	} rows[] = {
		{EFFECT_CREATE_POD, REASON_NONE, "CreatePod", "PodCreated", "Normal",
		 "The sandbox's Pod is created"},
		{EFFECT_WRITE_ATTEMPT, REASON_Evicted, "GiveUpPod", "Evicted", "Warning", "why"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str body, value;
		const struct {
			const char *key, *wanted;
		} members[] = {
			{"action", rows[i].action},
			{"reason", rows[i].event_reason},
			{"type", rows[i].type},
			{"note", rows[i].note},
			{"reportingController", "sandboxtask.io/controller"},
			{"reportingInstance", "me"},
		};

		begin(OBJECTS_PENDING);
		decide(rows[i].effect, rows[i].reason, "why");
		announce_done(job);
		cmp_ok(leader_count(&l, "POST", "/apis/events.k8s.io/v1/namespaces/team/events?"),
		       "==", 1, "%s is an Event in the task's namespace", rows[i].action);
		body = str_of(leader_body(&l, "POST", "/events?"));
		for (size_t m = 0; m < sizeof(members) / sizeof(members[0]); m++)
			ok(json_find(body, str_of(members[m].key), &value) &&
				   json_string_equal(value, str_of(members[m].wanted)),
			   "  its %s is %s", members[m].key, members[m].wanted);
		like(body.p, "\"regarding\":\\{[^}]*\"name\":\"answer\"", "  about the task");
		like(body.p, "\"related\":\\{[^}]*\"uid\":\"p1\"", "  and its Pod");
		finish();
	}
	begin(OBJECTS_PENDING);
	decide(EFFECT_WRITE_MARK, REASON_NONE, "");
	announce_done(job);
	cmp_ok(leader_count(&l, "POST", "/events?"), "==", 0, "a usual step is none");
	finish();
}

/* --- The end. --- */

static void end(bool with_ending, enum reason reason)
{
	static const struct ending ENDING = {
		.whole = true,
		.kind = ENDING_EXITED,
		.exit_code = 3,
		.stdout_kept = {.head = {"canary", 6}, .bytes = 6},
		.stderr_kept = {.bytes = 0},
		.run_ms = 1500,
		.cpu_ms = 900,
		.memory_peak_bytes = 12345,
	};
	struct session_view view = {.stage = SESSION_PULLED, .ending = &ENDING};

	decide(EFFECT_WRITE_FINAL, reason, "the program ended with exit code 3");
	job->decision.with_ending = with_ending;
	announce_end(job, &view);
}

static void an_end_is_one_line_for_audits(void)
{
	static const char *const parts[] = {
		"info \"task finished\" task=team/answer uid=" LEADER_UID " reason=NonZeroExit",
		" category=User class=default codeSHA256=[0-9a-f]{64} stdinSHA256=[0-9a-f]{64}",
		" planSHA256=[0-9a-f]{64} image=docker.io/sandboxtask/runner-python:1",
		" imageID=image@sha256:1 node=node-1 pod=sbt-11111111222233334444555555555555-1",
		" podUID=p1 attempt=1 ran=true exitCode=3 signal=- run_ms=1500 cpu_ms=900",
		" memoryPeakBytes=12345 stdoutBytes=6 stderrBytes=0",
	};

	begin(FINAL);
	end(true, REASON_NonZeroExit);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		like(l.lines.data, parts[i], "with%.50s", parts[i]);
	cmp_ok(l.metrics.finished[REASON_NonZeroExit], "==", 1, "it is counted");
	like(leader_body(&l, "POST", "/events?"), "\"reason\":\"NonZeroExit\"", "and an Event");
	like(leader_body(&l, "POST", "/events?"), "\"type\":\"Warning\"", "of a failure");
	finish();
}

static void an_end_without_an_outcome_invents_nothing(void)
{
	begin("{'phase':'Failed','reason':'Interrupted'}");
	end(false, REASON_Interrupted);
	like(l.lines.data,
	     " ran=false exitCode=-1 signal=- run_ms=-1 cpu_ms=-1 memoryPeakBytes=-1 "
	     "stdoutBytes=-1 stderrBytes=-1",
	     "what is not known says so, though a session has an outcome");
	finish();
	begin("{'phase':'Succeeded','reason':'Completed'}");
	end(true, REASON_Completed);
	like(leader_body(&l, "POST", "/events?"), "\"type\":\"Normal\"", "a success is no warning");
	finish();
}

static uint64_t measured(enum metrics_phase phase)
{
	uint64_t count = 0;

	for (int i = 0; i <= METRICS_BUCKETS; i++)
		count += l.metrics.phases[phase].counts[i];
	return count;
}

static void a_phase_is_measured_by_who_saw_its_beginning(void)
{
	begin(FINAL);
	job->started_ms = job->admitted_ms;
	end(true, REASON_NonZeroExit);
	cmp_ok(measured(METRICS_TOTAL), "==", 1, "a whole task that was seen is measured");
	cmp_ok(measured(METRICS_START), "==", 1, "as is its start");
	cmp_ok(measured(METRICS_RUN), "==", 1, "and its run");
	finish();
	begin(FINAL);
	end(true, REASON_NonZeroExit);
	cmp_ok(measured(METRICS_TOTAL), "==", 0, "one that another leader started is not");
	cmp_ok(measured(METRICS_START), "==", 0, "nor is its start");
	cmp_ok(measured(METRICS_RUN), "==", 1, "but its run is, which the runner measured");
	finish();
	begin("{'phase':'Failed','reason':'InvalidSpec'}");
	end(false, REASON_InvalidSpec);
	cmp_ok(measured(METRICS_TOTAL), "==", 1, "one that never ran is, from its first sight on");
	finish();
}

int main(void)
{
	every_effect_has_a_line();
	a_failure_has_one_too();
	some_are_events();
	an_end_is_one_line_for_audits();
	an_end_without_an_outcome_invents_nothing();
	a_phase_is_measured_by_who_saw_its_beginning();
	done_testing();
}
