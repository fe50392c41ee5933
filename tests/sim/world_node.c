/* The shipped session against the simulated node, with and without breaks in between. */
#include "sim_attach.h"
#include "sim_client.h"

#include "session/session.h"

#include "proto_samples.h"
#include "tap.h"

#include "base/hex.h"
#include "core/plan.h"

#include <string.h>

static const struct target_resource PODS = {"", "v1", "pods", true};

#define NAME "sbt-00112233445566778899aabbccddeeff-1"

static struct sim_world world;
static struct sim_client c;
static struct hub hub;
static struct client_route route;
static struct session *session;
static struct session_report report;
static struct sim_pod *pod;
static struct sim_object *task;
static bool gives_leave;

static struct bundle bundle;
static uint8_t manifest[4 + BUNDLE_MANIFEST_BYTES_MAX];
static struct object object;

/* --- The owner of the session, as the manager is. */

static void credentials(void *context, struct io_endpoint **endpoint, struct str *token)
{
	(void)context;
	client_route_release(c.client, &route);
	route = client_route_take(c.client);
	*endpoint = route.endpoint;
	*token = route.token;
}

static void mark(void)
{
	sim_store_patchf(&world.api.store, "controller", task,
			 "{'status':{'phase':'Running','startedAt':'now',"
			 "'podUID':'%s'}}",
			 pod->uid);
}

static void changed(void *context)
{
	(void)context;
	session_report(session, &report);
	if (!gives_leave)
		return;
	switch ((int)report.state) {
	case SESSION_IS_READY: session_upload(session, &object); return;
	case SESSION_IS_RECEIVED:
		mark();
		session_start(session);
		return;
	case SESSION_IS_DONE: session_pull(session); return;
	case SESSION_IS_PULLED: session_release(session); return;
	default: return;
	}
}

static void make_bundle(void)
{
	struct err err;

	sample_bundle(&bundle);
	bundle.mode = BUNDLE_SCRIPT;
	bundle.entrypoint = bundle.parts[2].data = STR("");
	bundle.parts_count = 2;
	if (bundle_encode(&bundle, manifest, sizeof(manifest), &object, &err) < 0)
		fail("%s", err.message);
}

static void make_pod(void)
{
	char json[400];

	snprintf(json, sizeof(json),
		 "{\"metadata\":{\"name\":\"" NAME "\",\"labels\":{\"sandboxtask.io/task-uid\":"
		 "\"%s\"}},\"spec\":{\"containers\":[{\"name\":\"sandbox\"}]}}",
		 task->uid);
	sim_store_create(&world.api.store, "controller", sim_store_kind("pods"),
			 STR(SIM_POD_NAMESPACE), str_of(json));
	pod = sim_node_last(&world.node);
}

static void begin(uint64_t seed)
{
	sim_world_init(&world, seed);
	sim_client_init(&c, &world, "controller");
	hub_init(&hub, 2);
	make_bundle();
	task = sim_world_create_task(&world, "answer");
	make_pod();
	report = (struct session_report){0};
	gives_leave = true;
}

static void attach(uint64_t number)
{
	struct session_config config = {
		.io = c.io,
		.hub = &hub,
		.attempt = 1,
		.number = number * SESSION_NUMBERS,
		.demands = {.layers = VERIFY_ALL_LAYERS, .uid = VERIFY_ANY_UID},
		.limits = {.kept_bytes = {1u << 20, 1u << 20}, .outcome_bytes = 2u << 20},
		.credentials = credentials,
		.changed = changed,
	};
	struct target target;

	target_init(&target);
	target_object(&target, "", &PODS, STR(SIM_POD_NAMESPACE), STR(NAME), "attach");
	target_query(&target, "stdin", STR("true"));
	config.target = target.text.data;
	sample_run_id(config.run_id);
	session = session_new(&config);
	target_free(&target);
}

static void leave(void)
{
	session_delete(session);
	session = NULL;
	client_route_release(c.client, &route);
}

static void end(void)
{
	leave();
	sim_client_free(&c);
	ok(!world.check.has_failed, "no rule is broken %s", world.check.text);
	if (world.check.has_failed)
		sim_trace_print(&world.trace);
	sim_world_free(&world);
}

static const char *state(void)
{
	return session_state_name(report.state);
}

/* --- What goes well. */

static void test_run(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		begin(seed);
		attach(1);
		sim_world_run(&world, 20000);
		is(state(), "Released", "seed %d: a run goes through to its end", (int)seed);
		cmp_ok(pod->starts, "==", 1, "it is started once");
		ok(report.outcome &&
			   str_equal(report.outcome->streams[STREAM_STDOUT].head, STR("xx")),
		   "and gives what the program wrote");
		end();
	}
}

static void test_hole(void)
{
	begin(1);
	world.node.program.lacks_a_layer = true;
	attach(1);
	sim_world_run(&world, 20000);
	is(state(), "Failed", "a jail with a hole ends the session");
	is(session_failure_name(report.failure), "IsolationUnverified", "as that");
	cmp_ok(pod->starts, "==", 0, "and nothing is started");
	end();
}

/* --- Crashes: a second session, of another number, takes over whatever the first has left. */

static uint64_t count_effects(void)
{
	uint64_t effects;

	begin(1);
	attach(1);
	sim_world_run(&world, 20000);
	effects = world.effects;
	end();
	return effects;
}

static void test_crashes(void)
{
	uint64_t effects = count_effects();
	int whole = 0;

	cmp_ok(effects, ">", 20, "a run has effects");
	for (uint64_t n = 1; n <= effects; n++) {
		begin(1);
		world.point = n;
		attach(1);
		sim_world_run(&world, 20000);
		leave();
		sim_client_free(&c);
		sim_client_init(&c, &world, "controller");
		attach(2);
		sim_world_run(&world, 20000);
		whole += report.state == SESSION_IS_RELEASED && pod->starts == 1;
		leave();
		sim_client_free(&c);
		if (world.check.has_failed)
			diag("crash at %d: %s", (int)n, world.check.text);
		whole -= world.check.has_failed;
		sim_world_free(&world);
	}
	cmp_ok(whole, "==", effects,
	       "whichever effect is the last one of a controller, the next one gets the outcome");
}

/* --- The end of a Pod. */

static void delete_pod(int64_t grace_seconds)
{
	sim_api_delete_pod(&world.api, "somebody",
			   sim_store_find(&world.api.store, sim_store_kind("pods"),
					  STR(SIM_POD_NAMESPACE), STR(NAME)),
			   grace_seconds);
}

static void test_sigterm(void)
{
	begin(1);
	attach(1);
	sim_world_run(&world, 2500);
	is(state(), "Running", "a program runs");
	delete_pod(30);
	sim_world_run(&world, 500);
	is(state(), "Released", "a Pod that is deleted still gives what there is");
	ok(report.outcome->partial, "as a part");
	cmp_ok(pod->state, "==", SIM_POD_ENDED, "and goes once it is released");
	end();
	begin(1);
	sim_world_run(&world, 2000);
	delete_pod(30);
	sim_world_run(&world, 100);
	cmp_ok(pod->state, "==", SIM_POD_ENDED, "one that has started nothing goes at once");
	attach(1);
	sim_world_run(&world, 3000);
	is(attach_verdict_name(report.trouble), "Gone", "and can't be attached to");
	end();
}

static void test_unread_outcome(void)
{
	begin(1);
	gives_leave = true;
	attach(1);
	sim_world_run(&world, 2500);
	is(state(), "Running", "a program runs");
	leave();
	sim_world_run(&world, 5000);
	ok(pod->was_sealed, "it ends while nobody is attached");
	delete_pod(30);
	sim_world_run(&world, 25000);
	cmp_ok(pod->state, "==", SIM_POD_RUNNING, "25 s of its grace later it is still there");
	attach(2);
	sim_world_run(&world, 2000);
	is(state(), "Released", "and whoever comes gets the outcome");
	ok(!report.outcome->partial && !report.bundle_is_checked, "whole");
	end();
}

int main(void)
{
	test_run();
	test_hole();
	test_crashes();
	test_sigterm();
	test_unread_outcome();
	done_testing();
}
