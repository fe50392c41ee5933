/*
 * sim_world: everything under kube/io.h, simulated: one API server with its store, a node with its
 * kubelet and runners, and the networks between them and the controllers. All controllers of a
 * world share it; each has an io of its own (sim_io.h).
 *
 * Points. Every effect of a controller is counted: a write that is about to leave it, an answer or
 * an event that is about to reach it, a websocket's message about to leave, one that has just been
 * heard by the runner, one about to be heard by the controller. At the effect with the number
 * `point` something happens: `on_point` is called, from inside the controller. When it kills the io
 * (what it does without on_point), then what was about to happen does not, and what is on its way
 * arrives or not, by chance; the controller is to be freed later, from outside.
 */
#ifndef SIM_SIM_WORLD_H
#define SIM_SIM_WORLD_H

#include "sim_api.h"
#include "sim_check.h"
#include "sim_node.h"

struct sim_io;

struct sim_world {
	uint64_t seed;
	struct sim_clock clock;
	struct sim_trace trace;
	struct sim_api api;
	struct sim_node node;
	struct sim_check check;
	struct list exchanges, attaches; /* sim_http.c, sim_attach.c */
	unsigned trouble_percent; /* of what comes over the network: it breaks, or is refused */
	uint64_t effects, point;
	void (*on_point)(void *context, struct sim_io *io); /* NULL: it crashes */
	void *context;
};

/* With the namespaces and the class that a task needs. The trace hears everything. */
void sim_world_init(struct sim_world *world, uint64_t seed);
/* All ios must have been deleted. */
void sim_world_free(struct sim_world *world);

/* Lets happen what happens within that time, until a check fails. */
void sim_world_run(struct sim_world *world, int64_t ms);

#define SIM_TASK_NAMESPACE   "team"
#define SIM_POD_NAMESPACE    "sandboxtask-pods"
#define SIM_SYSTEM_NAMESPACE "sandboxtask-system"

/* What must be in no log, Pod, Event, Lease: the code of the tasks that are made here has it. */
#define SIM_CANARY "canary-4cf9"

/* A user makes a task, in SIM_TASK_NAMESPACE or elsewhere. */
struct sim_object *sim_world_create_task(struct sim_world *world, const char *name);
struct sim_object *sim_world_create_task_in(struct sim_world *world, const char *in_namespace,
					    const char *name);
/* A task as it is now; NULL: it is gone. */
struct sim_object *sim_world_task(struct sim_world *world, const char *name);
struct sim_object *sim_world_task_in(struct sim_world *world, const char *in_namespace,
				     const char *name);

/* From now on tasks have their Pods with them, in their own namespaces. */
void sim_world_share_namespaces(struct sim_world *world);

void sim_world_create_namespace(struct sim_world *world, const char *name);

#endif
