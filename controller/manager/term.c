#include "term_internal.h"

#include "base/mem.h"
#include "effect.h"
#include "kinds.h"
#include "metrics.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int64_t term_now_ms(const struct term *term)
{
	return term->config.io->now_ms(term->config.io);
}

int64_t term_backoff_ms(const struct term *term, struct backoff *backoff, int64_t at_least_ms)
{
	int64_t delay_ms;
	uint32_t chance;

	term->config.io->random(term->config.io, &chance, sizeof(chance));
	delay_ms = backoff_next(backoff, term_now_ms(term), chance);
	return delay_ms < at_least_ms ? at_least_ms : delay_ms;
}

/* --- The queue of what is to be looked at. --- */

static void on_pump(void *context);

/* With as many looks as may be at one time, the end of one starts the pump again. */
void term_arm(struct term *term)
{
	struct io *io = term->config.io;
	int64_t due_ms = workqueue_next_ms(&term->queue);

	if (term->is_pumping)
		return;
	if (term->pump)
		io->timer_cancel(io, term->pump);
	term->pump = NULL;
	if (due_ms == WORKQUEUE_NEVER || term->looks >= TERM_EFFECTS_MAX ||
	    !policy_is_known(&term->policy))
		return;
	term->pump = io->timer_start(io, due_ms - term_now_ms(term), on_pump, term);
}

void term_wake(struct term *term, struct job *job, int64_t due_ms)
{
	int result = workqueue_add(&term->queue, str_of(job->uid), due_ms);

	assert(result == 0); /* the queue has room for every job that there can be */
	term_arm(term);
}

void term_wake_now(struct term *term, struct job *job)
{
	term_wake(term, job, term_now_ms(term));
}

void term_wake_space(struct term *term, const struct space *space)
{
	map_for_each (entry, &term->jobs) {
		/* Who waits for a place is read again when he has it, not before. */
		if (str_equal(job_pod_namespace(entry->value), str_of(space->name)))
			term_wake_now(term, entry->value);
	}
}

/* --- One look at one job. --- */

/* Who was held back and has a part of the share now is due; he keeps the part until his turn. */
static void wake_next_of_namespace(struct term *term, struct job *job)
{
	struct shares_part *part = shares_leave(&term->shares, &job->part);
	struct job *next;

	if (!part)
		return;
	next = list_item(part, struct job, part);
	workqueue_done(&term->queue, str_of(next->uid));
	term_wake_now(term, next);
}

static void end_look(struct term *term, struct job *job)
{
	wake_next_of_namespace(term, job);
	term->looks--;
	term_arm(term);
}

void term_done(struct term *term, struct job *job)
{
	workqueue_done(&term->queue, str_of(job->uid));
	term_wake_now(term, job);
	end_look(term, job);
}

void term_failed(struct term *term, struct job *job, const struct err *err)
{
	int64_t delay_ms = term_backoff_ms(term, &job->backoff, err->retry_after_ms);

	workqueue_failed(&term->queue, str_of(job->uid), term_now_ms(term) + delay_ms);
	end_look(term, job);
}

void term_rest(struct term *term, struct job *job, int64_t wake_at_ms)
{
	workqueue_done(&term->queue, str_of(job->uid));
	if (wake_at_ms != RECONCILE_NEVER)
		term_wake(term, job, wake_at_ms);
	end_look(term, job);
}

static void remove_job(struct term *term, struct job *job)
{
	workqueue_done(&term->queue, str_of(job->uid));
	map_remove(&term->jobs, str_of(job->uid));
	term_space_leave(term, job);
	end_look(term, job);
	job_delete(job);
	/* Its place is free. */
	term_grant(term);
}

/* Before its Pods have been listed, nobody knows whether it has one. */
static bool waits_for_space(const struct job *job)
{
	return job->space && !job->space->is_listed && !job->space->is_troubled;
}

/* Nothing is to be done now. */
static void rest(struct term *term, struct job *job, int64_t wake_at_ms)
{
	int64_t now = term_now_ms(term);

	if (job_is_over(job)) {
		remove_job(term, job);
		return;
	}
	if (places_position(&term->places, str_of(job->uid)) >= 0)
		job_unload(job); /* and it is read again when its turn comes */
	if (job->run && job->run->displaced_ms != JOB_NO_TIME && now + LEASE_RETRY_MS < wake_at_ms)
		wake_at_ms = now + LEASE_RETRY_MS; /* the Lease is being confirmed */
	term_rest(term, job, wake_at_ms);
}

static void look(struct term *term, struct job *job)
{
	struct snapshot snapshot;
	struct session_view view;
	struct decision decision;

	job_snapshot(job, &snapshot, &view);
	term_space_follow(term, job);
	if (waits_for_space(job)) {
		term_rest(term, job, RECONCILE_NEVER);
		return;
	}
	reconcile(&snapshot, &decision);
	if (decision.effect == EFFECT_NONE)
		rest(term, job, decision.wake_at_ms);
	else
		effect_start(job, &decision);
}

static bool look_at_next(struct term *term)
{
	struct job *job;
	struct str uid;

	if (term->looks >= TERM_EFFECTS_MAX ||
	    !workqueue_take(&term->queue, term_now_ms(term), &uid))
		return false;
	job = term_job(term, uid);
	if (!job) {
		workqueue_done(&term->queue, uid); /* it was removed meanwhile */
		return true;
	}
	/* Held back it stays taken from the queue, so that nothing brings it to its turn before. */
	if (!shares_take(&term->shares, &job->part, str_of(job->in_namespace)))
		return true;
	term->looks++;
	look(term, job);
	return true;
}

static void on_pump(void *context)
{
	struct term *term = context;

	term->pump = NULL;
	term->is_pumping = true;
	for (int i = 0; i < TERM_PASSES_PER_TURN && look_at_next(term); i++)
		;
	term->is_pumping = false;
	term_arm(term);
}

/* --- Tasks, as rows without their code: what matters is that there is one, and its version. --- */

static void on_task_changed(void *context, const struct kube_object *object)
{
	struct term *term = context;
	struct str in_namespace = str_of(object->in_namespace), name = str_of(object->name);
	struct job *job = term_job(term, str_of(object->uid));
	bool is_news = !job;

	if (!job)
		job = term_add_job(term, str_of(object->uid), in_namespace, name);
	if (!job)
		return;
	is_news |= job_note_name(job, in_namespace, name);
	is_news |= job_note_version(job, object->resource_version);
	if (is_news)
		term_wake_now(term, job);
}

/* Gone, or only not unfinished any more: a read will tell, unless it was we who finished it. */
static void on_task_deleted(void *context, const struct kube_object *object)
{
	struct term *term = context;
	struct job *job = term_job(term, str_of(object->uid));

	if (!job)
		return;
	job_note_version(job, object->resource_version);
	if (job->task && task_is_terminal(job->task) && job->task_known == KNOWN_PRESENT)
		return;
	/* Its version says nothing when it was a list that did not have the task any more. */
	job_doubt_task(job);
	term_wake_now(term, job);
}

static void on_tasks_synced(void *context)
{
	struct term *term = context;

	term->are_tasks_listed = true;
	term_grant(term);
}

static void on_tasks_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	term_note_watch_trouble(context, &kind_tasks, STR(""), err, retry_ms);
}

/* --- What changes under all of them. --- */

void term_note_policy(struct term *term, const struct class *class)
{
	if (class) {
		places_set_class(&term->places, class->name, class->max_tasks,
				 class->max_tasks_per_namespace);
		if (class->pod_namespace.n > 0)
			term_space(term, class->pod_namespace);
	}
	term_space_sweep(term);
	term_grant(term);
	/* One that waits for its place is judged when it has it. */
	map_for_each (entry, &term->jobs) {
		struct job *job = entry->value;

		if (job->task)
			term_wake_now(term, job);
	}
}

void term_note_policy_known(struct term *term)
{
	leftovers_begin(&term->leftovers);
	term_arm(term);
}

void term_note_watch_trouble(struct term *term, const struct target_resource *resource,
			     struct str in_namespace, const struct err *err, int64_t retry_ms)
{
	metrics_note_watch_trouble(term->config.metrics, err->code);
	log_warning(term->config.log, "watch broke off", log_word("kind", resource->plural),
		    log_name("namespace", in_namespace), log_int("retry_ms", retry_ms),
		    log_err(err));
}

/* --- Places. --- */

/* What has a Pod already has to have its place before anybody else gets one. */
static bool all_places_are_known(const struct term *term)
{
	if (!term->are_tasks_listed)
		return false;
	map_for_each (entry, &term->spaces) {
		const struct space *space = entry->value;

		if (!space->is_listed && !space->is_troubled)
			return false;
	}
	return true;
}

void term_grant(struct term *term)
{
	char uid[TASK_UID_SIZE];

	if (!all_places_are_known(term))
		return;
	while (places_next(&term->places, uid, sizeof(uid)))
		term_wake_now(term, term_job(term, str_of(uid)));
}

/* --- Events. --- */

struct event_call {
	struct list node;
	struct term *term;
	struct client_call *call;
};

static void end_event(struct event_call *event)
{
	list_remove(&event->node);
	event->term->event_count--;
	free(event);
}

static void on_event_sent(void *context, struct str body, const struct err *err)
{
	struct event_call *event = context;

	(void)body;
	if (err)
		log_debug(event->term->config.log, "an Event was not taken", log_err(err));
	end_event(event);
}

void term_send_event(struct term *term, struct str in_namespace, struct str body)
{
	struct client_object collection = {.resource = &kind_events, .in_namespace = in_namespace};
	struct event_call *event;

	/* What it tells may be of the time before it lost the lead. */
	if (term->event_count == TERM_EVENTS_MAX || !election_is_leading(term->config.election))
		return;
	event = mem_new(1, sizeof(*event));
	event->term = term;
	list_push_back(&term->events, &event->node);
	term->event_count++;
	event->call = client_create(term->config.client, &collection, body, on_event_sent, event);
}

/* --- What there is. --- */

struct job *term_job(const struct term *term, struct str uid)
{
	return map_get(&term->jobs, uid);
}

struct job *term_add_job(struct term *term, struct str uid, struct str in_namespace,
			 struct str name)
{
	struct job *job;

	if (uid.n >= TASK_UID_SIZE)
		return NULL;
	job = job_new(term, uid, in_namespace, name);
	if (map_put(&term->jobs, uid, job) == 0)
		return job;
	job_delete(job);
	log_error(term->config.log, "there are too many tasks", log_name("uid", uid));
	return NULL;
}

const struct term_config *term_config(const struct term *term)
{
	return &term->config;
}

struct hub *term_hub(struct term *term)
{
	return &term->hub;
}

struct places *term_places(struct term *term)
{
	return &term->places;
}

const struct policy *term_policy(const struct term *term)
{
	return &term->policy;
}

void term_count(const struct term *term, struct term_counts *counts)
{
	*counts = (struct term_counts){
		.jobs = term->jobs.count,
		.waiting = places_waiting(&term->places),
		.placed = term->places.taken,
	};
	map_for_each (entry, &term->jobs) {
		const struct job *job = entry->value;

		counts->sessions += job->run != NULL;
	}
}

/* --- Its life. --- */

struct term *term_new(const struct term_config *config)
{
	static const struct watch_config tasks = {
		.resource = &kind_tasks,
		.in_namespace = "",
		.label_selector = "",
		.field_selector = "status.phase!=Succeeded,status.phase!=Failed",
		.as_table = true,
	};
	static const struct watch_callbacks of_tasks = {on_task_changed, on_task_deleted,
							on_tasks_synced, on_tasks_trouble};
	struct term *term = mem_new(1, sizeof(*term));

	term->config = *config;
	hub_init(&term->hub, (unsigned)config->transfers_max);
	places_init(&term->places, config->tasks_max);
	map_init(&term->jobs, TERM_JOBS_MAX);
	map_init(&term->spaces, TERM_SPACES_MAX);
	/* A key outlives its job until it is due. */
	workqueue_init(&term->queue, 2 * TERM_JOBS_MAX);
	shares_init(&term->shares, TERM_EFFECTS_PER_NAMESPACE_MAX, TERM_JOBS_MAX);
	list_init(&term->events);
	leftovers_init(&term->leftovers, term);
	policy_start(&term->policy, term);
	term->tasks = watch_new(config->io, config->client, &tasks, &of_tasks, term);
	return term;
}

static void delete_events(struct term *term)
{
	struct event_call *event;

	list_for_each_safe (event, &term->events, node) {
		client_cancel(event->call);
		end_event(event);
	}
}

void term_delete(struct term *term)
{
	if (!term)
		return;
	if (term->pump)
		term->config.io->timer_cancel(term->config.io, term->pump);
	delete_events(term);
	map_for_each (entry, &term->jobs)
		job_delete(entry->value);
	map_free(&term->jobs);
	map_for_each (entry, &term->spaces)
		space_delete(entry->value);
	map_free(&term->spaces);
	watch_delete(term->tasks);
	leftovers_end(&term->leftovers);
	policy_end(&term->policy);
	places_free(&term->places);
	shares_free(&term->shares);
	workqueue_free(&term->queue);
	free(term);
}
