#include "core/reconcile.h"

#include "base/utf8.h"

#include "facts_world.h"
#include "tap.h"

#include <stdio.h>

#define AT_DEADLINE (FACTS_NOW_MS - 5000 + FACTS_START_MS) /* of budgets that began 5 s ago */

/* Facts for rows that differ in little: what a row adds overrides what stands here. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define MARKED(...)                                                                               \
	{                                                                                         \
		.phase = TASK_Running, .marked = true, .attempt = 1, .seen = 1, .pod_attempt = 1, \
		.pod = POD_RUNNING, __VA_ARGS__                                                   \
	}
#define HAS_POD(...)                                                         \
	{                                                                    \
		.seen = 1, .pod_attempt = 1, .pod = POD_RUNNING, __VA_ARGS__ \
	}
#define ENDED(...) MARKED(.stage = SESSION_PULLED, __VA_ARGS__)

static const struct row {
	const char *name;
	struct facts facts;
	enum effect effect;
	enum reason reason;
	int64_t number; /* of CREATE_POD, WRITE_ATTEMPT, WRITE_MARK: the attempt; of NONE: wake-up
			 */
} rows[] = {
	/* Who may decide, and on what. */
	{"without the Lease nothing is done", {.not_leading = true}, EFFECT_NONE},
	{"without the Lease even a finished run stays as it is", ENDED(.not_leading = true),
	 EFFECT_NONE},
	{"a task out of sight is read", {.task = TASK_OUT_OF_SIGHT}, EFFECT_READ_TASK},
	{"a task out of sight is read before its Pod is touched",
	 HAS_POD(.task = TASK_OUT_OF_SIGHT), EFFECT_READ_TASK},

	/* Deleted tasks. */
	{"a deleted task without a Pod needs nothing", {.task = TASK_IS_GONE}, EFFECT_NONE},
	{"a deleted task's Pod is deleted", HAS_POD(.task = TASK_IS_GONE), EFFECT_DELETE_POD},
	{"a deleted task's Pod is deleted in mid-run",
	 HAS_POD(.task = TASK_IS_GONE, .stage = SESSION_RUNNING), EFFECT_DELETE_POD},
	{"a deleted task's Pod is deleted once",
	 HAS_POD(.task = TASK_IS_GONE, .pod_deleting = true), EFFECT_NONE},
	{"a Pod that is not ours is not deleted for a deleted task",
	 HAS_POD(.task = TASK_IS_GONE, .flaw = POD_IS_FOREIGN), EFFECT_NONE},
	{"a task held by somebody's finalizer counts as deleted",
	 MARKED(.task_deleting = true, .stage = SESSION_RUNNING), EFFECT_DELETE_POD},
	{"no Pod is made for a task that is being deleted", {.task_deleting = true}, EFFECT_NONE},

	/* Refused before anything is made. */
	{"a task that breaks a rule ends at once",
	 {.refused = true},
	 EFFECT_WRITE_FINAL,
	 REASON_InvalidSpec},
	{"a broken rule is told before a missing class",
	 {.refused = true, .class_missing = true},
	 EFFECT_WRITE_FINAL,
	 REASON_InvalidSpec},
	{"a task that its class no longer fits ends though it has a Pod",
	 HAS_POD(.refused = true, .stage = SESSION_READY), EFFECT_WRITE_FINAL, REASON_InvalidSpec},
	{"a refusal means nothing once the run is marked",
	 MARKED(.refused = true, .stage = SESSION_RUNNING), EFFECT_NONE, REASON_NONE,
	 RECONCILE_NEVER},
	{"a missing class is waited for",
	 {.class_missing = true},
	 EFFECT_NONE,
	 REASON_NONE,
	 AT_DEADLINE},
	{"a missing class is ClassNotFound when the start budget ends",
	 {.class_missing = true, .expired = true},
	 EFFECT_WRITE_FINAL,
	 REASON_ClassNotFound},
	{"a class that vanishes before the mark is waited for",
	 HAS_POD(.class_missing = true, .stage = SESSION_READY), EFFECT_NONE, REASON_NONE,
	 AT_DEADLINE},
	{"a class that vanishes after the mark is not missed",
	 MARKED(.class_missing = true, .stage = SESSION_RECEIVED), EFFECT_START},

	/* Its turn. */
	{"a full queue refuses at once", {.admission = FULL}, EFFECT_WRITE_FINAL, REASON_QueueFull},
	{"a full queue does not refuse a task that has a Pod", HAS_POD(.admission = FULL),
	 EFFECT_ATTACH},
	{"a full queue does not refuse a task that had a Pod",
	 {.admission = FULL, .pod = POD_IS_GONE, .attempt = 1, .seen = 1, .phase = TASK_Queued},
	 EFFECT_NONE,
	 REASON_NONE,
	 FACTS_NOW_MS + RECONCILE_FULL_MS},
	{"a full queue does not refuse a marked task",
	 MARKED(.admission = FULL, .stage = SESSION_RECEIVED), EFFECT_START},
	{"a short wait is not written down",
	 {.admission = WAITING, .just_queued = true},
	 EFFECT_NONE,
	 REASON_NONE,
	 FACTS_NOW_MS + 990},
	{"a wait of a second is written down", {.admission = WAITING}, EFFECT_WRITE_QUEUED},
	{"a wait is written down once",
	 {.admission = WAITING, .phase = TASK_Queued},
	 EFFECT_NONE,
	 REASON_NONE,
	 RECONCILE_NEVER},

	/* The Pod. */
	{"no Pod before its network is closed",
	 {.network_open = true},
	 EFFECT_WRITE_NETWORK_POLICY},
	{"an admitted task gets its Pod", {0}, EFFECT_CREATE_POD, REASON_NONE, 1},
	{"a task that waited gets its Pod",
	 {.phase = TASK_Queued},
	 EFFECT_CREATE_POD,
	 REASON_NONE,
	 1},
	{"a phase of a newer controller is no obstacle",
	 {.phase = TASK_PHASE_UNKNOWN},
	 EFFECT_CREATE_POD,
	 REASON_NONE,
	 1},
	{"a refused Pod is tried again later",
	 {.creation = CREATION_REFUSED},
	 EFFECT_NONE,
	 REASON_NONE,
	 FACTS_NOW_MS + 1000},
	{"a refusal that lasts ends with the start budget, and names the quota",
	 {.creation = CREATION_REFUSED, .expired = true},
	 EFFECT_WRITE_FINAL,
	 REASON_PodRejected},
	{"a refusal without hope ends at once",
	 {.creation = CREATION_HOPELESS},
	 EFFECT_WRITE_FINAL,
	 REASON_PodRejected},
	{"no Pod is made after the start budget",
	 {.expired = true},
	 EFFECT_WRITE_FINAL,
	 REASON_StartTimeout},
	{"a second Pod is not made before the first is read to be gone",
	 {.attempt = 1, .seen = 1},
	 EFFECT_READ_POD},
	{"a Pod that was given up before a restart is read to be gone",
	 {.attempt = 1},
	 EFFECT_READ_POD},
	{"a second Pod is made when the first is gone",
	 {.attempt = 1, .seen = 1, .pod = POD_IS_GONE},
	 EFFECT_CREATE_POD,
	 REASON_NONE,
	 2},
	{"a third Pod is made when the second is gone",
	 {.attempt = 2, .pod = POD_IS_GONE},
	 EFFECT_CREATE_POD,
	 REASON_NONE,
	 3},
	{"a fourth is not", {.attempt = 3, .pod = POD_IS_GONE}, EFFECT_WRITE_FINAL, REASON_PodLost},
	{"a lost Pod is counted in status before the next one",
	 {.seen = 1, .pod = POD_IS_GONE},
	 EFFECT_WRITE_ATTEMPT,
	 REASON_PodLost,
	 1},
	{"the third lost Pod ends the task",
	 {.attempt = 2, .seen = 3, .pod = POD_IS_GONE},
	 EFFECT_WRITE_FINAL,
	 REASON_PodLost},
	{"no second Pod is made beside one that somebody has made",
	 {.attempt = 1, .seen = 1, .pod = POD_IS_GONE, .other_in_sight = true},
	 EFFECT_READ_OTHER_POD},
	{"a lost Pod is counted before another one is looked at",
	 {.seen = 1, .pod = POD_IS_GONE, .other_in_sight = true},
	 EFFECT_WRITE_ATTEMPT,
	 REASON_PodLost,
	 1},
	{"the first is read to be gone before another one is looked at",
	 {.attempt = 1, .seen = 1, .other_in_sight = true},
	 EFFECT_READ_POD},
	{"a Pod that is there goes on whoever made another one", HAS_POD(.other_in_sight = true),
	 EFFECT_ATTACH},
	{"another one of an attempt that was given up is deleted",
	 HAS_POD(.attempt = 2, .seen = 2, .pod_attempt = 1, .pod = POD_WAITING), EFFECT_DELETE_POD},
	{"a Pod given up is deleted after that is written", HAS_POD(.attempt = 1),
	 EFFECT_DELETE_POD},
	{"a Pod given up is waited for while it goes", HAS_POD(.attempt = 1, .pod_deleting = true),
	 EFFECT_NONE, REASON_NONE, AT_DEADLINE},
	{"a Pod that somebody deletes is waited for", HAS_POD(.pod_deleting = true), EFFECT_NONE,
	 REASON_NONE, AT_DEADLINE},
	{"a Pod that never goes ends the task when the budget ends",
	 HAS_POD(.pod_deleting = true, .expired = true), EFFECT_WRITE_FINAL, REASON_PodLost},
	{"a Pod on its way is waited for until the start budget ends", HAS_POD(.pod = POD_WAITING),
	 EFFECT_NONE, REASON_NONE, AT_DEADLINE},
	{"a Pod that is never up is StartTimeout", HAS_POD(.pod = POD_WAITING, .expired = true),
	 EFFECT_WRITE_FINAL, REASON_StartTimeout},
	{"a Pod evicted before the mark is given up", HAS_POD(.pod = POD_EVICTED),
	 EFFECT_WRITE_ATTEMPT, REASON_Evicted, 1},
	{"the third Pod evicted ends the task as Evicted",
	 HAS_POD(.pod = POD_EVICTED, .attempt = 2, .pod_attempt = 3), EFFECT_WRITE_FINAL,
	 REASON_Evicted},
	{"a Pod of an older plan is given up", HAS_POD(.flaw = POD_HAS_OTHER_PLAN),
	 EFFECT_WRITE_ATTEMPT, REASON_SourceChanged, 1},
	{"a Pod of an older plan is no longer attached to",
	 HAS_POD(.flaw = POD_HAS_OTHER_PLAN, .stage = SESSION_READY), EFFECT_WRITE_ATTEMPT,
	 REASON_SourceChanged, 1},
	{"a changed Pod is PodTampered before anyone attaches", HAS_POD(.flaw = POD_WAS_CHANGED),
	 EFFECT_WRITE_FINAL, REASON_PodTampered},
	{"a changed Pod is PodTampered though it is not up yet",
	 HAS_POD(.flaw = POD_WAS_CHANGED, .pod = POD_WAITING), EFFECT_WRITE_FINAL,
	 REASON_PodTampered},
	{"somebody else's Pod of our name is PodTampered", HAS_POD(.flaw = POD_IS_FOREIGN),
	 EFFECT_WRITE_FINAL, REASON_PodTampered},
	{"a Pod of ours without its label goes on (the comparison names the label)",
	 HAS_POD(.flaw = POD_IS_UNLABELLED), EFFECT_ATTACH},

	/* The session before the mark. */
	{"a running sandbox is attached to", HAS_POD(.stage = SESSION_NONE), EFFECT_ATTACH},
	{"attaching has the start budget", HAS_POD(.stage = SESSION_CONNECTING), EFFECT_NONE,
	 REASON_NONE, AT_DEADLINE},
	{"a sandbox that does not answer in time is StartTimeout",
	 HAS_POD(.stage = SESSION_CONNECTING, .expired = true), EFFECT_WRITE_FINAL,
	 REASON_StartTimeout},
	{"a verified sandbox gets the bundle", HAS_POD(.stage = SESSION_READY), EFFECT_UPLOAD},
	{"the mark travels while the bundle uploads", HAS_POD(.stage = SESSION_UPLOADING),
	 EFFECT_WRITE_MARK, REASON_NONE, 1},
	{"an uploaded bundle waits for the mark", HAS_POD(.stage = SESSION_RECEIVED),
	 EFFECT_WRITE_MARK, REASON_NONE, 1},
	{"the mark names the attempt",
	 HAS_POD(.stage = SESSION_RECEIVED, .pod_attempt = 2, .attempt = 1), EFFECT_WRITE_MARK,
	 REASON_NONE, 2},
	{"no mark after the start budget", HAS_POD(.stage = SESSION_RECEIVED, .expired = true),
	 EFFECT_WRITE_FINAL, REASON_StartTimeout},
	{"a sandbox that is not isolated is IsolationUnverified", HAS_POD(.stage = SESSION_FAILED),
	 EFFECT_WRITE_FINAL, REASON_IsolationUnverified},
	{"that stays so when the start budget is over as well",
	 HAS_POD(.stage = SESSION_FAILED, .expired = true), EFFECT_WRITE_FINAL,
	 REASON_IsolationUnverified},
	{"a silent runner is given up before the mark", HAS_POD(.stage = SESSION_SILENT),
	 EFFECT_WRITE_ATTEMPT, REASON_RunnerFailed, 1},
	{"a stranger with a higher session is PodTampered before the mark",
	 HAS_POD(.stage = SESSION_DISPLACED), EFFECT_WRITE_FINAL, REASON_PodTampered},
	{"a run that we did not start is PodTampered", HAS_POD(.stage = SESSION_RUNNING),
	 EFFECT_WRITE_FINAL, REASON_PodTampered},
	{"an outcome that we did not ask for is PodTampered and no success",
	 HAS_POD(.stage = SESSION_PULLED), EFFECT_WRITE_FINAL, REASON_PodTampered},

	/* After the mark: recovery and the usual way are one. */
	{"a marked run is attached to after a restart", MARKED(.stage = SESSION_NONE),
	 EFFECT_ATTACH},
	{"a marked runner without the bundle gets it", MARKED(.stage = SESSION_READY),
	 EFFECT_UPLOAD},
	{"a marked run whose plan this version can't read is not attached to",
	 MARKED(.stage = SESSION_NONE, .class_missing = true), EFFECT_WRITE_FINAL, REASON_Internal},
	{"nor gets its bundle", MARKED(.stage = SESSION_READY, .class_missing = true),
	 EFFECT_WRITE_FINAL, REASON_Internal},
	{"no START while the bundle uploads", MARKED(.stage = SESSION_UPLOADING), EFFECT_NONE,
	 REASON_NONE, RECONCILE_NEVER},
	{"marked and uploaded: START", MARKED(.stage = SESSION_RECEIVED), EFFECT_START},
	{"the start budget ends with the mark", MARKED(.stage = SESSION_RECEIVED, .expired = true),
	 EFFECT_START},
	{"START is sent once", MARKED(.stage = SESSION_STARTING), EFFECT_NONE, REASON_NONE,
	 RECONCILE_NEVER},
	{"a run is waited for", MARKED(.stage = SESSION_RUNNING), EFFECT_NONE, REASON_NONE,
	 RECONCILE_NEVER},
	{"an install is waited for", MARKED(.stage = SESSION_INSTALLING), EFFECT_NONE, REASON_NONE,
	 RECONCILE_NEVER},
	{"a run in a Pod that is being deleted is waited for",
	 MARKED(.stage = SESSION_RUNNING, .pod_deleting = true), EFFECT_NONE, REASON_NONE,
	 RECONCILE_NEVER},
	{"a sealed outcome is pulled", MARKED(.stage = SESSION_DONE), EFFECT_PULL},
	{"a sealed outcome is pulled from a Pod that is being deleted",
	 MARKED(.stage = SESSION_DONE, .pod_deleting = true), EFFECT_PULL},
	{"a marked Pod that the kubelet lost sight of is waited for", MARKED(.pod = POD_WAITING),
	 EFFECT_NONE, REASON_NONE, RECONCILE_NEVER},

	{"a run goes on whoever made another Pod",
	 MARKED(.stage = SESSION_RUNNING, .other_in_sight = true), EFFECT_NONE, REASON_NONE,
	 RECONCILE_NEVER},

	/* After the mark: ends without an outcome. */
	{"a marked Pod that is gone is not looked for in another one",
	 MARKED(.pod = POD_IS_GONE, .other_in_sight = true), EFFECT_WRITE_FINAL,
	 REASON_Interrupted},
	{"a marked Pod out of sight is read", MARKED(.pod = POD_OUT_OF_SIGHT), EFFECT_READ_POD},
	{"a marked Pod that is gone is Interrupted, never run again", MARKED(.pod = POD_IS_GONE),
	 EFFECT_WRITE_FINAL, REASON_Interrupted},
	{"a marked Pod that was evicted is Evicted", MARKED(.pod = POD_EVICTED), EFFECT_WRITE_FINAL,
	 REASON_Evicted},
	{"a Pod of the name but another UID is not the marked one",
	 MARKED(.flaw = POD_HAS_OTHER_UID, .stage = SESSION_NONE), EFFECT_WRITE_FINAL,
	 REASON_Interrupted},
	{"and its status is not taken for the marked one's",
	 MARKED(.flaw = POD_HAS_OTHER_UID, .pod = POD_EVICTED), EFFECT_WRITE_FINAL,
	 REASON_Interrupted},
	{"a plan that no longer hashes to the mark is PodTampered",
	 MARKED(.flaw = POD_HAS_OTHER_PLAN, .stage = SESSION_RUNNING), EFFECT_WRITE_FINAL,
	 REASON_PodTampered},
	{"a Pod changed in mid-run is PodTampered",
	 MARKED(.flaw = POD_WAS_CHANGED, .stage = SESSION_RUNNING), EFFECT_WRITE_FINAL,
	 REASON_PodTampered},
	{"a stranger with a higher session is Interrupted after the mark",
	 MARKED(.stage = SESSION_DISPLACED), EFFECT_WRITE_FINAL, REASON_Interrupted},
	{"a silent runner is RunnerFailed", MARKED(.stage = SESSION_SILENT), EFFECT_WRITE_FINAL,
	 REASON_RunnerFailed},
	{"a session that can't go on ends the task as it says", MARKED(.stage = SESSION_FAILED),
	 EFFECT_WRITE_FINAL, REASON_IsolationUnverified},
	{"an outcome that did not come whole is no outcome", ENDED(.ending_not_whole = true),
	 EFFECT_WRITE_FINAL, REASON_RunnerFailed},

	/* After the mark: the outcome. */
	{"a whole record of exit code 0 is Completed", ENDED(.exit_code = 0), EFFECT_WRITE_FINAL,
	 REASON_Completed},
	{"exit code 1 is NonZeroExit", ENDED(.exit_code = 1), EFFECT_WRITE_FINAL,
	 REASON_NonZeroExit},
	{"outputs are written before the status that refers to them", ENDED(.outputs = 1),
	 EFFECT_WRITE_OUTPUT},
	{"an eviction never wins over a whole outcome", ENDED(.pod = POD_EVICTED),
	 EFFECT_WRITE_FINAL, REASON_Completed},
	{"a Pod that is gone never wins over a whole outcome", ENDED(.pod = POD_IS_GONE),
	 EFFECT_WRITE_FINAL, REASON_Completed},
	{"a changed Pod never wins over a whole outcome that came before",
	 ENDED(.flaw = POD_WAS_CHANGED), EFFECT_WRITE_FINAL, REASON_Completed},
	{"a partial record ends as the Pod's status says",
	 ENDED(.ending = ENDING_STOPPED, .pod = POD_EVICTED), EFFECT_WRITE_FINAL, REASON_Evicted},
	{"a partial record of a Pod without a word is Interrupted",
	 ENDED(.ending = ENDING_STOPPED, .pod_deleting = true), EFFECT_WRITE_FINAL,
	 REASON_Interrupted},

	/* Over. */
	{"a finished task's runner is released", ENDED(.phase = TASK_Succeeded), EFFECT_RELEASE},
	{"then its Pod is deleted", MARKED(.phase = TASK_Succeeded, .stage = SESSION_RELEASED),
	 EFFECT_DELETE_POD},
	{"a finished task's Pod is deleted without a session, after a restart",
	 MARKED(.phase = TASK_Failed), EFFECT_DELETE_POD},
	{"once", MARKED(.phase = TASK_Failed, .pod_deleting = true), EFFECT_NONE},
	{"a finished task's Pod is deleted though its label was stripped",
	 MARKED(.phase = TASK_Failed, .flaw = POD_IS_UNLABELLED), EFFECT_DELETE_POD},
	{"somebody else's Pod is not deleted with a finished task",
	 MARKED(.phase = TASK_Failed, .flaw = POD_IS_FOREIGN), EFFECT_NONE},
	{"a finished task's Pod that is out of sight is looked for, not forgotten",
	 MARKED(.phase = TASK_Failed, .pod = POD_OUT_OF_SIGHT), EFFECT_READ_POD},
	{"a finished task's own Pod is deleted before another one is looked at",
	 MARKED(.phase = TASK_Failed, .other_in_sight = true), EFFECT_DELETE_POD},
	{"another Pod of a finished task is looked at while its own one goes",
	 MARKED(.phase = TASK_Failed, .pod_deleting = true, .other_in_sight = true),
	 EFFECT_READ_OTHER_POD},
	{"or when that is gone",
	 MARKED(.phase = TASK_Succeeded, .pod = POD_IS_GONE, .other_in_sight = true),
	 EFFECT_READ_OTHER_POD},
	{"or is somebody else's",
	 MARKED(.phase = TASK_Failed, .flaw = POD_IS_FOREIGN, .other_in_sight = true),
	 EFFECT_READ_OTHER_POD},
	{"likewise of a deleted task",
	 {.task = TASK_IS_GONE, .seen = 1, .pod = POD_IS_GONE, .other_in_sight = true},
	 EFFECT_READ_OTHER_POD},
	{"its own one is looked for first",
	 MARKED(.phase = TASK_Failed, .pod = POD_OUT_OF_SIGHT, .other_in_sight = true),
	 EFFECT_READ_POD},
	{"so is a deleted task's",
	 {.task = TASK_IS_GONE, .seen = 1, .pod = POD_OUT_OF_SIGHT},
	 EFFECT_READ_POD},
	{"a finished task that had no Pod has none to look for",
	 {.phase = TASK_Failed},
	 EFFECT_NONE},
	{"a finished task without a Pod needs nothing",
	 {.phase = TASK_Succeeded, .marked = true, .pod = POD_IS_GONE},
	 EFFECT_NONE},
	{"a finished task stays finished whatever its class says",
	 {.phase = TASK_Failed, .refused = true},
	 EFFECT_NONE},
};

static void check_row(const struct row *row)
{
	struct facts_world world;
	struct decision d;

	reconcile(facts_build(&world, &row->facts), &d);
	is(reconcile_effect_name(d.effect), reconcile_effect_name(row->effect), "%s", row->name);
	if (row->reason)
		is(d.reason ? reason_name(d.reason) : "none", reason_name(row->reason), "  as %s",
		   reason_name(row->reason));
	if (row->number && d.effect == EFFECT_NONE)
		cmp_ok(d.wake_at_ms, "==", row->number, "  and looks again in time");
	else if (row->number)
		cmp_ok(d.attempt, "==", row->number, "  of attempt %d", (int)row->number);
}

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

static void silence_may_have_a_known_cause(void)
{
	struct facts facts = MARKED(.stage = SESSION_SILENT);
	struct facts_world world;
	struct decision d;

	facts_build(&world, &facts);
	world.pod.conditions[world.pod.condition_count++] =
		(struct pod_condition){.type = STR("DisruptionTarget"),
				       .status = STR("True"),
				       .reason = STR("DeletionByTaintManager")};
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
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	messages_say_what_happened();
	long_messages_are_cut_on_characters();
	lost_pods_keep_their_last_word();
	silence_may_have_a_known_cause();
	a_task_may_name_its_own_start_budget();
	done_testing();
}
