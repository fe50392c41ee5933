/*
 * announce: tells the world what became of a task: a line in the log for each transition, one line
 * for audits at its end, an Event, a count.
 *
 * None of them holds code, input or output; the audit line has their hashes and sizes.
 */
#ifndef MANAGER_ANNOUNCE_H
#define MANAGER_ANNOUNCE_H

#include "job.h"

/* The effect of the job's decision is through. */
void announce_done(const struct job *job);

/* It is not: for the log. */
void announce_failed(const struct job *job, const struct err *err);

/* The task's final status is written. `view` as it was then. */
void announce_end(const struct job *job, const struct session_view *view);

#endif
