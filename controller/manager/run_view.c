/* run_view: what a sandbox said, in the words of the core. */
#include "run.h"

#include "build/excerpt.h"
#include "job.h"
#include "term.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* --- Stage. --- */

static enum session_stage stage_of(enum session_state state)
{
	static const enum session_stage stages[SESSION_STATE_COUNT] = {
		[SESSION_IS_CONNECTING] = SESSION_CONNECTING,
		[SESSION_IS_READY] = SESSION_READY,
		[SESSION_IS_UPLOADING] = SESSION_UPLOADING,
		[SESSION_IS_RECEIVED] = SESSION_RECEIVED,
		[SESSION_IS_STARTING] = SESSION_STARTING,
		[SESSION_IS_INSTALLING] = SESSION_INSTALLING,
		[SESSION_IS_RUNNING] = SESSION_RUNNING,
		[SESSION_IS_DONE] = SESSION_DONE,
		[SESSION_IS_PULLING] = SESSION_PULLING,
		[SESSION_IS_PULLED] = SESSION_PULLED,
		[SESSION_IS_RELEASED] = SESSION_RELEASED,
		[SESSION_IS_DISPLACED] = SESSION_DISPLACED,
		[SESSION_IS_SILENT] = SESSION_SILENT,
		[SESSION_IS_FAILED] = SESSION_FAILED,
	};

	return stages[state];
}

/*
 * A higher session may be that of a new leader, and we have only not noticed yet. So a stranger is
 * a stranger once the Lease was confirmed to be ours after he was seen (protocol: session).
 */
static enum session_stage stage_now(const struct run *run, const struct session_report *report)
{
	const struct term_config *config = term_config(run->job->term);

	if (report->state == SESSION_IS_DISPLACED &&
	    !election_was_confirmed_since(config->election, run->displaced_ms))
		return SESSION_CONNECTING;
	return stage_of(report->state);
}

static enum reason reason_of(enum session_failure failure)
{
	switch (failure) {
	case SESSION_UNVERIFIED: return REASON_IsolationUnverified;
	case SESSION_INCAPABLE: return REASON_CapabilityMissing;
	case SESSION_TAMPERED: return REASON_PodTampered;
	case SESSION_BROKEN: return REASON_RunnerFailed;
	case SESSION_CANCELLED: return REASON_Cancelled;
	case SESSION_NO_FAILURE:
	case SESSION_HELPLESS: break;
	}
	return REASON_Internal;
}

/* --- Isolation. --- */

static bool holds(const struct hello *hello, enum layer_id id)
{
	return layers_hold(hello->layers, hello->layers_count, layer_name(id));
}

static void set_layers(struct isolation *isolation, const struct hello *hello)
{
	static const enum isolation_state states[] = {
		[LAYER_HELD] = ISOLATION_HELD,
		[LAYER_MISSING] = ISOLATION_MISSING,
		[LAYER_NOT_SUPPORTED] = ISOLATION_NOT_SUPPORTED,
	};

	for (size_t i = 0; i < hello->layers_count && i < ISOLATION_LAYERS_MAX; i++)
		isolation->layers[isolation->layer_count++] = (struct isolation_layer){
			.name = hello->layers[i].name,
			.detail = hello->layers[i].detail,
			.state = states[hello->layers[i].state],
		};
}

static void set_isolation(struct isolation *isolation, const struct hello *hello)
{
	*isolation = (struct isolation){
		.runtime = holds(hello, LAYER_GVISOR) ? STR("gVisor") : STR("unknown"),
		.uid = hello->uid,
		.read_only_root = holds(hello, LAYER_MOUNT_NAMESPACE),
		.no_new_privileges = holds(hello, LAYER_NO_NEW_PRIVILEGES),
		.memory_limit_seen = hello->memory_limit_bytes > 0,
	};
	set_layers(isolation, hello);
}

/* --- Ending. --- */

static enum ending_kind kind_of_kill(enum outcome_killed_for killed_for)
{
	switch (killed_for) {
	case KILLED_FOR_RUN_TIME: return ENDING_RUN_TIMEOUT;
	case KILLED_FOR_INSTALL_TIME: return ENDING_INSTALL_TIMEOUT;
	case KILLED_FOR_CPU_TIME: return ENDING_CPU_TIMEOUT;
	case KILLED_FOR_MEMORY: return ENDING_OUT_OF_MEMORY;
	case KILLED_FOR_OUTPUT: return ENDING_OUTPUT_LIMIT;
	case KILLED_FOR_CANCEL: return ENDING_CANCELLED;
	case KILLED_FOR_SHUTDOWN:
	case KILLED_FOR_NOTHING: break;
	}
	return ENDING_STOPPED;
}

static enum ending_kind kind_of(const struct outcome *outcome)
{
	switch ((enum outcome_verdict)outcome->verdict) {
	case VERDICT_EXITED: return ENDING_EXITED;
	case VERDICT_SIGNALLED:
		/* The kernel's signal for the limit that we have set. */
		if (outcome->signal == SIGXFSZ && (outcome->limit_hits & 1u << LIMIT_FILE_BYTES))
			return ENDING_FILE_SIZE;
		return ENDING_SIGNALLED;
	case VERDICT_KILLED: return kind_of_kill(outcome->killed_for);
	case VERDICT_VANISHED: return ENDING_VANISHED;
	case VERDICT_NOT_STARTED: break;
	}
	return outcome->stage == STAGE_BUDGET ? ENDING_START_TIMEOUT : ENDING_NOT_STARTED;
}

static const char *stage_text(enum outcome_stage stage)
{
	switch (stage) {
	case STAGE_JAIL: return "building its jail";
	case STAGE_FILES: return "writing its files";
	case STAGE_LIMITS: return "setting its limits";
	case STAGE_EXEC: return "executing it";
	case STAGE_NONE:
	case STAGE_BUDGET: break;
	}
	return "starting it";
}

static struct str detail_of(struct run *run, const struct outcome *outcome)
{
	char *text = run->detail;

	if (outcome->verdict != VERDICT_NOT_STARTED || outcome->stage == STAGE_BUDGET)
		return outcome->detail;
	snprintf(text, sizeof(run->detail), "%s failed: %s%s%.*s",
		 stage_text((enum outcome_stage)outcome->stage),
		 outcome->error_number ? strerror(outcome->error_number) : "no error number",
		 outcome->detail.n > 0 ? ": " : "",
		 (int)(outcome->detail.n < RUN_TEXT_SIZE / 2 ? outcome->detail.n : 0),
		 outcome->detail.p ? outcome->detail.p : "");
	return str_of(text);
}

/* As `status.limits` names them. */
static void set_limit_hits(struct ending *ending, uint32_t hits)
{
	static const char *const names[] = {
		[LIMIT_MEMORY] = "memory",	  [LIMIT_TMP_BYTES] = "tmp",
		[LIMIT_TMP_INODES] = "tmpInodes", [LIMIT_PROCESSES] = "processes",
		[LIMIT_OPEN_FILES] = "openFiles", [LIMIT_FILE_BYTES] = "fileSize",
		[LIMIT_CPU] = "cpuSeconds",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (hits & 1u << i)
			ending->limit_hits[ending->limit_hit_count++] = str_of(names[i]);
}

static struct ending_stream kept(const struct stream *stream)
{
	return (struct ending_stream){
		.head = stream->head, .tail = stream->tail, .bytes = stream->total};
}

static void set_ending(struct run *run, const struct outcome *outcome)
{
	struct ending *ending = &run->ending;
	bool has_exited = outcome->verdict == VERDICT_EXITED ||
			  (outcome->verdict == VERDICT_KILLED && outcome->signal == 0);

	*ending = (struct ending){
		.whole = true, /* the session gives no other */
		.kind = kind_of(outcome),
		.exit_code = has_exited ? outcome->exit_code : -1,
		.signal = outcome->signal,
		.detail = detail_of(run, outcome),
		.stdout_kept = kept(&outcome->streams[STREAM_STDOUT]),
		.stderr_kept = kept(&outcome->streams[STREAM_STDERR]),
		.run_ms = outcome->run.wall_ms,
		.cpu_ms = (int64_t)outcome->run.user_ms + outcome->run.system_ms,
		.memory_peak_bytes = (int64_t)outcome->run.memory_peak_bytes,
		.tmp_peak_bytes = -1,
		.leftover_processes = (int32_t)outcome->run.leftovers,
	};
	set_limit_hits(ending, outcome->limit_hits);
}

/* None of a stream that the status has room for. Once, since it reads all of them. */
static void count_parts(struct run *run)
{
	struct excerpt e;

	if (run->has_counted)
		return;
	for (int i = 0; i < RUN_STREAMS; i++) {
		excerpt_make(&e, run_stream(run, i));
		run->parts[i] = e.needs_outputs ? output_count(run_stream(run, i)) : 0;
		excerpt_free(&e);
	}
	run->has_counted = true;
}

/* --- All of it. --- */

static void set_failure(struct run *run, const struct session_report *report,
			struct session_view *view)
{
	if (run->failure != REASON_NONE) {
		view->stage = SESSION_FAILED;
		view->failure = run->failure;
		view->failure_text = str_of(run->failure_text);
	} else if (report->state == SESSION_IS_FAILED) {
		view->failure = reason_of(report->failure);
		view->failure_text = str_of(report->text);
	}
}

void run_view(struct run *run, struct session_view *view)
{
	struct session_report report;

	session_report(run->session, &report);
	*view = (struct session_view){.stage = stage_now(run, &report),
				      .hello_seen = run->hello_seen};
	if (report.hello) {
		set_isolation(&run->isolation, report.hello);
		view->isolation = &run->isolation;
	}
	if (report.outcome) {
		set_ending(run, report.outcome);
		count_parts(run);
		view->ending = &run->ending;
	}
	set_failure(run, &report, view);
}
