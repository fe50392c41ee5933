/*
 * sim_node: scheduler, kubelet and runners of a simulated cluster. A Pod that is made gets a node,
 * then a running container with a runner in it (runner_model.h), each a while later; a Pod that is
 * deleted gets SIGTERM, its grace, SIGKILL, and then its object goes.
 *
 * The runner treats SIGTERM as runner-image/runner.c does: with an outcome that nobody has taken it
 * seals what there is and serves it until a second before the grace ends; else it goes at once.
 * What a Pod did is kept for the checks when it is gone.
 */
#ifndef SIM_SIM_NODE_H
#define SIM_SIM_NODE_H

#include "sim_store.h"

#include "runner_model.h"

struct sim_world;

enum sim_pod_state { SIM_POD_PENDING, SIM_POD_SCHEDULED, SIM_POD_RUNNING, SIM_POD_ENDED };

#define SIM_POD_SESSIONS_MAX 64

struct sim_pod {
	struct list link;
	struct sim_world *world;
	char in_namespace[64], name[254], uid[37], task_uid[64];
	enum sim_pod_state state;
	bool has_object, is_terminating; /* its object is there; it got SIGTERM */
	int64_t terminated_ms;
	struct sim_event step, deadline, tick;
	struct runner_model *model;		 /* while RUNNING */
	char *output;				 /* of its program, as its outcome has it */
	struct list attaches;			 /* sim_attach.h */
	int64_t cut_until_ms;			 /* there is no way to its kubelet */
	uint64_t sessions[SIM_POD_SESSIONS_MAX]; /* numbers of those that attached */
	unsigned session_count;
	/* What it did: */
	unsigned starts;
	bool was_sealed, was_cut; /* an outcome, of the program's own end or of SIGTERM's */
	bool was_disturbed;	  /* somebody but the controller saw to its end */
};

/* What every program does. */
struct sim_program {
	int64_t run_ms;
	int exit_code;
	size_t output_bytes; /* to stdout: that many x */
	bool lacks_a_layer;  /* the runner says that its jail has a hole */
	bool never_starts;   /* the node can't make the sandbox, and says so in an Event */
};

struct sim_node {
	struct sim_world *world;
	struct list pods; /* all that ever were, oldest first */
	struct sim_program program;
};

struct sim_refusal {
	int http_status;
	const char *body;
};

void sim_node_init(struct sim_node *node, struct sim_world *world);
void sim_node_free(struct sim_node *node);

/* The Pod whose container can be attached to; else NULL and how the API server says no. */
struct sim_pod *sim_node_find(struct sim_node *node, struct str in_namespace, struct str name,
			      struct sim_refusal *refusal);
/* Bytes for its stdin. */
void sim_node_input(struct sim_node *node, struct sim_pod *pod, struct str bytes);

/* The last Pod whose container runs, or the last of all; NULL: there was none. */
struct sim_pod *sim_node_last(const struct sim_node *node);

/* What may befall a Pod that has an object. */
void sim_node_delete_by_force(struct sim_pod *pod); /* no grace: object and container go */
void sim_node_drain(struct sim_pod *pod);	    /* by the eviction API: with its grace */
void sim_node_strip(struct sim_pod *pod);	    /* of its labels: no watch shows it any more */
void sim_node_evict(struct sim_pod *pod);	    /* by the kubelet: killed, the object stays */
/* For a while the API server has no way to its kubelet: an attach opens, and all is silent. */
void sim_node_cut(struct sim_pod *pod);
/* Somebody makes a Pod of a later attempt, with our labels and its plan, but not as planned. */
void sim_node_forge(struct sim_pod *pod);
void sim_node_forge_and_evict(struct sim_pod *pod);
void sim_node_forge_and_strip(struct sim_pod *pod);

#endif
