#include "sim_world.h"

#include "sim_attach.h"
#include "sim_http.h"

#include "objects.h"

#include <string.h>

static void create(struct sim_world *world, const char *plural, struct str json)
{
	sim_store_create(&world->api.store, "admin", sim_store_kind(plural), STR(""), json);
}

void sim_world_create_namespace(struct sim_world *world, const char *name)
{
	char json[200];

	snprintf(json, sizeof(json),
		 "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}",
		 name);
	create(world, "namespaces", str_of(json));
}

void sim_world_init(struct sim_world *world, uint64_t seed)
{
	*world = (struct sim_world){.seed = seed};
	sim_clock_init(&world->clock, seed);
	sim_trace_init(&world->trace, &world->clock);
	list_init(&world->exchanges);
	list_init(&world->attaches);
	sim_api_init(&world->api, &world->clock, &world->trace);
	sim_node_init(&world->node, world);
	sim_check_init(&world->check, world);
	sim_world_create_namespace(world, SIM_TASK_NAMESPACE);
	sim_world_create_namespace(world, SIM_POD_NAMESPACE);
	sim_world_create_namespace(world, SIM_SYSTEM_NAMESPACE);
	create(world, "sandboxclasses", json_of(OBJECTS_CLASS));
}

void sim_world_share_namespaces(struct sim_world *world)
{
	struct sim_object *class = sim_store_find(
		&world->api.store, sim_store_kind("sandboxclasses"), STR(""), STR("default"));

	sim_store_patchf(&world->api.store, "admin", class, "{'spec':{'podNamespace':''}}");
}

void sim_world_free(struct sim_world *world)
{
	sim_attach_free_all(world);
	sim_http_free_all(world);
	sim_node_free(&world->node);
	sim_check_free(&world->check);
	sim_api_free(&world->api);
	sim_clock_free(&world->clock);
}

void sim_world_run(struct sim_world *world, int64_t ms)
{
	int64_t until_ms = world->clock.now_ms + ms;

	while (!world->check.has_failed && sim_clock_next_ms(&world->clock) <= until_ms)
		sim_clock_step(&world->clock);
	world->clock.now_ms = until_ms;
}

struct sim_object *sim_world_create_task_in(struct sim_world *world, const char *in_namespace,
					    const char *name)
{
	char json[400];

	snprintf(json, sizeof(json),
		 "{'apiVersion':'sandboxtask.io/v1beta1','kind':'SandboxTask',"
		 "'metadata':{'name':'%s','namespace':'%s'},"
		 "'spec':{'code':'print(1) #" SIM_CANARY "','stdin':'" SIM_CANARY
		 "','sandboxClassName':'default'}}",
		 name, in_namespace);
	return sim_store_create(&world->api.store, "user", sim_store_kind("sandboxtasks"),
				str_of(in_namespace), json_of(json));
}

struct sim_object *sim_world_create_task(struct sim_world *world, const char *name)
{
	return sim_world_create_task_in(world, SIM_TASK_NAMESPACE, name);
}

struct sim_object *sim_world_task_in(struct sim_world *world, const char *in_namespace,
				     const char *name)
{
	return sim_store_find(&world->api.store, sim_store_kind("sandboxtasks"),
			      str_of(in_namespace), str_of(name));
}

struct sim_object *sim_world_task(struct sim_world *world, const char *name)
{
	return sim_world_task_in(world, SIM_TASK_NAMESPACE, name);
}
