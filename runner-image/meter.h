/*
 * meter: which limits a run came up against. Hints for people, never a verdict: a program may meet
 * a limit (EAGAIN, EMFILE, ENOSPC, EFBIG) and go on, and one look every METER_INTERVAL_MS may miss
 * it.
 */
#ifndef RUNNER_METER_H
#define RUNNER_METER_H

#include "proto/bundle.h"
#include "proto/outcome.h"

#include <sys/types.h>

#define METER_INTERVAL_MS 50

struct meter {
	uint32_t tasks_peak; /* processes and threads of the program at once */
	uint32_t limit_hits; /* 1 << enum outcome_limit */
};

/* A look at processes, their open files, and the tmpfs `scratch` (-1: not there yet). */
void meter_look(struct meter *meter, const struct bundle *plan, pid_t init, int scratch);

/* The last look, after the end of every process: also searches for a file of the largest size. */
void meter_finish(struct meter *meter, const struct bundle *plan, int scratch);

#endif
