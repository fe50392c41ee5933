#include "sim_scenario.h"

#include "sim_controller.h"
#include "sim_json.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CONTROLLERS_MAX 8
#define TASK		"answer"

#define QUIET_MS (20 * 1000)	  /* nothing happens for so long: nothing will */
#define LIMIT_MS (30 * 60 * 1000) /* by then the task is over, whatever happened */
#define LOOK_MS	 500		  /* how often that is looked at */
#define STOP_MS	 (10 * 1000)
/* The second point comes within so many effects of the first one. */
#define POINT_DISTANCE_MAX 200

struct run {
	const struct sim_scenario *scenario;
	struct sim_world world;
	struct sim_controller controllers[CONTROLLERS_MAX];
	int controller_count, points;
	bool has_task;
	struct sim_event creating, burying, befalling, restarting;
	uint64_t effects; /* until all was done */
};

/* --- What happens at a point. --- */

static void start_controller(void *context)
{
	struct run *run = context;
	int n = run->controller_count++;

	sim_controller_start(&run->controllers[n], &run->world, n + 1);
}

static void befall(void *context)
{
	struct run *run = context;
	struct sim_pod *pod = sim_node_last(&run->world.node);
	struct sim_object *task = sim_world_task(&run->world, TASK);

	if ((run->scenario->deletes_task || run->scenario->recreates_task) && task)
		sim_store_remove(&run->world.api.store, "user", task);
	if (run->scenario->recreates_task && task)
		sim_world_create_task(&run->world, TASK);
	if (run->scenario->befalls && pod && pod->has_object)
		run->scenario->befalls(pod);
}

static void bury(void *context)
{
	struct run *run = context;

	for (int i = 0; i < run->controller_count; i++)
		if (run->controllers[i].manager && run->controllers[i].client.sio->is_dead)
			sim_controller_end(&run->controllers[i]);
}

static void crash(struct run *run, struct sim_io *io, int64_t away_ms)
{
	struct sim_clock *clock = &run->world.clock;

	sim_io_kill(io);
	sim_clock_in(clock, &run->burying, 0, bury, run);
	if (run->scenario->restarts)
		sim_clock_in(clock, &run->restarting, away_ms, start_controller, run);
}

/* From inside the controller. */
static void on_point(void *context, struct sim_io *io)
{
	struct run *run = context;
	struct sim_clock *clock = &run->world.clock;
	int64_t away_ms = sim_clock_between(clock, 0, run->scenario->away_ms);

	run->world.point = 0;
	if (run->points++ < run->scenario->more_points)
		run->world.point = run->world.effects +
				   (uint64_t)sim_clock_between(clock, 1, POINT_DISTANCE_MAX);
	switch (run->scenario->what) {
	case SIM_CRASH: crash(run, io, away_ms); break;
	case SIM_FREEZE: sim_io_freeze(io, away_ms); break;
	case SIM_LIVE: break;
	}
	sim_clock_in(clock, &run->befalling, sim_clock_between(clock, 0, away_ms), befall, run);
}

/* --- One run. --- */

static void create_task(void *context)
{
	struct run *run = context;

	sim_world_create_task(&run->world, TASK);
	run->has_task = true;
}

static struct sim_controller *leader(struct run *run)
{
	const struct sim_object *lease =
		sim_store_next(&run->world.api.store, sim_store_kind("leases"), NULL);

	for (int i = 0; lease && i < run->controller_count; i++)
		if (run->controllers[i].manager &&
		    sim_json_is(buf_str(&lease->json), "spec.holderIdentity",
				run->controllers[i].name))
			return &run->controllers[i];
	return NULL;
}

static bool is_anybody_frozen(const struct run *run)
{
	for (int i = 0; i < run->controller_count; i++)
		if (run->controllers[i].manager &&
		    sim_io_held_ms(run->controllers[i].client.sio) > 0)
			return true;
	return false;
}

/* Somebody leads, so that whatever was left behind has been seen to. */
static bool is_quiet(struct run *run)
{
	return run->has_task && leader(run) && !is_anybody_frozen(run) &&
	       sim_check_is_quiet(&run->world.check);
}

/* Until nothing has to happen any more, and has not for a while. */
static void run_until_quiet(struct run *run)
{
	struct sim_clock *clock = &run->world.clock;
	int64_t quiet_since_ms = SIM_NEVER;

	while (!run->world.check.has_failed && clock->now_ms < LIMIT_MS &&
	       (quiet_since_ms == SIM_NEVER || clock->now_ms - quiet_since_ms < QUIET_MS)) {
		sim_world_run(&run->world, LOOK_MS);
		if (!is_quiet(run)) {
			quiet_since_ms = SIM_NEVER;
		} else if (quiet_since_ms == SIM_NEVER) {
			quiet_since_ms = clock->now_ms;
			run->effects = run->world.effects;
		}
	}
}

/* They exit in good order: the Lease is nobody's then. */
static void stop_controllers(struct run *run)
{
	run->world.point = run->world.trouble_percent = 0;
	for (int i = 0; i < run->controller_count; i++)
		sim_controller_stop(&run->controllers[i]);
	sim_world_run(&run->world, STOP_MS);
	for (int i = 0; i < run->controller_count; i++)
		if (run->controllers[i].manager && !run->controllers[i].has_stopped)
			sim_check_fail(&run->world.check, "%s does not stop",
				       run->controllers[i].name);
	/* After trouble with the last renewal it can't be known how to. */
	if (leader(run) && run->scenario->trouble_percent == 0)
		sim_check_fail(&run->world.check, "the Lease is not given away");
}

static void begin(struct run *run, uint64_t seed, uint64_t point)
{
	struct sim_clock *clock = &run->world.clock;

	sim_world_init(&run->world, seed);
	if (run->scenario->shares_namespace)
		sim_world_share_namespaces(&run->world);
	run->world.node.program = run->scenario->program;
	run->world.trouble_percent = run->scenario->trouble_percent;
	run->world.point = point;
	run->world.on_point = on_point;
	run->world.check.needs_leader = true;
	run->world.context = run;
	for (int i = 0; i < run->scenario->controllers; i++)
		start_controller(run);
	sim_clock_in(clock, &run->creating, sim_clock_between(clock, 0, 3000), create_task, run);
}

static void end(struct run *run)
{
	for (int i = 0; i < run->controller_count; i++)
		sim_controller_end(&run->controllers[i]);
	sim_world_free(&run->world);
}

static void judge_ending(struct run *run, char reason[32])
{
	const struct sim_object *task = sim_world_task(&run->world, TASK);

	snprintf(reason, 32, "%.*s",
		 STR_ARGS(task ? sim_json_word(buf_str(&task->json), "status.reason")
			       : STR("gone")));
	for (size_t i = 0; i < sizeof(run->scenario->endings) / sizeof(char *); i++)
		if (run->scenario->endings[i] && strcmp(run->scenario->endings[i], reason) == 0)
			return;
	sim_check_fail(&run->world.check, "the task ends as %s", reason);
}

static void explain(const struct run *run, uint64_t point)
{
	sim_trace_print(&run->world.trace);
	diag("%s", run->world.check.text);
	diag("again: make sim SCENARIO=%s SEED=%" PRIu64 " POINT=%" PRIu64 " TRACE=1",
	     run->scenario->name, run->world.seed, point);
}

void sim_scenario_run(const struct sim_scenario *scenario, uint64_t seed, uint64_t point,
		      struct sim_ending *ending)
{
	struct run *run = mem_new(1, sizeof(*run));
	struct sim_check *check = &run->world.check;

	run->scenario = scenario;
	*ending = (struct sim_ending){0};
	begin(run, seed, point);
	run_until_quiet(run);
	sim_check_end(check);
	if (!check->has_failed)
		judge_ending(run, ending->reason);
	if (!check->has_failed)
		stop_controllers(run);
	if (check->has_failed)
		explain(run, point);
	ending->has_passed = !check->has_failed;
	ending->effects = run->effects;
	ending->writes = check->writes;
	ending->sum = run->world.trace.sum;
	end(run);
	free(run);
}
