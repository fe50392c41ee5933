#include "sim_node.h"

#include "sim_attach.h"
#include "sim_json.h"

#include "proto_samples.h"

#include "base/json.h"
#include "base/mem.h"
#include "build/pod.h"
#include "core/plan.h"

#include <stdlib.h>
#include <string.h>

#define EXIT_BEFORE_GRACE_MS 1000 /* of runner-image/runner.c */
#define OUTCOME_BYTES_MAX    (8u << 20)
#define EXIT_KILLED	     137
/* Longer than a runner may be silent, shorter than that and the run budget of the class. */
#define CUT_MS 90000

static struct sim_store *store_of(const struct sim_pod *pod)
{
	return &pod->world->api.store;
}

static struct sim_object *object_of(const struct sim_pod *pod)
{
	struct sim_object *object = sim_store_find(store_of(pod), sim_store_kind("pods"),
						   str_of(pod->in_namespace), str_of(pod->name));

	return object && strcmp(object->uid, pod->uid) == 0 ? object : NULL;
}

static void in_a_while(struct sim_pod *pod, int64_t min_ms, int64_t max_ms,
		       void (*step)(void *context))
{
	struct sim_clock *clock = &pod->world->clock;

	sim_clock_in(clock, &pod->step, sim_clock_between(clock, min_ms, max_ms), step, pod);
}

/* --- The container's end. --- */

static void remove_object(void *context)
{
	struct sim_pod *pod = context;
	struct sim_object *object = object_of(pod);

	if (object)
		sim_store_remove(store_of(pod), "kubelet", object);
}

static void stop_container(struct sim_pod *pod)
{
	sim_clock_cancel(&pod->world->clock, &pod->deadline);
	sim_clock_cancel(&pod->world->clock, &pod->tick);
	while (!list_is_empty(&pod->attaches))
		sim_attach_end(sim_attach_of_link(pod->attaches.next));
	if (pod->model)
		runner_model_free(pod->model);
	free(pod->model);
	free(pod->output);
	pod->model = NULL;
	pod->output = NULL;
	pod->state = SIM_POD_ENDED;
}

static void exit_container(struct sim_pod *pod, int exit_code)
{
	struct sim_object *object = object_of(pod);
	bool has_run = pod->state == SIM_POD_RUNNING;

	if (pod->state == SIM_POD_ENDED)
		return;
	stop_container(pod);
	sim_trace_add(&pod->world->trace, "container of %s exits with %d", pod->name, exit_code);
	if (object && has_run)
		sim_store_patchf(store_of(pod), "kubelet", object,
				 "{'status':{'phase':'%s','containerStatuses':[{'name':'sandbox',"
				 "'state':{'terminated':{'exitCode':%d,'reason':'%s'}}}]}}",
				 exit_code == 0 ? "Succeeded" : "Failed", exit_code,
				 exit_code == 0 ? "Completed" : "Error");
	if (object && pod->is_terminating)
		in_a_while(pod, 1, 50, remove_object);
}

static void on_kill(void *context)
{
	exit_container(context, EXIT_KILLED);
}

/* --- The runner. --- */

static void on_tick(void *context);

static void speak(struct sim_pod *pod)
{
	struct sim_clock *clock = &pod->world->clock;
	uint8_t out[RUNNER_FRAME_MAX];
	size_t length;
	int64_t next_ms;

	while ((length = runner_model_next_frame(pod->model, clock->now_ms, out)) > 0)
		for (struct list *at = pod->attaches.next; at != &pod->attaches; at = at->next)
			sim_attach_output(sim_attach_of_link(at),
					  (struct str){(const char *)out, length});
	pod->was_sealed |= pod->model->outcome_object.total > 0;
	next_ms = runner_model_next_ms(pod->model);
	sim_clock_cancel(clock, &pod->tick);
	if (next_ms != RUNNER_NEVER)
		sim_clock_in(clock, &pod->tick, next_ms - clock->now_ms, on_tick, pod);
}

static void on_tick(void *context)
{
	speak(context);
}

static bool has_something_to_lose(const struct sim_pod *pod)
{
	const struct runner_model *model = pod->model;

	return model->starts > 0 && !model->side.released;
}

static void start(struct sim_pod *pod)
{
	const struct sim_program *program = &pod->world->node.program;
	struct runner_model *model = pod->model;

	pod->starts++;
	sim_trace_add(&pod->world->trace, "runner of %s starts the code", pod->name);
	pod->output = mem_new(1, program->output_bytes + 1);
	memset(pod->output, 'x', program->output_bytes);
	sample_plain_outcome(&model->outcome, pod->output);
	model->outcome.exit_code = (uint8_t)program->exit_code;
	memcpy(model->outcome.bundle_sha256, model->side.sha256, SHA256_BYTES);
	sim_check_start(&pod->world->check, pod);
}

static void on_event(void *context, enum runner_event event)
{
	if (event == RUNNER_START)
		start(context);
}

void sim_node_input(struct sim_node *node, struct sim_pod *pod, struct str bytes)
{
	runner_model_hear(pod->model, node->world->clock.now_ms, bytes);
	if (pod->is_terminating && !has_something_to_lose(pod))
		exit_container(pod, 0);
	else
		speak(pod);
}

static void on_ready(void *context)
{
	struct sim_pod *pod = context;
	struct runner_model *model = pod->model;

	model->hello.bundle_bytes_max = PLAN_BUNDLE_BYTES;
	model->hello.outcome_bytes_max = OUTCOME_BYTES_MAX;
	model->run_ms = pod->world->node.program.run_ms;
	if (pod->world->node.program.lacks_a_layer)
		model->hello.layers[LAYER_SECCOMP].state = LAYER_MISSING;
	runner_model_ready(model, pod->world->clock.now_ms);
	speak(pod);
}

/* --- The kubelet and the scheduler. --- */

static void run(void *context)
{
	struct sim_pod *pod = context;
	struct sim_clock *clock = &pod->world->clock;

	pod->state = SIM_POD_RUNNING;
	pod->model = mem_new(1, sizeof(*pod->model));
	runner_model_init(pod->model);
	pod->model->on_event = on_event;
	pod->model->context = pod;
	in_a_while(pod, 1, 200, on_ready);
	sim_store_patchf(store_of(pod), "kubelet", object_of(pod),
			 "{'status':{'phase':'Running','podIP':'10.0.0.2','hostIP':'10.0.0.1',"
			 "'conditions':[{'type':'PodScheduled','status':'True'},"
			 "{'type':'Ready','status':'True'}],'containerStatuses':[{"
			 "'name':'sandbox','ready':true,'image':'runner-python:1',"
			 "'imageID':'docker.io/sandboxtask/runner-python@sha256:1',"
			 "'state':{'running':{'startedAt':'%s'}}}]}}",
			 sim_clock_text(clock));
}

/* Where the kubelet says it, and nowhere else: no condition and no state of a container does. */
static void refuse(struct sim_pod *pod)
{
	char event[1024];

	snprintf(event, sizeof(event),
		 "{\"metadata\":{\"name\":\"%s.1\",\"namespace\":\"%s\"},\"involvedObject\":"
		 "{\"uid\":\"%s\"},\"type\":\"Warning\",\"reason\":\"FailedCreatePodSandBox\","
		 "\"message\":\"no runtime for runsc is configured\",\"lastTimestamp\":\"%s\"}",
		 pod->name, pod->in_namespace, pod->uid, sim_clock_text(&pod->world->clock));
	sim_store_create(store_of(pod), "kubelet", sim_store_resource(STR(""), STR("events")),
			 str_of(pod->in_namespace), str_of(event));
}

static void schedule(void *context)
{
	struct sim_pod *pod = context;

	pod->state = SIM_POD_SCHEDULED;
	sim_store_patchf(store_of(pod), "scheduler", object_of(pod),
			 "{'spec':{'nodeName':'node-1'},'status':{'conditions':["
			 "{'type':'PodScheduled','status':'True'}],'containerStatuses':[{"
			 "'name':'sandbox','state':{'waiting':{'reason':'ContainerCreating'}}}]}}");
	if (pod->world->node.program.never_starts)
		refuse(pod);
	else
		in_a_while(pod, 100, 800, run);
}

/* SIGTERM. */
static void terminate(void *context)
{
	struct sim_pod *pod = context;

	sim_trace_add(&pod->world->trace, "container of %s gets SIGTERM", pod->name);
	if (pod->state != SIM_POD_RUNNING || !has_something_to_lose(pod)) {
		exit_container(pod, 0);
		return;
	}
	if (pod->model->seal_ms == RUNNER_NEVER)
		return;
	pod->was_cut = true;
	pod->model->outcome.verdict = VERDICT_KILLED;
	pod->model->outcome.exit_code = 0;
	pod->model->outcome.killed_for = KILLED_FOR_SHUTDOWN;
	pod->model->outcome.partial = 1;
	runner_model_seal(pod->model, pod->world->clock.now_ms);
	speak(pod);
}

/* The runner goes by itself a second before its grace of 30 s ends, which is the longest. */
static void note_deletion(struct sim_pod *pod, struct str json)
{
	struct sim_clock *clock = &pod->world->clock;
	int64_t grace_ms = sim_json_number(json, "metadata.deletionGracePeriodSeconds", 30) * 1000;

	if (pod->state == SIM_POD_ENDED) {
		in_a_while(pod, 1, 50, remove_object);
		return;
	}
	if (!pod->is_terminating) {
		pod->is_terminating = true;
		pod->terminated_ms = clock->now_ms;
		in_a_while(pod, 1, 20, terminate);
	}
	if (grace_ms > EXIT_BEFORE_GRACE_MS)
		grace_ms -= EXIT_BEFORE_GRACE_MS;
	sim_clock_in(clock, &pod->deadline, pod->terminated_ms + grace_ms - clock->now_ms, on_kill,
		     pod);
}

/* --- What it hears of. --- */

static struct sim_pod *find(const struct sim_node *node, const char *uid)
{
	struct sim_pod *pod;

	list_for_each (pod, &node->pods, link)
		if (strcmp(pod->uid, uid) == 0)
			return pod;
	return NULL;
}

static void add(struct sim_node *node, const struct sim_commit *commit)
{
	struct sim_pod *pod = mem_new(1, sizeof(*pod));
	struct str task_uid = STR("\"\"");

	json_find(sim_json_at(commit->after, "metadata.labels"), STR("sandboxtask.io/task-uid"),
		  &task_uid);
	pod->world = node->world;
	memcpy(pod->in_namespace, commit->in_namespace, sizeof(pod->in_namespace));
	memcpy(pod->name, commit->name, sizeof(pod->name));
	memcpy(pod->uid, commit->uid, sizeof(pod->uid));
	snprintf(pod->task_uid, sizeof(pod->task_uid), "%.*s", (int)task_uid.n - 2, task_uid.p + 1);
	pod->has_object = true;
	list_init(&pod->attaches);
	list_push_back(&node->pods, &pod->link);
	in_a_while(pod, 2, 40, schedule);
}

static void on_commit(void *context, const struct sim_commit *commit)
{
	struct sim_node *node = context;
	struct sim_pod *pod;

	if (commit->resource != sim_store_kind("pods"))
		return;
	if (commit->change == SIM_ADDED) {
		add(node, commit);
		return;
	}
	pod = find(node, commit->uid);
	if (commit->change == SIM_DELETED) {
		pod->has_object = false;
		sim_clock_cancel(&node->world->clock, &pod->step);
		if (pod->state != SIM_POD_ENDED)
			in_a_while(pod, 0, 200, on_kill);
	} else if (sim_json_at(commit->after, "metadata.deletionTimestamp").n > 0) {
		note_deletion(pod, commit->after);
	}
}

struct sim_pod *sim_node_find(struct sim_node *node, struct str in_namespace, struct str name,
			      struct sim_refusal *refusal)
{
	struct sim_pod *pod, *found = NULL;

	list_for_each (pod, &node->pods, link)
		if (pod->has_object && str_equal(str_of(pod->in_namespace), in_namespace) &&
		    str_equal(str_of(pod->name), name))
			found = pod;
	if (found && found->state == SIM_POD_RUNNING)
		return found;
	if (!found)
		*refusal = (struct sim_refusal){404, "{\"kind\":\"Status\",\"apiVersion\":\"v1\","
						     "\"status\":\"Failure\",\"reason\":"
						     "\"NotFound\",\"code\":404}"};
	else if (found->state == SIM_POD_PENDING)
		*refusal = (struct sim_refusal){400, "pod does not have a host assigned"};
	else
		*refusal = (struct sim_refusal){500, "container sandbox not found in pod"};
	return NULL;
}

struct sim_pod *sim_node_last(const struct sim_node *node)
{
	return list_is_empty(&node->pods) ? NULL
					  : list_item(node->pods.previous, struct sim_pod, link);
}

/* --- What may befall a Pod. --- */

void sim_node_delete_by_force(struct sim_pod *pod)
{
	struct sim_object *object = object_of(pod);

	pod->was_disturbed = true;
	if (object)
		sim_store_remove(store_of(pod), "somebody", object);
}

void sim_node_drain(struct sim_pod *pod)
{
	struct sim_object *object = object_of(pod);

	pod->was_disturbed = true;
	if (!object)
		return;
	sim_store_patchf(store_of(pod), "drain", object,
			 "{'status':{'conditions':[{'type':'DisruptionTarget',"
			 "'status':'True','reason':'EvictionByEvictionAPI'}]}}");
	sim_api_delete_pod(&pod->world->api, "drain", object, 30);
}

void sim_node_evict(struct sim_pod *pod)
{
	struct sim_object *object = object_of(pod);

	pod->was_disturbed = true;
	if (!object || pod->state == SIM_POD_ENDED)
		return;
	sim_clock_cancel(&pod->world->clock, &pod->step);
	stop_container(pod);
	sim_store_patchf(store_of(pod), "kubelet", object,
			 "{'status':{'phase':'Failed','reason':'Evicted','message':"
			 "'The node was low on resource: memory.','containerStatuses':[]}}");
}

void sim_node_strip(struct sim_pod *pod)
{
	struct sim_object *object = object_of(pod);

	pod->was_disturbed = true;
	if (object)
		sim_store_patchf(store_of(pod), "somebody", object, "{'metadata':{'labels':null}}");
}

void sim_node_cut(struct sim_pod *pod)
{
	sim_trace_add(&pod->world->trace, "%s is cut off", pod->name);
	pod->cut_until_ms = pod->world->clock.now_ms + CUT_MS;
	for (struct list *at = pod->attaches.next; at != &pod->attaches; at = at->next)
		sim_attach_cut(sim_attach_of_link(at));
}

void sim_node_forge(struct sim_pod *pod)
{
	struct sim_object *object = object_of(pod);
	struct str uid = str_of(pod->task_uid), json, spec;
	char name[POD_NAME_SIZE];
	struct buf forged;

	if (!object || pod_name(name, uid, pod_attempt(str_of(pod->name), uid) + 2) < 0)
		return;
	json = buf_str(&object->json);
	spec = sim_json_at(json, "spec");
	buf_init(&forged, SIM_JSON_BYTES_MAX);
	buf_printf(&forged,
		   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\","
		   "\"namespace\":\"%s\",\"labels\":%.*s,\"annotations\":%.*s},"
		   "\"spec\":{\"hostNetwork\":true,%.*s}",
		   name, pod->in_namespace, STR_ARGS(sim_json_at(json, "metadata.labels")),
		   STR_ARGS(sim_json_at(json, "metadata.annotations")),
		   STR_ARGS(str_slice(spec, 1, spec.n)));
	sim_store_create(store_of(pod), "somebody", sim_store_kind("pods"),
			 str_of(pod->in_namespace), buf_str(&forged));
	buf_free(&forged);
}

void sim_node_forge_and_evict(struct sim_pod *pod)
{
	sim_node_forge(pod);
	sim_node_evict(pod);
}

void sim_node_forge_and_strip(struct sim_pod *pod)
{
	sim_node_forge(pod);
	sim_node_strip(pod);
}

/* --- Birth and death. --- */

void sim_node_init(struct sim_node *node, struct sim_world *world)
{
	*node = (struct sim_node){
		.world = world,
		.program = {.run_ms = 3000, .output_bytes = 2},
	};
	list_init(&node->pods);
	sim_store_observe(&world->api.store, on_commit, node);
}

void sim_node_free(struct sim_node *node)
{
	struct sim_pod *pod;

	while ((pod = list_first(&node->pods, struct sim_pod, link))) {
		stop_container(pod);
		sim_clock_cancel(&node->world->clock, &pod->step);
		list_remove(&pod->link);
		free(pod);
	}
}
