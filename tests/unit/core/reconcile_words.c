/* What reconcile says, and cases that take more than a row of reconcile.c. */
#include "core/reconcile.h"

#include "base/utf8.h"

#include "facts_world.h"
#include "tap.h"

#include <string.h>

static const char *message_of(const struct facts *facts)
{
	static struct decision d;
	struct facts_world world;

	reconcile(facts_build(&world, facts), &d);
	return d.message;
}

static void messages_say_what_happened(void)
{
	is(message_of(&(struct facts){.refused = true}), "spec.code is empty",
	   "a refusal's message is passed on");
	is(message_of(&(struct facts)HAS_POD(.flaw = POD_WAS_CHANGED)),
	   "the sandbox's Pod is not as planned: spec.hostNetwork", "a changed field is named");
	is(message_of(&(struct facts)MARKED(.flaw = POD_HAS_OTHER_PLAN)),
	   "the sandbox's Pod is not as planned: metadata.annotations[sandboxtask.io/plan]",
	   "a changed plan is named");
	is(message_of(&(struct facts)HAS_POD(.stage = SESSION_FAILED)), "layer seccomp is missing",
	   "the missing layer is named");
	is(message_of(&(struct facts)MARKED(.pod = POD_EVICTED)),
	   "the node evicted the sandbox's Pod (Evicted)", "Kubernetes' word is kept");
	is(message_of(&(struct facts)ENDED(.exit_code = 3)), "the program ended with exit code 3",
	   "the exit code is told");
	is(message_of(&(struct facts)ENDED(.ending = ENDING_STOPPED, .pod = POD_EVICTED)),
	   "the node evicted the sandbox's Pod (Evicted)", "what stopped a run is told");
	is(message_of(&(struct facts){.creation = CREATION_REFUSED, .expired = true}),
	   "the quota of the Pod's namespace has no room for the sandbox (exceeded quota)",
	   "the quota is named");
}

/* The start budget of the facts has 120 s. */
static void messages_name_the_limit(void)
{
	is(message_of(&(struct facts){.class_missing = true, .expired = true}),
	   "spec.sandboxClassName: there was no SandboxClass large within 120 s",
	   "the class that is missing, and how long it was waited for");
	is(message_of(&(struct facts){.admission = FULL}),
	   "10000 tasks of SandboxClass large wait already, the most that may",
	   "how many may wait");
	is(message_of(&(struct facts){.network_open = true, .expired = true}),
	   "the sandbox's Pod could not be made within the start budget of 120 s",
	   "the budget for making the Pod");
	is(message_of(&(struct facts)HAS_POD(.stage = SESSION_CONNECTING, .expired = true)),
	   "the sandbox was up, but not ready, when the start budget of 120 s ended",
	   "the budget for becoming ready");
	is(message_of(&(struct facts)ENDED(.ending = ENDING_START_TIMEOUT)),
	   "the program was not started within its time: the limit is 120 s",
	   "the limit of the plan that was carried out");
	is(message_of(&(struct facts){.pod = POD_IS_GONE, .attempt = 3, .seen = 3}),
	   "all its 3 Pods were lost", "how many Pods there may be");
}

static void long_messages_are_cut_on_characters(void)
{
	struct facts facts = HAS_POD(.stage = SESSION_FAILED);
	struct facts_world world;
	struct decision d;
	char text[3 * SNAPSHOT_MESSAGE_SIZE];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "\u6f22"[i % 3];
	facts_build(&world, &facts);
	world.session.failure_text = (struct str){text, sizeof(text)};
	reconcile(&world.snapshot, &d);
	cmp_ok(strlen(d.message), ">", SNAPSHOT_MESSAGE_SIZE - 5,
	       "a long text is kept as far as it fits");
	ok(utf8_is_valid(str_of(d.message)), "and cut on a character");
}

static void lost_pods_keep_their_last_word(void)
{
	struct facts facts = MARKED(.pod = POD_EVICTED);
	struct facts_world world;
	struct decision d;

	facts_build(&world, &facts);
	world.snapshot.pod_known = KNOWN_ABSENT;
	reconcile(&world.snapshot, &d);
	cmp_ok(d.reason, "==", REASON_Evicted, "a Pod that is gone is judged by its last status");
	world.pod.uid = STR("another");
	reconcile(&world.snapshot, &d);
	cmp_ok(d.reason, "==", REASON_Interrupted, "but not by another Pod's");
}

/* What Kubernetes says of a Pod then. */
static void give_up_node(struct pod *pod)
{
	pod->conditions[pod->condition_count++] =
		(struct pod_condition){.type = STR("DisruptionTarget"),
				       .status = STR("True"),
				       .reason = STR("DeletionByTaintManager")};
}

static void a_pod_whose_deadline_is_long_over_has_a_dead_node(void)
{
	struct facts facts = MARKED(.stage = SESSION_CONNECTING);
	struct facts_world world;
	struct decision d;

	facts_build(&world, &facts);
	world.snapshot.now_ms = OVERDUE;
	reconcile(&world.snapshot, &d);
	cmp_ok(d.reason, "==", REASON_RunnerFailed,
	       "a Pod that nobody deletes and nobody reaches is given up after its deadline");
	world.pod.deleting = true;
	give_up_node(&world.pod);
	reconcile(&world.snapshot, &d);
	cmp_ok(d.reason, "==", REASON_NodeLost, "what Kubernetes says of its node is told");
}

static void silence_may_have_a_known_cause(void)
{
	struct facts facts = MARKED(.stage = SESSION_SILENT);
	struct facts_world world;
	struct decision d;

	facts_build(&world, &facts);
	give_up_node(&world.pod);
	reconcile(&world.snapshot, &d);
	cmp_ok(d.reason, "==", REASON_NodeLost,
	       "a runner on a lost node is NodeLost, not RunnerFailed");
}

static void a_task_may_name_its_own_start_budget(void)
{
	struct facts facts = {.class_missing = true};
	struct facts_world world;
	struct decision d;

	facts_build(&world, &facts);
	world.task.spec.start_seconds = 7;
	reconcile(&world.snapshot, &d);
	cmp_ok(d.wake_at_ms, "==", FACTS_NOW_MS - 5000 + 7000,
	       "the task's start budget holds while the class is missing");
}

int main(void)
{
	messages_say_what_happened();
	messages_name_the_limit();
	long_messages_are_cut_on_characters();
	lost_pods_keep_their_last_word();
	a_pod_whose_deadline_is_long_over_has_a_dead_node();
	silence_may_have_a_known_cause();
	a_task_may_name_its_own_start_budget();
	done_testing();
}
