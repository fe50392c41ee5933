/* job_judge: what becomes of a task by its class or its mark: refused, planned, given a place. */
#include "job.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "core/validate.h"
#include "term.h"

#include <stdlib.h>

/* --- Its plan. --- */

/* The mark froze the plan; it is in the Pod, or nowhere. */
static void take_frozen_plan(struct job *job)
{
	struct str sha256 = job->task->status.plan_sha256;
	struct plan *plan;
	struct err err;

	if (job->plan_is_frozen)
		return;
	if (job->plan && str_equal(str_of(job->plan->sha256), sha256)) {
		job->plan_is_frozen = true;
		return;
	}
	job_forget_plan(job);
	if (!job->pod.pod)
		return;
	plan = mem_new(1, sizeof(*plan));
	if (plan_read(plan, job->pod.pod->plan, &err) < 0 ||
	    !str_equal(str_of(plan->sha256), sha256)) {
		plan_free(plan);
		free(plan);
		return;
	}
	job->plan = plan;
	job->plan_is_frozen = true;
}

/*
 * The class, once it is known whether it is for this namespace. The task is there, so its namespace
 * is: when the watch has not told of it yet, then it has no labels only for us, and there are
 * selectors that match by a label's absence.
 */
static const struct class *find_class(struct job *job)
{
	const struct policy *policy = term_policy(job->term);
	const struct class *class = policy_class(policy, job->task->spec.class_name);

	job->are_labels_missing = class && class->namespace_selector.n > 0 &&
				  !policy_knows_namespace(policy, job->task->namespace);
	if (job->are_labels_missing)
		class = NULL;
	if (class)
		job->class_missing_ms = JOB_NO_TIME;
	else if (job->class_missing_ms == JOB_NO_TIME)
		job->class_missing_ms = term_now_ms(job->term);
	return class;
}

static void make_plan(struct job *job)
{
	const struct class *class;

	if (job->judged_version == term_policy(job->term)->version)
		return;
	job_forget_plan(job);
	job->judged_version = term_policy(job->term)->version;
	class = find_class(job);
	validate(job->task, class,
		 policy_namespace_labels(term_policy(job->term), job->task->namespace),
		 &job->refusal);
	if (!class || job->refusal.reason != REASON_NONE)
		return;
	job->plan = mem_new(1, sizeof(*job->plan));
	plan_make(job->plan, job->task, class);
}

static void note_mark(struct job *job)
{
	take_frozen_plan(job);
	if (job->run)
		run_note_mark(job->run);
}

/* --- Its place. --- */

static int64_t created_ms(const struct job *job)
{
	int64_t created_us;

	return rfc3339_parse(job->task->created_at, &created_us) ? created_us / 1000 : 0;
}

static void note_admission(struct job *job, enum admission admission)
{
	if (job->queued_ms == JOB_NO_TIME)
		job->queued_ms = term_now_ms(job->term);
	if (admission == ADMISSION_GRANTED && job->admitted_ms == JOB_NO_TIME)
		job->admitted_ms = term_now_ms(job->term);
}

static enum admission ask_for_place(struct job *job)
{
	struct places *places = term_places(job->term);
	struct str uid = str_of(job->uid);
	struct str class = job->task->spec.class_name, namespace = job->task->namespace;
	enum admission admission;

	if (task_is_marked(job->task) || job->pod.known == KNOWN_PRESENT)
		places_take(places, uid, class, namespace);
	admission = places_ask(places, uid, class, namespace, created_ms(job));
	if (admission != ADMISSION_WAITING)
		return admission;
	term_grant(job->term);
	return places_ask(places, uid, class, namespace, created_ms(job));
}

/* --- All of it. --- */

/* Out of sight it keeps its place, or its turn would be over before it can be read. */
void job_judge(struct job *job)
{
	job->admission = ADMISSION_WAITING;
	if (job_task_is_over(job)) {
		places_leave(term_places(job->term), str_of(job->uid));
		term_grant(job->term);
		return;
	}
	if (job->task_known != KNOWN_PRESENT)
		return;
	if (task_is_marked(job->task))
		note_mark(job);
	else
		make_plan(job);
	if (!task_is_marked(job->task) && !job->plan)
		return;
	job->admission = ask_for_place(job);
	note_admission(job, job->admission);
}
