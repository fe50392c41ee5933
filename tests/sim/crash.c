/*
 * One task from its creation to its result, with a crash of the controller at every effect that it
 * has, and the invariants held all the while. `make sim` runs it; one run is repeated by
 *
 *	make sim SEED=1 SCENARIO=NAME CRASH=N TRACE=1
 */
#include "sim_client.h"
#include "sim_json.h"

#include "manager/manager.h"

#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CONTROLLERS_MAX 8
#define TASK		"answer"

#define QUIET_MS (20 * 1000)	  /* nothing happens for so long: nothing will */
#define LIMIT_MS (30 * 60 * 1000) /* by then the task is over, whatever happened */
#define STOP_MS	 (10 * 1000)
#define PORT	 8080

#define FAILURES_SHOWN_MAX 3
#define SEEDS_MORE	   100 /* with crashes anywhere, beside the one of all crashes */

struct scenario {
	const char *name;
	const char *rule;
	int controllers; /* at the beginning */
	bool restarts;	 /* a new one comes after a crash */
	int64_t down_ms; /* at the most */
	int crashes;
	void (*befalls)(struct sim_pod *pod); /* while there is none */
	bool deletes_task;
	struct sim_program program;
};

#define PRINTS_1 .run_ms = 3000, .output = "1\n"
#define ONE	 .controllers = 1, .restarts = true, .down_ms = 12000

static const struct scenario SCENARIOS[] = {
	{"restart", "a new controller goes on where the crashed one was", ONE, .crashes = 1,
	 .program = {PRINTS_1}},
	{"standby", "the second controller goes on where the first one was", .controllers = 2,
	 .crashes = 1, .program = {PRINTS_1}},
	{"twice", "a controller crashes, and then the next one", ONE, .crashes = 2,
	 .program = {PRINTS_1}},
	{"force", "meanwhile the Pod is deleted by force", ONE, .crashes = 1,
	 .befalls = sim_node_delete_by_force, .program = {PRINTS_1}},
	{"drain", "meanwhile the Pod is evicted, with its grace", ONE, .crashes = 1,
	 .befalls = sim_node_drain, .program = {PRINTS_1}},
	{"evict", "meanwhile the kubelet evicts the Pod", ONE, .crashes = 1,
	 .befalls = sim_node_evict, .program = {PRINTS_1}},
	{"deleted", "meanwhile the task is deleted", ONE, .crashes = 1, .deletes_task = true,
	 .program = {PRINTS_1}},
	{"fails", "the program exits with 3", ONE, .crashes = 1,
	 .program = {PRINTS_1, .exit_code = 3}},
	{"hole", "the sandbox is not isolated", ONE, .crashes = 1,
	 .program = {PRINTS_1, .lacks_a_layer = true}},
};

#define SCENARIOS_COUNT (sizeof(SCENARIOS) / sizeof(SCENARIOS[0]))

struct controller {
	struct sim_client client;
	struct manager *manager; /* NULL: it is no more */
	char name[32];
	bool has_stopped;
};

struct run {
	const struct scenario *scenario;
	struct sim_world world;
	struct controller controllers[CONTROLLERS_MAX];
	int controller_count, crashes;
	bool has_task;
	struct sim_event creating, burying, befalling, restarting;
	uint64_t effects; /* until all was done */
};

/* --- Controllers. */

static void start_controller(void *context)
{
	struct run *run = context;
	int n = run->controller_count++;
	struct controller *c = &run->controllers[n];
	struct manager_config config = {
		.identity = c->name,
		.in_namespace = SIM_SYSTEM_NAMESPACE,
		.tasks_max = MANAGER_TASKS_DEFAULT,
		.transfers_max = MANAGER_TRANSFERS_DEFAULT,
		.address = "",
		.port = PORT,
	};
	struct err err;

	snprintf(c->name, sizeof(c->name), "controller-%d", n + 1);
	sim_client_init(&c->client, &run->world, c->name);
	c->manager = manager_new(c->client.io, c->client.client, &c->client.log, &config, &err);
	if (!c->manager)
		sim_check_fail(&run->world.check, "no manager: %s", err.message);
}

static void end_controller(struct controller *c)
{
	if (!c->manager)
		return;
	manager_delete(c->manager);
	c->manager = NULL;
	sim_client_free(&c->client);
}

/* --- A crash, and what comes after it. */

static void befall(void *context)
{
	struct run *run = context;
	struct sim_pod *pod = sim_node_last(&run->world.node);
	struct sim_object *task = sim_world_task(&run->world, TASK);

	if (run->scenario->deletes_task && task)
		sim_store_remove(&run->world.api.store, "user", task);
	if (run->scenario->befalls && pod && pod->has_object)
		run->scenario->befalls(pod);
}

static void bury(void *context)
{
	struct run *run = context;

	for (int i = 0; i < run->controller_count; i++)
		if (run->controllers[i].client.sio->is_dead)
			end_controller(&run->controllers[i]);
}

/* From inside the controller that crashes. */
static void on_crash(void *context, struct sim_io *io)
{
	struct run *run = context;
	struct sim_clock *clock = &run->world.clock;
	int64_t down_ms = sim_clock_between(clock, 0, run->scenario->down_ms);

	(void)io;
	run->world.crash_at = 0;
	if (++run->crashes < run->scenario->crashes)
		run->world.crash_at =
			run->world.effects + (uint64_t)sim_clock_between(clock, 1, 200);
	sim_clock_in(clock, &run->burying, 0, bury, run);
	sim_clock_in(clock, &run->befalling, sim_clock_between(clock, 0, down_ms), befall, run);
	if (run->scenario->restarts)
		sim_clock_in(clock, &run->restarting, down_ms, start_controller, run);
}

/* --- One run. */

static void create_task(void *context)
{
	struct run *run = context;

	sim_world_create_task(&run->world, TASK);
	run->has_task = true;
}

/* One that lives holds the Lease: so what the last crash has left has been seen to. */
static bool has_leader(const struct run *run)
{
	const struct sim_object *lease =
		sim_store_next(&run->world.api.store, sim_store_kind("leases"), NULL);

	for (int i = 0; lease && i < run->controller_count; i++)
		if (run->controllers[i].manager &&
		    sim_json_is(buf_str(&lease->json), "spec.holderIdentity",
				run->controllers[i].name))
			return true;
	return false;
}

static bool is_quiet(const struct run *run)
{
	return run->has_task && has_leader(run) && sim_check_is_quiet(&run->world.check);
}

/* Until nothing has to happen any more, and has not for a while. */
static void run_until_quiet(struct run *run)
{
	int64_t quiet_since_ms = SIM_NEVER;
	struct sim_clock *clock = &run->world.clock;

	while (!run->world.check.has_failed && clock->now_ms < LIMIT_MS &&
	       (quiet_since_ms == SIM_NEVER || clock->now_ms - quiet_since_ms < QUIET_MS)) {
		sim_world_run(&run->world, 100);
		if (!is_quiet(run)) {
			quiet_since_ms = SIM_NEVER;
		} else if (quiet_since_ms == SIM_NEVER) {
			quiet_since_ms = clock->now_ms;
			run->effects = run->world.effects;
		}
	}
}

static void on_stopped(void *context)
{
	((struct controller *)context)->has_stopped = true;
}

/* They exit in good order: the Lease is nobody's then. */
static void stop_controllers(struct run *run)
{
	const struct sim_object *lease;

	run->world.crash_at = 0;
	for (int i = 0; i < run->controller_count; i++)
		if (run->controllers[i].manager)
			manager_stop(run->controllers[i].manager, on_stopped, &run->controllers[i]);
	sim_world_run(&run->world, STOP_MS);
	for (int i = 0; i < run->controller_count; i++)
		if (run->controllers[i].manager && !run->controllers[i].has_stopped)
			sim_check_fail(&run->world.check, "%s does not stop",
				       run->controllers[i].name);
	lease = sim_store_next(&run->world.api.store, sim_store_kind("leases"), NULL);
	if (!lease || !sim_json_is(buf_str(&lease->json), "spec.holderIdentity", ""))
		sim_check_fail(&run->world.check, "the Lease is not given away");
}

static void begin(struct run *run, const struct scenario *scenario, uint64_t seed,
		  uint64_t crash_at)
{
	struct sim_clock *clock = &run->world.clock;

	memset(run, 0, sizeof(*run));
	run->scenario = scenario;
	sim_world_init(&run->world, seed);
	run->world.node.program = scenario->program;
	run->world.crash_at = crash_at;
	run->world.on_crash = on_crash;
	run->world.context = run;
	for (int i = 0; i < scenario->controllers; i++)
		start_controller(run);
	sim_clock_in(clock, &run->creating, sim_clock_between(clock, 0, 3000), create_task, run);
}

static void end(struct run *run)
{
	for (int i = 0; i < run->controller_count; i++)
		end_controller(&run->controllers[i]);
	sim_world_free(&run->world);
}

/* True: no rule was broken. Else says which, and what had happened. */
static bool passes(const struct scenario *scenario, uint64_t seed, uint64_t crash_at,
		   uint64_t *effects, uint32_t *sum)
{
	struct run *run = malloc(sizeof(*run));
	bool has_passed;

	begin(run, scenario, seed, crash_at);
	run_until_quiet(run);
	if (!run->world.check.has_failed)
		sim_check_end(&run->world.check);
	if (!run->world.check.has_failed)
		stop_controllers(run);
	has_passed = !run->world.check.has_failed;
	if (!has_passed) {
		sim_trace_print(&run->world.trace);
		diag("%s", run->world.check.text);
		diag("again: make sim SEED=%" PRIu64 " SCENARIO=%s CRASH=%" PRIu64 " TRACE=1", seed,
		     scenario->name, crash_at);
	}
	*effects = run->effects;
	*sum = run->world.trace.sum;
	end(run);
	free(run);
	return has_passed;
}

/* --- All runs. */

static void test_every_crash(const struct scenario *scenario, uint64_t seed)
{
	uint64_t effects, ignored;
	uint32_t sum, again;
	int failures = 0;

	ok(passes(scenario, seed, 0, &effects, &sum), "%s: without a crash", scenario->name);
	passes(scenario, seed, 0, &ignored, &again);
	cmp_ok(sum, "==", again, "%s: the same seed is the same run", scenario->name);
	for (uint64_t n = 1; n <= effects && failures < FAILURES_SHOWN_MAX; n++)
		failures += !passes(scenario, seed, n, &ignored, &again);
	cmp_ok(failures, "==", 0, "%s: %s (crashes: %d)", scenario->name, scenario->rule,
	       (int)effects);
}

static void test_any_crash(const struct scenario *scenario, uint64_t first_seed)
{
	struct random random = {first_seed};
	uint64_t ignored;
	uint32_t sum;
	int failures = 0;

	for (uint64_t i = 1; i <= SEEDS_MORE && failures < FAILURES_SHOWN_MAX; i++)
		failures += !passes(scenario, first_seed + i, 1 + random_below(&random, 150),
				    &ignored, &sum);
	cmp_ok(failures, "==", 0, "%s: with %d other seeds, a crash anywhere", scenario->name,
	       SEEDS_MORE);
}

int main(void)
{
	uint64_t seed = random_setting("SEED", 1), crash = random_setting("CRASH", 0), ignored;
	const char *name = getenv("SCENARIO");
	uint32_t sum;

	for (size_t i = 0; i < SCENARIOS_COUNT; i++) {
		const struct scenario *scenario = &SCENARIOS[i];

		if (name && strcmp(name, scenario->name) != 0)
			continue;
		if (crash > 0) {
			ok(passes(scenario, seed, crash, &ignored, &sum), "%s: %s", scenario->name,
			   scenario->rule);
			continue;
		}
		test_every_crash(scenario, seed);
		test_any_crash(scenario, seed);
	}
	done_testing();
}
