#include "sim_check.h"

#include "sim_json.h"
#include "sim_world.h"

#include "base/json.h"
#include "build/excerpt.h"
#include "build/pod.h"
#include "core/lease.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* For one task and a few controllers, one after the other, whatever befalls them. */
#define READS_MAX  400
#define WRITES_MAX 40

void sim_check_fail(struct sim_check *check, const char *format, ...)
{
	va_list args;

	if (check->has_failed)
		return;
	check->has_failed = true;
	va_start(args, format);
	vsnprintf(check->text, sizeof(check->text), format, args);
	va_end(args);
	sim_trace_add(&check->world->trace, "BROKEN: %s", check->text);
}

/* --- What is known. --- */

static struct sim_store *store_of(const struct sim_check *check)
{
	return &check->world->api.store;
}

static bool is_controller(const char *actor)
{
	return strncmp(actor, "controller", strlen("controller")) == 0;
}

static struct sim_object *task_of(const struct sim_check *check, const char *uid)
{
	const struct sim_resource *tasks = sim_store_kind("sandboxtasks");
	struct sim_object *task = sim_store_next(store_of(check), tasks, NULL);

	while (task && strcmp(task->uid, uid) != 0)
		task = sim_store_next(store_of(check), tasks, task);
	return task;
}

static bool is_final(struct str task)
{
	return sim_json_is(task, "status.phase", "Succeeded") ||
	       sim_json_is(task, "status.phase", "Failed");
}

static bool is_marked(struct str task)
{
	return sim_json_at(task, "status.startedAt").n > 0;
}

static struct sim_pod *pod_of_uid(const struct sim_check *check, struct str uid)
{
	struct sim_pod *pod;

	list_for_each (pod, &check->world->node.pods, link)
		if (str_equal(str_of(pod->uid), uid))
			return pod;
	return NULL;
}

static bool holds(struct str text, const char *part)
{
	return text.n > 0 && memmem(text.p, text.n, part, strlen(part)) != NULL;
}

/* --- 1: before the code. --- */

void sim_check_writer(struct sim_check *check, const char *controller, const char *target)
{
	int64_t age_ms = check->world->clock.now_ms - check->leader_since_ms;

	if (!check->needs_leader)
		return;
	if (strcmp(controller, check->leader) != 0 || age_ms > LEASE_RENEW_DEADLINE_MS)
		sim_check_fail(check, "%s writes to %s, but %s held the Lease %d ms ago",
			       controller, target, check->leader, (int)age_ms);
}

static void check_session(struct sim_check *check, struct sim_pod *pod,
			  struct sim_check_connection *connection, const struct frame *frame)
{
	if (frame->type != FRAME_ATTACH || connection->session != 0)
		return;
	connection->session = frame->session;
	for (unsigned i = 0; i < pod->session_count; i++)
		if (pod->sessions[i] == frame->session)
			sim_check_fail(check, "two connections have the same session number");
	if (pod->session_count == SIM_POD_SESSIONS_MAX)
		sim_check_fail(check, "more than %d connections to a Pod", SIM_POD_SESSIONS_MAX);
	else
		pod->sessions[pod->session_count++] = frame->session;
}

void sim_check_frame(struct sim_check *check, struct sim_pod *pod,
		     struct sim_check_connection *connection, const struct frame *frame)
{
	if (pod)
		check_session(check, pod, connection, frame);
	if (frame->type != FRAME_OFFER && frame->type != FRAME_UPLOAD && frame->type != FRAME_START)
		return;
	if (!connection->hello_was_heard)
		sim_check_fail(check, "%s is sent before HELLO was heard on this connection",
			       proto_frame_name(frame->type));
	if (check->world->node.program.lacks_a_layer)
		sim_check_fail(check, "%s is sent to a runner without a whole jail",
			       proto_frame_name(frame->type));
}

/* --- 2: once. --- */

void sim_check_start(struct sim_check *check, const struct sim_pod *pod)
{
	const struct sim_object *task = task_of(check, pod->task_uid);
	const struct sim_pod *other;

	if (pod->starts > 1)
		sim_check_fail(check, "%s starts the code a second time", pod->name);
	list_for_each (other, &check->world->node.pods, link)
		if (other != pod && other->starts > 0 &&
		    strcmp(other->task_uid, pod->task_uid) == 0)
			sim_check_fail(check, "%s starts the code that %s has started", pod->name,
				       other->name);
	if (task && (!is_marked(buf_str(&task->json)) ||
		     !sim_json_is(buf_str(&task->json), "status.podUID", pod->uid)))
		sim_check_fail(check, "%s starts the code, and no mark names it", pod->name);
}

static bool is_running(const struct sim_pod *pod)
{
	return pod->state == SIM_POD_RUNNING;
}

/* The container of one that was deleted by force may run on for a moment. */
static void check_one_pod(struct sim_check *check, const struct sim_commit *commit)
{
	const struct sim_pod *pod, *added = NULL;

	list_for_each (pod, &check->world->node.pods, link)
		if (strcmp(pod->uid, commit->uid) == 0)
			added = pod;
	list_for_each (pod, &check->world->node.pods, link)
		if (pod != added && strcmp(pod->task_uid, added->task_uid) == 0 &&
		    (pod->has_object || (is_running(pod) && !pod->was_disturbed)))
			sim_check_fail(check, "%s is made while %s lives", added->name, pod->name);
}

static const char *const MARK[] = {"status.startedAt", "status.podUID", "status.planSHA256",
				   "status.session", "status.attempt"};

static void check_mark_stays(struct sim_check *check, const struct sim_commit *commit)
{
	for (size_t i = 0; i < sizeof(MARK) / sizeof(MARK[0]); i++)
		if (!str_equal(sim_json_at(commit->before, MARK[i]),
			       sim_json_at(commit->after, MARK[i])))
			sim_check_fail(check, "%s of a marked task changes", MARK[i]);
}

/* --- 3: the truth. --- */

/* What the status refers to is there, and is all. */
static void check_outputs(struct sim_check *check, struct str task)
{
	struct json_walk walk = json_walk(sim_json_at(task, "status.stdout.refs"));
	int64_t bytes = 0;
	struct str ref;

	while (json_next(&walk, NULL, &ref)) {
		bytes += sim_json_number(ref, "bytes", 0);
		if (!sim_store_find(store_of(check), sim_store_kind("sandboxoutputs"),
				    sim_json_word(task, "metadata.namespace"),
				    sim_json_word(ref, "sandboxOutput.name")))
			sim_check_fail(check, "the status refers to an output that is not there");
	}
	if (bytes != (int64_t)check->world->node.program.output_bytes)
		sim_check_fail(check, "the outputs are not all that was printed");
}

/* Another one of the same name is another task. */
static void check_own_pod(struct sim_check *check, struct str task)
{
	const struct sim_pod *pod = pod_of_uid(check, sim_json_word(task, "status.podUID"));

	if (pod && !sim_json_is(task, "metadata.uid", pod->task_uid))
		sim_check_fail(check, "the status of a task names the Pod of another one");
}

static void check_success(struct sim_check *check, struct str task)
{
	const struct sim_pod *pod = pod_of_uid(check, sim_json_word(task, "status.podUID"));
	const struct sim_program *program = &check->world->node.program;
	int64_t omitted_bytes = sim_json_number(task, "status.stdout.omittedBytes", -1);

	if (!pod || pod->starts != 1 || !pod->was_sealed || pod->was_cut || program->exit_code != 0)
		sim_check_fail(check, "Succeeded without an exit with 0 of the program");
	if (!sim_json_is(task, "status.reason", "Completed") ||
	    sim_json_number(task, "status.exitCode", -1) != 0 ||
	    sim_json_number(task, "status.stdout.bytes", -1) != (int64_t)program->output_bytes ||
	    (omitted_bytes != 0 && !check->takes_failures))
		sim_check_fail(check, "Succeeded without reason, exit code or output");
	if (program->output_bytes > EXCERPT_BYTES_MAX && omitted_bytes == 0)
		check_outputs(check, task);
}

/* Why a task may fail whose Pod was disturbed. */
static const struct {
	const char *reason;
	bool before_mark, after_mark;
} DISTURBANCES[] = {
	{"Evicted", true, true},
	{"PodLost", true, false},
	{"Interrupted", false, true},
	{"PodTampered", true, true},
};

static bool blames_a_disturbance(struct str task)
{
	struct str reason = sim_json_word(task, "status.reason");

	for (size_t i = 0; i < sizeof(DISTURBANCES) / sizeof(DISTURBANCES[0]); i++)
		if (str_equal(reason, str_of(DISTURBANCES[i].reason)))
			return is_marked(task) ? DISTURBANCES[i].after_mark
					       : DISTURBANCES[i].before_mark;
	return false;
}

/* After the mark it is the marked Pod that counts, before it every one that there was. */
static bool was_disturbed(const struct sim_check *check, struct str task)
{
	const struct sim_pod *pod = pod_of_uid(check, sim_json_word(task, "status.podUID"));

	if (is_marked(task) && pod)
		return pod->was_disturbed;
	list_for_each (pod, &check->world->node.pods, link)
		if (pod->was_disturbed)
			return true;
	return false;
}

static void check_failure(struct sim_check *check, struct str task)
{
	const struct sim_program *program = &check->world->node.program;
	struct str reason = sim_json_word(task, "status.reason");
	const char *honest = program->lacks_a_layer    ? "IsolationUnverified"
			     : program->never_starts   ? "RuntimeUnavailable"
			     : program->exit_code != 0 ? "NonZeroExit"
						       : "";

	if (str_equal(reason, str_of(honest)) || check->takes_failures)
		return;
	if (!was_disturbed(check, task) || !blames_a_disturbance(task))
		sim_check_fail(check, "Failed as %.*s, which is not what happened",
			       STR_ARGS(reason));
}

static void check_task(struct sim_check *check, const struct sim_commit *commit)
{
	if (commit->change != SIM_MODIFIED)
		return;
	if (is_final(commit->before) &&
	    !str_equal(sim_json_at(commit->before, "status"), sim_json_at(commit->after, "status")))
		sim_check_fail(check, "a final status changes");
	if (is_marked(commit->before))
		check_mark_stays(check, commit);
	check_own_pod(check, commit->after);
	if (is_final(commit->before) || !is_final(commit->after))
		return;
	if (sim_json_is(commit->after, "status.phase", "Succeeded"))
		check_success(check, commit->after);
	else
		check_failure(check, commit->after);
}

/* --- 4: status first, Pod second. --- */

static void check_deletion(struct sim_check *check, const struct sim_commit *commit)
{
	const struct sim_pod *pod = pod_of_uid(check, str_of(commit->uid));
	const struct sim_object *task = task_of(check, pod->task_uid);
	struct str json = task ? buf_str(&task->json) : STR("");
	int64_t attempt = pod_attempt(str_of(pod->name), str_of(pod->task_uid));

	if (!task || is_final(json) || sim_json_at(json, "metadata.deletionTimestamp").n > 0)
		return;
	if (!is_marked(json) && sim_json_number(json, "status.attempt", 0) >= attempt)
		return;
	sim_check_fail(check, "%s deletes %s before a status says why", commit->actor, pod->name);
}

static bool is_deletion(const struct sim_commit *commit)
{
	return commit->change == SIM_DELETED ||
	       (commit->change == SIM_MODIFIED &&
		sim_json_at(commit->before, "metadata.deletionTimestamp").n == 0 &&
		sim_json_at(commit->after, "metadata.deletionTimestamp").n > 0);
}

static void note_leader(struct sim_check *check, const struct sim_commit *commit)
{
	snprintf(check->leader, sizeof(check->leader), "%.*s",
		 STR_ARGS(sim_json_word(commit->after, "spec.holderIdentity")));
	check->leader_since_ms = check->world->clock.now_ms;
}

static void on_commit(void *context, const struct sim_commit *commit)
{
	struct sim_check *check = context;

	if (commit->resource == sim_store_kind("sandboxtasks"))
		check_task(check, commit);
	if (commit->resource == sim_store_kind("leases"))
		note_leader(check, commit);
	if (commit->resource != sim_store_kind("pods"))
		return;
	if (commit->change == SIM_ADDED && is_controller(commit->actor))
		check_one_pod(check, commit);
	if (is_deletion(commit) && is_controller(commit->actor))
		check_deletion(check, commit);
}

/* --- 5: nothing leaks. --- */

static bool is_about_a_task(const char *target)
{
	return strstr(target, "/sandboxtasks") || strstr(target, "/pods") ||
	       strstr(target, "/sandboxoutputs");
}

static void count(struct sim_check *check, const struct sim_request *request)
{
	bool is_read = strcmp(request->method, "GET") == 0;

	check->reads += is_read;
	check->writes += !is_read && is_about_a_task(request->target);
	if (!check->takes_failures && (check->reads > READS_MAX || check->writes > WRITES_MAX))
		sim_check_fail(check, "more than %d reads or %d writes", READS_MAX, WRITES_MAX);
}

void sim_check_request(struct sim_check *check, const struct sim_request *request)
{
	count(check, request);
	if (holds(str_of(request->target), SIM_CANARY) || holds(request->body, SIM_CANARY))
		sim_check_fail(check, "the code or the input is in a %s of %s", request->method,
			       request->target);
}

void sim_check_log(struct sim_check *check, struct str line)
{
	if (holds(line, SIM_CANARY))
		sim_check_fail(check, "the code or the input is in the log");
}

/* --- The end. --- */

bool sim_check_is_quiet(const struct sim_check *check)
{
	const struct sim_resource *tasks = sim_store_kind("sandboxtasks");
	struct sim_object *task = sim_store_next(store_of(check), tasks, NULL);

	for (; task; task = sim_store_next(store_of(check), tasks, task))
		if (!is_final(buf_str(&task->json)))
			return false;
	return sim_store_next(store_of(check), sim_store_kind("pods"), NULL) == NULL;
}

void sim_check_end(struct sim_check *check)
{
	struct sim_pod *pod;

	if (!sim_check_is_quiet(check))
		sim_check_fail(check, "a task is not final, or a Pod is left");
	list_for_each (pod, &check->world->node.pods, link)
		if (pod->state != SIM_POD_ENDED)
			sim_check_fail(check, "the container of %s is left", pod->name);
}

void sim_check_init(struct sim_check *check, struct sim_world *world)
{
	*check = (struct sim_check){.world = world};
	sim_store_observe(&world->api.store, on_commit, check);
}

void sim_check_free(struct sim_check *check)
{
	*check = (struct sim_check){0};
}
