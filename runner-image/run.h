/*
 * run: one run of the user's program, from START to a quiet jail. Once per runner.
 *
 *	idle -> starting -> running -> ending -> over
 *
 * starting	init fills the tmpfs and forks; until exec, the plan's start budget counts
 * running	the program is exec'd, or about to be: its run budget counts. From here on a run is
 *		"not started" only if exec says so; init's word, or its silence, is not enough
 * ending	it ended, or was ended: all is killed until nothing is left, pipes are read dry
 * over		nothing runs any more; seal.h says what it came to
 *
 * The owner's loop calls run_on_*() when a descriptor is ready and run_on_time() in every round,
 * and wakes up at run_deadline(). Nothing here blocks, and nothing waits for the end of a pipe: a
 * daemon that holds one is ended with the rest. What can't be killed is given up after 15 s, since
 * it must not keep the outcome back; the outcome says so (is_given_up).
 */
#ifndef RUNNER_RUN_H
#define RUNNER_RUN_H

#include "jail.h"
#include "meter.h"
#include "note.h"
#include "output.h"
#include "watch.h"

#include <stdbool.h>
#include <stdint.h>

#define RUN_NEVER INT64_MAX

enum run_state {
	RUN_IDLE,
	RUN_STARTING,
	RUN_RUNNING,
	RUN_ENDING,
	RUN_OVER,
};

/* stdout and stderr, in the order of enum outcome_stream. */
#define RUN_STREAMS 2

struct run {
	enum run_state state;
	struct jail *jail;	   /* borrowed */
	struct watch *watch;	   /* borrowed */
	const struct bundle *plan; /* borrowed */
	struct str input;	   /* what of stdin is still to be written */
	struct output streams[RUN_STREAMS];
	struct meter meter;

	int64_t begun_ms, exec_ms, ended_ms; /* START, exec, first news of the end */
	int64_t deadline_ms;		     /* of the budget that counts now */
	int64_t grace_end_ms;		     /* of a CANCEL, else RUN_NEVER */
	int64_t looked_ms, metered_ms, killed_ms;

	enum outcome_killed_for killed_for;
	bool has_failure, has_end;
	bool is_given_up;	/* something was left that could not be killed: */
	uint32_t survivors;	/* as many processes, init among them if it was */
	struct failure failure; /* could not start */
	struct note_end end;	/* how the program ended */
};

void run_init(struct run *run, struct jail *jail, struct watch *watch);

/*
 * Orders the start. The launch block is filled; `memory` is where the streams are kept, at least
 * the plan's stdout_bytes + stderr_bytes; it is touched here, before memory is measured.
 */
void run_begin(struct run *run, const struct bundle *plan, uint8_t *memory, int64_t now_ms);

/* Descriptors of the jail that are ready. Each takes a bounded amount and returns. */
void run_on_notes(struct run *run, int64_t now_ms);
void run_on_output(struct run *run, enum outcome_stream which, int64_t now_ms);
void run_on_input(struct run *run);
/* SIGCHLD */
void run_on_child(struct run *run, int64_t now_ms);

/* Looks at the clock, memory and limits. */
void run_on_time(struct run *run, int64_t now_ms);

/* When run_on_time() must be called at the latest. */
int64_t run_deadline(const struct run *run);

/* SIGTERM now, SIGKILL after the grace. Of several ends, the first one counts. */
void run_cancel(struct run *run, uint32_t grace_ms, int64_t now_ms);

/* SIGKILL now. */
void run_kill(struct run *run, enum outcome_killed_for why, int64_t now_ms);

/* What of its budget is left, for STATE. */
uint32_t run_budget_left_ms(const struct run *run, int64_t now_ms);

#endif
