/* effect_status: the writes to a task's status. */
#include "effect.h"

#include "announce.h"
#include "base/mem.h"
#include "build/status.h"
#include "kinds.h"
#include "term.h"

#include <stdlib.h>

/* --- What a status write is made from. --- */

/* The status names a Pod only when it is ours: its label says so, or the mark. */
static const struct pod *our_pod(const struct job *job)
{
	const struct pod *pod = job->pod.pod;

	if (!pod)
		return NULL;
	return str_equal(pod->task_uid, str_of(job->uid)) ||
			       str_equal(pod->uid, job->task->status.pod_uid)
		       ? pod
		       : NULL;
}

static int64_t between(int64_t from_ms, int64_t to_ms)
{
	return from_ms == JOB_NO_TIME || to_ms == JOB_NO_TIME ? STATUS_NOT_KNOWN : to_ms - from_ms;
}

/* What this controller has seen from beginning to end; the rest is not known. */
static void set_durations(const struct job *job, struct status_durations *durations)
{
	int64_t now_ms = term_now_ms(job->term);

	*durations = (struct status_durations){
		.queued_ms = between(job->queued_ms, job->admitted_ms),
		.start_ms = between(job->admitted_ms, job->started_ms),
		.install_ms = STATUS_NOT_KNOWN,
		.collect_ms = between(job->done_ms, now_ms),
		.total_ms = between(job->started_ms == JOB_NO_TIME ? JOB_NO_TIME : job->queued_ms,
				    now_ms),
	};
}

static int64_t attempts(const struct job *job)
{
	int64_t recorded = job->task->status.attempt;

	return job->pod.attempts_seen > recorded ? job->pod.attempts_seen : recorded;
}

static void set_refs(const struct job *job, struct status_request *request)
{
	struct run *run = job->run;

	request->stdout_refs =
		(struct status_refs){run->refs[STREAM_STDOUT], run->ref_count[STREAM_STDOUT]};
	request->stderr_refs =
		(struct status_refs){run->refs[STREAM_STDERR], run->ref_count[STREAM_STDERR]};
}

static void set_request(struct job *job, struct status_request *request, struct session_view *view,
			char session[24])
{
	struct io *io = term_config(job->term)->io;

	*view = (struct session_view){.stage = SESSION_NONE};
	*request = (struct status_request){
		.task = job->task,
		.now_us = io->wall_ms(io) * 1000,
		.plan = job->plan,
		.pod = our_pod(job),
		.attempt = attempts(job),
	};
	set_durations(job, &request->durations);
	if (!job->run)
		return;
	run_view(job->run, view);
	run_session_text(job->run, session);
	request->session = str_of(session);
	request->isolation = view->isolation;
	request->ending = view->ending;
	set_refs(job, request);
}

static int write_body(struct job *job, struct buf *body, struct err *err)
{
	const struct decision *d = &job->decision;
	struct status_request request;
	struct session_view view;
	char session[24];

	set_request(job, &request, &view, session);
	if (d->effect == EFFECT_WRITE_QUEUED)
		return status_write_queued(
			body, &request, places_position(term_places(job->term), str_of(job->uid)),
			err);
	if (d->effect == EFFECT_WRITE_ATTEMPT)
		return status_write_attempt(body, &request, d, err);
	if (d->effect == EFFECT_WRITE_MARK)
		return status_write_mark(body, &request, err);
	return status_write_final(body, &request, d, err);
}

/* --- What became of it. --- */

/* A session that is without a connection then has nobody to release: it would look for one in vain
 * for as long as its Pod does not go. */
static void note_final(struct job *job)
{
	struct session_view view = {.stage = SESSION_NONE};

	if (job->run)
		run_view(job->run, &view);
	announce_end(job, &view);
	free(job->unsure);
	job->unsure = NULL;
	if (view.stage != SESSION_CONNECTING)
		return;
	run_delete(job->run);
	job->run = NULL;
}

/* Nobody else writes a status, so what has our words is ours. */
void effect_status_note_read(struct job *job)
{
	if (!job->unsure || !job->task || !task_is_terminal(job->task) ||
	    !str_equal(job->task->status.reason, str_of(reason_name(job->unsure->reason))))
		return;
	job->decision = *job->unsure;
	note_final(job);
}

static void note_unsure(struct job *job)
{
	if (job->decision.effect != EFFECT_WRITE_FINAL)
		return;
	if (!job->unsure)
		job->unsure = mem_new(1, sizeof(*job->unsure));
	*job->unsure = job->decision;
}

/* An answer that is no task, or another one, says nothing about what became of ours. */
static void note_unreadable(struct job *job, const struct err *err)
{
	note_unsure(job);
	job_doubt_task(job);
	announce_failed(job, err);
	term_failed(job->term, job, err);
}

static void note_written(struct job *job, struct str body)
{
	struct err err;

	if (job_note_task(job, body, &err) < 0) {
		note_unreadable(job, &err);
		return;
	}
	if (!job->task) {
		job_unload(job); /* ours may still be there */
		err_set(&err, ERR_PROTOCOL, "the answer to a status write is another task");
		note_unreadable(job, &err);
		return;
	}
	job->had_conflict = false;
	if (job->decision.effect == EFFECT_WRITE_ATTEMPT) {
		run_delete(job->run);
		job->run = NULL;
	}
	if (job->decision.effect == EFFECT_WRITE_FINAL)
		note_final(job);
	announce_done(job);
	term_done(job->term, job);
}

static bool is_about_size(const struct err *err)
{
	return err->code == ERR_TOO_LARGE || err->http_status == 413 || err->http_status == 422;
}

/*
 * Refused or lost: whether it happened, and whose the task is now, a read will tell. A final status
 * that is too large is written once more, without the texts.
 */
static void note_not_written(struct job *job, const struct err *err)
{
	bool is_shorter = job->decision.effect == EFFECT_WRITE_FINAL && is_about_size(err) &&
			  !job->final_too_large;

	if (is_shorter)
		job->final_too_large = true;
	note_unsure(job);
	job_doubt_task(job);
	if (err->code == ERR_CONFLICT || err->code == ERR_NOT_FOUND || is_shorter) {
		effect_note_conflict(job, err);
		return;
	}
	announce_failed(job, err);
	term_failed(job->term, job, err);
}

static void on_written(void *context, struct str body, const struct err *err)
{
	struct job *job = context;

	job->call = NULL;
	if (err)
		note_not_written(job, err);
	else
		note_written(job, body);
}

void effect_status_write(struct job *job)
{
	struct client_object object = {.resource = &kind_tasks,
				       .in_namespace = str_of(job->in_namespace),
				       .name = str_of(job->name),
				       .subresource = "status"};
	struct buf body;
	struct err err;

	buf_init(&body, STATUS_BYTES_MAX);
	if (write_body(job, &body, &err) < 0)
		note_not_written(job, &err);
	else
		job->call = client_patch(term_config(job->term)->client, &object, CLIENT_MERGE,
					 buf_str(&body), on_written, job);
	buf_free(&body);
}
