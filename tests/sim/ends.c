/*
 * A controller that ends at every effect of a task's life: deleted in the middle of everything, or
 * told to stop. Nothing of it may be left, the Lease is given away when it can be, and another one
 * brings the task to its end.
 */
#include "sim_controller.h"
#include "sim_json.h"

#include "base/mem.h"
#include "tap.h"

#include <stdlib.h>

#define STOP_MS	   10000
#define LIFE_MS	   60000
#define REST_MS	   120000
#define TASK_MS	   1000
#define POINTS_MAX 1000

enum way { NO_WAY, BY_DELETION, BY_STOPPING };

struct run {
	struct sim_world world;
	struct sim_controller first, second;
	struct sim_event creating, ending;
	enum way way;
};

static void create_task(void *context)
{
	struct run *run = context;

	sim_world_create_task(&run->world, "answer");
}

static void end_first(void *context)
{
	struct run *run = context;

	if (run->way == BY_DELETION)
		sim_controller_end(&run->first);
	else
		sim_controller_stop(&run->first);
}

/* From inside the controller, so the end comes right behind. */
static void on_point(void *context, struct sim_io *io)
{
	struct run *run = context;

	(void)io;
	sim_clock_in(&run->world.clock, &run->ending, 0, end_first, run);
}

static bool is_lease_held(const struct run *run)
{
	const struct sim_object *lease =
		sim_store_next(&run->world.api.store, sim_store_kind("leases"), NULL);

	return lease && sim_json_word(buf_str(&lease->json), "spec.holderIdentity").n > 0;
}

static void check_stopped(struct run *run)
{
	if (run->way != BY_STOPPING)
		return;
	if (!run->first.has_stopped)
		sim_check_fail(&run->world.check, "the controller does not stop");
	if (is_lease_held(run))
		sim_check_fail(&run->world.check, "the Lease is not given away");
}

/* How many effects there were until the first one was through with the task. */
static uint64_t live(enum way way, uint64_t point, bool *has_passed)
{
	struct run *run = mem_new(1, sizeof(*run));
	struct sim_check *check = &run->world.check;
	uint64_t effects;

	run->way = way;
	sim_world_init(&run->world, 1);
	run->world.node.program = (struct sim_program){.run_ms = 3000, .output_bytes = 100000};
	run->world.point = point;
	run->world.on_point = on_point;
	run->world.context = run;
	sim_controller_start(&run->first, &run->world, 1);
	sim_clock_in(&run->world.clock, &run->creating, TASK_MS, create_task, run);
	while (!sim_clock_is_set(&run->ending) && !check->has_failed &&
	       run->world.effects < POINTS_MAX && run->world.clock.now_ms < TASK_MS + LIFE_MS &&
	       (run->world.clock.now_ms <= TASK_MS || !sim_check_is_quiet(check)))
		sim_clock_step(&run->world.clock);
	effects = run->world.effects;
	sim_world_run(&run->world, STOP_MS);
	check_stopped(run);
	sim_controller_end(&run->first);
	sim_controller_start(&run->second, &run->world, 2);
	sim_world_run(&run->world, REST_MS);
	if (!check->has_failed)
		sim_check_end(check);
	*has_passed = !check->has_failed;
	if (check->has_failed) {
		sim_trace_print(&run->world.trace);
		diag("at effect %d: %s", (int)point, check->text);
	}
	sim_controller_end(&run->second);
	sim_world_free(&run->world);
	free(run);
	return effects;
}

static void test_way(const char *sentence, enum way way, uint64_t points)
{
	int failures = 0;
	bool has_passed;

	for (uint64_t n = 1; n <= points && failures < 3; n++) {
		live(way, n, &has_passed);
		failures += !has_passed;
	}
	cmp_ok(failures, "==", 0, "%s, at each of %d effects", sentence, (int)points);
}

int main(void)
{
	bool has_passed;
	uint64_t points = live(NO_WAY, 0, &has_passed);

	ok(has_passed, "undisturbed, no rule is broken");
	cmp_ok(points, ">", 40, "a life has many effects");
	test_way("a controller is deleted, and leaves nothing", BY_DELETION, points);
	test_way("a controller is told to stop, and does", BY_STOPPING, points);
	done_testing();
}
