#include "core/ending.h"

#include "tap.h"

#include <string.h>

static const struct plan plan = {
	.start_seconds = 120,
	.run_seconds = 2,
	.cpu_seconds = 5,
	.memory_bytes = 64 << 20,
	.file_size = 1 << 20,
	.stdout_bytes = 100,
	.stderr_bytes = 200,
};

static const struct row {
	const char *name;
	struct ending ending;
	enum reason reason;
	const char *described;
} rows[] = {
	{"exit code 0 is Completed",
	 {.kind = ENDING_EXITED, .exit_code = 0},
	 REASON_Completed,
	 "the program ended with exit code 0"},
	{"exit code 1 is NonZeroExit",
	 {.kind = ENDING_EXITED, .exit_code = 1},
	 REASON_NonZeroExit,
	 "the program ended with exit code 1"},
	{"exit code 124 is no time-out",
	 {.kind = ENDING_EXITED, .exit_code = 124},
	 REASON_NonZeroExit,
	 "the program ended with exit code 124"},
	{"exit code 137 is neither memory nor a signal",
	 {.kind = ENDING_EXITED, .exit_code = 137},
	 REASON_NonZeroExit,
	 "the program ended with exit code 137"},
	{"exit code 139 is no SIGSEGV",
	 {.kind = ENDING_EXITED, .exit_code = 139},
	 REASON_NonZeroExit,
	 "the program ended with exit code 139"},
	{"an exit without a code, which can't be, is no success",
	 {.kind = ENDING_EXITED, .exit_code = -1},
	 REASON_NonZeroExit,
	 "the program ended with exit code -1"},
	{"SIGSEGV is a signal",
	 {.kind = ENDING_SIGNALLED, .signal = 11},
	 REASON_KilledBySignal,
	 "the program was ended by SIGSEGV, which we did not send"},
	{"SIGKILL that we did not send is a signal",
	 {.kind = ENDING_SIGNALLED, .signal = 9},
	 REASON_KilledBySignal,
	 "the program was ended by SIGKILL, which we did not send"},
	{"a real-time signal has a number",
	 {.kind = ENDING_SIGNALLED, .signal = 34},
	 REASON_KilledBySignal,
	 "the program was ended by signal 34, which we did not send"},
	{"an end without a record is a signal, and says so",
	 {.kind = ENDING_VANISHED},
	 REASON_KilledBySignal,
	 "the program was killed from inside the sandbox, and the record of how with it"},
	{"our kill for time is RunTimeout whatever the signal",
	 {.kind = ENDING_RUN_TIMEOUT, .signal = 9},
	 REASON_RunTimeout,
	 "the program was killed at the end of its run time: the limit is 2 s"},
	{"our kill for the install's time is InstallTimeout",
	 {.kind = ENDING_INSTALL_TIMEOUT},
	 REASON_InstallTimeout,
	 "installing the dependencies was stopped at the end of its time"},
	{"our kill for CPU time is CPUTimeout",
	 {.kind = ENDING_CPU_TIMEOUT},
	 REASON_CPUTimeout,
	 "the program was killed for using more CPU time than allowed: the limit is 5 s"},
	{"our kill for memory is OutOfMemory",
	 {.kind = ENDING_OUT_OF_MEMORY},
	 REASON_OutOfMemory,
	 "the program was killed for using more memory than allowed: the limit is 64Mi"},
	{"our kill for output is OutputLimitExceeded",
	 {.kind = ENDING_OUTPUT_LIMIT},
	 REASON_OutputLimitExceeded,
	 "the program was killed for writing more output than allowed: the limits are 100 bytes "
	 "of stdout and 200 of stderr"},
	{"a kill for a large file is FileSizeLimit",
	 {.kind = ENDING_FILE_SIZE, .signal = 25},
	 REASON_FileSizeLimit,
	 "the program was killed for writing a larger file than allowed: the limit is 1Mi"},
	{"a cancelled run is Cancelled even with exit code 0",
	 {.kind = ENDING_CANCELLED, .exit_code = 0},
	 REASON_Cancelled,
	 "the program was stopped because the task was cancelled"},
	{"not executed in time is StartTimeout",
	 {.kind = ENDING_START_TIMEOUT},
	 REASON_StartTimeout,
	 "the program was not started within its time: the limit is 120 s"},
	{"a missing interpreter is RunnerFailed with stage and errno",
	 {.kind = ENDING_NOT_STARTED, .detail = STR("exec /usr/bin/python3: ENOENT")},
	 REASON_RunnerFailed,
	 "the program could not be started (exec /usr/bin/python3: ENOENT)"},
	{"a partial record ends as the Pod's status says",
	 {.kind = ENDING_STOPPED},
	 REASON_Evicted,
	 "the sandbox was told to stop while the program ran"},
};

static void signals_have_names_or_numbers(void)
{
	static const struct {
		int32_t signal;
		const char *name;
	} signals[] = {{1, "SIGHUP"},	 {9, "SIGKILL"},	 {25, "SIGXFSZ"},
		       {31, "SIGSYS"},	 {32, "signal 32"},	 {64, "signal 64"},
		       {0, "signal 0"},	 {9999, "signal 9999"},	 {10000, "signal 0"},
		       {-1, "signal 0"}, {INT32_MIN, "signal 0"}};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		char text[16];

		is(ending_signal_name(signals[i].signal, text), signals[i].name, "signal %d is %s",
		   (int)signals[i].signal, signals[i].name);
	}
}

static void a_plan_that_is_not_known_names_no_limit(void)
{
	struct ending ending = {.whole = true, .kind = ENDING_OUT_OF_MEMORY};
	struct buf text;

	buf_init(&text, 500);
	ending_describe(&ending, NULL, &text);
	is(text.data, "the program was killed for using more memory than allowed",
	   "without the plan no limit is named");
	buf_free(&text);
}

int main(void)
{
	bool success_seen = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ending ending = rows[i].ending;
		struct buf text;

		ending.whole = true;
		buf_init(&text, 500);
		is(reason_name(ending_reason(&ending, REASON_Evicted)), reason_name(rows[i].reason),
		   "%s", rows[i].name);
		ending_describe(&ending, &plan, &text);
		is(text.data, rows[i].described, "  in words");
		buf_free(&text);
	}
	a_plan_that_is_not_known_names_no_limit();
	for (int kind = 0; kind < ENDING_KIND_COUNT; kind++)
		for (int code = 0; code < 256; code++) {
			struct ending ending = {
				.whole = true, .kind = (enum ending_kind)kind, .exit_code = code};

			if (ending_reason(&ending, REASON_Interrupted) != REASON_Completed)
				continue;
			success_seen = true;
			if (kind != ENDING_EXITED || code != 0)
				fail("kind %d with exit code %d is Completed", kind, code);
		}
	ok(success_seen, "Completed comes from the record of exit code 0 and from nothing else");
	signals_have_names_or_numbers();
	done_testing();
}
