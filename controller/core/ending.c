#include "ending.h"

#include "base/quantity.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum reason ending_reason(const struct ending *e, enum reason stopped_by)
{
	assert(e->whole);
	switch (e->kind) {
	case ENDING_EXITED: return e->exit_code == 0 ? REASON_Completed : REASON_NonZeroExit;
	case ENDING_SIGNALLED: return REASON_KilledBySignal;
	case ENDING_VANISHED: return REASON_KilledBySignal;
	case ENDING_RUN_TIMEOUT: return REASON_RunTimeout;
	case ENDING_INSTALL_TIMEOUT: return REASON_InstallTimeout;
	case ENDING_CPU_TIMEOUT: return REASON_CPUTimeout;
	case ENDING_OUT_OF_MEMORY: return REASON_OutOfMemory;
	case ENDING_OUTPUT_LIMIT: return REASON_OutputLimitExceeded;
	case ENDING_FILE_SIZE: return REASON_FileSizeLimit;
	case ENDING_CANCELLED: return REASON_Cancelled;
	case ENDING_START_TIMEOUT: return REASON_StartTimeout;
	case ENDING_NOT_STARTED: return REASON_RunnerFailed;
	case ENDING_STOPPED: return stopped_by;
	case ENDING_KIND_COUNT: break;
	}
	assert(!"an end outside the enum: the session has to refuse it");
	return REASON_Internal;
}

/* Linux' numbers, which are the same on every architecture that gVisor has. */
static const char *const signal_names[] = {
	[1] = "SIGHUP",	    [2] = "SIGINT",   [3] = "SIGQUIT",	 [4] = "SIGILL",   [5] = "SIGTRAP",
	[6] = "SIGABRT",    [7] = "SIGBUS",   [8] = "SIGFPE",	 [9] = "SIGKILL",  [10] = "SIGUSR1",
	[11] = "SIGSEGV",   [12] = "SIGUSR2", [13] = "SIGPIPE",	 [14] = "SIGALRM", [15] = "SIGTERM",
	[16] = "SIGSTKFLT", [17] = "SIGCHLD", [18] = "SIGCONT",	 [19] = "SIGSTOP", [20] = "SIGTSTP",
	[21] = "SIGTTIN",   [22] = "SIGTTOU", [23] = "SIGURG",	 [24] = "SIGXCPU", [25] = "SIGXFSZ",
	[26] = "SIGVTALRM", [27] = "SIGPROF", [28] = "SIGWINCH", [29] = "SIGIO",   [30] = "SIGPWR",
	[31] = "SIGSYS",
};

const char *ending_signal_name(int32_t signal, char text[16])
{
	if (signal > 0 && (size_t)signal < sizeof(signal_names) / sizeof(signal_names[0]))
		return signal_names[signal];
	snprintf(text, 16, "signal %d", (int)(signal < 0 || signal > 9999 ? 0 : signal));
	return text;
}

static const char *const descriptions[ENDING_KIND_COUNT] = {
	[ENDING_RUN_TIMEOUT] = "the program was killed at the end of its run time",
	[ENDING_VANISHED] =
		"the program was killed from inside the sandbox, and the record of how with it",
	[ENDING_INSTALL_TIMEOUT] = "installing the dependencies was stopped at the end of its time",
	[ENDING_CPU_TIMEOUT] = "the program was killed for using more CPU time than allowed",
	[ENDING_OUT_OF_MEMORY] = "the program was killed for using more memory than allowed",
	[ENDING_OUTPUT_LIMIT] = "the program was killed for writing more output than allowed",
	[ENDING_FILE_SIZE] = "the program was killed for writing a larger file than allowed",
	[ENDING_CANCELLED] = "the program was stopped because the task was cancelled",
	[ENDING_START_TIMEOUT] = "the program was not started within its time",
	[ENDING_NOT_STARTED] = "the program could not be started",
	[ENDING_STOPPED] = "the sandbox was told to stop while the program ran",
};

static void append_seconds(int64_t seconds, struct buf *out)
{
	buf_printf(out, ": the limit is %" PRId64 " s", seconds);
}

static void append_bytes(int64_t bytes, struct buf *out)
{
	char text[QUANTITY_SIZE];

	quantity_from_bytes(text, bytes);
	buf_printf(out, ": the limit is %s", text);
}

/* Of the ends that a limit of the plan has made. */
static void append_limit(enum ending_kind kind, const struct plan *plan, struct buf *out)
{
	switch (kind) {
	case ENDING_RUN_TIMEOUT: return append_seconds(plan->run_seconds, out);
	case ENDING_CPU_TIMEOUT: return append_seconds(plan->cpu_seconds, out);
	case ENDING_START_TIMEOUT: return append_seconds(plan->start_seconds, out);
	case ENDING_OUT_OF_MEMORY: return append_bytes(plan->memory_bytes, out);
	case ENDING_FILE_SIZE: return append_bytes(plan->file_size, out);
	case ENDING_OUTPUT_LIMIT:
		buf_printf(out,
			   ": the limits are %" PRId64 " bytes of stdout and %" PRId64 " of stderr",
			   plan->stdout_bytes, plan->stderr_bytes);
		return;
	case ENDING_EXITED:
	case ENDING_SIGNALLED:
	case ENDING_VANISHED:
	case ENDING_INSTALL_TIMEOUT:
	case ENDING_CANCELLED:
	case ENDING_NOT_STARTED:
	case ENDING_STOPPED:
	case ENDING_KIND_COUNT: break;
	}
}

void ending_describe(const struct ending *e, const struct plan *plan, struct buf *out)
{
	char text[16];

	if (e->kind == ENDING_EXITED)
		buf_printf(out, "the program ended with exit code %d", (int)e->exit_code);
	else if (e->kind == ENDING_SIGNALLED)
		buf_printf(out, "the program was ended by %s, which we did not send",
			   ending_signal_name(e->signal, text));
	else
		buf_append_str(out, str_of(descriptions[e->kind]));
	if (plan)
		append_limit(e->kind, plan, out);
	if (e->detail.n > 0)
		buf_printf(out, " (%.*s)", STR_ARGS(e->detail));
}
