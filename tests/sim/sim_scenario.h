/*
 * sim_scenario: one task from its creation to its end, in which something happens at one effect of
 * a controller.
 */
#ifndef SIM_SIM_SCENARIO_H
#define SIM_SIM_SCENARIO_H

#include "sim_world.h"

/* What happens at the point. */
enum sim_what {
	SIM_CRASH,  /* the controller dies; whatever befalls the Pod does so while it is away */
	SIM_FREEZE, /* it gets no turn for a while, in which another one takes over */
	SIM_LIVE,   /* nothing: what befalls the Pod does so before its eyes */
};

struct sim_scenario {
	const char *name;
	const char *rule;
	enum sim_what what;
	int more_points;	  /* after the first one, each a while after the one before */
	int controllers;	  /* at the beginning */
	bool restarts;		  /* after a crash comes another one */
	int64_t away_ms;	  /* how long there is none, or it is frozen, at the most */
	bool shares_namespace;	  /* the Pod is in the task's own */
	unsigned trouble_percent; /* on the network all the while */
	void (*befalls)(struct sim_pod *pod);
	bool deletes_task, recreates_task; /* meanwhile: the latter under the same name */
	struct sim_program program;
	/* How the task may end: reasons, or "gone". Over all points each of them has to be met. */
	const char *endings[4];
	unsigned writes; /* of tasks, outputs and Pods, when nothing happens at all */
};

struct sim_ending {
	bool has_passed;
	char reason[32];  /* of the task, or "gone" */
	uint64_t effects; /* until all was done: there are so many points */
	unsigned writes;
	uint32_t sum; /* of the trace */
};

/* Runs it; point 0: nothing happens. A rule that is broken is explained in comments of the test. */
void sim_scenario_run(const struct sim_scenario *scenario, uint64_t seed, uint64_t point,
		      struct sim_ending *ending);

#endif
