/*
 * manager: one controller process above the io seam: it takes part in the election of the leader,
 * and while it leads it runs the tasks.
 *
 *	manager = manager_new(io, client, log, &config, &err);
 *	…the loop runs…
 *	manager_stop(manager, stopped, context);	gives the Lease away, then calls `stopped`
 *	manager_delete(manager);
 *
 * A standby holds the Lease's record and nothing else. All that a leader knows and does belongs to
 * one *term* (term.h), which begins with the acquisition of the Lease and is deleted, with its
 * connections, the moment the Lease is lost: it writes nothing after that. So losing the lead, a
 * crash and an exit are the same thing, and what a new leader starts from is always the API server.
 *
 * It has no threads, no statics and no clock of its own; several managers fit into one process.
 */
#ifndef MANAGER_MANAGER_H
#define MANAGER_MANAGER_H

#include "base/err.h"
#include "base/log.h"
#include "kube/client.h"
#include "kube/io.h"

#include <stdint.h>

/* Without other word: tasks with a place at one time, and sessions that transfer at one time. */
#define MANAGER_TASKS_DEFAULT	  100
#define MANAGER_TRANSFERS_DEFAULT 8

struct manager_config {
	const char *identity;	  /* differs from every other process' */
	const char *in_namespace; /* where the Lease is */
	int64_t tasks_max;	  /* with a place at one time, over all classes and namespaces */
	int64_t transfers_max;	  /* sessions that upload or pull at one time */
	const char *address;	  /* of /healthz, /readyz, /metrics */
	uint16_t port;		  /* 0: no port is opened */
};

struct manager;

/* Copies the configuration; the rest is borrowed. NULL when the port can't be had. */
struct manager *manager_new(struct io *io, struct client *client, struct log *log,
			    const struct manager_config *config, struct err *err);

/* Ends the term at once; calls `stopped` once the Lease is given away, or could not be. */
void manager_stop(struct manager *manager, void (*stopped)(void *context), void *context);

/* In any state, not from inside a callback of its own. On a dead io it emits nothing. */
void manager_delete(struct manager *manager);

#endif
