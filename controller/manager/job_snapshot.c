/* job_snapshot: the facts of a job as reconcile wants them. */
#include "job.h"

#include "term.h"

#include <assert.h>
#include <string.h>

/* --- The Pod and the planned one. --- */

/*
 * The planned Pod is made without the class's labels and annotations: they are for others, are no
 * part of the plan, and may have changed.
 */
static void compare(struct job *job)
{
	struct job_pod *p = &job->pod;
	struct pod_request request = {
		.plan = job->plan,
		.task_name = str_of(job->name),
		.task_namespace = str_of(job->in_namespace),
		.task_uid = str_of(job->uid),
		.attempt = p->attempt,
	};
	struct buf planned;
	struct err err;
	int result;

	if (p->is_compared)
		return;
	buf_init(&planned, POD_BYTES_MAX);
	result = pod_write(&planned, &request, &err);
	assert(result == 0);
	if (!pod_difference(buf_str(&planned), p->pod->json, p->difference))
		p->difference[0] = '\0';
	p->is_compared = true;
	buf_free(&planned);
}

static const char *difference(struct job *job)
{
	if (job->pod.known != KNOWN_PRESENT || !job->plan)
		return NULL;
	compare(job);
	return job->pod.difference[0] ? job->pod.difference : NULL;
}

static struct str text_or_empty(const char *text)
{
	return text ? str_of(text) : STR("");
}

static void set_pod(struct job *job, struct snapshot *s)
{
	const struct job_pod *p = &job->pod;

	s->pod_known = p->known;
	s->pod = p->pod;
	s->pod_attempt = p->attempt;
	s->pod_since_ms = p->since_ms;
	s->pod_deleting_since_ms = p->deleting_since_ms;
	s->pod_difference = difference(job);
	s->attempts_seen = p->attempts_seen;
	s->is_event_read = p->event_reason != NULL;
	s->is_other_pod_in_sight = job_other_pod(job) != NULL;
	s->event_reason = text_or_empty(p->event_reason);
	s->event_message = text_or_empty(p->event_message);
}

/* --- What stands in the way of making one. --- */

static void set_creation(struct job *job, struct snapshot *s)
{
	struct space *space = job->plan ? term_space(job->term, job->plan->pod_namespace) : NULL;

	s->network_ready = space && space->is_closed;
	if (job->is_create_refused) {
		s->create_refused = &job->create_refusal;
		s->create_again_ms = job->create_again_ms;
	} else if (space && space->is_refused && !space->is_closed) {
		s->create_refused = &space->refusal;
	}
}

/* --- All of it. --- */

static void set_session(struct job *job, struct snapshot *s, struct session_view *view)
{
	*view = (struct session_view){.stage = SESSION_NONE};
	if (job->run)
		run_view(job->run, view);
	s->session = view;
	if (view->ending)
		s->are_outputs_missing = run_stream_to_write(job->run) >= 0;
}

void job_snapshot(struct job *job, struct snapshot *s, struct session_view *view)
{
	const struct term_config *config = term_config(job->term);

	job_judge(job);
	*s = (struct snapshot){
		.now_ms = term_now_ms(job->term),
		.leading = election_is_leading(config->election),
		.task_uid = str_of(job->uid),
		.task_known = job->task_known,
		.task = job->task,
		.refusal = &job->refusal,
		.plan = job->plan,
		.class_missing_since_ms = job->class_missing_ms,
		.are_labels_missing = job->are_labels_missing,
		.admission = job->admission,
		.queued_since_ms = job->queued_ms,
		.admitted_since_ms = job->admitted_ms,
		.final_too_large = job->final_too_large,
	};
	set_pod(job, s);
	set_creation(job, s);
	set_session(job, s, view);
}
