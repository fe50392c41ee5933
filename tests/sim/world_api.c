/* The shipped client and watch against the simulated API server, which answers as a real one. */
#include "sim_client.h"
#include "sim_json.h"

#include "base/map.h"
#include "kube/watch.h"

#include "objects.h"
#include "tap.h"

#include <inttypes.h>
#include <string.h>

static const struct target_resource TASKS = {"sandboxtask.io", "v1beta1", "sandboxtasks", true};
static const struct target_resource PODS = {"", "v1", "pods", true};
static const struct target_resource LEASES = {"coordination.k8s.io", "v1", "leases", true};
static const struct target_resource POLICIES = {"networking.k8s.io", "v1", "networkpolicies", true};

static struct sim_world world;
static struct sim_client c;
static bool is_done;
static char outcome[32]; /* of the last call: "" or the error's code */
static struct buf answer;

static void begin(uint64_t seed)
{
	sim_world_init(&world, seed);
	sim_client_init(&c, &world, "controller");
	buf_init(&answer, SIM_JSON_BYTES_MAX);
}

static void end(void)
{
	sim_client_free(&c);
	ok(!world.check.has_failed, "nothing is left behind %s", world.check.text);
	sim_world_free(&world);
	buf_free(&answer);
}

static void on_done(void *context, struct str body, const struct err *err)
{
	(void)context;
	is_done = true;
	snprintf(outcome, sizeof(outcome), "%s", err ? err_code_name(err->code) : "");
	buf_clear(&answer);
	buf_append_str(&answer, body);
}

static const char *finish(void)
{
	sim_world_run(&world, 100);
	ok(is_done, "the call has ended");
	is_done = false;
	return outcome;
}

/* --- Verbs. Each returns "" or the error's code. */

static struct client_object object(const struct target_resource *resource, const char *in_namespace,
				   const char *name, const char *subresource)
{
	return (struct client_object){resource, str_of(in_namespace), str_of(name), subresource};
}

static const char *get(const struct target_resource *resource, const char *in_namespace,
		       const char *name)
{
	struct client_object o = object(resource, in_namespace, name, NULL);

	client_get(c.client, &o, on_done, NULL);
	return finish();
}

static const char *create(const struct target_resource *resource, const char *in_namespace,
			  const char *json)
{
	struct client_object o = object(resource, in_namespace, "", NULL);

	client_create(c.client, &o, json_of(json), on_done, NULL);
	return finish();
}

static const char *patch(const struct client_object *o, enum client_patch kind, const char *json)
{
	client_patch(c.client, o, kind, json_of(json), on_done, NULL);
	return finish();
}

static const char *patch_status(const char *version, const char *phase)
{
	struct client_object o = object(&TASKS, SIM_TASK_NAMESPACE, "answer", "status");
	char json[200];

	snprintf(json, sizeof(json),
		 "{'metadata':{'resourceVersion':'%s'},'status':{'phase':'%s'}}", version, phase);
	return patch(&o, CLIENT_MERGE, json);
}

static const char *delete_object(const struct target_resource *resource, const char *in_namespace,
				 const char *name, const char *uid, int grace_seconds)
{
	struct client_object o = object(resource, in_namespace, name, NULL);
	struct client_preconditions preconditions = {.uid = str_of(uid),
						     .grace_seconds = grace_seconds};

	client_delete_object(c.client, &o, &preconditions, on_done, NULL);
	return finish();
}

static const char *word(const char *path)
{
	static char text[200];
	struct str value = sim_json_word(buf_str(&answer), path);

	snprintf(text, sizeof(text), "%.*s", STR_ARGS(value));
	return text;
}

static void test_task(void)
{
	char version[32];

	begin(1);
	sim_world_create_task(&world, "answer");
	is(get(&TASKS, SIM_TASK_NAMESPACE, "answer"), "", "a task is read");
	is(word("status.phase"), "Pending", "with the CRD's default status");
	is(word("status.startedAt"), "", "and no other");
	snprintf(version, sizeof(version), "%s", word("metadata.resourceVersion"));
	is(patch_status("1", "Running"), "Conflict", "a write on an old version is refused");
	is(patch_status(version, "Running"), "", "one on the right version is taken");
	is(patch_status(version, "Running"), "Conflict", "once");
	snprintf(version, sizeof(version), "%s", word("metadata.resourceVersion"));
	is(get(&TASKS, SIM_TASK_NAMESPACE, "answer"), "", "it is read again");
	snprintf(version, sizeof(version), "%s", word("metadata.resourceVersion"));
	is(patch_status(version, "Running"), "", "a write that changes nothing");
	is(word("metadata.resourceVersion"), version, "makes no version");
	is(word("spec.sandboxClassName"), "default", "the answer is the whole object");
	is(get(&TASKS, SIM_TASK_NAMESPACE, "none"), "NotFound", "another task is not there");
	is(get(&TASKS, "elsewhere", "answer"), "NotFound", "nor is this one elsewhere");
	end();
}

static void test_final_status(void)
{
	struct client_object o = object(&TASKS, SIM_TASK_NAMESPACE, "answer", "status");

	begin(2);
	sim_world_create_task(&world, "answer");
	world.node.program.exit_code = 1;
	is(patch(&o, CLIENT_MERGE, "{'status':{'phase':'Failed','reason':'NonZeroExit'}}"), "",
	   "a status becomes final");
	is(patch(&o, CLIENT_MERGE, "{'status':{'phase':'Failed','reason':'NonZeroExit'}}"), "",
	   "and may be written again as it is");
	is(patch(&o, CLIENT_MERGE, "{'status':{'message':'x'}}"), "Invalid", "but not changed");
	is(get(&TASKS, SIM_TASK_NAMESPACE, "answer"), "", "it is still there");
	is(word("status.message"), "", "as it was");
	end();
}

static void test_creating(void)
{
	static const char LEASE[] = "{'metadata':{'name':'x'},'spec':{'holderIdentity':'a'}}";
	static const char POLICY[] = "{'metadata':{'name':'p'},'spec':{'policyTypes':['%s']}}";
	struct client_object o = object(&POLICIES, SIM_POD_NAMESPACE, "p", NULL);
	char json[200];

	begin(3);
	is(create(&LEASES, SIM_SYSTEM_NAMESPACE, LEASE), "", "an object is made");
	like(word("metadata.uid"), "^[0-9a-f-]{36}$", "with a UID");
	is(create(&LEASES, SIM_SYSTEM_NAMESPACE, LEASE), "AlreadyExists", "once");
	is(create(&LEASES, "nowhere", LEASE), "NotFound", "in a namespace that is there");
	snprintf(json, sizeof(json), POLICY, "Ingress");
	is(patch(&o, CLIENT_MERGE, json), "NotFound", "a merge patch makes nothing");
	is(patch(&o, CLIENT_APPLY, json), "", "apply does");
	snprintf(json, sizeof(json), POLICY, "Egress");
	is(patch(&o, CLIENT_APPLY, json), "", "and changes what is there");
	like(answer.data, "\\[\"Egress\"\\]", "to what was applied");
	world.api.token = "another";
	is(get(&LEASES, SIM_SYSTEM_NAMESPACE, "x"), "Unauthorized", "a token must be right");
	end();
}

/* --- Pods. */

#define POD                                                                    \
	"{'metadata':{'name':'pod','labels':{'sandboxtask.io/task-uid':'t'}}," \
	"'spec':{'terminationGracePeriodSeconds':30,'containers':[{'name':'sandbox'}]}}"

static void test_pod(void)
{
	char uid[64];

	begin(4);
	is(create(&PODS, SIM_POD_NAMESPACE, POD), "", "a Pod is made");
	is(word("status.phase"), "Pending", "it waits");
	is(word("spec.schedulerName"), "default-scheduler", "the server has filled in the rest");
	snprintf(uid, sizeof(uid), "%s", word("metadata.uid"));
	sim_world_run(&world, 2000);
	get(&PODS, SIM_POD_NAMESPACE, "pod");
	is(word("status.phase"), "Running", "it runs a while later");
	is(word("spec.nodeName"), "node-1", "on a node");
	is(delete_object(&PODS, SIM_POD_NAMESPACE, "pod", "x", 1), "Conflict",
	   "another Pod of its name would not be deleted");
	is(delete_object(&PODS, SIM_POD_NAMESPACE, "pod", uid, 30), "", "it is deleted");
	like(word("metadata.deletionTimestamp"), "^20", "which the answer says");
	sim_world_run(&world, 2000);
	is(get(&PODS, SIM_POD_NAMESPACE, "pod"), "NotFound", "and gone a while later");
	is(delete_object(&PODS, SIM_POD_NAMESPACE, "pod", uid, 30), "NotFound", "with its name");
	end();
}

/* --- Watches. */

struct seen {
	struct map names;
	int changed, deleted, synced, trouble;
	char last[64];
};

static void on_changed(void *context, const struct kube_object *o)
{
	struct seen *seen = context;

	seen->changed++;
	snprintf(seen->last, sizeof(seen->last), "%.60s", o->name);
	map_put(&seen->names, str_of(o->name), NULL);
}

static void on_deleted(void *context, const struct kube_object *o)
{
	struct seen *seen = context;

	seen->deleted++;
	map_remove(&seen->names, str_of(o->name));
}

static void on_synced(void *context)
{
	((struct seen *)context)->synced++;
}

static void on_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	(void)err, (void)retry_ms;
	((struct seen *)context)->trouble++;
}

static struct watch *watch_tasks(struct seen *seen)
{
	static const struct watch_callbacks CALLBACKS = {on_changed, on_deleted, on_synced,
							 on_trouble};
	static const struct watch_config CONFIG = {
		.resource = &TASKS,
		.in_namespace = "",
		.field_selector = "status.phase!=Succeeded,status.phase!=Failed",
		.as_table = true,
		.keeps_objects = true,
	};

	*seen = (struct seen){0};
	map_init(&seen->names, 1000);
	return watch_new(c.io, c.client, &CONFIG, &CALLBACKS, seen);
}

static void set_phase(const char *name, const char *phase)
{
	sim_store_patchf(&world.api.store, "somebody", sim_world_task(&world, name),
			 "{'status':{'phase':'%s','reason':'NonZeroExit'}}", phase);
	sim_world_run(&world, 100);
}

static void test_watch(void)
{
	struct watch *watch;
	struct seen seen;

	begin(5);
	world.node.program.exit_code = 1;
	sim_world_create_task(&world, "first");
	watch = watch_tasks(&seen);
	sim_world_run(&world, 200);
	cmp_ok(seen.synced, "==", 1, "the list is through");
	is(seen.last, "first", "what was there is told");
	like(watch_columns(watch).p, "\"Phase\"", "a Table has columns");
	ok(str_starts_with(watch_find(watch, STR(SIM_TASK_NAMESPACE), STR("first"))->raw,
			   STR("{\"cells\":[\"first\",\"Pending\",null,null,null,")),
	   "and rows with cells");
	ok(!memmem(watch_find(watch, STR(SIM_TASK_NAMESPACE), STR("first"))->raw.p,
		   watch_find(watch, STR(SIM_TASK_NAMESPACE), STR("first"))->raw.n, "print", 5),
	   "in which there is no code");
	sim_world_create_task(&world, "second");
	sim_world_run(&world, 100);
	is(seen.last, "second", "what is made is told");
	set_phase("first", "Running");
	is(seen.last, "first", "what changes is told");
	set_phase("first", "Failed");
	cmp_ok(seen.deleted, "==", 1, "what stops to match is told as deleted");
	cmp_ok(seen.names.count, "==", 1, "and one is left");
	sim_world_run(&world, 3 * 3600 * 1000);
	cmp_ok(seen.synced, "==", 1, "hours later it has never listed again");
	cmp_ok(seen.trouble, "==", 0, "and had no trouble");
	sim_world_create_task(&world, "third");
	sim_world_run(&world, 1000);
	is(seen.last, "third", "and still hears");
	watch_delete(watch);
	map_free(&seen.names);
	end();
}

static void test_watch_after_compaction(void)
{
	struct watch *watch;
	struct seen seen;

	begin(6);
	sim_world_create_task(&world, "first");
	watch = watch_tasks(&seen);
	sim_world_run(&world, 100);
	/* The version goes on without the watch, which has a bookmark now and then. */
	for (int i = 0; i < 40 && seen.synced < 2; i++) {
		sim_world_run(&world, 10000);
		sim_store_patchf(&world.api.store, "somebody",
				 sim_store_find(&world.api.store, sim_store_kind("namespaces"),
						STR(""), STR(SIM_TASK_NAMESPACE)),
				 "{'metadata':{'labels':{'i':'%d'}}}", i);
		sim_store_compact(&world.api.store);
	}
	cmp_ok(seen.synced, "==", 2, "a watch that comes back too late lists again");
	cmp_ok(seen.trouble, "==", 1, "after a 410");
	cmp_ok(seen.changed, "==", 1, "and tells nothing that it has told");
	sim_world_create_task(&world, "second");
	sim_world_run(&world, 60000);
	cmp_ok(seen.names.count, "==", 2, "nothing is missed");
	watch_delete(watch);
	map_free(&seen.names);
	end();
}

static void test_pages(void)
{
	struct watch *watch;
	struct seen seen;
	char name[16];

	begin(7);
	for (int i = 0; i < WATCH_PAGE_OBJECTS + 20; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		sim_world_create_task(&world, name);
	}
	watch = watch_tasks(&seen);
	sim_world_run(&world, 1000);
	cmp_ok(seen.names.count, "==", WATCH_PAGE_OBJECTS + 20, "a list of two pages is whole");
	cmp_ok(seen.synced, "==", 1, "and one list");
	watch_delete(watch);
	map_free(&seen.names);
	end();
}

int main(void)
{
	test_task();
	test_final_status();
	test_creating();
	test_pod();
	test_watch();
	test_watch_after_compaction();
	test_pages();
	done_testing();
}
