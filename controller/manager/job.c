#include "job.h"

#include "base/mem.h"
#include "core/decode_pod.h"
#include "core/decode_task.h"
#include "term.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(char *to, size_t size, struct str from)
{
	size_t n = from.n < size ? from.n : size - 1;

	if (n > 0)
		memcpy(to, from.p, n);
	to[n] = '\0';
}

/* --- Its life. --- */

struct job *job_new(struct term *term, struct str uid, struct str in_namespace, struct str name)
{
	struct job *job = mem_new(1, sizeof(*job));

	job->term = term;
	copy_text(job->uid, sizeof(job->uid), uid);
	copy_text(job->in_namespace, sizeof(job->in_namespace), in_namespace);
	copy_text(job->name, sizeof(job->name), name);
	job->since_ms = term_now_ms(job->term);
	job->queued_ms = job->admitted_ms = job->started_ms = job->done_ms = JOB_NO_TIME;
	job->class_missing_ms = JOB_NO_TIME;
	buf_init(&job->create_refusal_text, ERR_MESSAGE_SIZE);
	return job;
}

void job_forget_plan(struct job *job)
{
	if (job->plan)
		plan_free(job->plan);
	free(job->plan);
	job->plan = NULL;
	job->plan_is_frozen = false;
	job->judged_version = 0;
	job->pod.is_compared = false;
}

static void free_task(struct job *job)
{
	if (job->task)
		decode_task_free(job->task);
	free(job->task);
	job->task = NULL;
}

static void discard_pod(struct pod *pod, char *json)
{
	if (pod)
		decode_pod_free(pod);
	free(pod);
	free(json);
}

static void free_pod(struct job_pod *pod)
{
	discard_pod(pod->pod, pod->json);
	free(pod->event_reason);
	free(pod->event_message);
	pod->pod = NULL;
	pod->json = pod->event_reason = pod->event_message = NULL;
}

void job_delete(struct job *job)
{
	if (job->call)
		client_cancel(job->call);
	run_delete(job->run);
	free(job->unsure);
	places_leave(term_places(job->term), str_of(job->uid));
	job_forget_plan(job);
	free_task(job);
	free_pod(&job->pod);
	buf_free(&job->create_refusal_text);
	free(job);
}

/* --- The task. --- */

static bool is_marked_run(const struct job *job)
{
	return job->task && task_is_marked(job->task) && !task_is_terminal(job->task);
}

/* By its name, a Pod can't be the one that the mark names. */
static bool is_not_of_the_mark(const struct job *job, struct str in_namespace, int64_t attempt)
{
	const struct task_status *status = &job->task->status;

	return attempt != status->attempt ||
	       (status->pod_namespace.n > 0 && !str_equal(in_namespace, status->pod_namespace));
}

int job_note_task(struct job *job, struct str json, struct err *err)
{
	struct task *task = mem_new(1, sizeof(*task));

	if (decode_task(task, json, err) < 0) {
		decode_task_free(task);
		free(task);
		return -1;
	}
	free_task(job);
	job->task = task;
	job->judged_version = 0;
	job->task_known = kube_object_is_newer(str_of(job->seen_version), task->resource_version)
				  ? KNOWN_UNSEEN
				  : KNOWN_PRESENT;
	if (!str_equal(task->uid, str_of(job->uid)))
		job_note_task_absent(job); /* another task of that name: ours is gone */
	else if (is_marked_run(job) && job->pod.pod &&
		 is_not_of_the_mark(job, job->pod.pod->namespace, job->pod.attempt))
		job_doubt_pod(job); /* the Pod that was seen is not the one that runs */
	return 0;
}

void job_note_task_absent(struct job *job)
{
	job_unload(job);
	job->task_known = KNOWN_ABSENT;
}

bool job_note_version(struct job *job, const char *version)
{
	if (kube_object_is_newer(str_of(version), str_of(job->seen_version)))
		copy_text(job->seen_version, sizeof(job->seen_version), str_of(version));
	if (!job->task || !kube_object_is_newer(str_of(version), job->task->resource_version))
		return false;
	job_doubt_task(job);
	return true;
}

bool job_note_name(struct job *job, struct str in_namespace, struct str name)
{
	if (str_equal(in_namespace, str_of(job->in_namespace)) &&
	    str_equal(name, str_of(job->name)))
		return false;
	copy_text(job->in_namespace, sizeof(job->in_namespace), in_namespace);
	copy_text(job->name, sizeof(job->name), name);
	job_unload(job);
	return true;
}

void job_doubt_task(struct job *job)
{
	if (job->task_known == KNOWN_PRESENT)
		job->task_known = KNOWN_UNSEEN;
}

void job_unload(struct job *job)
{
	free_task(job);
	job_forget_plan(job);
	job->task_known = KNOWN_UNSEEN;
}

/* --- The Pod. --- */

/* What is known of the one before is not of this one; but an outcome that is here stays. */
static void begin_pod(struct job *job)
{
	if (!job->run || !run_has_outcome(job->run)) {
		run_delete(job->run);
		job->run = NULL;
	}
	job->is_create_refused = false;
	job->pod.since_ms = term_now_ms(job->term);
}

static void replace_pod(struct job *job, struct pod *pod, char *json)
{
	struct job_pod *p = &job->pod;
	bool is_another = !p->pod || !str_equal(p->pod->uid, pod->uid);
	bool was_deleting = !is_another && p->pod->deleting;
	char *event_reason = p->event_reason, *event_message = p->event_message;

	p->event_reason = p->event_message = NULL;
	free_pod(p);
	p->pod = pod;
	p->json = json;
	p->is_compared = false;
	if (!was_deleting)
		p->deleting_since_ms = term_now_ms(job->term);
	if (is_another) {
		free(event_reason);
		free(event_message);
		begin_pod(job);
	} else {
		p->event_reason = event_reason;
		p->event_message = event_message;
	}
}

static bool has_another_name(const struct pod *a, const struct pod *b)
{
	return !str_equal(a->name, b->name) || !str_equal(a->namespace, b->namespace);
}

/* By what the task said last: what makes a Pod ours does not change. */
static bool pod_is_ours(const struct job *job)
{
	const struct snapshot s = {
		.task_uid = str_of(job->uid),
		.task_known = job->task ? KNOWN_PRESENT : KNOWN_UNSEEN,
		.task = job->task,
		.plan = job->plan,
		.pod = job->pod.pod,
	};

	return snapshot_pod_is_ours(&s);
}

/* The mark says which one runs: whoever makes another one meanwhile does not end that run. */
static bool is_beside_the_marked(const struct job *job, const struct pod *pod, int64_t attempt)
{
	const struct job_pod *known = &job->pod;

	return is_not_of_the_mark(job, pod->namespace, attempt) ||
	       (known->known == KNOWN_PRESENT && has_another_name(pod, known->pod) &&
		str_equal(known->pod->uid, job->task->status.pod_uid));
}

/* Likewise before the mark, and after the end: another one's turn comes when ours is gone. */
static bool is_beside(const struct job *job, const struct pod *pod, int64_t attempt)
{
	const struct job_pod *known = &job->pod;

	if (is_marked_run(job))
		return is_beside_the_marked(job, pod, attempt);
	if (!known->pod || !has_another_name(pod, known->pod))
		return false;
	if (known->known == KNOWN_ABSENT)
		return attempt < known->attempt; /* told late; if it is there, it is in sight */
	return known->known == KNOWN_UNSEEN || pod_is_ours(job);
}

/*
 * It is what is known already, or older. Of one in doubt the same version counts as well: when a
 * Pod leaves a selection, the watch tells how it was before, with the version of the change.
 */
static bool is_old_news(const struct job *job, const struct pod *pod)
{
	const struct job_pod *known = &job->pod;

	if (!known->pod || has_another_name(pod, known->pod))
		return false;
	if (known->known != KNOWN_PRESENT &&
	    str_equal(pod->resource_version, known->pod->resource_version))
		return false;
	return !kube_object_is_newer(pod->resource_version, known->pod->resource_version);
}

/* `if_due`: unless it is old news, or beside the one that is looked at. */
static int note_pod(struct job *job, struct str json, bool if_due, struct err *err)
{
	struct pod *pod = mem_new(1, sizeof(*pod));
	char *text = mem_copy_string(json.p, json.n);
	int64_t attempt;

	if (decode_pod(pod, (struct str){text, json.n}, err) < 0) {
		discard_pod(pod, text);
		return -1;
	}
	attempt = pod_attempt(pod->name, str_of(job->uid));
	if (if_due && (is_beside(job, pod, attempt) || is_old_news(job, pod))) {
		discard_pod(pod, text);
		return 0;
	}
	job->pod.attempt = attempt;
	job->pod.known = KNOWN_PRESENT;
	job_note_attempt(job, attempt);
	replace_pod(job, pod, text);
	return 0;
}

int job_note_pod(struct job *job, struct str json, struct err *err)
{
	return note_pod(job, json, true, err);
}

int job_note_other_pod(struct job *job, struct str json, struct err *err)
{
	if (note_pod(job, json, false, err) < 0)
		return -1;
	run_delete(job->run); /* with the one before: all that came of it has been written */
	job->run = NULL;
	return 0;
}

void job_doubt_pod(struct job *job)
{
	job->pod.known = KNOWN_UNSEEN;
}

static int64_t last_attempt(const struct job *job)
{
	int64_t attempt = job->pod.attempts_seen;

	return job->task && job->task->status.attempt > attempt ? job->task->status.attempt
								: attempt;
}

/* That of an earlier attempt says nothing about the last one's, which may be there. */
void job_note_pod_absent(struct job *job)
{
	bool is_earlier = job->pod.pod && job->pod.attempt < last_attempt(job);

	job->pod.known = KNOWN_ABSENT;
	if (is_earlier && !is_marked_run(job))
		job_forget_pod(job);
}

void job_forget_pod(struct job *job)
{
	free_pod(&job->pod);
	job->pod.known = KNOWN_UNSEEN;
}

void job_note_attempt(struct job *job, int64_t attempt)
{
	if (attempt > job->pod.attempts_seen)
		job->pod.attempts_seen = attempt;
}

/* --- What follows. --- */

bool job_task_is_over(const struct job *job)
{
	return job->task_known == KNOWN_ABSENT ||
	       (job->task_known == KNOWN_PRESENT &&
		(task_is_terminal(job->task) || job->task->deleting));
}

bool job_is_over(const struct job *job)
{
	return job_task_is_over(job) && job->pod.known != KNOWN_PRESENT;
}

struct str job_pod_namespace(const struct job *job)
{
	bool is_marked = is_marked_run(job) && job->task->status.pod_namespace.n > 0;

	if (job->pod.pod && !is_marked)
		return job->pod.pod->namespace;
	if (job->task && job->task->status.pod_namespace.n > 0)
		return job->task->status.pod_namespace;
	return job->plan ? job->plan->pod_namespace : STR("");
}

bool job_pod_name(const struct job *job, char name[POD_NAME_SIZE])
{
	int64_t attempt = job->pod.pod ? job->pod.attempt : last_attempt(job);

	if (is_marked_run(job))
		attempt = job->task->status.attempt;
	return attempt > 0 && pod_name(name, str_of(job->uid), attempt) == 0;
}

const struct kube_object *job_other_pod(const struct job *job)
{
	if (job_task_is_over(job))
		return term_pod_other(job->term, job);
	if (job->pod.known == KNOWN_PRESENT || is_marked_run(job) || last_attempt(job) == 0)
		return NULL;
	return term_pod_other(job->term, job);
}
