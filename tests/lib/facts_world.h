/*
 * facts_world: the snapshot that facts (facts.h) stand for, with everything it points to.
 */
#ifndef TESTS_FACTS_WORLD_H
#define TESTS_FACTS_WORLD_H

#include "facts.h"

#include <string.h>

#define FACTS_NOW_MS   INT64_C(10000000)
#define FACTS_START_MS INT64_C(120000)
#define FACTS_UID      "11111111-2222-3333-4444-555555555555"

#define AT_DEADLINE (FACTS_NOW_MS - 5000 + FACTS_START_MS) /* of budgets that began 5 s ago */
/* The Pod's deadline, which is all start budget here, from when the kubelet can have seen it. */
#define OVERDUE (AT_DEADLINE + FACTS_START_MS + SNAPSHOT_OVERDUE_MS)

struct facts_world {
	struct snapshot snapshot;
	struct task task;
	struct pod pod;
	struct session_view session;
	struct ending ending;
	struct refusal refusal;
	struct plan plan;
	struct podstatus create_refused;
};

static inline void facts_make_pod(struct facts_world *w, const struct facts *f)
{
	struct pod *pod = &w->pod;

	pod->uid = f->flaw == POD_HAS_OTHER_UID || f->flaw == POD_IS_FOREIGN ? STR("other-uid")
									     : STR("pod-uid");
	pod->plan = f->flaw == POD_HAS_OTHER_PLAN || f->flaw == POD_IS_FOREIGN ? STR("other")
									       : STR("plan");
	pod->task_uid = f->flaw == POD_IS_FOREIGN || f->flaw == POD_IS_UNLABELLED ? STR("")
										  : STR(FACTS_UID);
	pod->deleting = f->pod_deleting;
	pod->phase = STR("Pending");
	if (f->pod == POD_RUNNING) {
		pod->phase = STR("Running");
		pod->container.state = POD_CONTAINER_RUNNING;
	} else if (f->pod == POD_EVICTED) {
		pod->phase = STR("Failed");
		pod->reason = STR("Evicted");
	}
}

static inline void facts_make_task(struct facts_world *w, const struct facts *f)
{
	struct task *task = &w->task;

	task->uid = STR(FACTS_UID);
	task->deleting = f->task_deleting;
	task->spec.class_name = STR("large");
	task->spec.start_seconds = TASK_NOT_GIVEN;
	task->status.phase = f->phase;
	task->status.attempt = f->attempt;
	if (f->marked) {
		task->status.started_at = STR("2026-01-01T00:00:00Z");
		task->status.pod_uid = STR("pod-uid");
		task->status.plan_sha256 = str_of(w->plan.sha256);
	}
}

static inline void facts_make_session(struct facts_world *w, const struct facts *f)
{
	w->ending = (struct ending){
		.whole = !f->ending_not_whole, .kind = f->ending, .exit_code = f->exit_code};
	w->session.stage = f->stage;
	w->session.hello_seen = f->stage >= SESSION_READY;
	if (f->stage == SESSION_PULLED)
		w->session.ending = &w->ending;
	if (f->stage == SESSION_FAILED) {
		w->session.failure = REASON_IsolationUnverified;
		w->session.failure_text = STR("layer seccomp is missing");
	}
}

static inline void facts_make_class(struct facts_world *w, const struct facts *f)
{
	static const enum admission admissions[] = {ADMISSION_GRANTED, ADMISSION_WAITING,
						    ADMISSION_FULL};

	w->plan.start_seconds = FACTS_START_MS / 1000;
	plan_hash(STR("plan"), w->plan.sha256);
	if (f->refused) {
		w->refusal.reason = REASON_InvalidSpec;
		memcpy(w->refusal.message, "spec.code is empty", sizeof("spec.code is empty"));
	}
	if (f->creation == CREATION_REFUSED)
		podstatus_of_refusal(403, STR("exceeded quota"), &w->create_refused);
	else if (f->creation == CREATION_HOPELESS)
		podstatus_of_refusal(422, STR("invalid"), &w->create_refused);
	w->snapshot.admission = admissions[f->admission];
}

static inline const struct snapshot *facts_build(struct facts_world *w, const struct facts *f)
{
	static const enum knowledge task_known[] = {KNOWN_PRESENT, KNOWN_UNSEEN, KNOWN_ABSENT};
	struct snapshot *s = &w->snapshot;
	int64_t since_ms = f->expired ? FACTS_NOW_MS - FACTS_START_MS : FACTS_NOW_MS - 5000;

	*w = (struct facts_world){0};
	facts_make_class(w, f);
	facts_make_task(w, f);
	facts_make_pod(w, f);
	facts_make_session(w, f);
	s->now_ms = FACTS_NOW_MS;
	s->leading = !f->not_leading;
	s->task_uid = STR(FACTS_UID);
	s->task_known = task_known[f->task];
	s->task = s->task_known == KNOWN_PRESENT ? &w->task : NULL;
	s->refusal = &w->refusal;
	s->plan = f->refused || f->class_missing ? NULL : &w->plan;
	s->network_ready = !f->network_open;
	s->pod_known = f->pod == POD_OUT_OF_SIGHT ? KNOWN_UNSEEN
		       : f->pod == POD_IS_GONE	  ? KNOWN_ABSENT
						  : KNOWN_PRESENT;
	s->pod = f->pod == POD_OUT_OF_SIGHT || f->pod == POD_IS_GONE ? NULL : &w->pod;
	s->pod_attempt = f->pod_attempt;
	s->pod_difference = f->flaw == POD_WAS_CHANGED ? "spec.hostNetwork" : NULL;
	s->attempts_seen = f->seen;
	s->is_event_read = f->event_read;
	s->is_other_pod_in_sight = f->other_in_sight;
	s->create_refused = f->creation == CREATION_NOT_TRIED ? NULL : &w->create_refused;
	s->create_again_ms = FACTS_NOW_MS + 1000;
	s->session = &w->session;
	s->are_outputs_missing = f->outputs > 0;
	s->final_too_large = f->final_too_large;
	s->class_missing_since_ms = s->pod_since_ms = s->pod_deleting_since_ms = since_ms;
	s->admitted_since_ms = since_ms;
	s->queued_since_ms = f->just_queued ? FACTS_NOW_MS - 10 : since_ms;
	return s;
}

#endif
