/* effect_output: writes the SandboxOutputs that a final status will refer to, one at a time. */
#include "effect.h"

#include "announce.h"
#include "base/json.h"
#include "base/mem.h"
#include "build/output.h"
#include "kinds.h"
#include "term.h"

#include <assert.h>

static struct output_ref *next_ref(struct run *run, int stream)
{
	if (!run->refs[stream])
		run->refs[stream] = mem_new(OUTPUT_PARTS_MAX, sizeof(*run->refs[stream]));
	return &run->refs[stream][run->ref_count[stream]];
}

/*
 * A stream of which a part can't be written is not in outputs at all: the status then has its head
 * and tail, and says how much is missing.
 */
static void give_up_stream(struct job *job, int stream, const struct err *err)
{
	job->run->is_refused[stream] = true;
	job->run->ref_count[stream] = 0;
	announce_failed(job, err);
	term_done(job->term, job);
}

/* A conflict is that of a quota's count; what has just been there may be gone. */
static bool may_help_to_repeat(const struct err *err)
{
	return err->code == ERR_THROTTLED || err->code == ERR_UNAVAILABLE ||
	       err->code == ERR_TIMEOUT || err->code == ERR_TRANSPORT ||
	       err->code == ERR_UNAUTHORIZED || err->code == ERR_CONFLICT ||
	       err->http_status >= 500;
}

static void try_later(struct job *job, const struct err *err)
{
	if (++job->run->output_failures >= RUN_OUTPUT_FAILURES_MAX) {
		give_up_stream(job, run_stream_to_write(job->run), err);
		return;
	}
	announce_failed(job, err);
	term_failed(job->term, job, err);
}

static void note_output_refused(struct job *job, const struct err *err)
{
	if (may_help_to_repeat(err))
		try_later(job, err);
	else
		give_up_stream(job, run_stream_to_write(job->run), err);
}

static void note_output_written(struct job *job)
{
	job->run->ref_count[run_stream_to_write(job->run)]++;
	announce_done(job);
	term_done(job->term, job);
}

static bool is_ours(struct job *job, struct str body)
{
	struct err err;

	return json_check(body, &err) == 0 &&
	       output_is(body, next_ref(job->run, run_stream_to_write(job->run)), str_of(job->uid));
}

/* One of that name is there already: ours, from before, or somebody else's. */
static void on_output_read(void *context, struct str body, const struct err *err)
{
	struct job *job = context;
	struct err other;

	job->call = NULL;
	if (err && err->code == ERR_NOT_FOUND) {
		try_later(job, err);
	} else if (err) {
		note_output_refused(job, err);
	} else if (json_check(body, &other) < 0) {
		try_later(job, &other);
	} else if (is_ours(job, body)) {
		note_output_written(job);
	} else {
		err_set(&other, ERR_CONFLICT, "a SandboxOutput of that name has another content");
		give_up_stream(job, run_stream_to_write(job->run), &other);
	}
}

static void read_output(struct job *job)
{
	struct client_object object = {.resource = &kind_outputs,
				       .in_namespace = str_of(job->in_namespace)};

	object.name = str_of(next_ref(job->run, run_stream_to_write(job->run))->name);
	job->call = client_get(term_config(job->term)->client, &object, on_output_read, job);
}

/* What was made is in the answer; one that says something else is not taken for it. */
static void on_output_written(void *context, struct str body, const struct err *err)
{
	struct job *job = context;

	job->call = NULL;
	if (err && err->code == ERR_ALREADY_EXISTS)
		read_output(job);
	else if (err)
		note_output_refused(job, err);
	else if (is_ours(job, body))
		note_output_written(job);
	else
		read_output(job);
}

void effect_output_write(struct job *job)
{
	int stream = run_stream_to_write(job->run);
	char pod[POD_NAME_SIZE];
	struct output_request request = {
		.task_name = str_of(job->name),
		.task_namespace = str_of(job->in_namespace),
		.task_uid = str_of(job->uid),
		.pod_name = pod,
		.stream_name = stream == STREAM_STDOUT ? "stdout" : "stderr",
		.stream = run_stream(job->run, stream),
		.index = job->run->ref_count[stream],
	};
	struct client_object collection = {.resource = &kind_outputs,
					   .in_namespace = str_of(job->in_namespace)};
	struct buf body;
	struct err err;

	if (pod_name(pod, str_of(job->uid), job->task->status.attempt) < 0)
		assert(!"a marked task has a Pod's name");
	buf_init(&body, OUTPUT_BYTES_MAX);
	if (output_write(&body, &request, next_ref(job->run, stream), &err) < 0)
		give_up_stream(job, stream, &err);
	else
		job->call = client_create(term_config(job->term)->client, &collection,
					  buf_str(&body), on_output_written, job);
	buf_free(&body);
}
