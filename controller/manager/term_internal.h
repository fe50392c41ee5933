/* term_internal: what the files of a term share. */
#ifndef MANAGER_TERM_INTERNAL_H
#define MANAGER_TERM_INTERNAL_H

#include "base/list.h"
#include "base/map.h"
#include "core/workqueue.h"
#include "term.h"

struct term {
	struct term_config config;
	struct hub hub;
	struct places places;
	struct map jobs;    /* by UID: struct job */
	struct map classes; /* by name: struct class; one that can't be read is not there */
	struct map spaces;  /* by name: struct space */
	struct workqueue queue;
	struct watch *tasks, *class_watch, *namespaces;
	bool are_tasks_listed;
	unsigned policy_version;
	struct io_timer *pump;
	bool is_pumping;
	int looks;	    /* jobs that are being looked at, or have an effect under way */
	struct list events; /* struct event_call */
	size_t event_count;
};

/* The three watches that every term has, and what is decoded from them. */
void term_watch_start(struct term *term);
void term_watch_end(struct term *term);

/* All that a decision depends on has been listed. */
bool term_is_informed(const struct term *term);

struct job *term_job(const struct term *term, struct str uid);
/* NULL: there are too many. */
struct job *term_add_job(struct term *term, struct str uid, struct str in_namespace,
			 struct str name);

/* Looks at what is due, soon. */
void term_arm(struct term *term);

#endif
