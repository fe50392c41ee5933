#include "seal.h"

#include "run.h"

#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

/*
 * Of each second of the limit: the kernel counts for the limit in whole ticks and for rusage more
 * finely, and on a busy machine the two were seen a tenth apart.
 */
#define CPU_NEARLY_US 800000

static bool exited(const struct run *run)
{
	return run->has_end && run->end.code == CLD_EXITED;
}

/*
 * The kernel ends a process that used up its CPU seconds, with the same signals that anyone may
 * send: only with the time it counts as the limit's doing.
 */
static bool ran_out_of_cpu(const struct run *run)
{
	uint64_t used_us = run->end.user_us + run->end.system_us;

	return run->has_end && !exited(run) && run->plan->cpu_seconds > 0 &&
	       (run->end.status == SIGXCPU || run->end.status == SIGKILL) &&
	       used_us >= (uint64_t)run->plan->cpu_seconds * CPU_NEARLY_US;
}

static bool wrote_too_much(const struct run *run)
{
	return run->plan->on_overflow == OVERFLOW_FAIL &&
	       (output_is_cut(&run->streams[STREAM_STDOUT]) ||
		output_is_cut(&run->streams[STREAM_STDERR]));
}

/*
 * Why the runner ended it, if it did. A program that exited by itself before a time or memory limit
 * could end it was not killed; one that was cancelled, or wrote more than it may, is what it is
 * even when it exited.
 */
static enum outcome_killed_for killed_for(const struct run *run)
{
	if (wrote_too_much(run) &&
	    (run->killed_for == KILLED_FOR_NOTHING || run->killed_for == KILLED_FOR_OUTPUT))
		return KILLED_FOR_OUTPUT;
	if (run->killed_for == KILLED_FOR_CANCEL || run->killed_for == KILLED_FOR_SHUTDOWN)
		return run->killed_for;
	if (exited(run))
		return KILLED_FOR_NOTHING;
	if (run->killed_for == KILLED_FOR_NOTHING && ran_out_of_cpu(run))
		return KILLED_FOR_CPU_TIME;
	return run->killed_for;
}

void seal_verdict(const struct run *run, struct outcome *outcome)
{
	if (run->has_failure) {
		outcome->verdict = VERDICT_NOT_STARTED;
		outcome->stage = (uint8_t)run->failure.stage;
		outcome->error_number = (uint16_t)run->failure.error;
		outcome->detail = str_of(run->failure.name);
		return;
	}
	if (run->is_given_up)
		outcome->detail = STR("processes were left that could not be killed");
	outcome->killed_for = (uint8_t)killed_for(run);
	outcome->partial = outcome->killed_for == KILLED_FOR_SHUTDOWN;
	if (exited(run))
		outcome->exit_code = (uint8_t)run->end.status;
	else
		/* Without a record of its end, the only signal we know of is our own. */
		outcome->signal = run->has_end ? (uint8_t)run->end.status : SIGKILL;
	if (outcome->killed_for != KILLED_FOR_NOTHING) {
		outcome->verdict = VERDICT_KILLED;
	} else if (!run->has_end) {
		outcome->verdict = VERDICT_VANISHED;
		outcome->signal = 0;
	} else {
		outcome->verdict = exited(run) ? VERDICT_EXITED : VERDICT_SIGNALLED;
	}
}

/* rusage knows the program and the children it waited for; the sandbox's clock knows all. */
static void usage(const struct run *run, struct usage *usage)
{
	uint64_t user_ms = run->end.user_us / 1000, system_ms = run->end.system_us / 1000;

	if (run->watch->cpu_ms > user_ms + system_ms)
		user_ms = run->watch->cpu_ms - system_ms;
	usage->wall_ms = run->exec_ms > 0 ? (uint32_t)(run->ended_ms - run->exec_ms) : 0;
	usage->user_ms = (uint32_t)user_ms;
	usage->system_ms = (uint32_t)system_ms;
	usage->memory_peak_bytes =
		watch_sees_memory(run->watch) ? run->watch->memory_peak : run->end.max_rss_bytes;
	usage->processes_peak = run->meter.tasks_peak;
	usage->leftovers = run->is_given_up ? run->survivors : run->end.leftovers;
}

static uint32_t limit_hits(const struct run *run, const struct outcome *outcome)
{
	uint32_t hits = run->meter.limit_hits;

	if (outcome->killed_for == KILLED_FOR_MEMORY)
		hits |= 1u << LIMIT_MEMORY;
	if (outcome->killed_for == KILLED_FOR_CPU_TIME)
		hits |= 1u << LIMIT_CPU;
	if (outcome->verdict == VERDICT_SIGNALLED && outcome->signal == SIGXFSZ)
		hits |= 1u << LIMIT_FILE_BYTES;
	return hits;
}

size_t seal_layers(const struct jail *jail, struct layer layers[LAYERS_MAX])
{
	_Static_assert(LAYER_ID_COUNT <= LAYERS_MAX, "every layer has room in a report");
	for (unsigned i = 0; i < LAYER_ID_COUNT; i++)
		layers[i] = (struct layer){
			.name = layer_name((enum layer_id)i),
			.state = (uint8_t)jail->layers[i].state,
			.detail = str_of(jail->layers[i].detail),
		};
	return LAYER_ID_COUNT;
}

void seal_run(struct run *run, const uint8_t bundle_sha256[SHA256_BYTES], uint8_t *manifest,
	      struct object *object)
{
	struct outcome outcome = {
		.phase = PHASE_RUNNING,
		.start_ms = run->exec_ms > 0 ? (uint32_t)(run->exec_ms - run->begun_ms) : 0,
		.memory_enforced = watch_sees_memory(run->watch),
		.memory_limit_bytes = run->watch->limit_bytes,
	};
	struct err err;
	int result;

	assert(run->state == RUN_OVER);
	memcpy(outcome.bundle_sha256, bundle_sha256, SHA256_BYTES);
	seal_verdict(run, &outcome);
	for (unsigned i = 0; i < RUN_STREAMS; i++)
		output_seal(&run->streams[i], &outcome.streams[i]);
	usage(run, &outcome.run);
	outcome.limit_hits = limit_hits(run, &outcome);
	outcome.layers_count = seal_layers(run->jail, outcome.layers);
	result = outcome_encode(&outcome, manifest, SEAL_MANIFEST_BYTES_MAX, object, &err);
	/* All that goes in is made here, within the bounds of the table. */
	assert(result == 0);
}
