#include "podstatus.h"

#include "base/utf8.h"

#include <string.h>

/* --- Where a row looks. Each predicate answers for one value, which the row names. --- */

typedef bool predicate(const struct podstatus_evidence *e, const char *value);

static bool pod_reason_is(const struct podstatus_evidence *e, const char *value)
{
	return str_equal(e->pod->reason, str_of(value));
}

static const struct pod_condition *condition(const struct pod *pod, const char *type)
{
	for (size_t i = 0; i < pod->condition_count; i++)
		if (str_equal(pod->conditions[i].type, str_of(type)))
			return &pod->conditions[i];
	return NULL;
}

static bool disruption_is(const struct podstatus_evidence *e, const char *value)
{
	const struct pod_condition *target = condition(e->pod, "DisruptionTarget");

	return target && str_equal(target->status, STR("True")) &&
	       str_equal(target->reason, str_of(value));
}

static bool scheduling_is(const struct podstatus_evidence *e, const char *value)
{
	const struct pod_condition *scheduled = condition(e->pod, "PodScheduled");

	return scheduled && str_equal(scheduled->status, STR("False")) &&
	       str_equal(scheduled->reason, str_of(value));
}

static bool waiting_for(const struct podstatus_evidence *e, const char *value)
{
	return e->pod->container.state == POD_CONTAINER_WAITING &&
	       str_equal(e->pod->container.reason, str_of(value));
}

static bool container_terminated(const struct podstatus_evidence *e, const char *value)
{
	(void)value;
	return e->pod->container.state == POD_CONTAINER_TERMINATED;
}

static bool terminated_as(const struct podstatus_evidence *e, const char *value)
{
	return container_terminated(e, NULL) && str_equal(e->pod->container.reason, str_of(value));
}

static bool exited_not_isolated(const struct podstatus_evidence *e, const char *value)
{
	(void)value;
	/* A runner that said HELLO has passed this gate: the code is then somebody else's 78. */
	return container_terminated(e, NULL) && !e->hello_seen && !e->marked &&
	       e->pod->container.exit_code == RUNNER_EXIT_NOT_ISOLATED;
}

static bool exited_internal(const struct podstatus_evidence *e, const char *value)
{
	(void)value;
	return container_terminated(e, NULL) && e->pod->container.exit_code == RUNNER_EXIT_INTERNAL;
}

/* 128 + 9 and 128 + 15, which a kill from outside leaves, for whatever cause. */
static bool exited_killed(const struct podstatus_evidence *e, const char *value)
{
	int64_t exit_code = e->pod->container.exit_code;

	(void)value;
	return container_terminated(e, NULL) && (exit_code == 137 || exit_code == 143);
}

static bool exited_zero(const struct podstatus_evidence *e, const char *value)
{
	(void)value;
	return container_terminated(e, NULL) && e->pod->container.exit_code == 0;
}

/* Failed before any container was made: the kubelet refused it (OutOfcpu, NodeAffinity, ...). */
static bool refused_by_node(const struct podstatus_evidence *e, const char *value)
{
	(void)value;
	return str_equal(e->pod->phase, STR("Failed")) && e->pod->reason.n > 0 &&
	       (e->pod->container.state == POD_CONTAINER_UNKNOWN ||
		e->pod->container.state == POD_CONTAINER_WAITING);
}

static bool event_is(const struct podstatus_evidence *e, const char *value)
{
	return e->pod->container.state != POD_CONTAINER_RUNNING &&
	       str_equal(e->event_reason, str_of(value));
}

static bool gone(const struct podstatus_evidence *e, const char *value)
{
	(void)value;
	return e->over;
}

static bool always(const struct podstatus_evidence *e, const char *value)
{
	(void)e;
	(void)value;
	return true;
}

/* --- The tables. --- */

enum source { NOWHERE, POD, DISRUPTION, SCHEDULING, CONTAINER, EVENT }; /* of word and text */

struct row {
	predicate *holds;
	const char *value;
	enum reason before_mark, after_mark;
	bool hopeless;
	enum source source;
	const char *what;
};

#define R(name) REASON_##name

static const struct row ended[] = {
	{pod_reason_is, "Evicted", R(Evicted), R(Evicted), false, POD,
	 "the node evicted the sandbox's Pod"},
	{disruption_is, "EvictionByEvictionAPI", R(Evicted), R(Evicted), false, DISRUPTION,
	 "the sandbox's Pod was evicted, as when a node is drained"},
	{pod_reason_is, "Preempting", R(Preempted), R(Preempted), false, POD,
	 "the node needed the sandbox's room for a critical Pod"},
	{disruption_is, "PreemptionByScheduler", R(Preempted), R(Preempted), false, DISRUPTION,
	 "the scheduler needed the sandbox's room for a more important Pod"},
	{pod_reason_is, "NodeLost", R(NodeLost), R(NodeLost), false, POD,
	 "the node of the sandbox stopped answering"},
	{pod_reason_is, "NodeShutdown", R(NodeLost), R(NodeLost), false, POD,
	 "the node of the sandbox was shut down"},
	{pod_reason_is, "Shutdown", R(NodeLost), R(NodeLost), false, POD,
	 "the node of the sandbox was shut down"},
	{pod_reason_is, "Terminated", R(NodeLost), R(NodeLost), false, POD,
	 "the node of the sandbox was shut down"},
	{disruption_is, "DeletionByTaintManager", R(NodeLost), R(NodeLost), false, DISRUPTION,
	 "the node of the sandbox became unusable"},
	{disruption_is, "DeletionByPodGC", R(NodeLost), R(NodeLost), false, DISRUPTION,
	 "the node of the sandbox is gone"},
	{pod_reason_is, "DeadlineExceeded", R(StartTimeout), R(Interrupted), false, POD,
	 "the sandbox's Pod reached its deadline, which is start, run and hold time together"},
	{refused_by_node, NULL, R(PodRejected), R(Interrupted), false, POD,
	 "the node refused the sandbox's Pod"},
	{exited_not_isolated, NULL, R(IsolationUnverified), R(IsolationUnverified), true, CONTAINER,
	 "the runner found that it is not isolated and stopped"},
	/* 128 under gVisor, where the sandbox dies as a whole, 137 elsewhere: the word counts. */
	{terminated_as, "OOMKilled", R(OutOfMemory), R(OutOfMemory), false, CONTAINER,
	 "the sandbox was killed for exceeding the Pod's memory limit"},
	{terminated_as, "ContainerStatusUnknown", R(PodLost), R(Interrupted), false, CONTAINER,
	 "the node lost track of the sandbox"},
	{terminated_as, "StartError", R(RuntimeUnavailable), R(Interrupted), false, CONTAINER,
	 "the container runtime could not start the sandbox"},
	{terminated_as, "ContainerCannotRun", R(RuntimeUnavailable), R(Interrupted), false,
	 CONTAINER, "the container runtime could not start the sandbox"},
	{disruption_is, "TerminationByKubelet", R(NodeLost), R(NodeLost), false, DISRUPTION,
	 "the node ended the sandbox's Pod"},
	{terminated_as, "DeadlineExceeded", R(StartTimeout), R(Interrupted), false, CONTAINER,
	 "the sandbox's Pod reached its deadline, which is start, run and hold time together"},
	{exited_internal, NULL, R(RunnerFailed), R(Interrupted), false, CONTAINER,
	 "the runner stopped because of a fault of its own (exit code 70)"},
	{exited_killed, NULL, R(PodLost), R(Interrupted), false, CONTAINER,
	 "the sandbox was killed from outside, and nothing says why"},
	{exited_zero, NULL, R(PodLost), R(Interrupted), false, CONTAINER,
	 "the sandbox was told to stop"},
	{container_terminated, NULL, R(RunnerFailed), R(Interrupted), false, CONTAINER,
	 "the runner ended in an unexpected way"},
	{gone, NULL, R(PodLost), R(Interrupted), false, POD, "the sandbox's Pod is gone"},
	{always, NULL, R(PodLost), R(Interrupted), false, POD,
	 "the sandbox's Pod ended and its status does not say why"},
};

#define WAITING(holds, value, reason, hopeless, source, what)                   \
	{                                                                       \
		holds, value, R(reason), R(Interrupted), hopeless, source, what \
	}

static const struct row waiting[] = {
	WAITING(scheduling_is, "Unschedulable", Unschedulable, false, SCHEDULING,
		"no node takes the sandbox"),
	WAITING(scheduling_is, "SchedulingGated", Unschedulable, false, SCHEDULING,
		"something holds the sandbox's Pod back by a scheduling gate"),
	WAITING(scheduling_is, "SchedulerError", Unschedulable, false, SCHEDULING,
		"the scheduler failed to place the sandbox"),
	/* These two alternate while the kubelet tries again and mean the same. */
	WAITING(waiting_for, "ErrImagePull", ImagePullFailed, false, CONTAINER,
		"the image can't be pulled"),
	WAITING(waiting_for, "ImagePullBackOff", ImagePullFailed, false, CONTAINER,
		"the image can't be pulled"),
	WAITING(waiting_for, "RegistryUnavailable", ImagePullFailed, false, CONTAINER,
		"the image's registry does not answer"),
	WAITING(waiting_for, "ImageInspectError", ImagePullFailed, false, CONTAINER,
		"the image can't be read"),
	WAITING(waiting_for, "SignatureValidationFailed", ImagePullFailed, false, CONTAINER,
		"the image's signature is not valid"),
	WAITING(waiting_for, "InvalidImageName", ImagePullFailed, true, CONTAINER,
		"the image's name is not valid"),
	WAITING(waiting_for, "ErrImageNeverPull", ImagePullFailed, true, CONTAINER,
		"the image is not on the node and must not be pulled"),
	WAITING(waiting_for, "CreateContainerConfigError", PodRejected, false, CONTAINER,
		"the node can't make the sandbox's container as the class wants it"),
	WAITING(waiting_for, "CreateContainerError", RuntimeUnavailable, false, CONTAINER,
		"the container runtime can't make the sandbox"),
	WAITING(waiting_for, "RunContainerError", RuntimeUnavailable, false, CONTAINER,
		"the container runtime can't start the sandbox"),
	WAITING(waiting_for, "PreCreateHookError", RuntimeUnavailable, false, CONTAINER,
		"the container runtime can't make the sandbox"),
	WAITING(waiting_for, "PreStartHookError", RuntimeUnavailable, false, CONTAINER,
		"the container runtime can't start the sandbox"),
	WAITING(waiting_for, "PostStartHookError", RuntimeUnavailable, false, CONTAINER,
		"the container runtime can't start the sandbox"),
	WAITING(waiting_for, "CrashLoopBackOff", RunnerFailed, false, CONTAINER,
		"the runner ended again and again"),
	/* The only sign of a missing runtime handler or a failing network plugin. */
	WAITING(event_is, "FailedCreatePodSandBox", RuntimeUnavailable, false, EVENT,
		"the node can't make the sandbox"),
	WAITING(event_is, "FailedMount", StartTimeout, false, EVENT,
		"the node can't mount the sandbox's volumes"),
	WAITING(event_is, "FailedAttachVolume", StartTimeout, false, EVENT,
		"the node can't attach the sandbox's volumes"),
	WAITING(always, NULL, StartTimeout, false, EVENT, "the sandbox did not come up in time"),
};

static const struct row nothing_seen = {
	always,
	NULL,
	R(PodLost),
	R(Interrupted),
	false,
	NOWHERE,
	"the sandbox's Pod is gone, and its last state was not seen"};

static const struct row *first_that_holds(const struct row *rows,
					  const struct podstatus_evidence *e)
{
	while (!rows->holds(e, rows->value))
		rows++;
	return rows;
}

static void take_words(const struct podstatus_evidence *e, enum source source,
		       struct podstatus *status)
{
	const struct pod_condition *found = NULL;

	switch (source) {
	case NOWHERE: return;
	case POD:
		status->word = e->pod->reason;
		status->text = e->pod->message;
		return;
	case CONTAINER:
		status->word = e->pod->container.reason;
		status->text = e->pod->container.message;
		return;
	case EVENT:
		status->word = e->event_reason;
		status->text = e->event_message;
		return;
	case DISRUPTION: found = condition(e->pod, "DisruptionTarget"); break;
	case SCHEDULING: found = condition(e->pod, "PodScheduled"); break;
	}
	status->word = found->reason;
	status->text = found->message;
}

static bool has_ended(const struct podstatus_evidence *e)
{
	return e->over || str_equal(e->pod->phase, STR("Failed")) ||
	       str_equal(e->pod->phase, STR("Succeeded")) || container_terminated(e, NULL);
}

void podstatus(const struct podstatus_evidence *e, struct podstatus *status)
{
	const struct row *row;

	*status = (struct podstatus){0};
	if (!e->pod) {
		status->stage = PODSTATUS_ENDED;
		row = &nothing_seen;
	} else if (has_ended(e)) {
		status->stage = PODSTATUS_ENDED;
		row = first_that_holds(ended, e);
	} else if (e->pod->container.state == POD_CONTAINER_RUNNING) {
		status->stage = PODSTATUS_RUNNING;
		status->what = "the sandbox is running";
		return;
	} else {
		status->stage = PODSTATUS_WAITING;
		row = first_that_holds(waiting, e);
	}
	status->reason = e->marked ? row->after_mark : row->before_mark;
	status->hopeless = row->hopeless;
	status->what = row->what;
	take_words(e, row->source, status);
}

static bool contains(struct str text, const char *part)
{
	return text.n > 0 && memmem(text.p, text.n, part, strlen(part)) != NULL;
}

void podstatus_of_refusal(int http_status, struct str message, struct podstatus *status)
{
	*status = (struct podstatus){
		.stage = PODSTATUS_WAITING,
		.reason = REASON_PodRejected,
		.what = "the API server refused the sandbox's Pod",
		.text = message,
	};
	if (http_status < 400 || http_status == 408 || http_status == 429 || http_status >= 500) {
		status->reason = REASON_StartTimeout;
		status->what = "the API server could not make the sandbox's Pod";
	} else if (http_status == 422 || http_status == 400) {
		status->hopeless = true;
		status->what = "the sandbox's Pod is not valid as the class describes it";
	} else if (contains(message, "violates PodSecurity")) {
		status->hopeless = true;
		status->what = "Pod Security of the Pod's namespace refused the sandbox's Pod";
	} else if (contains(message, "exceeded quota")) {
		status->what = "the quota of the Pod's namespace has no room for the sandbox";
	} else if (contains(message, "RuntimeClass")) {
		status->reason = REASON_RuntimeUnavailable;
		status->what = "the RuntimeClass of the class is not there";
	}
}

/* Appends as much of `text` as leaves `reserve` bytes free; whether it was all. */
static bool append_cut(struct buf *out, struct str text, size_t reserve)
{
	size_t room = out->limit - out->length;

	room = room > reserve ? room - reserve : 0;
	if (text.n <= room)
		return buf_append_str(out, text) == 0;
	buf_append_str(out, str_slice(text, 0, utf8_floor(text, room)));
	return false;
}

void podstatus_describe(const struct podstatus *status, struct buf *out)
{
	size_t reserve = strlen("...)");
	bool whole = append_cut(out, str_of(status->what), reserve);

	if (!whole || (status->word.n == 0 && status->text.n == 0))
		return;
	if (out->limit - out->length < reserve + strlen(" ("))
		return;
	buf_append_str(out, STR(" ("));
	whole = append_cut(out, status->word, reserve);
	if (whole && status->word.n > 0 && status->text.n > 0)
		whole = append_cut(out, STR(": "), reserve);
	if (whole)
		whole = append_cut(out, str_trim(status->text), reserve);
	buf_append_str(out, whole ? STR(")") : STR("...)"));
}
