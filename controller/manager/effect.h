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

/* Asks for the last Event about a Pod that does not come up, on the side. */
void effect_look_for_event(struct job *job);

/* --- The part in effect_status.c: writes to the task's status and of its outputs. --- */

void effect_write_status(struct job *job);
void effect_write_output(struct job *job);

#endif
