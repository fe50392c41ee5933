#include "sim_controller.h"

#define PORT 8080

void sim_controller_start_with(struct sim_controller *c, struct sim_world *world, int n,
			       struct sim_fault *fault)
{
	struct manager_config config = {
		.identity = c->name,
		.in_namespace = SIM_SYSTEM_NAMESPACE,
		.tasks_max = MANAGER_TASKS_DEFAULT,
		.transfers_max = MANAGER_TRANSFERS_DEFAULT,
		.address = "",
		.port = PORT,
	};
	struct err err;

	snprintf(c->name, sizeof(c->name), "controller-%d", n);
	sim_client_init(&c->client, world, c->name);
	if (fault)
		sim_fault_install(fault, c->client.sio);
	c->manager = manager_new(c->client.io, c->client.client, &c->client.log, &config, &err);
	if (!c->manager)
		sim_check_fail(&world->check, "%s does not start: %s", c->name, err.message);
}

void sim_controller_start(struct sim_controller *c, struct sim_world *world, int n)
{
	sim_controller_start_with(c, world, n, NULL);
}

static void on_stopped(void *context)
{
	struct sim_controller *c = context;

	c->has_stopped = true;
}

void sim_controller_stop(struct sim_controller *c)
{
	if (c->manager)
		manager_stop(c->manager, on_stopped, c);
}

void sim_controller_end(struct sim_controller *c)
{
	if (!c->client.client)
		return;
	if (c->manager)
		manager_delete(c->manager);
	c->manager = NULL;
	sim_client_free(&c->client);
	c->client.client = NULL;
}
