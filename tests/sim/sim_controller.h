/*
 * sim_controller: one controller process: the shipped manager over a client of its own.
 */
#ifndef SIM_SIM_CONTROLLER_H
#define SIM_SIM_CONTROLLER_H

#include "sim_client.h"
#include "sim_fault.h"

#include "manager/manager.h"

struct sim_controller {
	char name[32];
	struct sim_client client;
	struct manager *manager; /* NULL: it never was, or is no more */
	bool has_stopped;
};

/* The n-th of its world, from 1; or the only one, which meets this fault. */
void sim_controller_start(struct sim_controller *c, struct sim_world *world, int n);
void sim_controller_start_with(struct sim_controller *c, struct sim_world *world, int n,
			       struct sim_fault *fault);
/* It exits in good order, which takes a moment. */
void sim_controller_stop(struct sim_controller *c);
/* Frees what there is of it, alive or dead. */
void sim_controller_end(struct sim_controller *c);

#endif
