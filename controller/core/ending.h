/*
 * ending: how a run ended by the runner's own record, and which reason that is.
 *
 * The session decodes and bounds the record (proto/outcome.h) and hands over what the core needs.
 * `whole` says that length and hash of what was pulled match. Success comes from here alone: an
 * end that the runner itself saw as exit code 0.
 */
#ifndef CORE_ENDING_H
#define CORE_ENDING_H

#include "base/buf.h"
#include "base/str.h"
#include "plan.h"
#include "reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENDING_LIMIT_HITS_MAX 16

enum ending_kind {
	ENDING_EXITED,	    /* by itself, with `exit_code` */
	ENDING_SIGNALLED,   /* by `signal`, which the runner did not send */
	ENDING_VANISHED,    /* killed from inside together with the record of how */
	ENDING_RUN_TIMEOUT, /* killed by the runner, as are those down to FILE_SIZE */
	ENDING_INSTALL_TIMEOUT,
	ENDING_CPU_TIMEOUT,
	ENDING_OUT_OF_MEMORY,
	ENDING_OUTPUT_LIMIT,
	ENDING_FILE_SIZE, /* or by the kernel for the limit that we set: SIGXFSZ */
	ENDING_CANCELLED,
	ENDING_START_TIMEOUT, /* the program was not executed in time */
	ENDING_NOT_STARTED,   /* the program could not be executed: `detail` has stage and errno */
	ENDING_STOPPED,	      /* the sandbox was told to stop in mid-run: a partial record */
	ENDING_KIND_COUNT
};

struct ending_stream {
	struct str head, tail; /* what was kept; without omission all is in `head` */
	uint64_t bytes;	       /* that the program wrote */
};

struct ending {
	bool whole; /* length and hash match */
	enum ending_kind kind;
	int32_t exit_code; /* below 0: it did not exit */
	int32_t signal;	   /* 0: it was not ended by one */
	struct str detail;
	struct ending_stream stdout_kept, stderr_kept;
	int64_t run_ms, cpu_ms, memory_peak_bytes, tmp_peak_bytes; /* below 0: not measured */
	int32_t leftover_processes;
	struct str limit_hits[ENDING_LIMIT_HITS_MAX];
	size_t limit_hit_count;
};

/*
 * Why the task ended, from a whole record. For ENDING_STOPPED that is `stopped_by`, what the Pod's
 * status says about the stop, which is a reason after the mark (podstatus.h).
 */
enum reason ending_reason(const struct ending *ending, enum reason stopped_by);

/*
 * Appends what happened, in words, with exit code, signal or limit. The limits are those of the
 * plan that was carried out; without it (NULL) they are not named.
 */
void ending_describe(const struct ending *ending, const struct plan *plan, struct buf *out);

/* "SIGSEGV" for 11; "signal 63" for what has no name. Valid until the next call with `text`. */
const char *ending_signal_name(int32_t signal, char text[16]);

#endif
