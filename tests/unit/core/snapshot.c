/*
 * Every combination of small facts, a few million snapshots: what reconcile must never do in any of
 * them, and that what it does comes to an end.
 */
#include "core/snapshot.h"

#include "facts_world.h"
#include "tap.h"

#include <stdio.h>

#define STEPS_MAX 12 /* longer than any way from one wait to the next */

/* --- Rules. Each yields the sentence that was broken, or NULL. --- */

static bool is_terminal(const struct facts *f)
{
	return f->phase == TASK_Succeeded || f->phase == TASK_Failed;
}

static bool pod_is_there(const struct facts *f)
{
	return f->pod != POD_OUT_OF_SIGHT && f->pod != POD_IS_GONE;
}

/* After the mark a session has seen the container run, and a Pod's status may lag behind that. */
static bool pod_is_planned(const struct facts *f)
{
	return (f->pod == POD_RUNNING || (f->marked && f->pod == POD_WAITING)) &&
	       (f->flaw == POD_IS_SOUND || f->flaw == POD_IS_UNLABELLED ||
		(f->flaw == POD_HAS_OTHER_UID && !f->marked));
}

static int used(const struct facts *f)
{
	return f->seen > f->attempt ? f->seen : f->attempt;
}

static const char *broken_by_creation(const struct facts *f, const struct decision *d)
{
	if (f->marked)
		return "no Pod is created after a mark";
	if (pod_is_there(f) || f->other_in_sight)
		return "no Pod is created beside another";
	if (used(f) > 0 && f->pod != POD_IS_GONE)
		return "no second Pod before the first is surely gone";
	if (d->attempt != used(f) + 1 || d->attempt > RECONCILE_ATTEMPTS_MAX)
		return "attempts are counted, to three";
	if (f->network_open)
		return "no Pod before its network is closed";
	if (f->refused || f->class_missing || f->admission != GRANTED)
		return "no Pod without a valid task, a class and a place";
	if (f->creation == CREATION_HOPELESS || f->expired)
		return "no Pod after its time, or against a final refusal";
	return NULL;
}

static const char *broken_by_session_command(const struct facts *f, const struct decision *d)
{
	if (!pod_is_planned(f) && d->effect != EFFECT_ATTACH)
		return "nothing is sent to a Pod that is not the planned one";
	if (!pod_is_planned(f) && f->pod == POD_RUNNING)
		return "nobody attaches to a running Pod that is not the planned one";
	if (d->effect == EFFECT_START && (!f->marked || f->stage != SESSION_RECEIVED))
		return "no START without a committed mark and a whole bundle";
	if (d->effect == EFFECT_UPLOAD && f->stage != SESSION_READY)
		return "no code before the HELLO satisfies the plan";
	if (d->effect == EFFECT_PULL && (!f->marked || f->stage != SESSION_DONE))
		return "an outcome is pulled when one is sealed";
	return NULL;
}

static const char *broken_by_final(const struct facts *f, const struct decision *d)
{
	bool is_success = f->stage == SESSION_PULLED && !f->ending_not_whole && f->marked &&
			  f->ending == ENDING_EXITED && f->exit_code == 0;

	if (d->reason == REASON_NONE || d->message[0] == '\0')
		return "a final status has a reason and says what happened";
	if ((d->reason == REASON_Completed) != is_success)
		return "Completed comes from the record of exit code 0, and that always";
	if (d->with_ending && (f->outputs > 0 || f->ending_not_whole))
		return "a final status refers only to what is there";
	if (d->without_texts != f->final_too_large)
		return "texts are left out when, and only when, they were too large";
	if (f->marked && d->reason == REASON_PodLost)
		return "after the mark nothing is merely lost";
	return NULL;
}

static bool is_over(const struct facts *f)
{
	return f->task == TASK_IS_GONE || f->task_deleting || is_terminal(f);
}

static const char *broken_by_deletion(const struct facts *f)
{
	if (!pod_is_there(f) || f->pod_deleting)
		return "a Pod is deleted once";
	if (f->flaw == POD_IS_FOREIGN)
		return "nothing that is not ours is deleted";
	if (!is_over(f) && (f->marked || f->pod_attempt > f->attempt))
		return "status first, deletion second";
	return NULL;
}

/* As far as it has not been deleted. */
static bool is_ours_to_delete(const struct facts *f)
{
	return pod_is_there(f) && !f->pod_deleting && f->flaw != POD_IS_FOREIGN &&
	       !(f->flaw == POD_IS_UNLABELLED && f->task == TASK_IS_GONE);
}

static const char *broken_by_turning(const struct facts *f)
{
	if (!f->other_in_sight)
		return "a Pod is turned to when it is in sight";
	if (is_ours_to_delete(f))
		return "a Pod of ours is deleted before another one is looked at";
	if (!is_over(f) && (f->marked || (used(f) > 0 && f->pod != POD_IS_GONE)))
		return "another Pod is none while the one that counts may be there";
	return NULL;
}

static const char *broken_by_waiting(const struct facts *f, const struct decision *d)
{
	bool had_a_pod = f->seen > 0 || (f->task == TASK_IS_THERE && f->attempt > 0);

	if (f->not_leading)
		return NULL;
	if (f->pod == POD_OUT_OF_SIGHT && had_a_pod && (is_over(f) || f->marked))
		return "a Pod out of sight is looked for";
	if (is_over(f) && f->other_in_sight)
		return "no Pod in sight is forgotten when the task is over";
	if (is_over(f) || d->wake_at_ms != RECONCILE_NEVER)
		return NULL;
	if (f->marked && (f->stage == SESSION_CONNECTING || f->stage == SESSION_NONE))
		return "a runner that can't be reached is not waited for without end";
	if (f->marked)
		return NULL;
	/* Its turn will come as an event. */
	if (f->admission != GRANTED && f->phase == TASK_Queued && !pod_is_there(f))
		return NULL;
	return "before the mark every wait has an end";
}

static const char *broken(const struct facts *f, const struct decision *d)
{
	if (!d->why || d->effect >= EFFECT_COUNT)
		return "a decision is one of the effects, and says why";
	if (f->not_leading && d->effect != EFFECT_NONE)
		return "without the Lease nothing is done";
	if (f->task == TASK_OUT_OF_SIGHT && !f->not_leading && d->effect != EFFECT_READ_TASK)
		return "a task out of sight is read before anything else";
	if (f->task == TASK_IS_THERE && is_terminal(f) && d->effect != EFFECT_NONE &&
	    d->effect != EFFECT_RELEASE && d->effect != EFFECT_DELETE_POD &&
	    d->effect != EFFECT_READ_POD && d->effect != EFFECT_READ_OTHER_POD)
		return "a terminal status never changes";
	switch (d->effect) {
	case EFFECT_NONE: return broken_by_waiting(f, d);
	case EFFECT_CREATE_POD: return broken_by_creation(f, d);
	case EFFECT_DELETE_POD: return broken_by_deletion(f);
	case EFFECT_READ_OTHER_POD: return broken_by_turning(f);
	case EFFECT_WRITE_FINAL: return broken_by_final(f, d);
	case EFFECT_WRITE_ATTEMPT:
		return f->marked ? "no attempt is given up after the mark" : NULL;
	case EFFECT_WRITE_MARK:
		return f->marked || !pod_is_planned(f) || d->attempt != f->pod_attempt
			       ? "the mark is set once, for the planned Pod"
			       : NULL;
	case EFFECT_ATTACH:
	case EFFECT_UPLOAD:
	case EFFECT_START:
	case EFFECT_PULL: return broken_by_session_command(f, d);
	case EFFECT_READ_TASK:
	case EFFECT_READ_POD:
	case EFFECT_READ_EVENT:
	case EFFECT_WRITE_NETWORK_POLICY:
	case EFFECT_WRITE_QUEUED:
	case EFFECT_WRITE_OUTPUT:
	case EFFECT_RELEASE:
	case EFFECT_COUNT: break;
	}
	return NULL;
}

/* --- The walk from a snapshot: apply, decide again, until there is nothing to do. --- */

static const char *broken_on_the_way(struct facts f, struct decision *d)
{
	struct facts_world world;
	int starts = 0;

	for (int step = 0; step < STEPS_MAX; step++) {
		enum effect before = d->effect;
		bool may_repeat = before == EFFECT_WRITE_OUTPUT;
		const char *rule;

		starts += d->effect == EFFECT_START;
		if (starts > 1)
			return "START is sent once";
		if (d->effect == EFFECT_NONE)
			return NULL;
		facts_apply(&f, d);
		reconcile(facts_build(&world, &f), d);
		if (d->effect == before && !may_repeat)
			return "an effect that was carried out is not asked for again";
		rule = broken(&f, d);
		if (rule)
			return rule;
	}
	return "every way comes to a wait";
}

/* --- The product. --- */

static long checked, broken_rules;

static void show(const struct facts *f, const struct decision *d, const char *rule)
{
	if (broken_rules++ > 10)
		return;
	fail("%s", rule);
	diag("effect %s (%s), reason %d", reconcile_effect_name(d->effect), d->why, d->reason);
	diag("task %d deleting %d phase %d marked %d attempt %d seen %d refused %d class %d adm %d",
	     f->task, f->task_deleting, f->phase, f->marked, f->attempt, f->seen, f->refused,
	     f->class_missing, f->admission);
	diag("net %d creation %d pod %d flaw %d deleting %d pod_attempt %d expired %d stage %d "
	     "ending %d outputs %d",
	     f->network_open, f->creation, f->pod, f->flaw, f->pod_deleting, f->pod_attempt,
	     f->expired, f->stage, f->ending, f->outputs);
}

static void check(const struct facts *f)
{
	struct facts_world world;
	struct decision d;
	const char *rule;

	checked++;
	reconcile(facts_build(&world, f), &d);
	rule = broken(f, &d);
	if (!rule)
		rule = broken_on_the_way(*f, &d);
	if (rule)
		show(f, &d, rule);
}

static void check_endings(struct facts f)
{
	for (int kind = 0; kind < ENDING_KIND_COUNT; kind++)
		for (int bits = 0; bits < 16; bits++) {
			f.ending = (enum ending_kind)kind;
			f.exit_code = bits & 1;
			f.ending_not_whole = bits & 2;
			f.outputs = bits & 4 ? 2 : 0;
			f.final_too_large = bits & 8;
			check(&f);
		}
}

static void check_sessions(struct facts f)
{
	for (int stage = 0; stage < SESSION_STAGE_COUNT; stage++) {
		f.stage = (enum session_stage)stage;
		/* What ended the run does not depend on how many Pods there were before. */
		if (f.stage == SESSION_PULLED && f.attempt == 0)
			check_endings(f);
		else
			check(&f);
	}
}

static void check_pods(struct facts f)
{
	for (int pod = 0; pod < POD_KINDS; pod++) {
		f.pod = (enum facts_pod)pod;
		if (!pod_is_there(&f)) {
			f.flaw = POD_IS_SOUND;
			f.pod_deleting = false;
			check_sessions(f);
			f.other_in_sight = true;
			check_sessions(f);
			f.other_in_sight = false;
			continue;
		}
		for (int flaw = 0; flaw < POD_FLAWS; flaw++)
			for (int attempt = 1; attempt <= RECONCILE_ATTEMPTS_MAX; attempt++) {
				struct facts with = f;

				with.flaw = (enum facts_pod_flaw)flaw;
				with.pod_attempt = attempt;
				if (with.seen < attempt)
					with.seen = attempt;
				with.pod_deleting = false;
				check_sessions(with);
				with.pod_deleting = true;
				check_sessions(with);
				with.other_in_sight = true;
				check_sessions(with);
			}
	}
}

/* What only counts while there is no Pod and no mark, with the sessions left out. */
static void check_admission(struct facts f)
{
	for (int bits = 0; bits < 16; bits++)
		for (int admission = 0; admission < ADMISSION_KINDS; admission++)
			for (int creation = 0; creation < CREATION_KINDS; creation++)
				for (int pod = POD_OUT_OF_SIGHT; pod <= POD_IS_GONE; pod++)
					for (int seen = 0; seen <= RECONCILE_ATTEMPTS_MAX; seen++) {
						f.network_open = bits & 1;
						f.just_queued = bits & 2;
						f.class_missing = bits & 4;
						f.refused = bits & 8;
						f.admission = (enum admission_kind)admission;
						f.creation = (enum facts_creation)creation;
						f.pod = (enum facts_pod)pod;
						f.seen = seen;
						f.other_in_sight = false;
						check(&f);
						f.other_in_sight = true;
						check(&f);
					}
}

static void check_task(struct facts f)
{
	for (int bits = 0; bits < 16; bits++)
		for (int attempt = 0; attempt <= RECONCILE_ATTEMPTS_MAX; attempt++) {
			f.task_deleting = bits & 1;
			f.marked = bits & 2;
			f.expired = bits & 4;
			f.class_missing = bits & 8;
			f.attempt = attempt;
			check_pods(f);
			if (!f.class_missing)
				check_admission(f);
		}
}

int main(void)
{
	static const enum task_phase phases[] = {
		TASK_Pending,	TASK_Queued, TASK_Starting,	 TASK_Running,
		TASK_Succeeded, TASK_Failed, TASK_PHASE_UNKNOWN,
	};
	struct facts none = {0};

	for (size_t phase = 0; phase < sizeof(phases) / sizeof(phases[0]); phase++)
		check_task((struct facts){.phase = phases[phase]});
	for (int task = 0; task < TASK_KINDS; task++) {
		none.task = (enum facts_task)task;
		none.not_leading = false;
		check_pods(none);
		none.not_leading = true;
		check_pods(none);
	}
	note("%ld snapshots", checked);
	cmp_ok(checked, ">", 1000000, "every combination was looked at");
	cmp_ok(broken_rules, "==", 0, "and none of them breaks a rule, nor any step from there");
	done_testing();
}
