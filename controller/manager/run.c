#include "run.h"

#include "base/hex.h"
#include "base/mem.h"
#include "core/plan.h"
#include "job.h"
#include "kinds.h"
#include "metrics.h"
#include "term.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- What the session asks for and tells. --- */

static void release_route(struct run *run)
{
	struct client *client = term_config(run->job->term)->client;

	if (run->has_route)
		client_route_release(client, &run->route);
	run->has_route = false;
}

/* The connection before is over when the next one is about to be made. */
static void on_credentials(void *context, struct io_endpoint **endpoint, struct str *token)
{
	struct run *run = context;

	release_route(run);
	run->route = client_route_take(term_config(run->job->term)->client);
	run->has_route = true;
	*endpoint = run->route.endpoint;
	*token = run->route.token;
}

/* An end that the Pod's status may explain: look at it, now. Once for each connection. */
static void look_into_trouble(struct run *run, const struct session_report *report)
{
	const struct term_config *config = term_config(run->job->term);

	metrics_note_attach_trouble(config->metrics, report->trouble);
	log_info(config->log, "attach ended", log_name("uid", str_of(run->job->uid)),
		 log_word("verdict", attach_verdict_name(report->trouble)));
	if (report->trouble == ATTACH_REFUSED)
		client_route_note_unauthorized(config->client);
	if (report->trouble == ATTACH_LOST)
		client_route_note_transport_error(config->client);
	if (report->trouble == ATTACH_GONE || report->trouble == ATTACH_UNREADY ||
	    report->trouble == ATTACH_ENDED)
		job_doubt_pod(run->job);
}

static void bear_silence(struct run *run)
{
	session_bear_silence(run->session, term_now_ms(run->job->term) + run->budget_ms);
}

/* As long as the runner says that it has not begun, it may do so after what it has just said. */
static void note_begin(struct run *run, enum session_state state)
{
	switch ((int)state) {
	case SESSION_IS_READY:
	case SESSION_IS_UPLOADING:
	case SESSION_IS_RECEIVED:
	case SESSION_IS_STARTING:
	case SESSION_IS_INSTALLING: break;
	case SESSION_IS_RUNNING:
	case SESSION_IS_DONE:
	case SESSION_IS_PULLING: run->has_begun = true; break;
	default: return;
	}
	bear_silence(run);
}

static void note_stage(struct run *run, const struct session_report *report)
{
	struct job *job = run->job;
	int64_t now_ms = term_now_ms(job->term);

	if (report->hello)
		run->hello_seen = true;
	if (report->state == SESSION_IS_DISPLACED && run->displaced_ms == JOB_NO_TIME)
		run->displaced_ms = now_ms;
	if ((report->state == SESSION_IS_DONE || report->state == SESSION_IS_PULLING) &&
	    job->done_ms == JOB_NO_TIME)
		job->done_ms = now_ms;
	if (run->is_marked && !run->has_begun)
		note_begin(run, report->state);
}

static void on_changed(void *context)
{
	struct run *run = context;
	struct session_report report;

	session_report(run->session, &report);
	note_stage(run, &report);
	if (report.troubles != run->troubles) {
		run->troubles = report.troubles;
		look_into_trouble(run, &report);
	}
	term_wake_now(run->job->term, run->job);
}

/* --- Its life. --- */

static void set_demands(struct verify_demands *demands, const struct plan *plan)
{
	*demands = (struct verify_demands){
		.layers = VERIFY_ALL_LAYERS,
		.uid = plan->run_as_user == TASK_NOT_GIVEN ? VERIFY_ANY_UID : plan->run_as_user,
		.memory_limit_bytes =
			plan->memory_limit_required ? (uint64_t)plan_pod_memory_bytes(plan) : 0,
		.bundle_bytes = PLAN_BUNDLE_BYTES,
		.outcome_bytes = (uint64_t)plan_outcome_bytes(plan),
	};
}

static void set_limits(struct result_limits *limits, const struct plan *plan)
{
	*limits = (struct result_limits){.outcome_bytes = (uint64_t)plan_outcome_bytes(plan)};
	limits->kept_bytes[STREAM_STDOUT] = (uint64_t)plan->stdout_bytes;
	limits->kept_bytes[STREAM_STDERR] = (uint64_t)plan->stderr_bytes;
}

/* The UID's digits without its dashes are the id of the run. */
static void set_run_id(uint8_t id[PROTO_RUN_ID_BYTES], const char *uid)
{
	char digits[TASK_UID_SIZE];
	size_t n = 0;
	bool is_hex;

	for (const char *c = uid; *c; c++)
		if (*c != '-')
			digits[n++] = *c;
	is_hex = hex_decode((struct str){digits, n}, id, PROTO_RUN_ID_BYTES);
	assert(is_hex);
}

static void set_target(struct target *target, const struct job *job)
{
	const struct pod *pod = job->pod.pod;
	struct err err;

	target_init(target);
	target_object(target, client_prefix(term_config(job->term)->client), &kind_pods,
		      pod->namespace, pod->name, "attach");
	target_query(target, "container", STR(POD_CONTAINER));
	target_query(target, "stdin", STR("true"));
	target_query(target, "stdout", STR("true"));
	if (target_check(target, &err) < 0)
		assert(!"a Pod's name is no name");
}

struct run *run_new(struct job *job)
{
	const struct term_config *config = term_config(job->term);
	struct run *run = mem_new(1, sizeof(*run));
	struct session_config session = {
		.io = config->io,
		.hub = term_hub(job->term),
		.attempt = (uint32_t)job->pod.attempt,
		/* Of this Pod there was no other session in this term: job_note_pod. */
		.number = election_session_base(config->election) + 1,
		.credentials = on_credentials,
		.changed = on_changed,
		.context = run,
	};
	struct target target;

	*run = (struct run){
		.job = job,
		.displaced_ms = JOB_NO_TIME,
		.budget_ms = job->plan->run_seconds * 1000,
	};
	set_demands(&session.demands, job->plan);
	set_limits(&session.limits, job->plan);
	set_run_id(session.run_id, job->uid);
	set_target(&target, job);
	session.target = target.text.data;
	run->session = session_new(&session);
	target_free(&target);
	return run;
}

void run_delete(struct run *run)
{
	if (!run)
		return;
	session_delete(run->session);
	release_route(run);
	input_delete(run->input);
	for (int i = 0; i < RUN_STREAMS; i++)
		free(run->refs[i]);
	free(run);
}

void run_note_mark(struct run *run)
{
	if (run->is_marked)
		return;
	run->is_marked = true;
	bear_silence(run);
}

/* --- Commands. --- */

static void fail(struct run *run, enum reason reason, const char *text)
{
	run->failure = reason;
	snprintf(run->failure_text, sizeof(run->failure_text), "%s", text);
}

/* The runtime's variables are in the plan by their hash only. */
static bool find_runtime_env(const struct job *job, struct str *env)
{
	const struct class *class = policy_class(term_policy(job->term), job->plan->class_name);
	char sha256[PLAN_SHA256_SIZE];

	for (size_t i = 0; class && i < class->runtime_count; i++) {
		if (!str_equal(class->runtimes[i].name, job->plan->runtime))
			continue;
		*env = class->runtimes[i].env;
		plan_hash(*env, sha256);
		return str_equal(str_of(sha256), job->plan->runtime_env_sha256);
	}
	return false;
}

static void prepare_input(struct run *run)
{
	struct job *job = run->job;
	struct str env;
	struct err err;

	if (!find_runtime_env(job, &env)) {
		fail(run, REASON_SourceChanged,
		     "the environment of the class's runtime changed after the run was planned");
		return;
	}
	run->input = input_new(job->task, job->plan, env, &err);
	if (!run->input)
		fail(run, REASON_Internal, err.message);
}

void run_upload(struct run *run)
{
	if (!run->input)
		prepare_input(run);
	if (run->input)
		session_upload(run->session, &run->input->object);
	else
		term_wake_now(run->job->term, run->job);
}

void run_start(struct run *run)
{
	session_start(run->session);
}

void run_pull(struct run *run)
{
	session_pull(run->session);
}

void run_release(struct run *run)
{
	session_release(run->session);
}

void run_session_text(const struct run *run, char text[24])
{
	struct session_report report;

	session_report(run->session, &report);
	snprintf(text, 24, "%" PRIu64, report.number);
}

/* --- The outcome. --- */

bool run_has_outcome(const struct run *run)
{
	struct session_report report;

	session_report(run->session, &report);
	return report.outcome != NULL;
}

const struct ending_stream *run_stream(const struct run *run, int stream)
{
	return stream == STREAM_STDOUT ? &run->ending.stdout_kept : &run->ending.stderr_kept;
}

int run_stream_to_write(const struct run *run)
{
	for (int i = 0; i < RUN_STREAMS; i++)
		if (!run->is_refused[i] && run->ref_count[i] < run->parts[i])
			return i;
	return -1;
}
