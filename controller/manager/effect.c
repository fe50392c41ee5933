#include "effect.h"

#include "announce.h"
#include "base/json.h"
#include "base/json_string.h"
#include "base/mem.h"
#include "kinds.h"
#include "term.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct client *client_of(const struct job *job)
{
	return term_config(job->term)->client;
}

static void succeed(struct job *job)
{
	announce_done(job);
	term_done(job->term, job);
}

/* The answer could not be had, or says nothing about the object: again, later. */
static void fail(struct job *job, const struct err *err)
{
	announce_failed(job, err);
	term_failed(job->term, job, err);
}

void effect_note_conflict(struct job *job, const struct err *err)
{
	bool is_first = !job->had_conflict;

	job->had_conflict = true;
	if (!is_first) {
		fail(job, err);
		return;
	}
	announce_failed(job, err);
	term_done(job->term, job);
}

/* --- Reading. --- */

static void on_task_read(void *context, struct str body, const struct err *err)
{
	struct job *job = context;
	struct err unreadable;

	job->call = NULL;
	if (err && err->code == ERR_NOT_FOUND) {
		job_note_task_absent(job);
		succeed(job);
	} else if (err) {
		fail(job, err);
	} else if (job_note_task(job, body, &unreadable) < 0) {
		fail(job, &unreadable);
	} else if (job->task_known == KNOWN_UNSEEN) {
		err_set(&unreadable, ERR_UNAVAILABLE, "the task was read as it had been before");
		fail(job, &unreadable);
	} else {
		effect_status_note_read(job);
		succeed(job);
	}
}

static void read_task(struct job *job)
{
	struct client_object object = {.resource = &kind_tasks,
				       .in_namespace = str_of(job->in_namespace),
				       .name = str_of(job->name)};

	job->call = client_get(client_of(job), &object, on_task_read, job);
}

static void on_pod_read(void *context, struct str body, const struct err *err)
{
	struct job *job = context;
	struct err unreadable;

	job->call = NULL;
	if (err && err->code == ERR_NOT_FOUND) {
		job_note_pod_absent(job);
		succeed(job);
	} else if (err) {
		fail(job, err);
	} else if (job_note_pod(job, body, &unreadable) < 0) {
		fail(job, &unreadable);
	} else {
		succeed(job);
	}
}

static void read_pod(struct job *job)
{
	char name[POD_NAME_SIZE];
	struct client_object object = {.resource = &kind_pods,
				       .in_namespace = job_pod_namespace(job)};

	if (!job_pod_name(job, name) || object.in_namespace.n == 0) {
		job_note_pod_absent(job); /* there was never one */
		term_done(job->term, job);
		return;
	}
	object.name = str_of(name);
	job->call = client_get(client_of(job), &object, on_pod_read, job);
}

/* Gone already, or not to be had: then it is looked for later, if it is in sight by then. */
static void on_other_pod_read(void *context, struct str body, const struct err *err)
{
	struct job *job = context;
	struct err unreadable;

	job->call = NULL;
	if (err)
		fail(job, err);
	else if (job_note_other_pod(job, body, &unreadable) < 0)
		fail(job, &unreadable);
	else
		succeed(job);
}

static void read_other_pod(struct job *job)
{
	const struct kube_object *other = job_other_pod(job);
	struct client_object object = {.resource = &kind_pods};

	assert(other); /* it was decided on just now */
	object.in_namespace = str_of(other->in_namespace);
	object.name = str_of(other->name);
	job->call = client_get(client_of(job), &object, on_other_pod_read, job);
}

/* --- The Pod. --- */

static void note_create_refusal(struct job *job, const struct err *err)
{
	int64_t delay_ms = term_backoff_ms(job->term, &job->create_backoff, err->retry_after_ms);

	buf_clear(&job->create_refusal_text);
	buf_append_str(&job->create_refusal_text, str_of(err->message));
	podstatus_of_refusal(err->http_status, buf_str(&job->create_refusal_text),
			     &job->create_refusal);
	job->is_create_refused = true;
	job->create_again_ms = term_now_ms(job->term) + delay_ms;
}

/*
 * A creation whose answer was lost may have happened: made again it meets the Pod of its name,
 * which is then read and examined, like every Pod that exists already.
 */
static void on_pod_created(void *context, struct str body, const struct err *err)
{
	struct job *job = context;
	struct err unreadable;

	job->call = NULL;
	if (err && err->code == ERR_ALREADY_EXISTS) {
		job_note_attempt(job, job->decision.attempt);
		job_doubt_pod(job);
		term_done(job->term, job);
	} else if (err) {
		announce_failed(job, err);
		note_create_refusal(job, err);
		term_done(job->term, job);
	} else if (job_note_pod(job, body, &unreadable) < 0) {
		job_note_attempt(job, job->decision.attempt);
		fail(job, &unreadable);
	} else {
		job->is_create_refused = false;
		job->had_conflict = false;
		succeed(job);
	}
}

static void create_pod(struct job *job)
{
	const struct class *class = policy_class(term_policy(job->term), job->plan->class_name);
	struct pod_request request = {
		.plan = job->plan,
		.task_name = str_of(job->name),
		.task_namespace = str_of(job->in_namespace),
		.task_uid = str_of(job->uid),
		.attempt = job->decision.attempt,
		.labels = class ? class->labels : STR(""),
		.annotations = class ? class->annotations : STR(""),
	};
	struct client_object pods = {.resource = &kind_pods,
				     .in_namespace = job->plan->pod_namespace};
	struct buf body;
	struct err err;

	job_forget_pod(job); /* what was known of an earlier attempt */
	buf_init(&body, POD_BYTES_MAX);
	if (pod_write(&body, &request, &err) < 0) {
		err.http_status = 422; /* the class makes no Pod that anybody would take */
		note_create_refusal(job, &err);
		term_done(job->term, job);
	} else {
		job->call =
			client_create(client_of(job), &pods, buf_str(&body), on_pod_created, job);
	}
	buf_free(&body);
}

static void on_pod_deleted(void *context, struct str body, const struct err *err)
{
	struct job *job = context;
	struct err unreadable;

	job->call = NULL;
	if (err && (err->code == ERR_NOT_FOUND || err->code == ERR_CONFLICT)) {
		job_doubt_pod(job); /* it is not that Pod any more */
		effect_note_conflict(job, err);
	} else if (err) {
		fail(job, err);
	} else if (job_note_pod(job, body, &unreadable) < 0) {
		job_doubt_pod(job);
		fail(job, &unreadable);
	} else {
		job->had_conflict = false; /* the watch tells when it is gone */
		succeed(job);
	}
}

/* The runner was told that it may go, or is none of ours: it needs no longer. */
#define DELETE_GRACE_SECONDS 1

static void delete_pod(struct job *job)
{
	const struct pod *pod = job->pod.pod;
	struct client_object object = {
		.resource = &kind_pods, .in_namespace = pod->namespace, .name = pod->name};
	struct client_preconditions preconditions = {.uid = pod->uid,
						     .grace_seconds = DELETE_GRACE_SECONDS};

	job->call =
		client_delete_object(client_of(job), &object, &preconditions, on_pod_deleted, job);
}

/* --- The last Event about a Pod that does not come up. --- */

#define EVENT_TEXT_BYTES_MAX 4096 /* Kubernetes' own limit is 1024 characters */

static char *take_string(struct str object, struct str key)
{
	struct str raw;
	struct buf text;
	struct err err;
	bool has_nul;
	char *copy;

	buf_init(&text, EVENT_TEXT_BYTES_MAX);
	if (json_find(object, key, &raw) && json_kind(raw) == JSON_STRING &&
	    json_string_decode(raw, &text, &has_nul, &err) < 0)
		buf_clear(&text);
	copy = mem_copy_string(text.data, text.length);
	buf_free(&text);
	return copy;
}

/*
 * Kubelet and scheduler repeat and count; the one that was seen last says where things stand. Of
 * none: an object without words.
 */
static struct str last_event(struct str items)
{
	struct json_walk walk = json_walk(items);
	struct str item, time, last = {NULL, 0}, last_time = {NULL, 0};

	while (json_next(&walk, NULL, &item)) {
		if (!json_find(item, STR("lastTimestamp"), &time) || json_kind(time) != JSON_STRING)
			time = STR("\"\"");
		if (last.n > 0 && str_compare(time, last_time) < 0)
			continue;
		last = item;
		last_time = time;
	}
	return last.n > 0 ? last : STR("{}");
}

/* One that can't be had is none: the task has to end all the same. */
static void on_event_read(void *context, struct str body, const struct err *err)
{
	struct job *job = context;
	struct str items, event = STR("{}");
	struct err bad;

	job->call = NULL;
	if (!err && json_check(body, &bad) == 0 && json_find(body, STR("items"), &items))
		event = last_event(items);
	free(job->pod.event_reason);
	free(job->pod.event_message);
	job->pod.event_reason = take_string(event, STR("reason"));
	job->pod.event_message = take_string(event, STR("message"));
	succeed(job);
}

static void read_event(struct job *job)
{
	struct client_request request = {.method = "GET"};
	struct target target;
	struct buf selector;
	struct err err;

	buf_init(&selector, 256);
	buf_printf(&selector, "involvedObject.uid=%.*s", STR_ARGS(job->pod.pod->uid));
	target_init(&target);
	target_object(&target, client_prefix(client_of(job)), &kind_events_to_read,
		      job->pod.pod->namespace, STR(""), NULL);
	target_query(&target, "fieldSelector", buf_str(&selector));
	if (target_check(&target, &err) < 0)
		assert(!"a Pod's namespace is no name");
	request.target = target.text.data;
	job->call = client_start(client_of(job), &request, on_event_read, job);
	target_free(&target);
	buf_free(&selector);
}

/* --- Commands: what comes of them, the session tells. --- */

static void close_network(struct job *job)
{
	struct space *space = term_space(job->term, job->plan->pod_namespace);

	if (space)
		space_close_network(space);
}

static void command(struct job *job, enum effect effect)
{
	if (effect == EFFECT_WRITE_NETWORK_POLICY)
		close_network(job);
	else if (effect == EFFECT_ATTACH)
		job->run = run_new(job);
	else if (effect == EFFECT_UPLOAD)
		run_upload(job->run);
	else if (effect == EFFECT_PULL)
		run_pull(job->run);
	else if (effect == EFFECT_RELEASE)
		run_release(job->run);
	else
		run_start(job->run);
	if (effect == EFFECT_START && job->started_ms == JOB_NO_TIME)
		job->started_ms = term_now_ms(job->term);
	announce_done(job);
	term_rest(job->term, job, job->decision.wake_at_ms);
}

void effect_start(struct job *job, const struct decision *decision)
{
	job->decision = *decision;
	switch (decision->effect) {
	case EFFECT_READ_TASK: return read_task(job);
	case EFFECT_READ_POD: return read_pod(job);
	case EFFECT_READ_EVENT: return read_event(job);
	case EFFECT_READ_OTHER_POD: return read_other_pod(job);
	case EFFECT_CREATE_POD: return create_pod(job);
	case EFFECT_DELETE_POD: return delete_pod(job);
	case EFFECT_WRITE_QUEUED:
	case EFFECT_WRITE_ATTEMPT:
	case EFFECT_WRITE_MARK:
	case EFFECT_WRITE_FINAL: return effect_status_write(job);
	case EFFECT_WRITE_OUTPUT: return effect_output_write(job);
	case EFFECT_WRITE_NETWORK_POLICY:
	case EFFECT_ATTACH:
	case EFFECT_UPLOAD:
	case EFFECT_START:
	case EFFECT_PULL:
	case EFFECT_RELEASE: return command(job, decision->effect);
	case EFFECT_NONE:
	case EFFECT_COUNT: break;
	}
	assert(!"no effect to start");
}
