/* term_internal: what the files of a term share. */
#ifndef MANAGER_TERM_INTERNAL_H
#define MANAGER_TERM_INTERNAL_H

#include "base/list.h"
#include "base/map.h"
#include "core/workqueue.h"
#include "leftovers.h"
#include "shares.h"
#include "term.h"

struct term {
	struct term_config config;
	struct hub hub;
	struct places places;
	struct map jobs;   /* by UID: struct job */
	struct map spaces; /* by name: struct space */
	struct workqueue queue;
	struct policy policy;
	struct leftovers leftovers;
	struct watch *tasks;
	bool are_tasks_listed;
	struct io_timer *pump;
	bool is_pumping;
	int looks;	      /* jobs that are being looked at, or have an effect under way … */
	struct shares shares; /* … of which each has a part of what its task's namespace may have */
	struct list events;   /* struct event_call */
	size_t event_count;
};

/*
 * A namespace that no class names and no job has or wants its Pod in is looked at no more: there,
 * the next thing may be its end, or that of our rights in it. Who is where is counted: with a
 * namespace for each tenant, to go through all of them and all jobs at the end of each is too much.
 */
void term_space_follow(struct term *term, struct job *job); /* to where its Pod is now */
void term_space_leave(struct term *term, struct job *job);
/* After a change of the policy. */
void term_space_sweep(struct term *term);

struct job *term_job(const struct term *term, struct str uid);
/* NULL: there are too many. */
struct job *term_add_job(struct term *term, struct str uid, struct str in_namespace,
			 struct str name);

#endif
