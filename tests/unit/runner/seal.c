/* Who ended the program, for everything a run can know at its end. */
#include "seal.h"

#include "run.h"
#include "tap.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* What is known at the end. */
struct known {
	enum outcome_killed_for killed_for;
	bool has_end;
	int code, status;
	unsigned cpu_ms;
	uint64_t total; /* written to stdout, of which 10 bytes are kept */
};

#define EXITED(status)	  true, CLD_EXITED, status
#define SIGNALLED(number) true, CLD_KILLED, number
#define NO_RECORD	  false, 0, 0

/* With a limit of 2 CPU seconds, and overflow as the row says. */
static const struct {
	const char *name;
	struct known known;
	bool overflow_fails;
	struct outcome wanted; /* verdict, exit code, signal, killed for, partial */
} rows[] = {
	{"exit 0", {KILLED_FOR_NOTHING, EXITED(0)}, false, {VERDICT_EXITED, 0}},
	{"exit 139 is no segmentation fault",
	 {KILLED_FOR_NOTHING, EXITED(139)},
	 false,
	 {VERDICT_EXITED, 139}},
	{"a segmentation fault is no exit code",
	 {KILLED_FOR_NOTHING, SIGNALLED(SIGSEGV)},
	 false,
	 {VERDICT_SIGNALLED, .signal = SIGSEGV}},
	{"a core dump is a signal",
	 {KILLED_FOR_NOTHING, true, CLD_DUMPED, SIGABRT},
	 false,
	 {VERDICT_SIGNALLED, .signal = SIGABRT}},
	{"SIGKILL by itself is no kill of ours",
	 {KILLED_FOR_NOTHING, SIGNALLED(SIGKILL)},
	 false,
	 {VERDICT_SIGNALLED, .signal = SIGKILL}},
	{"SIGKILL at the hard CPU limit is the limit's",
	 {KILLED_FOR_NOTHING, SIGNALLED(SIGKILL), .cpu_ms = 3000},
	 false,
	 {VERDICT_KILLED, .signal = SIGKILL, .killed_for = KILLED_FOR_CPU_TIME}},
	{"SIGXCPU with the time used up is the limit's",
	 {KILLED_FOR_NOTHING, SIGNALLED(SIGXCPU), .cpu_ms = 1990},
	 false,
	 {VERDICT_KILLED, .signal = SIGXCPU, .killed_for = KILLED_FOR_CPU_TIME}},
	{"SIGXCPU without it is a signal",
	 {KILLED_FOR_NOTHING, SIGNALLED(SIGXCPU), .cpu_ms = 100},
	 false,
	 {VERDICT_SIGNALLED, .signal = SIGXCPU}},
	{"an exit with the time used up is an exit",
	 {KILLED_FOR_NOTHING, EXITED(1), .cpu_ms = 3000},
	 false,
	 {VERDICT_EXITED, 1}},
	{"killed at its deadline, without a record",
	 {KILLED_FOR_RUN_TIME, NO_RECORD},
	 false,
	 {VERDICT_KILLED, .signal = SIGKILL, .killed_for = KILLED_FOR_RUN_TIME}},
	{"an exit that was quicker than the kill is an exit",
	 {KILLED_FOR_RUN_TIME, EXITED(0)},
	 false,
	 {VERDICT_EXITED, 0}},
	{"so it is with memory", {KILLED_FOR_MEMORY, EXITED(3)}, false, {VERDICT_EXITED, 3}},
	{"killed for memory",
	 {KILLED_FOR_MEMORY, SIGNALLED(SIGKILL)},
	 false,
	 {VERDICT_KILLED, .signal = SIGKILL, .killed_for = KILLED_FOR_MEMORY}},
	{"a cancelled program that exits was cancelled",
	 {KILLED_FOR_CANCEL, EXITED(5)},
	 false,
	 {VERDICT_KILLED, 5, .killed_for = KILLED_FOR_CANCEL}},
	{"a shutdown is partial",
	 {KILLED_FOR_SHUTDOWN, NO_RECORD},
	 false,
	 {VERDICT_KILLED, .signal = SIGKILL, .killed_for = KILLED_FOR_SHUTDOWN, .partial = 1}},
	{"nobody's kill without a record: init was killed from inside",
	 {KILLED_FOR_NOTHING, NO_RECORD},
	 false,
	 {VERDICT_VANISHED}},
	{"too much output that may be cut",
	 {KILLED_FOR_NOTHING, EXITED(0), .total = 11},
	 false,
	 {VERDICT_EXITED, 0}},
	{"too much output that fails, though it exited",
	 {KILLED_FOR_NOTHING, EXITED(0), .total = 11},
	 true,
	 {VERDICT_KILLED, 0, .killed_for = KILLED_FOR_OUTPUT}},
	{"output at its limit does not fail",
	 {KILLED_FOR_NOTHING, EXITED(0), .total = 10},
	 true,
	 {VERDICT_EXITED, 0}},
	{"a deadline before too much output stays a deadline",
	 {KILLED_FOR_RUN_TIME, NO_RECORD, .total = 11},
	 true,
	 {VERDICT_KILLED, .signal = SIGKILL, .killed_for = KILLED_FOR_RUN_TIME}},
};

int main(void)
{
	struct bundle plan = {.cpu_seconds = 2};
	struct outcome failed = {0}, given_up = {0};
	struct run run = {.plan = &plan, .has_failure = true, .killed_for = KILLED_FOR_NOTHING};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct known *k = &rows[i].known;
		const struct outcome *wanted = &rows[i].wanted;
		struct outcome o = {0};
		struct run r = {.plan = &plan, .killed_for = k->killed_for, .has_end = k->has_end};

		plan.on_overflow = rows[i].overflow_fails ? OVERFLOW_FAIL : OVERFLOW_TRUNCATE;
		r.end.code = k->code;
		r.end.status = k->status;
		r.end.user_us = k->cpu_ms * 1000;
		r.streams[STREAM_STDOUT] = (struct output){.limit = 10, .total = k->total};
		seal_verdict(&r, &o);
		ok(o.verdict == wanted->verdict && o.exit_code == wanted->exit_code &&
			   o.signal == wanted->signal && o.killed_for == wanted->killed_for &&
			   o.partial == wanted->partial,
		   "%s", rows[i].name);
	}
	run.failure = step_failure(STAGE_EXEC, "exec", 2);
	seal_verdict(&run, &failed);
	ok(failed.verdict == VERDICT_NOT_STARTED && failed.stage == STAGE_EXEC &&
		   failed.error_number == 2 && str_equal(failed.detail, STR("exec")),
	   "a program that could not start: stage, errno and what it was");
	run.has_failure = false;
	run.has_end = run.is_given_up = true;
	run.end.code = CLD_EXITED;
	seal_verdict(&run, &given_up);
	ok(given_up.verdict == VERDICT_EXITED &&
		   str_equal(given_up.detail, STR("processes were left that could not be killed")),
	   "what could not be killed does not change the verdict, and is told");
	done_testing();
}
