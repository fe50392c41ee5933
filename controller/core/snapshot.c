#include "snapshot.h"

bool snapshot_pod_has_plan(const struct snapshot *s, struct str sha256)
{
	char found[PLAN_SHA256_SIZE];

	plan_hash(s->pod->plan, found);
	return str_equal(str_of(found), sha256);
}

bool snapshot_pod_is_ours(const struct snapshot *s)
{
	if (str_equal(s->pod->task_uid, s->task_uid))
		return true;
	if (s->task_known != KNOWN_PRESENT)
		return false;
	return (s->task->status.pod_uid.n > 0 && str_equal(s->pod->uid, s->task->status.pod_uid)) ||
	       snapshot_pod_has_plan(s, s->task->status.plan_sha256) ||
	       (s->plan && snapshot_pod_has_plan(s, str_of(s->plan->sha256)));
}

bool snapshot_runner_hears_us(const struct snapshot *s)
{
	switch (s->session->stage) {
	case SESSION_READY:
	case SESSION_UPLOADING:
	case SESSION_RECEIVED:
	case SESSION_STARTING:
	case SESSION_INSTALLING:
	case SESSION_RUNNING:
	case SESSION_DONE:
	case SESSION_PULLING:
	case SESSION_PULLED: return true;
	case SESSION_NONE:
	case SESSION_CONNECTING:
	case SESSION_RELEASED:
	case SESSION_DISPLACED:
	case SESSION_SILENT:
	case SESSION_FAILED:
	case SESSION_STAGE_COUNT: break;
	}
	return false;
}

int64_t snapshot_start_budget_ms(const struct snapshot *s)
{
	if (s->plan)
		return s->plan->start_seconds * 1000;
	if (s->task->spec.start_seconds != TASK_NOT_GIVEN)
		return s->task->spec.start_seconds * 1000;
	return SNAPSHOT_START_SECONDS * 1000;
}

int64_t snapshot_overdue_ms(const struct snapshot *s)
{
	int64_t end_ms = s->pod_since_ms;

	/* The deadline runs from when the kubelet has seen it, which the start budget bounds. */
	if (s->plan)
		end_ms += (s->plan->start_seconds + plan_deadline_seconds(s->plan)) * 1000;
	if (s->pod->deleting && s->pod_deleting_since_ms < end_ms)
		end_ms = s->pod_deleting_since_ms;
	return end_ms + SNAPSHOT_OVERDUE_MS;
}
