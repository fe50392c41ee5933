#include "run.h"

#include "leftovers.h"
#include "tree.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes read from a pipe at once, and how often before others get their turn. */
#define CHUNK_BYTES	65536
#define CHUNKS_PER_TURN 8
/* More than any pipe holds: a bound only for the case that a writer could not be killed. */
#define LAST_CHUNKS 1024
/* Between two kills while something is left, and until it is given up: a process that can't be
 * killed must not keep the outcome back. */
#define KILL_INTERVAL_MS 2
#define KILL_GIVE_UP_MS	 15000

void run_init(struct run *run, struct jail *jail, struct watch *watch)
{
	memset(run, 0, sizeof(*run));
	run->jail = jail;
	run->watch = watch;
	run->deadline_ms = run->grace_end_ms = RUN_NEVER;
}

static bool is_alive(const struct run *run)
{
	return run->state == RUN_STARTING || run->state == RUN_RUNNING;
}

/* From here on everything in the jail is killed, again and again, until it is gone. */
static void end(struct run *run, int64_t now_ms)
{
	if (!is_alive(run))
		return;
	run->state = RUN_ENDING;
	run->ended_ms = run->killed_ms = now_ms;
	watch_look(run->watch);
	jail_close(&run->jail->input);
	tree_kill();
}

void run_kill(struct run *run, enum outcome_killed_for why, int64_t now_ms)
{
	if (!is_alive(run))
		return;
	if (run->killed_for == KILLED_FOR_NOTHING)
		run->killed_for = why;
	end(run, now_ms);
}

static void fail(struct run *run, const struct failure *failure, int64_t now_ms)
{
	if (!is_alive(run))
		return;
	run->has_failure = true;
	run->failure = *failure;
	end(run, now_ms);
}

void run_begin(struct run *run, const struct bundle *plan, uint8_t *memory, int64_t now_ms)
{
	const struct note start = {.type = NOTE_START};

	run->state = RUN_STARTING;
	run->plan = plan;
	run->begun_ms = run->looked_ms = run->metered_ms = now_ms;
	run->deadline_ms = now_ms + plan->start_ms;
	memset(memory, 0, (size_t)plan->stdout_bytes + plan->stderr_bytes);
	output_init(&run->streams[STREAM_STDOUT], memory, plan->stdout_bytes);
	output_init(&run->streams[STREAM_STDERR], memory + plan->stdout_bytes, plan->stderr_bytes);
	watch_begin(run->watch);
	if (run->jail->notes < 0 || note_send(run->jail->notes, &start, -1) < 0) {
		const struct failure failure = step_failure(STAGE_JAIL, "init", ECHILD);

		fail(run, &failure, now_ms);
	}
	if (run->input.n == 0)
		jail_close(&run->jail->input);
}

static void on_started(struct run *run, int64_t now_ms)
{
	if (run->state == RUN_STARTING) {
		run->state = RUN_RUNNING;
		run->exec_ms = now_ms;
		run->deadline_ms = now_ms + run->plan->run_ms;
	} else if (run->has_failure && run->failure.stage == STAGE_BUDGET) {
		/* Its start was given up in the same moment: it may have run, and was killed. */
		run->has_failure = false;
		run->killed_for = KILLED_FOR_RUN_TIME;
		run->exec_ms = run->ended_ms;
	}
}

static void on_note(struct run *run, const struct note *note, int descriptor, int64_t now_ms)
{
	switch (note->type) {
	case NOTE_SCRATCH: run->jail->scratch = descriptor; break;
	case NOTE_FAILED: fail(run, &note->failed, now_ms); break;
	case NOTE_STARTED: on_started(run, now_ms); break;
	case NOTE_ENDED:
		run->has_end = true;
		run->end = note->end;
		end(run, now_ms);
		break;
	case NOTE_LAYER:
	case NOTE_READY:
	case NOTE_START:
	case NOTE_TERMINATE: break; /* not in a run, or not to us */
	}
}

void run_on_notes(struct run *run, int64_t now_ms)
{
	struct note note;
	int descriptor, result;

	while ((result = note_receive(run->jail->notes, &note, &descriptor)) > 0)
		on_note(run, &note, descriptor, now_ms);
	if (result < 0 && errno == EAGAIN)
		return;
	/* Init is gone. Without NOTE_ENDED, something in the jail killed it. */
	jail_close(&run->jail->notes);
	end(run, now_ms);
}

/* True when there may be more to read. */
static bool read_chunk(struct run *run, enum outcome_stream which)
{
	uint8_t chunk[CHUNK_BYTES];
	int *fd = which == STREAM_STDOUT ? &run->jail->output : &run->jail->errors;
	ssize_t n = *fd < 0 ? 0 : read(*fd, chunk, sizeof(chunk));

	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0) {
		jail_close(fd);
		return false;
	}
	output_add(&run->streams[which], chunk, (size_t)n);
	return true;
}

void run_on_output(struct run *run, enum outcome_stream which, int64_t now_ms)
{
	for (int i = 0; i < CHUNKS_PER_TURN && read_chunk(run, which); i++)
		;
	if (run->plan && run->plan->on_overflow == OVERFLOW_FAIL &&
	    output_is_cut(&run->streams[which]))
		run_kill(run, KILLED_FOR_OUTPUT, now_ms);
}

/* A program that does not read its input, or closes it, is no error: the rest is dropped. */
void run_on_input(struct run *run)
{
	ssize_t n;

	/* Before START this means that the jail is gone. */
	if (!is_alive(run)) {
		jail_close(&run->jail->input);
		return;
	}
	n = write(run->jail->input, run->input.p, run->input.n);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		run->input = str_slice(run->input, (size_t)n, run->input.n);
	if (n < 0 || run->input.n == 0)
		jail_close(&run->jail->input);
}

/* Nobody is left who could write: what is in the pipes is all there will be. */
static void finish(struct run *run)
{
	for (int i = 0; i < LAST_CHUNKS && read_chunk(run, STREAM_STDOUT); i++)
		;
	for (int i = 0; i < LAST_CHUNKS && read_chunk(run, STREAM_STDERR); i++)
		;
	jail_close(&run->jail->output);
	jail_close(&run->jail->errors);
	jail_close(&run->jail->notes);
	meter_finish(&run->meter, run->plan, run->jail->scratch);
	/* The last one to hold the program's files: their memory is free from here on. */
	jail_close(&run->jail->scratch);
	run->state = RUN_OVER;
	run->deadline_ms = run->grace_end_ms = RUN_NEVER;
}

/* Init's last words may still be in its pair when its end is seen first. */
void run_on_child(struct run *run, int64_t now_ms)
{
	if (tree_collect(run->jail->init)) {
		run->jail->init = 0;
		if (run->jail->notes >= 0 && run->state != RUN_IDLE)
			run_on_notes(run, now_ms);
	}
	if (run->state == RUN_ENDING && tree_is_empty())
		finish(run);
}

static void go_on_killing(struct run *run, int64_t now_ms)
{
	if (now_ms - run->killed_ms >= KILL_INTERVAL_MS) {
		run->killed_ms = now_ms;
		tree_kill();
	}
	run_on_child(run, now_ms);
	if (run->state != RUN_ENDING || now_ms - run->ended_ms < KILL_GIVE_UP_MS)
		return;
	run->survivors = leftovers_count();
	run->is_given_up = true;
	finish(run);
}

static void look(struct run *run, int64_t now_ms)
{
	const struct bundle *plan = run->plan;

	if (now_ms - run->looked_ms < WATCH_INTERVAL_MS)
		return;
	run->looked_ms = now_ms;
	watch_look(run->watch);
	if (run->watch->memory_now > plan->memory_bytes)
		run_kill(run, KILLED_FOR_MEMORY, now_ms);
	if (plan->cpu_seconds > 0 && run->watch->cpu_ms / 1000 >= plan->cpu_seconds)
		run_kill(run, KILLED_FOR_CPU_TIME, now_ms);
	if (run->state == RUN_RUNNING && now_ms - run->metered_ms >= METER_INTERVAL_MS) {
		run->metered_ms = now_ms;
		meter_look(&run->meter, plan, run->jail->init, run->jail->scratch);
	}
}

/* Unless the news that it is through is here already. */
static void give_up_start(struct run *run, int64_t now_ms)
{
	const struct failure late = step_failure(STAGE_BUDGET, "start", ETIMEDOUT);

	run_on_notes(run, now_ms);
	if (run->state == RUN_STARTING)
		fail(run, &late, now_ms);
}

void run_on_time(struct run *run, int64_t now_ms)
{
	if (is_alive(run))
		look(run, now_ms);
	if (run->state == RUN_STARTING && now_ms >= run->deadline_ms)
		give_up_start(run, now_ms);
	if (run->state == RUN_RUNNING && now_ms >= run->deadline_ms)
		run_kill(run, KILLED_FOR_RUN_TIME, now_ms);
	if (is_alive(run) && now_ms >= run->grace_end_ms)
		run_kill(run, KILLED_FOR_CANCEL, now_ms);
	if (run->state == RUN_ENDING)
		go_on_killing(run, now_ms);
}

int64_t run_deadline(const struct run *run)
{
	if (is_alive(run))
		return run->looked_ms + WATCH_INTERVAL_MS;
	return run->state == RUN_ENDING ? run->killed_ms + KILL_INTERVAL_MS : RUN_NEVER;
}

void run_cancel(struct run *run, uint32_t grace_ms, int64_t now_ms)
{
	const struct note terminate = {.type = NOTE_TERMINATE};

	if (!is_alive(run))
		return;
	run->killed_for = KILLED_FOR_CANCEL;
	run->grace_end_ms = now_ms + grace_ms;
	/* Before exec there is nobody who could make use of a signal. */
	if (grace_ms == 0 || run->state == RUN_STARTING ||
	    note_send(run->jail->notes, &terminate, -1) < 0)
		run_kill(run, KILLED_FOR_CANCEL, now_ms);
}

uint32_t run_budget_left_ms(const struct run *run, int64_t now_ms)
{
	if (!is_alive(run) || run->deadline_ms <= now_ms)
		return 0;
	return (uint32_t)(run->deadline_ms - now_ms);
}
