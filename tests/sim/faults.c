/*
 * Every request of a controller, answered in every wrong way: once, for a minute, and for longer
 * than any budget. It must not ask over and over, and what becomes of the task must be true.
 */
#include "sim_controller.h"
#include "sim_fault.h"
#include "sim_json.h"

#include "base/mem.h"
#include "random.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define MINUTE_MS     60000
#define TASK_AT_MS    (1 * MINUTE_MS)
#define LONG_MS	      (5 * MINUTE_MS)
#define ENDED_BY_MS   (10 * MINUTE_MS)
#define SEEDS_FOR_ALL 40
#define QUIET_MS      20000 /* nothing happens for so long: nothing will */

/* Of any kind but about the Lease. A task's life has some 30, with its watches. */
#define REQUESTS_PER_MINUTE_MAX 60

static const struct sim_fault_answer ANSWERS[] = {
	{"401", 401, "{\"kind\":\"Status\"}"},
	{"403", 403, "{\"kind\":\"Status\"}"},
	{"404 of a path", 404, "404 page not found"},
	{"409", 409, "{\"kind\":\"Status\",\"reason\":\"Conflict\"}"},
	{"409, though it was done", 409, "{\"kind\":\"Status\",\"reason\":\"Conflict\"}",
	 .is_carried_out = true, .after_ms = 100},
	{"AlreadyExists", 409, "{\"kind\":\"Status\",\"reason\":\"AlreadyExists\"}"},
	{"410", 410, "{\"kind\":\"Status\"}"},
	{"413", 413, ""},
	{"422", 422, "{\"kind\":\"Status\"}"},
	{"429", 429, "", .retry_after_ms = 10000},
	{"500", 500, "oops"},
	{"500 about size", 500, "etcdserver: request is too large"},
	{"503", 503, ""},
	{"503, though it was done", 503, "", .is_carried_out = true, .after_ms = 100},
	{"a time-out", .code = ERR_TIMEOUT, .after_ms = 65000},
	{"a time-out, though it was done", .code = ERR_TIMEOUT, .after_ms = 65000,
	 .is_carried_out = true},
	{"a refused connection", .code = ERR_TRANSPORT},
	{"a cut connection, though it was done", .code = ERR_TRANSPORT, .is_carried_out = true,
	 .after_ms = 100},
	{"garbage", 200, "{\"metadata\":{\"name\":"},
	{"garbage, though it was done", 200, "{\"metadata\":{\"name\":", .is_carried_out = true,
	 .after_ms = 100},
	{"something else", 200, "[1]"},
	{"an object without names", 200, "{\"metadata\":{},\"items\":[{}],\"rows\":[{}]}"},
	{"an empty body", 200, ""},
};

static const struct kind {
	const char *name, *method, *part, *body_part;
	void (*befalls)(struct sim_pod *pod); /* a moment after its start */
	bool never_starts;		      /* the sandbox; only an Event says why */
} KINDS[] = {
	{"reading a task", "GET", "/sandboxtasks/answer", NULL},
	{"marking it", "PATCH", "/sandboxtasks/answer/status", "startedAt"},
	{"finishing it", "PATCH", "/sandboxtasks/answer/status", "\"phase\":\"Succeeded\""},
	{"making a Pod", "POST", "/pods?", NULL},
	{"reading a Pod", "GET", "/pods/", NULL, sim_node_delete_by_force},
	{"reading an Event", "GET", "/events?", NULL, .never_starts = true},
	{"reading another Pod", "GET", "-3", NULL, sim_node_forge},
	{"deleting a Pod", "DELETE", "/pods/", NULL},
	{"closing the network", "PATCH", "/networkpolicies/", NULL},
	{"writing an output", "POST", "/sandboxoutputs?", NULL},
	{"sending an Event", "POST", "/events?", NULL},
	{"listing tasks", "GET", "/sandboxtasks?", NULL},
	{"listing Pods", "GET", "/pods?", NULL},
	{"listing classes", "GET", "/sandboxclasses?", NULL},
	{"listing namespaces", "GET", "/namespaces?", NULL},
	{"listing policies", "GET", "/networkpolicies?", NULL},
	{"reading the Lease", "GET", "/leases/", NULL},
	{"making the Lease", "POST", "/leases", NULL},
	{"renewing the Lease", "PUT", "/leases/", NULL},
};

static const struct duration {
	const char *name;
	unsigned times;
	int64_t from_ms, until_ms;
} DURATIONS[] = {
	{"once", 1, 0, LONG_MS},
	{"for a minute", UINT32_MAX, 0, TASK_AT_MS + MINUTE_MS},
	{"for long", UINT32_MAX, 0, LONG_MS},
};

/* Why a task may fail by such faults: a time that was not kept, and what an API server says of a
 * Pod is believed. */
static const char *const FAILURES[] = {"StartTimeout", "PodRejected",  "PodLost",
				       "Interrupted",  "RunnerFailed", "RuntimeUnavailable"};

struct run {
	struct sim_world world;
	struct sim_controller controller;
	struct sim_fault fault;
	struct sim_event creating, befalling;
	const struct kind *kind;
};

static void create_task(void *context)
{
	struct run *run = context;

	sim_world_create_task(&run->world, "answer");
}

static void befall(void *context)
{
	struct run *run = context;
	struct sim_pod *pod = sim_node_last(&run->world.node);

	if (pod && pod->has_object && run->kind->befalls)
		run->kind->befalls(pod);
}

static struct run *begin(const struct kind *kind, const struct sim_fault_answer *answer,
			 const struct duration *duration)
{
	struct run *run = mem_new(1, sizeof(*run));

	run->kind = kind;
	sim_world_init(&run->world, 1);
	run->world.check.takes_failures = true;
	run->world.node.program = (struct sim_program){
		.run_ms = 3000, .output_bytes = 100000, .never_starts = kind->never_starts};
	run->fault = (struct sim_fault){
		.method = kind->method,
		.part = kind->part,
		.body_part = kind->body_part,
		.answer = answer,
		.times = duration->times,
		.until_ms = duration->until_ms,
	};
	sim_controller_start_with(&run->controller, &run->world, 1, &run->fault);
	sim_clock_in(&run->world.clock, &run->creating, TASK_AT_MS, create_task, run);
	sim_clock_in(&run->world.clock, &run->befalling, TASK_AT_MS + 3000, befall, run);
	return run;
}

static void end(struct run *run)
{
	sim_controller_end(&run->controller);
	sim_world_free(&run->world);
	free(run);
}

/* The fault is over, and nothing has to happen any more, and has not for a while. */
static void run_until_quiet(struct run *run, const struct duration *duration)
{
	const struct sim_clock *clock = &run->world.clock;
	int64_t over_ms = duration->times > 1 ? duration->until_ms : TASK_AT_MS;
	int64_t quiet_ms = 0;

	while (!run->world.check.has_failed && clock->now_ms < ENDED_BY_MS && quiet_ms < QUIET_MS) {
		sim_world_run(&run->world, 1000);
		quiet_ms += 1000;
		if (clock->now_ms <= over_ms || !sim_check_is_quiet(&run->world.check))
			quiet_ms = 0;
	}
}

static bool is_allowed(struct str reason, const struct run *run, const struct duration *duration)
{
	if (str_equal(reason, STR("Completed")))
		return true;
	for (size_t i = 0; i < sizeof(FAILURES) / sizeof(FAILURES[0]); i++)
		if (str_equal(reason, str_of(FAILURES[i])))
			return duration->times > 1 || run->kind->befalls ||
			       run->kind->never_starts || str_equal(reason, STR("PodRejected"));
	return false;
}

static const char *judge(struct run *run, const struct duration *duration)
{
	static char text[512];
	const struct sim_object *task = sim_world_task(&run->world, "answer");
	struct str reason = sim_json_word(buf_str(&task->json), "status.reason");

	if (run->world.check.has_failed)
		return run->world.check.text;
	for (int i = 0; i < SIM_FAULT_MINUTES_MAX; i++) {
		if (run->fault.requests[i] <= REQUESTS_PER_MINUTE_MAX)
			continue;
		snprintf(text, sizeof(text), "%u requests in minute %d", run->fault.requests[i], i);
		return text;
	}
	if (is_allowed(reason, run, duration))
		return NULL;
	snprintf(text, sizeof(text), "it ends as %.*s", STR_ARGS(reason));
	return text;
}

static bool passes(const struct kind *kind, const struct sim_fault_answer *answer,
		   const struct duration *duration, unsigned *met)
{
	struct run *run = begin(kind, answer, duration);
	const char *wrong;

	run_until_quiet(run, duration);
	if (!run->world.check.has_failed)
		sim_check_end(&run->world.check);
	wrong = judge(run, duration);
	if (wrong) {
		sim_trace_print(&run->world.trace);
		diag("%s, %s, %s: %s", kind->name, answer->name, duration->name, wrong);
	}
	*met += run->fault.met;
	end(run);
	return !wrong;
}

/* With few seeds, as under sanitizers, which are slow, a fault is met only once. */
static void test_kind(const struct kind *kind, const char *only, size_t durations)
{
	unsigned met = 0;

	for (size_t a = 0; a < sizeof(ANSWERS) / sizeof(ANSWERS[0]); a++) {
		int failures = 0;

		if (only && strcmp(only, ANSWERS[a].name) != 0)
			continue;
		for (size_t d = 0; d < durations; d++)
			failures += !passes(kind, &ANSWERS[a], &DURATIONS[d], &met);
		cmp_ok(failures, "==", 0, "%s meets %s", kind->name, ANSWERS[a].name);
	}
	cmp_ok(met, ">", 0, "%s: there was such a request", kind->name);
}

int main(void)
{
	size_t durations = sizeof(DURATIONS) / sizeof(DURATIONS[0]);
	const char *only = getenv("KIND");

	if (random_setting("SEEDS", SEEDS_FOR_ALL) < SEEDS_FOR_ALL)
		durations = 1;
	for (size_t k = 0; k < sizeof(KINDS) / sizeof(KINDS[0]); k++)
		if (!only || strcmp(only, KINDS[k].name) == 0)
			test_kind(&KINDS[k], getenv("ANSWER"), durations);
	done_testing();
}
