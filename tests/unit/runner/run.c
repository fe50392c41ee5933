/*
 * A run as its runner drives it: notes and times come in, here in orders that real processes show
 * once in a thousand runs. The tree of processes is the test's own.
 */
#include "run.h"

#include "seal.h"
#include "tree.h"

#include "tap.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_MS 100
#define RUN_MS	 1000

static bool tree_is_gone;
static unsigned kills;

void tree_kill(void)
{
	kills++;
}

bool tree_collect(pid_t init)
{
	(void)init;
	return tree_is_gone;
}

bool tree_is_empty(void)
{
	return tree_is_gone;
}

struct world {
	struct jail jail;
	struct watch watch;
	struct bundle plan;
	struct run run;
	int init; /* its end of the notes */
};

/* START at 0. */
static void begin(struct world *w)
{
	static uint8_t memory[1];
	int pair[2];

	*w = (struct world){.jail = {4711, -1, -1, -1, -1, -1, {{0}}},
			    .plan = {.start_ms = START_MS, .run_ms = RUN_MS, .memory_bytes = 1}};
	tree_is_gone = false;
	kills = 0;
	assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	assert(fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0);
	w->jail.notes = pair[0];
	w->init = pair[1];
	watch_open(&w->watch, &(struct watch_files){0});
	run_init(&w->run, &w->jail, &w->watch);
	run_begin(&w->run, &w->plan, memory, 0);
}

static void say(struct world *w, enum note_type type)
{
	struct note note = {.type = type};

	if (type == NOTE_FAILED)
		note.failed = step_failure(STAGE_EXEC, "exec", ENOENT);
	if (type == NOTE_ENDED)
		note.end = (struct note_end){.code = CLD_EXITED, .status = 7};
	assert(note_send(w->init, &note, -1) == 0);
}

/* All processes are gone: the run is over, and this is what it came to. */
static struct outcome end(struct world *w, int64_t now_ms)
{
	struct outcome o = {0};

	close(w->init);
	tree_is_gone = true;
	run_on_child(&w->run, now_ms);
	cmp_ok(w->run.state, "==", RUN_OVER, "... it is over");
	seal_verdict(&w->run, &o);
	return o;
}

static void a_run_that_exits(void)
{
	struct world w;
	struct outcome o;

	begin(&w);
	say(&w, NOTE_STARTED);
	run_on_notes(&w.run, 10);
	cmp_ok(w.run.state, "==", RUN_RUNNING, "a program that is exec'd runs");
	say(&w, NOTE_ENDED);
	run_on_notes(&w.run, 20);
	cmp_ok(kills, "==", 1, "its end is that of all that it left");
	o = end(&w, 21);
	ok(o.verdict == VERDICT_EXITED && o.exit_code == 7, "it exited with 7");
}

static void a_start_budget_that_is_over(void)
{
	struct world w;
	struct outcome o;

	begin(&w);
	run_on_time(&w.run, START_MS - 1);
	cmp_ok(w.run.state, "==", RUN_STARTING,
	       "until its last millisecond a start may come through");
	run_on_time(&w.run, START_MS);
	cmp_ok(w.run.state, "==", RUN_ENDING, "then it is given up");
	o = end(&w, START_MS + 1);
	ok(o.verdict == VERDICT_NOT_STARTED && o.stage == STAGE_BUDGET, "nothing ran");
}

static void a_start_that_is_news_at_its_deadline(void)
{
	struct world w;

	begin(&w);
	say(&w, NOTE_STARTED);
	run_on_time(&w.run, START_MS);
	cmp_ok(w.run.state, "==", RUN_RUNNING,
	       "a start whose news is there at the deadline counts");
	end(&w, START_MS);
}

static void a_start_that_came_through_while_it_was_given_up(void)
{
	struct world w;
	struct outcome o;

	begin(&w);
	run_on_time(&w.run, START_MS);
	say(&w, NOTE_STARTED);
	o = end(&w, START_MS + 1);
	ok(o.verdict == VERDICT_KILLED && o.killed_for == KILLED_FOR_RUN_TIME,
	   "what may have run is never said not to have started");
}

static void an_exec_that_fails(void)
{
	struct world w;
	struct outcome o;

	begin(&w);
	say(&w, NOTE_STARTED);
	say(&w, NOTE_FAILED);
	run_on_notes(&w.run, 10);
	o = end(&w, 11);
	ok(o.verdict == VERDICT_NOT_STARTED && o.stage == STAGE_EXEC && o.error_number == ENOENT,
	   "a failed exec, which is told behind its beginning, is no start");
}

static void an_init_that_is_gone(void)
{
	struct world w;
	struct outcome o;

	begin(&w);
	say(&w, NOTE_STARTED);
	run_on_notes(&w.run, 10);
	o = end(&w, 20);
	ok(o.verdict == VERDICT_VANISHED, "init gone without a record: vanished");
}

static void what_can_not_be_killed(void)
{
	struct world w;
	struct outcome o = {0};

	begin(&w);
	say(&w, NOTE_STARTED);
	run_on_notes(&w.run, 10);
	run_kill(&w.run, KILLED_FOR_CANCEL, 100);
	run_on_time(&w.run, 101);
	cmp_ok(kills, "==", 1, "what is left is not killed in every round");
	run_on_time(&w.run, 102);
	cmp_ok(kills, "==", 2, "but every 2 ms");
	run_on_time(&w.run, 15099);
	cmp_ok(w.run.state, "==", RUN_ENDING, "for nearly 15 s");
	run_on_time(&w.run, 15100);
	cmp_ok(w.run.state, "==", RUN_OVER, "then the run is over all the same");
	seal_verdict(&w.run, &o);
	ok(o.verdict == VERDICT_KILLED && o.killed_for == KILLED_FOR_CANCEL && o.detail.n > 0,
	   "with its verdict, and a word on it");
	close(w.init);
}

int main(void)
{
	a_run_that_exits();
	a_start_budget_that_is_over();
	a_start_that_is_news_at_its_deadline();
	a_start_that_came_through_while_it_was_given_up();
	an_exec_that_fails();
	an_init_that_is_gone();
	what_can_not_be_killed();
	done_testing();
}
