/*
 * A task's life, with something happening at every effect that a controller has, and the invariants
 * held all the while. `make sim` runs it; one run is repeated by
 *
 *	make sim SCENARIO=NAME SEED=1 POINT=N TRACE=1
 *
 * STRIDE=5 takes every fifth effect only, SEEDS=40 says how many other seeds are tried.
 */
#include "sim_scenario.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define FAILURES_SHOWN_MAX 3
#define SEEDS_MORE	   40  /* with a point anywhere, beside the one of all points */
#define ANYWHERE	   120 /* effects: nearly all lives have so many */

#define PRINTS_1 .run_ms = 3000, .output_bytes = 2
#define ONE	 .controllers = 1, .restarts = true, .away_ms = 12000
#define TWO	 .controllers = 2, .away_ms = 20000
#define ALIVE	 .controllers = 1

static const struct sim_scenario SCENARIOS[] = {
	{"restart", "a new controller goes on where the crashed one was", SIM_CRASH, ONE,
	 .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"standby", "another controller goes on where the crashed one was", SIM_CRASH, TWO,
	 .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"freeze", "another one takes over from one that freezes, and then wakes up", SIM_FREEZE,
	 TWO, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"trouble", "a controller crashes, and the network breaks now and then", SIM_CRASH, ONE,
	 .trouble_percent = 10, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"trouble-freeze", "a controller freezes, and the network breaks now and then", SIM_FREEZE,
	 TWO, .trouble_percent = 10, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"trouble-force", "the Pod is deleted by force, and the network breaks now and then",
	 SIM_LIVE, ALIVE, .befalls = sim_node_delete_by_force, .trouble_percent = 10,
	 .program = {PRINTS_1}, .endings = {"Completed", "Interrupted"}, .writes = 4},
	{"force", "while there is none, the Pod is deleted by force", SIM_CRASH, ONE,
	 .befalls = sim_node_delete_by_force, .program = {PRINTS_1},
	 .endings = {"Completed", "Interrupted"}, .writes = 4},
	{"force-seen", "the Pod is deleted by force", SIM_LIVE, ALIVE,
	 .befalls = sim_node_delete_by_force, .program = {PRINTS_1},
	 .endings = {"Completed", "Interrupted"}, .writes = 4},
	{"drain", "while there is none, the Pod is drained, with its grace", SIM_CRASH, ONE,
	 .befalls = sim_node_drain, .program = {PRINTS_1},
	 .endings = {"Completed", "Evicted", "Interrupted"}, .writes = 4},
	{"drain-seen", "the Pod is drained, with its grace", SIM_LIVE, ALIVE,
	 .befalls = sim_node_drain, .program = {PRINTS_1}, .endings = {"Completed", "Evicted"},
	 .writes = 4},
	{"evict", "while there is none, the kubelet evicts the Pod", SIM_CRASH, ONE,
	 .befalls = sim_node_evict, .program = {PRINTS_1}, .endings = {"Completed", "Evicted"},
	 .writes = 4},
	{"evict-seen", "the kubelet evicts the Pod", SIM_LIVE, ALIVE, .befalls = sim_node_evict,
	 .program = {PRINTS_1}, .endings = {"Completed", "Evicted"}, .writes = 4},
	{"cut", "while there is none, its node is cut off from the API server", SIM_CRASH, ONE,
	 .befalls = sim_node_cut, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"cut-seen", "its node is cut off from the API server", SIM_LIVE, ALIVE,
	 .befalls = sim_node_cut, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"strip-seen", "the Pod is stripped of its labels", SIM_LIVE, ALIVE,
	 .befalls = sim_node_strip, .program = {PRINTS_1}, .endings = {"Completed", "PodTampered"},
	 .writes = 4},
	{"forge", "while there is none, somebody makes a Pod of a later attempt", SIM_CRASH, ONE,
	 .befalls = sim_node_forge, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"forge-seen", "somebody makes a Pod of a later attempt", SIM_LIVE, ALIVE,
	 .befalls = sim_node_forge, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"forge-twice", "somebody makes a Pod of a later attempt, and two controllers crash",
	 SIM_CRASH, ONE, .more_points = 1, .befalls = sim_node_forge, .program = {PRINTS_1},
	 .endings = {"Completed"}, .writes = 4},
	{"forge-evict", "the Pod is evicted beside one that somebody has made", SIM_CRASH, ONE,
	 .befalls = sim_node_forge_and_evict, .program = {PRINTS_1},
	 .endings = {"Completed", "Evicted", "PodTampered"}, .writes = 4},
	{"forge-evict-seen", "the Pod is evicted beside one that somebody has made, in sight",
	 SIM_LIVE, ALIVE, .befalls = sim_node_forge_and_evict, .program = {PRINTS_1},
	 .endings = {"Completed", "Evicted", "PodTampered"}, .writes = 4},
	{"forge-strip-seen", "the Pod is stripped of its labels beside one that somebody has made",
	 SIM_LIVE, ALIVE, .befalls = sim_node_forge_and_strip, .program = {PRINTS_1},
	 .endings = {"Completed", "PodTampered"}, .writes = 4},
	{"delete", "while there is none, the task is deleted", SIM_CRASH, ONE, .deletes_task = true,
	 .program = {PRINTS_1}, .endings = {"Completed", "gone"}, .writes = 4},
	{"delete-seen", "the task is deleted", SIM_LIVE, ALIVE, .deletes_task = true,
	 .program = {PRINTS_1}, .endings = {"Completed", "gone"}, .writes = 4},
	{"recreate", "while there is none, another task gets the name of the first", SIM_CRASH, ONE,
	 .recreates_task = true, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"recreate-seen", "another task gets the name of the first", SIM_LIVE, ALIVE,
	 .recreates_task = true, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"recreate-freeze", "while it is frozen, another task gets the name of the first",
	 SIM_FREEZE, TWO, .recreates_task = true, .program = {PRINTS_1}, .endings = {"Completed"},
	 .writes = 4},
	{"twice", "two controllers crash, one after the other", SIM_CRASH, ONE, .more_points = 1,
	 .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"own", "a new controller goes on, with the Pod in the task's namespace", SIM_CRASH, ONE,
	 .shares_namespace = true, .program = {PRINTS_1}, .endings = {"Completed"}, .writes = 4},
	{"own-freeze", "one freezes and wakes up, with the Pod in the task's namespace", SIM_FREEZE,
	 TWO, .shares_namespace = true, .program = {PRINTS_1}, .endings = {"Completed"},
	 .writes = 4},
	{"own-trouble", "one crashes in a bad network, with the Pod in the task's namespace",
	 SIM_CRASH, ONE, .shares_namespace = true, .trouble_percent = 10, .program = {PRINTS_1},
	 .endings = {"Completed"}, .writes = 4},
	{"own-twice", "two controllers crash, with the Pod in the task's namespace", SIM_CRASH, ONE,
	 .shares_namespace = true, .more_points = 1, .program = {PRINTS_1},
	 .endings = {"Completed"}, .writes = 4},
	{"own-delete", "while there is none, the task is deleted, with the Pod in its namespace",
	 SIM_CRASH, ONE, .shares_namespace = true, .deletes_task = true, .program = {PRINTS_1},
	 .endings = {"Completed", "gone"}, .writes = 4},
	{"own-recreate", "another task gets its name, with the Pod in the task's namespace",
	 SIM_CRASH, ONE, .shares_namespace = true, .recreates_task = true, .program = {PRINTS_1},
	 .endings = {"Completed"}, .writes = 4},
	{"own-forge", "somebody makes a later attempt, with the Pod in the task's namespace",
	 SIM_CRASH, ONE, .shares_namespace = true, .befalls = sim_node_forge, .program = {PRINTS_1},
	 .endings = {"Completed"}, .writes = 4},
	{"fail", "the program exits with 3", SIM_CRASH, ONE, .program = {PRINTS_1, .exit_code = 3},
	 .endings = {"NonZeroExit"}, .writes = 4},
	{"outputs", "the program prints more than the status has room for", SIM_CRASH, ONE,
	 .program = {.run_ms = 3000, .output_bytes = 100000}, .endings = {"Completed"},
	 .writes = 5},
	{"hole", "the sandbox is not isolated", SIM_CRASH, ONE,
	 .program = {PRINTS_1, .lacks_a_layer = true}, .endings = {"IsolationUnverified"},
	 .writes = 3},
	{"stuck", "the sandbox never starts, and only an Event says why", SIM_CRASH, ONE,
	 .program = {PRINTS_1, .never_starts = true}, .endings = {"RuntimeUnavailable"},
	 .writes = 3},
};

#define SCENARIOS_COUNT (sizeof(SCENARIOS) / sizeof(SCENARIOS[0]))
#define ENDINGS_MAX	(sizeof(SCENARIOS[0].endings) / sizeof(char *))

static void count_ending(const struct sim_scenario *scenario, const struct sim_ending *ending,
			 int counts[ENDINGS_MAX])
{
	for (size_t i = 0; i < ENDINGS_MAX; i++)
		counts[i] +=
			scenario->endings[i] && strcmp(scenario->endings[i], ending->reason) == 0;
}

/* Nothing but the program's own end: what it costs, and that a seed says it all. */
static uint64_t test_undisturbed(const struct sim_scenario *scenario, uint64_t seed)
{
	struct sim_ending once, again;

	sim_scenario_run(scenario, seed, 0, &once);
	ok(once.has_passed, "%s: undisturbed, no rule is broken", scenario->name);
	sim_scenario_run(scenario, seed, 0, &again);
	cmp_ok(once.sum, "==", again.sum, "%s: the same seed is the same life", scenario->name);
	if (scenario->trouble_percent == 0)
		cmp_ok(once.writes, "==", scenario->writes,
		       "%s: with as many writes as there have to be", scenario->name);
	return once.effects;
}

static void test_every_point(const struct sim_scenario *scenario, uint64_t seed, uint64_t points,
			     uint64_t stride)
{
	int counts[ENDINGS_MAX] = {0}, failures = 0, tried = 0;
	struct sim_ending ending;

	for (uint64_t n = 1; n <= points && failures < FAILURES_SHOWN_MAX; n += stride) {
		sim_scenario_run(scenario, seed, n, &ending);
		tried++;
		failures += !ending.has_passed;
		count_ending(scenario, &ending, counts);
	}
	cmp_ok(failures, "==", 0, "%s: %s, at %d effects", scenario->name, scenario->rule, tried);
	for (size_t i = 0; i < ENDINGS_MAX && scenario->endings[i] && stride == 1; i++)
		cmp_ok(counts[i], ">", 0, "%s: it ends as %s, %d times", scenario->name,
		       scenario->endings[i], counts[i]);
}

static void test_any_point(const struct sim_scenario *scenario, uint64_t seed, uint64_t seeds)
{
	struct random random = {seed};
	struct sim_ending ending;
	int failures = 0;

	for (uint64_t i = 1; i <= seeds && failures < FAILURES_SHOWN_MAX; i++) {
		sim_scenario_run(scenario, seed + i, 1 + random_below(&random, ANYWHERE), &ending);
		failures += !ending.has_passed;
	}
	cmp_ok(failures, "==", 0, "%s: with %d other seeds, anywhere", scenario->name, (int)seeds);
}

static void test_one_point(const struct sim_scenario *scenario, uint64_t seed, uint64_t point)
{
	struct sim_ending ending;

	sim_scenario_run(scenario, seed, point, &ending);
	ok(ending.has_passed, "%s: %s, at effect %d", scenario->name, scenario->rule, (int)point);
}

int main(void)
{
	uint64_t seed = random_setting("SEED", 1), seeds = random_setting("SEEDS", SEEDS_MORE);
	uint64_t point = random_setting("POINT", 0), stride = random_setting("STRIDE", 1);
	const char *name = getenv("SCENARIO");

	for (size_t i = 0; i < SCENARIOS_COUNT; i++) {
		if (name && strcmp(name, SCENARIOS[i].name) != 0)
			continue;
		if (point > 0) {
			test_one_point(&SCENARIOS[i], seed, point);
			continue;
		}
		test_every_point(&SCENARIOS[i], seed, test_undisturbed(&SCENARIOS[i], seed),
				 stride);
		test_any_point(&SCENARIOS[i], seed, seeds);
	}
	done_testing();
}
