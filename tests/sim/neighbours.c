/*
 * Tasks of one namespace whose requests hang, more of them than a controller has effects under way,
 * and the task of another namespace beside them, which must not notice. When they hang no more, all
 * of them come to their end.
 */
#include "sim_controller.h"
#include "sim_fault.h"
#include "sim_json.h"

#include "base/mem.h"
#include "manager/term.h"
#include "objects.h"
#include "tap.h"

#include <stdlib.h>

#define NEIGHBOUR   "quiet"
#define TASKS	    (TERM_EFFECTS_MAX + 6)
#define TASKS_AT_MS 5000
#define HANG_MS	    30000 /* until a request is given up */
#define STUCK_MS    10000 /* by then all that may hang does */
#define UNHURT_MS   15000 /* a task by itself is through by then */
#define ENDED_BY_MS 600000
#define LOOK_MS	    1000

static const struct sim_fault_answer SILENCE = {
	.name = "silence", .code = ERR_TIMEOUT, .after_ms = HANG_MS};

static const struct {
	const char *name, *method, *part, *body_part;
} KINDS[] = {
	{"reading them", "GET", "/namespaces/" SIM_TASK_NAMESPACE "/sandboxtasks/", NULL},
	{"making their Pods", "POST", "/pods?", "\"" SIM_TASK_NAMESPACE "/"},
	{"marking them", "PATCH", "/namespaces/" SIM_TASK_NAMESPACE "/sandboxtasks/", "startedAt"},
};

struct street {
	struct sim_world world;
	struct sim_controller controller;
	struct sim_fault fault;
};

/* One namespace may have all the places that there are, but for a few. */
static void widen_class(struct sim_world *world)
{
	struct sim_store *store = &world->api.store;
	struct sim_object *class = sim_store_next(store, sim_store_kind("sandboxclasses"), NULL);

	sim_store_patchf(store, "admin", class,
			 "{'spec':{'concurrency':{'maxTasks':100,'maxTasksPerNamespace':%d}}}",
			 TASKS);
}

static struct street *begin(size_t kind)
{
	struct street *street = mem_new(1, sizeof(*street));

	sim_world_init(&street->world, 1);
	street->world.check.takes_failures = true; /* its bounds are those of one task */
	widen_class(&street->world);
	sim_world_create_namespace(&street->world, NEIGHBOUR);
	street->fault = (struct sim_fault){
		.method = KINDS[kind].method,
		.part = KINDS[kind].part,
		.body_part = KINDS[kind].body_part,
		.answer = &SILENCE,
		.times = UINT32_MAX,
		.until_ms = TASKS_AT_MS + HANG_MS,
	};
	sim_controller_start_with(&street->controller, &street->world, 1, &street->fault);
	sim_world_run(&street->world, TASKS_AT_MS);
	return street;
}

static void create_tasks(struct street *street)
{
	char name[16];

	for (int i = 0; i < TASKS; i++) {
		snprintf(name, sizeof(name), "stuck-%d", i);
		sim_world_create_task(&street->world, name);
	}
}

static bool is_completed(const struct sim_object *task)
{
	return sim_json_is(buf_str(&task->json), "status.reason", "Completed");
}

static int count_completed(const struct street *street)
{
	const struct sim_resource *tasks = sim_store_kind("sandboxtasks");
	const struct sim_store *store = &street->world.api.store;
	int count = 0;

	for (struct sim_object *task = sim_store_next(store, tasks, NULL); task;
	     task = sim_store_next(store, tasks, task))
		count += is_completed(task);
	return count;
}

static void test_kind(size_t kind)
{
	struct street *street = begin(kind);
	struct sim_check *check = &street->world.check;

	create_tasks(street);
	sim_world_run(&street->world, STUCK_MS);
	cmp_ok(street->fault.met, "==", TERM_EFFECTS_PER_NAMESPACE_MAX,
	       "%s: so many requests of one namespace hang", KINDS[kind].name);
	sim_world_create_task_in(&street->world, NEIGHBOUR, "answer");
	sim_world_run(&street->world, UNHURT_MS);
	ok(is_completed(sim_world_task_in(&street->world, NEIGHBOUR, "answer")),
	   "%s: another one's task is through meanwhile", KINDS[kind].name);
	while (!check->has_failed && !sim_check_is_quiet(check) &&
	       street->world.clock.now_ms < ENDED_BY_MS)
		sim_world_run(&street->world, LOOK_MS);
	cmp_ok(count_completed(street), "==", TASKS + 1, "%s: in the end all are",
	       KINDS[kind].name);
	if (!check->has_failed)
		sim_check_end(check);
	is(check->text, "", "%s: no rule is broken", KINDS[kind].name);
	sim_controller_end(&street->controller);
	sim_world_free(&street->world);
	free(street);
}

int main(void)
{
	for (size_t kind = 0; kind < sizeof(KINDS) / sizeof(KINDS[0]); kind++)
		test_kind(kind);
	done_testing();
}
