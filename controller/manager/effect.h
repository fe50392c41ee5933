/*
 * effect: carries out what reconcile decided: one API request, or one command to the session.
 *
 * Every effect ends in term_done or term_failed, from a callback for requests and at once for
 * commands; what the answer taught is in the job by then. A refusal is a fact like any other: it is
 * noted, and reconcile decides what it means.
 */
#ifndef MANAGER_EFFECT_H
#define MANAGER_EFFECT_H

#include "job.h"

/* The job has no effect under way. It may be looked at again before this returns, not deleted. */
void effect_start(struct job *job, const struct decision *decision);

/* --- Parts of it, in files of their own. --- */

/* The write to the task's status that was decided. */
void effect_status_write(struct job *job);
/* The task was read: if a final write is seen to have landed, which was unsure, it is announced. */
void effect_status_note_read(struct job *job);
/* The next part of a stream. */
void effect_output_write(struct job *job);

/* A write met something else than we knew: look again, at once, but not over and over. */
void effect_note_conflict(struct job *job, const struct err *err);

#endif
