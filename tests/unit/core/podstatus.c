#include "core/podstatus.h"

#include "base/utf8.h"
#include "tap.h"

#include <string.h>

/* What the status of a Pod says in one row; what is left out is absent. */
struct said {
	const char *phase, *reason;	    /* of the Pod */
	const char *disruption;		    /* reason of DisruptionTarget=True */
	const char *unscheduled;	    /* reason of PodScheduled=False */
	enum pod_container_state container; /* of the container */
	const char *word;		    /* its reason */
	int exit_code;
	const char *event;
	bool over, hello_seen;
};

#define WAITING_FOR(reason)                                                               \
	{                                                                                 \
		.phase = "Pending", .container = POD_CONTAINER_WAITING, .word = (reason), \
	}
#define TERMINATED(reason, code)                                                            \
	{                                                                                   \
		.phase = "Failed", .container = POD_CONTAINER_TERMINATED, .word = (reason), \
		.exit_code = (code), .hello_seen = true                                     \
	}
#define POD_FAILED(why)                             \
	{                                           \
		.phase = "Failed", .reason = (why), \
	}

static const struct row {
	const char *name;
	struct said said;
	enum podstatus_stage stage;
	enum reason before_mark, after_mark;
	bool hopeless;
} rows[] = {
	/* On the way. */
	{"a Pod without any status is on its way", {0}, PODSTATUS_WAITING, REASON_StartTimeout},
	{"a Pod that is creating its container is on its way", WAITING_FOR("ContainerCreating"),
	 PODSTATUS_WAITING, REASON_StartTimeout},
	{"a Pod that is initialising is on its way", WAITING_FOR("PodInitializing"),
	 PODSTATUS_WAITING, REASON_StartTimeout},
	{"a waiting word of a newer kubelet is on its way", WAITING_FOR("SomethingNew"),
	 PODSTATUS_WAITING, REASON_StartTimeout},
	{"no node fits: Unschedulable",
	 {.phase = "Pending", .unscheduled = "Unschedulable"},
	 PODSTATUS_WAITING,
	 REASON_Unschedulable},
	{"a scheduling gate that somebody set: Unschedulable",
	 {.phase = "Pending", .unscheduled = "SchedulingGated"},
	 PODSTATUS_WAITING,
	 REASON_Unschedulable},
	{"an error of the scheduler: Unschedulable",
	 {.phase = "Pending", .unscheduled = "SchedulerError"},
	 PODSTATUS_WAITING,
	 REASON_Unschedulable},
	{"a failed pull: ImagePullFailed", WAITING_FOR("ErrImagePull"), PODSTATUS_WAITING,
	 REASON_ImagePullFailed},
	{"between two pulls: ImagePullFailed too", WAITING_FOR("ImagePullBackOff"),
	 PODSTATUS_WAITING, REASON_ImagePullFailed},
	{"a registry that is down: ImagePullFailed", WAITING_FOR("RegistryUnavailable"),
	 PODSTATUS_WAITING, REASON_ImagePullFailed},
	{"an image that can't be inspected: ImagePullFailed", WAITING_FOR("ImageInspectError"),
	 PODSTATUS_WAITING, REASON_ImagePullFailed},
	{"a bad signature: ImagePullFailed", WAITING_FOR("SignatureValidationFailed"),
	 PODSTATUS_WAITING, REASON_ImagePullFailed},
	{"an image name that is none can't get better", WAITING_FOR("InvalidImageName"),
	 PODSTATUS_WAITING, REASON_ImagePullFailed, REASON_NONE, true},
	{"an image that must not be pulled can't get better", WAITING_FOR("ErrImageNeverPull"),
	 PODSTATUS_WAITING, REASON_ImagePullFailed, REASON_NONE, true},
	{"a container that breaks a rule of the node: PodRejected",
	 WAITING_FOR("CreateContainerConfigError"), PODSTATUS_WAITING, REASON_PodRejected},
	{"a container that can't be made: RuntimeUnavailable", WAITING_FOR("CreateContainerError"),
	 PODSTATUS_WAITING, REASON_RuntimeUnavailable},
	{"a container that can't be run: RuntimeUnavailable", WAITING_FOR("RunContainerError"),
	 PODSTATUS_WAITING, REASON_RuntimeUnavailable},
	{"a failing hook before creation: RuntimeUnavailable", WAITING_FOR("PreCreateHookError"),
	 PODSTATUS_WAITING, REASON_RuntimeUnavailable},
	{"a failing hook after the start: RuntimeUnavailable", WAITING_FOR("PostStartHookError"),
	 PODSTATUS_WAITING, REASON_RuntimeUnavailable},
	{"a runner that dies again and again: RunnerFailed", WAITING_FOR("CrashLoopBackOff"),
	 PODSTATUS_WAITING, REASON_RunnerFailed},
	{"a sandbox that the node can't make, which only an Event says: RuntimeUnavailable",
	 {.phase = "Pending",
	  .container = POD_CONTAINER_WAITING,
	  .word = "ContainerCreating",
	  .event = "FailedCreatePodSandBox"},
	 PODSTATUS_WAITING,
	 REASON_RuntimeUnavailable},
	{"a volume that can't be mounted, which only an Event says: StartTimeout",
	 {.phase = "Pending", .event = "FailedMount"},
	 PODSTATUS_WAITING,
	 REASON_StartTimeout},
	{"a volume that can't be attached, which only an Event says: StartTimeout",
	 {.phase = "Pending", .event = "FailedAttachVolume"},
	 PODSTATUS_WAITING,
	 REASON_StartTimeout},
	{"a pull that fails is named before an Event of the sandbox",
	 {.phase = "Pending",
	  .container = POD_CONTAINER_WAITING,
	  .word = "ErrImagePull",
	  .event = "FailedCreatePodSandBox"},
	 PODSTATUS_WAITING,
	 REASON_ImagePullFailed},

	/* Running. */
	{"a running container runs",
	 {.phase = "Running", .container = POD_CONTAINER_RUNNING},
	 PODSTATUS_RUNNING,
	 REASON_NONE},
	{"a running container runs though the Pod's phase lags",
	 {.phase = "Pending", .container = POD_CONTAINER_RUNNING},
	 PODSTATUS_RUNNING,
	 REASON_NONE},
	{"a disruption that is announced has not happened yet",
	 {.phase = "Running",
	  .container = POD_CONTAINER_RUNNING,
	  .disruption = "EvictionByEvictionAPI"},
	 PODSTATUS_RUNNING,
	 REASON_NONE},
	{"a pod-level word does not end a container that runs",
	 {.phase = "Running", .container = POD_CONTAINER_RUNNING, .reason = "NodeLost"},
	 PODSTATUS_RUNNING,
	 REASON_NONE},

	/* Ended, and the Pod says why. */
	{"evicted by the node: Evicted", POD_FAILED("Evicted"), PODSTATUS_ENDED, REASON_Evicted,
	 REASON_Evicted},
	{"evicted wins over exit code 0",
	 {.phase = "Failed",
	  .reason = "Evicted",
	  .container = POD_CONTAINER_TERMINATED,
	  .word = "Completed"},
	 PODSTATUS_ENDED,
	 REASON_Evicted,
	 REASON_Evicted},
	{"evicted wins over OOMKilled",
	 {.phase = "Failed",
	  .reason = "Evicted",
	  .container = POD_CONTAINER_TERMINATED,
	  .word = "OOMKilled",
	  .exit_code = 137},
	 PODSTATUS_ENDED,
	 REASON_Evicted,
	 REASON_Evicted},
	{"drained and gone: Evicted",
	 {.phase = "Running",
	  .container = POD_CONTAINER_RUNNING,
	  .disruption = "EvictionByEvictionAPI",
	  .over = true},
	 PODSTATUS_ENDED,
	 REASON_Evicted,
	 REASON_Evicted},
	{"drained and exited with 0 on SIGTERM: Evicted",
	 {.phase = "Succeeded",
	  .container = POD_CONTAINER_TERMINATED,
	  .word = "Completed",
	  .disruption = "EvictionByEvictionAPI"},
	 PODSTATUS_ENDED,
	 REASON_Evicted,
	 REASON_Evicted},
	{"preempted by the scheduler: Preempted",
	 {.phase = "Failed",
	  .container = POD_CONTAINER_TERMINATED,
	  .word = "Error",
	  .exit_code = 143,
	  .disruption = "PreemptionByScheduler"},
	 PODSTATUS_ENDED,
	 REASON_Preempted,
	 REASON_Preempted},
	{"preempted by the kubelet: Preempted", POD_FAILED("Preempting"), PODSTATUS_ENDED,
	 REASON_Preempted, REASON_Preempted},
	{"a node that stopped answering: NodeLost", POD_FAILED("NodeLost"), PODSTATUS_ENDED,
	 REASON_NodeLost, REASON_NodeLost},
	{"a node that was shut down: NodeLost", POD_FAILED("NodeShutdown"), PODSTATUS_ENDED,
	 REASON_NodeLost, REASON_NodeLost},
	{"a node that was shut down, in the newer word: NodeLost", POD_FAILED("Terminated"),
	 PODSTATUS_ENDED, REASON_NodeLost, REASON_NodeLost},
	{"a node that was shut down, in the older word: NodeLost", POD_FAILED("Shutdown"),
	 PODSTATUS_ENDED, REASON_NodeLost, REASON_NodeLost},
	{"a tainted node whose Pod is gone: NodeLost",
	 {.phase = "Running",
	  .container = POD_CONTAINER_RUNNING,
	  .disruption = "DeletionByTaintManager",
	  .over = true},
	 PODSTATUS_ENDED,
	 REASON_NodeLost,
	 REASON_NodeLost},
	{"a Pod collected because its node is gone: NodeLost",
	 {.phase = "Failed", .disruption = "DeletionByPodGC"},
	 PODSTATUS_ENDED,
	 REASON_NodeLost,
	 REASON_NodeLost},
	{"ended by the kubelet for no named cause: NodeLost",
	 {.phase = "Failed", .disruption = "TerminationByKubelet"},
	 PODSTATUS_ENDED,
	 REASON_NodeLost,
	 REASON_NodeLost},
	{"ended by the kubelet for memory pressure: Evicted",
	 {.phase = "Failed", .reason = "Evicted", .disruption = "TerminationByKubelet"},
	 PODSTATUS_ENDED,
	 REASON_Evicted,
	 REASON_Evicted},
	{"the Pod's deadline: StartTimeout, or Interrupted once the code may run",
	 POD_FAILED("DeadlineExceeded"), PODSTATUS_ENDED, REASON_StartTimeout, REASON_Interrupted},
	{"the deadline while the container still waits, as old kubelets leave it",
	 {.phase = "Failed",
	  .reason = "DeadlineExceeded",
	  .container = POD_CONTAINER_WAITING,
	  .word = "ContainerCreating"},
	 PODSTATUS_ENDED,
	 REASON_StartTimeout,
	 REASON_Interrupted},
	{"the deadline as the container's word", TERMINATED("DeadlineExceeded", 137),
	 PODSTATUS_ENDED, REASON_StartTimeout, REASON_Interrupted},

	/* Refused by the node. */
	{"a node without CPU for it: PodRejected", POD_FAILED("OutOfcpu"), PODSTATUS_ENDED,
	 REASON_PodRejected, REASON_Interrupted},
	{"a node without memory for it: PodRejected", POD_FAILED("OutOfmemory"), PODSTATUS_ENDED,
	 REASON_PodRejected, REASON_Interrupted},
	{"a node with too many Pods: PodRejected", POD_FAILED("OutOfpods"), PODSTATUS_ENDED,
	 REASON_PodRejected, REASON_Interrupted},
	{"a node that doesn't fit after all: PodRejected", POD_FAILED("NodeAffinity"),
	 PODSTATUS_ENDED, REASON_PodRejected, REASON_Interrupted},
	{"a node's admission error: PodRejected", POD_FAILED("UnexpectedAdmissionError"),
	 PODSTATUS_ENDED, REASON_PodRejected, REASON_Interrupted},
	{"a node's AppArmor: PodRejected", POD_FAILED("AppArmor"), PODSTATUS_ENDED,
	 REASON_PodRejected, REASON_Interrupted},

	/* Ended, and the container says why. */
	{"exit 78 without a HELLO: IsolationUnverified, for good",
	 {.phase = "Failed",
	  .container = POD_CONTAINER_TERMINATED,
	  .word = "Error",
	  .exit_code = 78},
	 PODSTATUS_ENDED,
	 REASON_IsolationUnverified,
	 REASON_Interrupted,
	 true},
	{"exit 78 after a HELLO is no word about isolation", TERMINATED("Error", 78),
	 PODSTATUS_ENDED, REASON_RunnerFailed, REASON_Interrupted},
	{"killed for memory in gVisor, exit code 128: OutOfMemory", TERMINATED("OOMKilled", 128),
	 PODSTATUS_ENDED, REASON_OutOfMemory, REASON_OutOfMemory},
	{"killed for memory, exit code 137: OutOfMemory", TERMINATED("OOMKilled", 137),
	 PODSTATUS_ENDED, REASON_OutOfMemory, REASON_OutOfMemory},
	{"killed for memory, exit code 143: OutOfMemory", TERMINATED("OOMKilled", 143),
	 PODSTATUS_ENDED, REASON_OutOfMemory, REASON_OutOfMemory},
	{"exit code 137 alone is no OutOfMemory", TERMINATED("Error", 137), PODSTATUS_ENDED,
	 REASON_PodLost, REASON_Interrupted},
	{"exit code 128 alone is no OutOfMemory", TERMINATED("Error", 128), PODSTATUS_ENDED,
	 REASON_RunnerFailed, REASON_Interrupted},
	{"exit code 143 alone is no time-out", TERMINATED("Error", 143), PODSTATUS_ENDED,
	 REASON_PodLost, REASON_Interrupted},
	{"exit code 124 is no time-out", TERMINATED("Error", 124), PODSTATUS_ENDED,
	 REASON_RunnerFailed, REASON_Interrupted},
	{"the node lost track, which 137 is not a kill: PodLost or Interrupted",
	 TERMINATED("ContainerStatusUnknown", 137), PODSTATUS_ENDED, REASON_PodLost,
	 REASON_Interrupted},
	{"the runtime could not start it: RuntimeUnavailable", TERMINATED("StartError", 128),
	 PODSTATUS_ENDED, REASON_RuntimeUnavailable, REASON_Interrupted},
	{"the same in the old word", TERMINATED("ContainerCannotRun", 127), PODSTATUS_ENDED,
	 REASON_RuntimeUnavailable, REASON_Interrupted},
	{"exit 70 is the runner's own fault: RunnerFailed", TERMINATED("Error", 70),
	 PODSTATUS_ENDED, REASON_RunnerFailed, REASON_Interrupted},
	{"exit 0 without an outcome is no success", TERMINATED("Completed", 0), PODSTATUS_ENDED,
	 REASON_PodLost, REASON_Interrupted},
	{"any other exit: RunnerFailed", TERMINATED("Error", 1), PODSTATUS_ENDED,
	 REASON_RunnerFailed, REASON_Interrupted},
	{"a container that ended ends the Pod whose phase lags",
	 {.phase = "Running",
	  .container = POD_CONTAINER_TERMINATED,
	  .word = "OOMKilled",
	  .exit_code = 137},
	 PODSTATUS_ENDED,
	 REASON_OutOfMemory,
	 REASON_OutOfMemory},

	/* Nothing says why. */
	{"gone while it was on its way",
	 {.phase = "Pending", .over = true},
	 PODSTATUS_ENDED,
	 REASON_PodLost,
	 REASON_Interrupted},
	{"gone while it ran",
	 {.phase = "Running", .container = POD_CONTAINER_RUNNING, .over = true},
	 PODSTATUS_ENDED,
	 REASON_PodLost,
	 REASON_Interrupted},
	{"Failed without a word",
	 {.phase = "Failed"},
	 PODSTATUS_ENDED,
	 REASON_PodLost,
	 REASON_Interrupted},
	{"Succeeded without a word is no success",
	 {.phase = "Succeeded"},
	 PODSTATUS_ENDED,
	 REASON_PodLost,
	 REASON_Interrupted},
};

static void add_condition(struct pod *pod, const char *type, const char *status, const char *reason)
{
	if (reason)
		pod->conditions[pod->condition_count++] = (struct pod_condition){
			.type = str_of(type), .status = str_of(status), .reason = str_of(reason)};
}

static struct pod pod_that_says(const struct said *said)
{
	struct pod pod = {
		.phase = str_of(said->phase),
		.reason = str_of(said->reason),
		.container = {.state = said->container,
			      .reason = str_of(said->word),
			      .exit_code = said->exit_code},
	};

	add_condition(&pod, "DisruptionTarget", "True", said->disruption);
	add_condition(&pod, "PodScheduled", "False", said->unscheduled);
	return pod;
}

static void check_row(const struct row *row, bool marked)
{
	struct pod pod = pod_that_says(&row->said);
	struct podstatus_evidence evidence = {
		.pod = &pod,
		.over = row->said.over,
		.marked = marked,
		.hello_seen = row->said.hello_seen,
		.event_reason = str_of(row->said.event),
	};
	enum reason wanted = marked ? row->after_mark : row->before_mark;
	struct podstatus status;

	podstatus(&evidence, &status);
	cmp_ok(status.stage, "==", row->stage, "%s", row->name);
	is(status.reason ? reason_name(status.reason) : "none",
	   wanted ? reason_name(wanted) : "none", "  with its reason %s the mark",
	   marked ? "after" : "before");
	if (!marked)
		ok(status.hopeless == row->hopeless, "  and %s",
		   row->hopeless ? "no way out" : "a way out");
	ok(status.what && status.what[0], "  said in words");
}

static void every_row_holds(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check_row(&rows[i], false);
		if (rows[i].stage == PODSTATUS_ENDED)
			check_row(&rows[i], true);
	}
}

static void limits_need_the_status_own_word(void)
{
	for (int code = 0; code < 256; code++) {
		struct pod pod = {.phase = STR("Failed"),
				  .container = {.state = POD_CONTAINER_TERMINATED,
						.reason = STR("Error"),
						.exit_code = code}};
		struct podstatus_evidence evidence = {
			.pod = &pod, .marked = true, .hello_seen = true};
		struct podstatus status;

		podstatus(&evidence, &status);
		if (status.reason != REASON_Interrupted)
			fail("exit code %d alone is %s", code, reason_name(status.reason));
	}
	pass("no exit code alone is more than Interrupted once the code may have started");
}

static void a_pod_never_seen_is_lost(void)
{
	struct podstatus_evidence evidence = {.over = true};
	struct podstatus status;

	podstatus(&evidence, &status);
	cmp_ok(status.reason, "==", REASON_PodLost, "a Pod that was never seen is lost");
	evidence.marked = true;
	podstatus(&evidence, &status);
	cmp_ok(status.reason, "==", REASON_Interrupted, "and an interruption after the mark");
}

static void conditions_count_only_when_true(void)
{
	struct pod pod = {.phase = STR("Failed")};
	struct podstatus_evidence evidence = {.pod = &pod};
	struct podstatus status;

	add_condition(&pod, "DisruptionTarget", "False", "PreemptionByScheduler");
	add_condition(&pod, "PodScheduled", "True", "Unschedulable");
	podstatus(&evidence, &status);
	cmp_ok(status.reason, "==", REASON_PodLost, "a disruption that is not True is none");
	pod.phase = STR("Pending");
	podstatus(&evidence, &status);
	cmp_ok(status.reason, "==", REASON_StartTimeout, "a Pod that is scheduled is schedulable");
}

static const char *described(const struct podstatus *status, size_t limit)
{
	static struct buf out;

	buf_free(&out);
	buf_init(&out, limit);
	podstatus_describe(status, &out);
	return out.data;
}

static void descriptions_carry_kubernetes_own_words(void)
{
	struct podstatus status = {.what = "the image can't be pulled",
				   .word = STR("ErrImagePull"),
				   .text = STR("not found\n")};

	is(described(&status, 200), "the image can't be pulled (ErrImagePull: not found)",
	   "word and text stand in brackets, trimmed");
	status.text = STR("");
	is(described(&status, 200), "the image can't be pulled (ErrImagePull)",
	   "a word alone needs no colon");
	status.word = STR("");
	status.text = STR("not found");
	is(described(&status, 200), "the image can't be pulled (not found)", "nor does a text");
	status.text = STR("");
	is(described(&status, 200), "the image can't be pulled", "nothing to add: no brackets");
}

static void descriptions_are_cut_on_characters(void)
{
	struct podstatus status = {.what = "cut", .word = STR("W"), .text = STR("\u6f22\u5b57")};

	is(described(&status, 16), "cut (W: \u6f22...)", "a text that is too long says so");
	is(described(&status, 15), "cut (W: \u6f22...)", "and is never cut within a character");
	is(described(&status, 14), "cut (W: ...)", "one byte less takes the whole character");
	is(described(&status, 9), "cut (...)", "brackets come as long as they can be closed");
	is(described(&status, 8), "cut", "and not without");
	for (size_t limit = 0; limit < 30; limit++) {
		const char *text = described(&status, limit);

		if (strlen(text) > limit || !utf8_is_valid(str_of(text)))
			fail("limit %zu gives %s", limit, text);
	}
	pass("no limit is passed and no character broken");
}

int main(void)
{
	every_row_holds();
	limits_need_the_status_own_word();
	a_pod_never_seen_is_lost();
	conditions_count_only_when_true();
	descriptions_carry_kubernetes_own_words();
	descriptions_are_cut_on_characters();
	done_testing();
}
