#include "reconcile.h"

#include "base/utf8.h"
#include "queue.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- Ways to decide. Each is the last thing that a rule does. --- */

static void wait_until(struct decision *d, int64_t wake_at_ms, const char *why)
{
	d->wake_at_ms = wake_at_ms;
	d->why = why;
}

/* Until an event: every wait that could be for ever has a budget, and then wait_until is used. */
static void wait_for_event(struct decision *d, const char *why)
{
	wait_until(d, RECONCILE_NEVER, why);
}

static void act(struct decision *d, enum effect effect, const char *why)
{
	d->effect = effect;
	wait_for_event(d, why);
}

/* Puts `text` into the decision, cut on a character. */
static void say(struct decision *d, struct str text)
{
	size_t n = utf8_floor(text, sizeof(d->message) - 1);

	if (n > 0)
		memcpy(d->message, text.p, n);
	d->message[n] = '\0';
}

static void end(const struct snapshot *s, struct decision *d, enum reason reason, struct str text,
		const char *why)
{
	d->reason = reason;
	d->without_texts = s->final_too_large;
	say(d, text);
	act(d, EFFECT_WRITE_FINAL, why);
}

__attribute__((format(printf, 5, 6))) static void end_in_words(const struct snapshot *s,
							       struct decision *d,
							       enum reason reason, const char *why,
							       const char *format, ...)
{
	char text[SNAPSHOT_MESSAGE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	end(s, d, reason, str_of(text), why);
}

static void describe(const struct podstatus *status, struct decision *d)
{
	struct buf text;

	buf_init(&text, sizeof(d->message) - 1);
	podstatus_describe(status, &text);
	say(d, buf_str(&text));
	buf_free(&text);
}

static void end_by_podstatus(const struct snapshot *s, struct decision *d,
			     const struct podstatus *status, const char *why)
{
	end(s, d, status->reason, STR(""), why);
	describe(status, d);
}

/* --- What is known. --- */

static bool pod_is_the_marked_one(const struct snapshot *s)
{
	return str_equal(s->pod->uid, s->task->status.pod_uid);
}

static struct podstatus podstatus_now(const struct snapshot *s, bool over)
{
	bool is_another = task_is_marked(s->task) && s->pod && !pod_is_the_marked_one(s);
	struct podstatus_evidence evidence = {
		.pod = is_another ? NULL : s->pod,
		.over = over,
		.marked = task_is_marked(s->task),
		.hello_seen = s->session->hello_seen,
		.event_reason = s->event_reason,
		.event_message = s->event_message,
	};
	struct podstatus status;

	podstatus(&evidence, &status);
	return status;
}

static bool pod_is_present(const struct snapshot *s)
{
	return s->pod_known == KNOWN_PRESENT;
}

static bool attempt_was_given_up(const struct snapshot *s)
{
	return s->pod_attempt <= s->task->status.attempt;
}

static int64_t attempts_used(const struct snapshot *s)
{
	return s->attempts_seen > s->task->status.attempt ? s->attempts_seen
							  : s->task->status.attempt;
}

/* --- The task is over: what is left of it goes. --- */

/* It only looks gone, maybe, like one whose label was stripped; not one that was being deleted. */
static bool pod_may_be_left(const struct snapshot *s)
{
	return s->pod_known == KNOWN_UNSEEN && !(s->pod && s->pod->deleting) &&
	       (s->attempts_seen > 0 || (s->task && s->task->status.attempt > 0));
}

static void sweep(const struct snapshot *s, struct decision *d, const char *why)
{
	bool is_ours = pod_is_present(s) && snapshot_pod_is_ours(s);

	if (pod_may_be_left(s))
		return act(d, EFFECT_READ_POD, "is a Pod left behind, out of sight?");
	if (is_ours && !s->pod->deleting)
		return act(d, EFFECT_DELETE_POD, why);
	if (s->is_other_pod_in_sight)
		return act(d, EFFECT_READ_OTHER_POD, "is another Pod left behind?");
	wait_for_event(d, is_ours ? "the Pod is being deleted" : "nothing is left");
}

/* Status first, Pod second; the runner is told in between, so that it goes without its grace. */
static void clean_up(const struct snapshot *s, struct decision *d)
{
	if (pod_is_present(s) && snapshot_pod_is_ours(s) && snapshot_runner_hears_us(s))
		return act(d, EFFECT_RELEASE, "the final status is written: the runner may go");
	sweep(s, d, "the final status is written: the Pod goes");
}

/* --- After the mark: the code may have started, and it is never started in another Pod. --- */

static bool outcome_is_here(const struct snapshot *s)
{
	return s->session->stage == SESSION_PULLED && s->session->ending->whole;
}

static void end_by_outcome(const struct snapshot *s, struct decision *d)
{
	const struct ending *ending = s->session->ending;
	struct podstatus stopped = podstatus_now(s, true);
	struct buf text;

	if (s->are_outputs_missing)
		return act(d, EFFECT_WRITE_OUTPUT, "the final status will refer to it");
	buf_init(&text, sizeof(d->message) - 1);
	ending_describe(ending, s->plan, &text);
	end(s, d, ending_reason(ending, stopped.reason), buf_str(&text),
	    "the outcome is here, whole");
	buf_free(&text);
	if (ending->kind == ENDING_STOPPED)
		describe(&stopped, d);
	d->with_ending = true;
}

/* Silent: the Pod's status may know why (a lost node); if it does not, the runner is to blame. */
static void end_by_silence(const struct snapshot *s, struct decision *d)
{
	struct podstatus status = podstatus_now(s, true);

	if (status.reason == REASON_Interrupted || status.reason == REASON_PodLost)
		return end(
			s, d, REASON_RunnerFailed,
			STR("the runner stopped answering, and its Pod's status does not say why"),
			"the runner is silent");
	end_by_podstatus(s, d, &status, "the runner is silent, and the Pod's status says why");
}

/* A Pod whose node is dead looks as it did for as long as there is a Node: no event tells of it. */
static void wait_for_reach(const struct snapshot *s, struct decision *d, const char *why)
{
	if (s->now_ms < snapshot_overdue_ms(s))
		return wait_until(d, snapshot_overdue_ms(s), why);
	end_by_silence(s, d);
}

static void end_by_session(const struct snapshot *s, struct decision *d)
{
	end(s, d, s->session->failure, s->session->failure_text, "the session can't go on");
}

static void drive_marked_session(const struct snapshot *s, struct decision *d)
{
	switch (s->session->stage) {
	case SESSION_NONE:
		return act(d, EFFECT_ATTACH, "the mark is set: the runner knows the rest");
	case SESSION_CONNECTING: return wait_for_reach(s, d, "attaching");
	case SESSION_READY:
		return act(d, EFFECT_UPLOAD, "marked, and the runner has no bundle yet");
	case SESSION_UPLOADING: return wait_for_event(d, "uploading");
	case SESSION_RECEIVED: return act(d, EFFECT_START, "marked and uploaded");
	case SESSION_STARTING: return wait_for_event(d, "starting");
	case SESSION_INSTALLING: return wait_for_event(d, "installing");
	case SESSION_RUNNING: return wait_for_event(d, "running");
	case SESSION_DONE: return act(d, EFFECT_PULL, "an outcome is sealed");
	case SESSION_PULLING: return wait_for_event(d, "pulling the outcome");
	case SESSION_PULLED:
		return end(s, d, REASON_RunnerFailed,
			   STR("the runner's outcome did not come whole"),
			   "the outcome is not whole");
	case SESSION_RELEASED: return wait_for_event(d, "released");
	case SESSION_DISPLACED:
		return end(
			s, d, REASON_Interrupted,
			STR("somebody else attached to the sandbox with a higher session number"),
			"a stranger is attached");
	case SESSION_SILENT: return end_by_silence(s, d);
	case SESSION_FAILED: return end_by_session(s, d);
	case SESSION_STAGE_COUNT: break;
	}
	assert(!"a stage outside the enum");
}

static void end_tampered(const struct snapshot *s, struct decision *d, const char *field)
{
	end_in_words(s, d, REASON_PodTampered, "the Pod is not the planned one",
		     "the sandbox's Pod is not as planned: %s", field);
}

static void after_mark(const struct snapshot *s, struct decision *d)
{
	struct podstatus status;

	if (outcome_is_here(s))
		return end_by_outcome(s, d);
	if (s->pod_known == KNOWN_UNSEEN)
		return act(d, EFFECT_READ_POD, "the marked Pod is out of sight");
	if (!pod_is_present(s) || !pod_is_the_marked_one(s)) {
		status = podstatus_now(s, true);
		return end_by_podstatus(s, d, &status, "the marked Pod is gone");
	}
	if (!snapshot_pod_has_plan(s, s->task->status.plan_sha256))
		return end_tampered(s, d, "metadata.annotations[sandboxtask.io/plan]");
	if (s->pod_difference)
		return end_tampered(s, d, s->pod_difference);
	status = podstatus_now(s, false);
	if (status.stage == PODSTATUS_ENDED)
		return end_by_podstatus(s, d, &status, "the marked Pod has ended");
	if (status.stage == PODSTATUS_WAITING && s->session->stage == SESSION_NONE)
		return wait_for_reach(s, d, "the kubelet has to find the container again");
	if (!s->plan && (s->session->stage == SESSION_NONE || s->session->stage == SESSION_READY))
		return end(s, d, REASON_Internal,
			   STR("the plan is of another version of the controller"),
			   "the frozen plan can't be read");
	drive_marked_session(s, d);
}

/* --- Before the mark: nothing has run, so another Pod is as good, a few times. --- */

static void next_attempt(const struct snapshot *s, struct decision *d,
			 const struct podstatus *status, int64_t attempt, const char *why)
{
	if (status->hopeless || attempt >= RECONCILE_ATTEMPTS_MAX)
		return end_by_podstatus(s, d, status, why);
	d->attempt = attempt;
	d->reason = status->reason;
	describe(status, d);
	act(d, EFFECT_WRITE_ATTEMPT, why);
}

static void wait_for_class(const struct snapshot *s, struct decision *d)
{
	int64_t deadline_ms = s->class_missing_since_ms + snapshot_start_budget_ms(s);

	if (s->now_ms < deadline_ms)
		return wait_until(d, deadline_ms, "the class is not there yet");
	if (s->are_labels_missing)
		return end(s, d, REASON_Internal,
			   STR("the labels of its namespace, by which its class chooses, are not "
			       "known"),
			   "the namespace did not come");
	end_in_words(s, d, REASON_ClassNotFound, "the class did not come",
		     "spec.sandboxClassName: there was no SandboxClass %.*s within %" PRId64 " s",
		     STR_ARGS(s->task->spec.class_name), snapshot_start_budget_ms(s) / 1000);
}

static void wait_in_queue(const struct snapshot *s, struct decision *d)
{
	int64_t notice_ms = s->queued_since_ms + RECONCILE_QUEUE_NOTICE_MS;

	if (s->admission == ADMISSION_FULL) /* it had a Pod, so it may not be refused any more */
		return wait_until(d, s->now_ms + RECONCILE_FULL_MS, "no room to wait: asks again");
	if (s->task->status.phase == TASK_Queued)
		return wait_for_event(d, "queued");
	if (s->now_ms < notice_ms)
		return wait_until(d, notice_ms, "queued for a moment");
	act(d, EFFECT_WRITE_QUEUED, "the wait is long enough to be told");
}

static void end_uncreated(const struct snapshot *s, struct decision *d)
{
	if (s->create_refused)
		return end_by_podstatus(s, d, s->create_refused, "no Pod could be made");
	end_in_words(s, d, REASON_StartTimeout, "no Pod could be made",
		     "the sandbox's Pod could not be made within the start budget of %" PRId64 " s",
		     snapshot_start_budget_ms(s) / 1000);
}

static void create_pod(const struct snapshot *s, struct decision *d)
{
	int64_t deadline_ms = s->admitted_since_ms + snapshot_start_budget_ms(s);

	if (s->create_refused && s->create_refused->hopeless)
		return end_by_podstatus(s, d, s->create_refused, "no Pod can be made");
	if (s->now_ms >= deadline_ms)
		return end_uncreated(s, d);
	if (!s->network_ready) {
		act(d, EFFECT_WRITE_NETWORK_POLICY, "no Pod before its network is closed");
		d->wake_at_ms = deadline_ms;
		return;
	}
	if (s->create_refused && s->now_ms < s->create_again_ms)
		return wait_until(
			d, s->create_again_ms < deadline_ms ? s->create_again_ms : deadline_ms,
			"the Pod was refused: later again");
	d->attempt = attempts_used(s) + 1;
	act(d, EFFECT_CREATE_POD, "admitted");
}

static void without_pod(const struct snapshot *s, struct decision *d)
{
	struct podstatus lost;

	if (attempts_used(s) > 0 && s->pod_known != KNOWN_ABSENT)
		return act(d, EFFECT_READ_POD, "no second Pod before the first is surely gone");
	if (s->attempts_seen > s->task->status.attempt) {
		lost = podstatus_now(s, true);
		return next_attempt(s, d, &lost, s->attempts_seen,
				    "the Pod is gone before the mark");
	}
	if (s->is_other_pod_in_sight)
		return act(d, EFFECT_READ_OTHER_POD, "no second Pod beside one that somebody made");
	if (attempts_used(s) >= RECONCILE_ATTEMPTS_MAX)
		return end_in_words(s, d, REASON_PodLost, "no attempt is left",
				    "all its %d Pods were lost", RECONCILE_ATTEMPTS_MAX);
	if (s->admission == ADMISSION_FULL && attempts_used(s) == 0)
		return end_in_words(s, d, REASON_QueueFull, "the queue is full",
				    "%d tasks of SandboxClass %.*s wait already, the most that may",
				    QUEUE_WAITING_MAX, STR_ARGS(s->task->spec.class_name));
	if (s->admission != ADMISSION_GRANTED)
		return wait_in_queue(s, d);
	create_pod(s, d);
}

static void drive_unmarked_session(const struct snapshot *s, struct decision *d,
				   int64_t deadline_ms)
{
	static const struct podstatus silent = {.stage = PODSTATUS_ENDED,
						.reason = REASON_RunnerFailed,
						.what = "the runner stopped answering"};

	switch (s->session->stage) {
	case SESSION_NONE: return act(d, EFFECT_ATTACH, "the sandbox runs");
	case SESSION_CONNECTING: return wait_until(d, deadline_ms, "attaching");
	case SESSION_READY: return act(d, EFFECT_UPLOAD, "the sandbox is verified");
	case SESSION_UPLOADING:
	case SESSION_RECEIVED:
		/* It travels while the bundle uploads; START waits for both. */
		d->attempt = s->pod_attempt;
		return act(d, EFFECT_WRITE_MARK,
			   "verified: the run will begin here and nowhere else");
	case SESSION_STARTING:
	case SESSION_INSTALLING:
	case SESSION_RUNNING:
	case SESSION_DONE:
	case SESSION_PULLING:
	case SESSION_PULLED:
	case SESSION_RELEASED: return end_tampered(s, d, "its runner was started by somebody else");
	case SESSION_DISPLACED:
		return end_tampered(s, d, "somebody else attached with a higher session number");
	case SESSION_SILENT:
		return next_attempt(s, d, &silent, s->pod_attempt, "the runner is silent");
	case SESSION_FAILED: return end_by_session(s, d);
	case SESSION_STAGE_COUNT: break;
	}
	assert(!"a stage outside the enum");
}

static void wait_for_deletion(const struct snapshot *s, struct decision *d, int64_t deadline_ms)
{
	struct podstatus status;

	if (s->now_ms < deadline_ms)
		return wait_until(d, deadline_ms, "the Pod is being deleted");
	status = podstatus_now(s, true);
	end_by_podstatus(s, d, &status, "the Pod does not go away");
}

/* What the Pod's status does not tell, an Event may: looked for once, when it is about to count. */
static void end_while_waiting(const struct snapshot *s, struct decision *d,
			      const struct podstatus *status)
{
	if (status->reason == REASON_StartTimeout && !s->is_event_read)
		return act(d, EFFECT_READ_EVENT, "the sandbox is not up: an Event may say why");
	end_by_podstatus(s, d, status, "the sandbox is not up");
}

static void with_pod(const struct snapshot *s, struct decision *d)
{
	static const struct podstatus outdated = {
		.stage = PODSTATUS_ENDED,
		.reason = REASON_SourceChanged,
		.what = "the class changed while the sandbox was starting"};
	int64_t deadline_ms = s->pod_since_ms + snapshot_start_budget_ms(s);
	struct podstatus status;

	if (!snapshot_pod_is_ours(s))
		return end_tampered(s, d, "there is a Pod of its name that is not ours");
	if (s->pod->deleting)
		return wait_for_deletion(s, d, deadline_ms);
	if (attempt_was_given_up(s))
		return act(d, EFFECT_DELETE_POD, "this attempt was given up");
	if (!snapshot_pod_has_plan(s, str_of(s->plan->sha256)))
		return next_attempt(s, d, &outdated, s->pod_attempt, "the plan has changed");
	if (s->pod_difference)
		return end_tampered(s, d, s->pod_difference);
	status = podstatus_now(s, false);
	if (status.stage == PODSTATUS_ENDED)
		return next_attempt(s, d, &status, s->pod_attempt,
				    "the Pod has ended before the mark");
	if (status.stage == PODSTATUS_WAITING && (status.hopeless || s->now_ms >= deadline_ms))
		return end_while_waiting(s, d, &status);
	if (status.stage == PODSTATUS_WAITING)
		return wait_until(d, deadline_ms, "the sandbox is on its way");
	if (s->now_ms >= deadline_ms && s->session->stage != SESSION_FAILED)
		return end_in_words(s, d, REASON_StartTimeout, "the start budget is over",
				    "the sandbox was up, but not ready, when the start budget of "
				    "%" PRId64 " s ended",
				    snapshot_start_budget_ms(s) / 1000);
	drive_unmarked_session(s, d, deadline_ms);
}

static void before_mark(const struct snapshot *s, struct decision *d)
{
	if (s->refusal->reason != REASON_NONE)
		return end(s, d, s->refusal->reason, str_of(s->refusal->message),
			   "task and class don't fit");
	if (!s->plan)
		return wait_for_class(s, d);
	if (pod_is_present(s))
		return with_pod(s, d);
	without_pod(s, d);
}

/* --- All of it. --- */

void reconcile(const struct snapshot *s, struct decision *d)
{
	*d = (struct decision){.wake_at_ms = RECONCILE_NEVER};
	if (!s->leading)
		return wait_for_event(d, "another controller leads");
	if (s->task_known == KNOWN_UNSEEN)
		return act(d, EFFECT_READ_TASK, "the task is out of sight");
	if (s->task_known == KNOWN_ABSENT || s->task->deleting)
		return sweep(s, d, "the task is deleted: its Pod goes");
	if (task_is_terminal(s->task))
		return clean_up(s, d);
	if (task_is_marked(s->task))
		return after_mark(s, d);
	before_mark(s, d);
}

const char *reconcile_effect_name(enum effect effect)
{
	static const char *const names[EFFECT_COUNT] = {
#define X(name) [EFFECT_##name] = #name,
		RECONCILE_EFFECTS(X)
#undef X
	};

	assert(effect < EFFECT_COUNT);
	return names[effect];
}
