#include "status.h"

#include "base/utf8.h"
#include "conditions.h"
#include "excerpt.h"
#include "out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NULL_JSON STR("null")

/* --- Pieces that several writes share. --- */

static void begin(struct out *o, struct buf *text, const struct status_request *r)
{
	out_init(o, text);
	out_open(o, NULL);
	out_open(o, "metadata");
	out_text(o, "resourceVersion", r->task->resource_version);
	out_close(o);
	out_open(o, "status");
}

static int finish(struct out *o, struct err *err)
{
	out_close(o);
	out_close(o);
	return out_finish(o, err);
}

/* While a task is on its way nothing is known but that it is, and whether it is isolated. */
static void write_progress(struct out *o, const struct status_request *r, const char *phase,
			   const char *reason, bool isolated)
{
	struct conditions conditions = {
		.status = {[CONDITION_Finished] = CONDITION_FALSE,
			   [CONDITION_Succeeded] = CONDITION_UNKNOWN,
			   [CONDITION_Isolated] = isolated ? CONDITION_TRUE : CONDITION_UNKNOWN,
			   [CONDITION_OutputComplete] = CONDITION_UNKNOWN,
			   [CONDITION_Reconciling] = CONDITION_TRUE,
			   [CONDITION_Stalled] = CONDITION_FALSE},
		.reason = reason,
	};

	out_word(o, "phase", phase);
	conditions_write(o, &conditions, &r->task->status, r->now_us);
}

/* "the node" begins a sentence, "spec.code" does not change. */
static bool begins_with_a_word(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz");

	return n > 0 && text[n] == ' ';
}

/* What happened, and what to do or what comes: sentences for a person or a model. */
static void write_message(struct out *o, const struct decision *d, const char *then)
{
	struct buf text;

	buf_init(&text, STATUS_MESSAGE_MAX);
	buf_printf(&text, "%s.", d->message);
	if (begins_with_a_word(text.data))
		text.data[0] = (char)(text.data[0] - 'a' + 'A');
	if (then)
		buf_printf(&text, " %s", then);
	out_text(o, "message", buf_str(&text));
	buf_free(&text);
}

static void write_reason(struct out *o, const struct decision *d)
{
	out_word(o, "reason", reason_name(d->reason));
	out_word(o, "category", reason_category(d->reason));
	out_flag(o, "retryable", reason_is_retryable(d->reason));
	write_message(o, d, d->reason == REASON_Completed ? NULL : reason_cure(d->reason));
}

/* A merge patch leaves alone what it does not name: what an earlier write said has to be unsaid. */
static void clear_reason(struct out *o)
{
	out_raw(o, "reason", NULL_JSON);
	out_raw(o, "category", NULL_JSON);
	out_raw(o, "retryable", NULL_JSON);
	out_raw(o, "message", NULL_JSON);
}

static void write_pod(struct out *o, const struct pod *pod)
{
	if (!pod)
		return;
	out_text(o, "podUID", pod->uid);
	out_text(o, "podName", pod->name);
	out_text(o, "podNamespace", pod->namespace);
	out_text_if(o, "nodeName", pod->node_name);
	out_text_if(o, "imageID", pod->container.image_id);
}

static void write_limits(struct out *o, const struct plan *p)
{
	out_open(o, "limits");
	out_cpu(o, "cpu", p->cpu_milli);
	out_bytes(o, "memory", p->memory_bytes);
	out_bytes(o, "tmp", p->tmp_bytes);
	out_bytes(o, "fileSize", p->file_size);
	out_number(o, "startSeconds", p->start_seconds);
	out_number(o, "runSeconds", p->run_seconds);
	out_number_if(o, "cpuSeconds", p->cpu_seconds);
	out_number(o, "stdoutBytes", p->stdout_bytes);
	out_number(o, "stderrBytes", p->stderr_bytes);
	out_number(o, "openFiles", p->open_files);
	out_number(o, "processes", p->processes);
	out_number(o, "tmpInodes", p->tmp_inodes);
	out_close(o);
}

static void write_plan(struct out *o, const struct plan *plan)
{
	if (!plan)
		return;
	out_word(o, "planSHA256", plan->sha256);
	out_text(o, "codeSHA256", plan->code_sha256);
	out_text(o, "image", plan->image);
	write_limits(o, plan);
}

/* --- Isolation. --- */

static void write_layers(struct out *o, const struct isolation *i)
{
	static const char *const states[] = {
		[ISOLATION_HELD] = "Held",
		[ISOLATION_MISSING] = "Missing",
		[ISOLATION_NOT_SUPPORTED] = "NotSupported",
	};

	out_open_list(o, "layers");
	for (size_t n = 0; n < i->layer_count; n++) {
		out_open(o, NULL);
		out_text(o, "name", i->layers[n].name);
		out_word(o, "state", states[i->layers[n].state]);
		out_text_if(o, "detail", i->layers[n].detail);
		out_close(o);
	}
	out_close(o);
}

static void write_isolation(struct out *o, const struct isolation *i)
{
	if (!i)
		return;
	out_open(o, "isolation");
	out_text(o, "runtime", i->runtime);
	out_number_if(o, "uid", i->uid);
	out_flag(o, "readOnlyRoot", i->read_only_root);
	out_flag(o, "noNewPrivileges", i->no_new_privileges);
	write_layers(o, i);
	out_open(o, "network");
	out_word(o, "access", "None");
	out_word(o, "proof", "NetNamespace");
	out_close(o);
	out_flag(o, "memoryLimitEnforced", i->memory_limit_seen);
	out_close(o);
}

/* --- Outcome. --- */

static void write_refs(struct out *o, const struct status_refs *refs)
{
	if (refs->count == 0)
		return;
	out_open_list(o, "refs");
	for (int i = 0; i < refs->count; i++) {
		out_open(o, NULL);
		out_open(o, "sandboxOutput");
		out_word(o, "name", refs->refs[i].name);
		out_close(o);
		out_number(o, "bytes", (int64_t)refs->refs[i].bytes);
		out_word(o, "sha256", refs->refs[i].sha256);
		out_close(o);
	}
	out_close(o);
}

static void write_stream(struct out *o, const char *key, const struct ending_stream *stream,
			 const struct status_refs *refs, bool without_text)
{
	struct excerpt e;
	uint64_t omitted;

	excerpt_make(&e, stream);
	out_open(o, key);
	if (!without_text && e.is_text)
		out_text(o, "text", buf_str(&e.bytes));
	else if (!without_text)
		out_base64(o, "base64", buf_str(&e.bytes));
	if (!without_text && e.bytes.length < stream->bytes)
		out_number(o, "headBytes", (int64_t)e.head_bytes);
	out_number(o, "bytes", (int64_t)stream->bytes);
	omitted = excerpt_omitted(&e, stream, refs->count > 0, !without_text);
	out_flag(o, "truncated", omitted > 0);
	out_number(o, "omittedBytes", (int64_t)omitted);
	write_refs(o, refs);
	out_close(o);
	excerpt_free(&e);
}

static void write_usage(struct out *o, const struct ending *e)
{
	out_open(o, "usage");
	out_number_if(o, "cpuMilliseconds", e->cpu_ms);
	out_number_if(o, "memoryPeakBytes", e->memory_peak_bytes);
	out_number_if(o, "tmpPeakBytes", e->tmp_peak_bytes);
	out_number(o, "leftoverProcesses", e->leftover_processes);
	out_open_list(o, "limitHits");
	for (size_t i = 0; i < e->limit_hit_count; i++)
		out_text(o, NULL, e->limit_hits[i]);
	out_close(o);
	out_close(o);
}

static void write_ending(struct out *o, const struct status_request *r, const struct decision *d)
{
	const struct ending *e = r->ending;
	char text[STATUS_DURATION_SIZE], signal[16];

	if (!e || !d->with_ending)
		return;
	out_number_if(o, "exitCode", e->exit_code);
	if (e->signal > 0)
		out_word(o, "signal", ending_signal_name(e->signal, signal));
	write_stream(o, "stdout", &e->stdout_kept, &r->stdout_refs, d->without_texts);
	write_stream(o, "stderr", &e->stderr_kept, &r->stderr_refs, d->without_texts);
	write_usage(o, e);
	if (e->run_ms < 0)
		return;
	status_duration(text, e->run_ms);
	out_word(o, "duration", text);
}

static void write_durations(struct out *o, const struct status_request *r, const struct decision *d)
{
	out_open(o, "durations");
	out_number_if(o, "queuedMilliseconds", r->durations.queued_ms);
	out_number_if(o, "startMilliseconds", r->durations.start_ms);
	out_number_if(o, "installMilliseconds", r->durations.install_ms);
	if (d->with_ending)
		out_number_if(o, "runMilliseconds", r->ending->run_ms);
	out_number_if(o, "collectMilliseconds", r->durations.collect_ms);
	out_number_if(o, "totalMilliseconds", r->durations.total_ms);
	out_close(o);
}

void status_duration(char text[STATUS_DURATION_SIZE], int64_t ms)
{
	int64_t seconds = ms / 1000;

	if (seconds < 60)
		snprintf(text, STATUS_DURATION_SIZE, "%" PRId64 ".%02" PRId64 "s", seconds,
			 ms % 1000 / 10);
	else if (seconds < 3600)
		snprintf(text, STATUS_DURATION_SIZE, "%" PRId64 "m%02" PRId64 "s", seconds / 60,
			 seconds % 60);
	else
		snprintf(text, STATUS_DURATION_SIZE, "%" PRId64 "h%02" PRId64 "m", seconds / 3600,
			 seconds / 60 % 60);
}

/* --- The conditions of the end. --- */

static bool stream_is_complete(const struct ending_stream *stream, const struct status_refs *refs)
{
	struct excerpt e;
	bool is_complete;

	excerpt_make(&e, stream);
	is_complete = excerpt_omitted(&e, stream, refs->count > 0, true) == 0;
	excerpt_free(&e);
	return is_complete;
}

/* True: all that the program wrote can be read. Of a task that never ran nothing can be said. */
static enum condition_status output_complete(const struct status_request *r,
					     const struct decision *d)
{
	const struct ending *e = r->ending;

	if (!d->with_ending)
		return task_is_marked(r->task) ? CONDITION_FALSE : CONDITION_UNKNOWN;
	if (d->without_texts || e->kind == ENDING_STOPPED ||
	    !stream_is_complete(&e->stdout_kept, &r->stdout_refs) ||
	    !stream_is_complete(&e->stderr_kept, &r->stderr_refs))
		return CONDITION_FALSE;
	return CONDITION_TRUE;
}

/* The mark is only set on a verified sandbox. */
static enum condition_status isolated(const struct status_request *r, const struct decision *d)
{
	if (d->reason == REASON_IsolationUnverified || d->reason == REASON_PodTampered)
		return CONDITION_FALSE;
	return task_is_marked(r->task) ? CONDITION_TRUE : CONDITION_UNKNOWN;
}

static void write_end(struct out *o, const struct status_request *r, const struct decision *d)
{
	bool is_success = d->reason == REASON_Completed;
	struct conditions conditions = {
		.status = {[CONDITION_Finished] = CONDITION_TRUE,
			   [CONDITION_Succeeded] = is_success ? CONDITION_TRUE : CONDITION_FALSE,
			   [CONDITION_Isolated] = isolated(r, d),
			   [CONDITION_OutputComplete] = output_complete(r, d),
			   [CONDITION_Reconciling] = CONDITION_FALSE,
			   [CONDITION_Stalled] = is_success ? CONDITION_FALSE : CONDITION_TRUE},
		.reason = reason_name(d->reason),
	};

	out_word(o, "phase", is_success ? "Succeeded" : "Failed");
	conditions_write(o, &conditions, &r->task->status, r->now_us);
}

/* --- The writes. --- */

int status_write_queued(struct buf *text, const struct status_request *r, int64_t position,
			struct err *err)
{
	struct out o;

	begin(&o, text, r);
	write_progress(&o, r, "Queued", "Queued", false);
	out_number(&o, "queuePosition", position);
	return finish(&o, err);
}

int status_write_attempt(struct buf *text, const struct status_request *r, const struct decision *d,
			 struct err *err)
{
	struct out o;

	begin(&o, text, r);
	write_progress(&o, r, "Starting", reason_name(d->reason), false);
	out_word(&o, "reason", reason_name(d->reason));
	out_word(&o, "category", reason_category(d->reason));
	write_message(&o, d, "Nothing has run yet, and another Pod is made.");
	out_number(&o, "attempt", d->attempt);
	write_pod(&o, r->pod);
	out_raw(&o, "queuePosition", NULL_JSON);
	return finish(&o, err);
}

int status_write_mark(struct buf *text, const struct status_request *r, struct err *err)
{
	struct out o;

	begin(&o, text, r);
	write_progress(&o, r, "Running", "Running", true);
	clear_reason(&o);
	out_time(&o, "startedAt", r->now_us);
	out_number(&o, "attempt", r->attempt);
	out_text(&o, "session", r->session);
	write_pod(&o, r->pod);
	write_plan(&o, r->plan);
	write_isolation(&o, r->isolation);
	out_raw(&o, "queuePosition", NULL_JSON);
	return finish(&o, err);
}

int status_write_final(struct buf *text, const struct status_request *r, const struct decision *d,
		       struct err *err)
{
	struct out o;

	begin(&o, text, r);
	write_end(&o, r, d);
	write_reason(&o, d);
	out_time(&o, "finishedAt", r->now_us);
	/* What the mark has said stays as it is. */
	if (!task_is_marked(r->task)) {
		out_number(&o, "attempt", r->attempt);
		write_pod(&o, r->pod);
		write_plan(&o, r->plan);
		write_isolation(&o, r->isolation);
		out_raw(&o, "queuePosition", NULL_JSON);
	}
	write_ending(&o, r, d);
	write_durations(&o, r, d);
	return finish(&o, err);
}
