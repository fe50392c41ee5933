#include "announce.h"

#include "build/event.h"
#include "core/reason.h"
#include "kinds.h"
#include "metrics.h"
#include "term.h"

#include <stdio.h>
#include <string.h>

/* --- The log: one line for each transition. --- */

struct line {
	enum log_level level;
	const char *message;
};

static const struct line lines[EFFECT_COUNT] = {
	[EFFECT_READ_TASK] = {LOG_DEBUG, "task read"},
	[EFFECT_READ_POD] = {LOG_DEBUG, "pod read"},
	[EFFECT_READ_EVENT] = {LOG_DEBUG, "event read"},
	[EFFECT_READ_OTHER_POD] = {LOG_WARNING, "another pod found"},
	[EFFECT_WRITE_NETWORK_POLICY] = {LOG_DEBUG, "network policy wanted"},
	[EFFECT_CREATE_POD] = {LOG_INFO, "pod created"},
	[EFFECT_DELETE_POD] = {LOG_INFO, "pod deleted"},
	[EFFECT_WRITE_QUEUED] = {LOG_INFO, "task queued"},
	[EFFECT_WRITE_ATTEMPT] = {LOG_WARNING, "attempt given up"},
	[EFFECT_WRITE_MARK] = {LOG_INFO, "task running"},
	[EFFECT_WRITE_OUTPUT] = {LOG_INFO, "output written"},
	[EFFECT_WRITE_FINAL] = {LOG_DEBUG, "final status written"}, /* the audit line says more */
	[EFFECT_ATTACH] = {LOG_INFO, "attaching"},
	[EFFECT_UPLOAD] = {LOG_DEBUG, "uploading"},
	[EFFECT_START] = {LOG_INFO, "start sent"},
	[EFFECT_PULL] = {LOG_DEBUG, "pulling the outcome"},
	[EFFECT_RELEASE] = {LOG_DEBUG, "runner released"},
};

static struct str pod_name_of(const struct job *job)
{
	return job->pod.pod ? job->pod.pod->name : STR("");
}

static const char *reason_word(const struct job *job)
{
	enum reason reason = job->decision.reason;

	return reason == REASON_NONE ? "" : reason_name(reason);
}

static void log_transition(const struct job *job)
{
	const struct line *line = &lines[job->decision.effect];
	const struct log_field fields[] = {
		log_object("task", str_of(job->in_namespace), str_of(job->name)),
		log_name("uid", str_of(job->uid)),
		log_name("pod", pod_name_of(job)),
		log_word("reason", reason_word(job)),
		{.kind = LOG_END},
	};

	log_record(term_config(job->term)->log, line->level, line->message, fields);
}

void announce_failed(const struct job *job, const struct err *err)
{
	log_warning(term_config(job->term)->log, "request failed",
		    log_object("task", str_of(job->in_namespace), str_of(job->name)),
		    log_name("uid", str_of(job->uid)),
		    log_word("effect", reconcile_effect_name(job->decision.effect)), log_err(err));
}

/* --- The audit line. --- */

static const char *signal_word(const struct ending *ending, char text[16])
{
	return ending && ending->signal > 0 ? ending_signal_name(ending->signal, text) : "";
}

static void audit(const struct job *job, const struct session_view *view)
{
	const struct plan *plan = job->plan;
	const struct ending *ending = job->decision.with_ending ? view->ending : NULL;
	const struct task_status *status = &job->task->status;
	char signal[16];

	log_info(term_config(job->term)->log, "task finished",
		 log_object("task", str_of(job->in_namespace), str_of(job->name)),
		 log_name("uid", str_of(job->uid)), log_word("reason", reason_word(job)),
		 log_word("category", reason_category(job->decision.reason)),
		 log_name("class", job->task->spec.class_name),
		 log_name("codeSHA256", plan ? plan->code_sha256 : STR("")),
		 log_name("stdinSHA256", plan ? plan->stdin_sha256 : STR("")),
		 log_name("planSHA256", plan ? str_of(plan->sha256) : STR("")),
		 log_name("image", plan ? plan->image : STR("")),
		 log_name("imageID", job->pod.pod ? job->pod.pod->container.image_id : STR("")),
		 log_name("node", job->pod.pod ? job->pod.pod->node_name : STR("")),
		 log_name("pod", status->pod_name), log_name("podUID", status->pod_uid),
		 log_int("attempt", status->attempt), log_bool("ran", task_is_marked(job->task)),
		 log_int("exitCode", ending ? ending->exit_code : -1),
		 log_word("signal", signal_word(ending, signal)),
		 log_int("run_ms", ending ? ending->run_ms : -1),
		 log_int("cpu_ms", ending ? ending->cpu_ms : -1),
		 log_int("memoryPeakBytes", ending ? ending->memory_peak_bytes : -1),
		 log_int("stdoutBytes", ending ? (int64_t)ending->stdout_kept.bytes : -1),
		 log_int("stderrBytes", ending ? (int64_t)ending->stderr_kept.bytes : -1));
}

/* --- Counts. --- */

static void note_phase(const struct job *job, enum metrics_phase phase, int64_t from_ms,
		       int64_t to_ms)
{
	if (from_ms != JOB_NO_TIME && to_ms != JOB_NO_TIME)
		metrics_note_phase(term_config(job->term)->metrics, phase, to_ms - from_ms);
}

static void count(const struct job *job, const struct session_view *view)
{
	const struct term_config *config = term_config(job->term);
	int64_t now_ms = term_now_ms(job->term);

	metrics_note_finished(config->metrics, job->decision.reason);
	note_phase(job, METRICS_QUEUED, job->queued_ms, job->admitted_ms);
	note_phase(job, METRICS_START, job->admitted_ms, job->started_ms);
	note_phase(job, METRICS_COLLECT, job->done_ms, now_ms);
	/* Of one that another leader began, the beginning was not seen. */
	if (job->started_ms != JOB_NO_TIME || !task_is_marked(job->task))
		note_phase(job, METRICS_TOTAL, job->since_ms, now_ms);
	if (job->decision.with_ending && view->ending && view->ending->run_ms >= 0)
		metrics_note_phase(config->metrics, METRICS_RUN, view->ending->run_ms);
}

/* --- Events. --- */

static void send_event(const struct job *job, const char *action, const char *reason,
		       struct str note, bool is_warning)
{
	const struct term_config *config = term_config(job->term);
	const struct pod *pod = job->pod.pod;
	struct event event = {
		.task_name = str_of(job->name),
		.task_namespace = str_of(job->in_namespace),
		.task_uid = str_of(job->uid),
		.pod_name = pod ? pod->name : STR(""),
		.pod_namespace = pod ? pod->namespace : STR(""),
		.pod_uid = pod ? pod->uid : STR(""),
		.instance = config->identity,
		.action = action,
		.reason = reason,
		.note = note,
		.is_warning = is_warning,
		.now_us = config->io->wall_ms(config->io) * 1000,
	};
	struct buf body;
	struct err err;

	config->io->random(config->io, &event.random, sizeof(event.random));
	buf_init(&body, EVENT_BYTES_MAX);
	if (event_write(&body, &event, &err) == 0)
		term_send_event(job->term, event.task_namespace, buf_str(&body));
	else
		log_warning(config->log, "an Event could not be written", log_err(&err));
	buf_free(&body);
}

/* --- What is announced. --- */

void announce_done(const struct job *job)
{
	log_transition(job);
	if (job->decision.effect == EFFECT_CREATE_POD)
		send_event(job, "CreatePod", "PodCreated", STR("The sandbox's Pod is created"),
			   false);
	if (job->decision.effect == EFFECT_WRITE_ATTEMPT)
		send_event(job, "GiveUpPod", reason_word(job), str_of(job->decision.message), true);
}

void announce_end(const struct job *job, const struct session_view *view)
{
	audit(job, view);
	count(job, view);
	send_event(job, "Finish", reason_word(job), str_of(job->decision.message),
		   job->decision.reason != REASON_Completed);
}
