/*
 * outcome: what a run came to, from the runner to the controller.
 *
 * manifest.h says how it lies on the wire, tags.h what each field is. Parts: head and tail of
 * stdout, of stderr, of the install log; the result; the files.
 *
 * The decoder trusts nothing: the runner shares a kernel with hostile code, and whatever came out
 * of that Pod is treated as if that code had written it. What it can check, it checks; what is the
 * program's own word (the bytes of streams, result and files) stays bytes: whether they are UTF-8
 * or JSON is for the one who puts them into a status.
 */
#ifndef PROTO_OUTCOME_H
#define PROTO_OUTCOME_H

#include "layer.h"
#include "manifest.h"
#include "proto.h"
#include "tags.h"

#define OUTCOME_FILES_MAX	   64
#define OUTCOME_SKIPPED_MAX	   64
#define OUTCOME_MANIFEST_BYTES_MAX (256u << 10)

/* Who ended it. */
enum outcome_verdict {
	VERDICT_EXITED,	     /* the program, with exit_code */
	VERDICT_SIGNALLED,   /* a signal that the runner did not send */
	VERDICT_KILLED,	     /* the runner, for `killed_for`; exit_code or signal is how it ended */
	VERDICT_VANISHED,    /* the jail's init died and left no record: killed from inside */
	VERDICT_NOT_STARTED, /* nobody: it could not be run; stage, error_number, detail */
	VERDICT_MAX = VERDICT_NOT_STARTED,
};

enum outcome_killed_for {
	KILLED_FOR_NOTHING,
	KILLED_FOR_RUN_TIME,
	KILLED_FOR_INSTALL_TIME,
	KILLED_FOR_CPU_TIME,
	KILLED_FOR_MEMORY,
	KILLED_FOR_OUTPUT,   /* on_overflow: Fail */
	KILLED_FOR_CANCEL,   /* CANCEL */
	KILLED_FOR_SHUTDOWN, /* SIGTERM to the runner: the Pod is being deleted or evicted */
	KILLED_FOR_MAX = KILLED_FOR_SHUTDOWN,
};

/* Where a run that could not begin got stuck. */
enum outcome_stage {
	STAGE_NONE,
	STAGE_JAIL,   /* namespaces, mounts, their sizes */
	STAGE_FILES,  /* code and files into the working folder */
	STAGE_LIMITS, /* rlimits, capabilities, seccomp */
	STAGE_EXEC,   /* the program's file */
	STAGE_BUDGET, /* start_ms was over before exec */
	STAGE_MAX = STAGE_BUDGET,
};

/* Bits of limit_hits: limits the program met and lived with, or died of by itself. Hints only. */
enum outcome_limit {
	LIMIT_MEMORY,
	LIMIT_TMP_BYTES,
	LIMIT_TMP_INODES,
	LIMIT_PROCESSES,
	LIMIT_OPEN_FILES,
	LIMIT_FILE_BYTES,
	LIMIT_CPU,
};

/* Why a file was not collected. */
enum outcome_skip {
	SKIP_NOT_REGULAR = 1, /* a link, socket, device, … */
	SKIP_TOO_LARGE,
	SKIP_TOO_MANY,
	SKIP_BAD_NAME, /* no UTF-8, or too long */
	SKIP_UNREADABLE,
};

enum outcome_stream {
	STREAM_STDOUT,
	STREAM_STDERR,
	STREAM_INSTALL_LOG,
	STREAM_RESULT, /* all of it in head, or nothing kept */
	STREAM_COUNT,
};

/* Bytes between head and tail are omitted: total - head - tail of them. */
struct stream {
	uint64_t total;
	struct str head, tail;
	uint8_t sha256[SHA256_BYTES]; /* of all bytes, also of the omitted ones */
};

struct usage {
	uint32_t wall_ms, user_ms, system_ms;
	uint64_t memory_peak_bytes;
	uint32_t processes_peak;
	/* Alive after the program, and killed; where `detail` says that some could not be killed,
	 * how many of those there were. */
	uint32_t leftovers;
};

struct outcome_file {
	struct str path; /* relative, stays inside */
	uint16_t mode;
	struct str data;
	uint8_t sha256[SHA256_BYTES];
};

struct outcome_skipped {
	struct str path; /* any bytes */
	uint8_t reason;	 /* enum outcome_skip, or a later one */
};

struct outcome {
	uint8_t verdict; /* enum outcome_verdict */
	uint8_t exit_code;
	uint8_t signal;
	uint8_t killed_for; /* enum outcome_killed_for */
	uint8_t stage;	    /* enum outcome_stage */
	uint16_t error_number;
	struct str detail; /* for people: of what could not be run, or not be killed */
	uint8_t phase;	   /* PHASE_INSTALLING or PHASE_RUNNING */
	uint8_t partial;
	uint8_t bundle_sha256[SHA256_BYTES];
	struct stream streams[STREAM_COUNT];
	struct outcome_file files[OUTCOME_FILES_MAX];
	size_t files_count;
	struct outcome_skipped skipped[OUTCOME_SKIPPED_MAX];
	size_t skipped_count;
	uint32_t skipped_more;
	uint32_t start_ms;
	struct usage install, run;
	uint32_t limit_hits;
	struct layer layers[LAYERS_MAX];
	size_t layers_count;
	uint8_t memory_enforced;
	uint64_t memory_limit_bytes;
};

/* Like bundle_encode. The hash of streams and files is the caller's to give, and is trusted. */
int outcome_encode(const struct outcome *o, uint8_t *manifest, size_t size, struct object *object,
		   struct err *err);

/* The struct's slices borrow from `bytes`. Hashes are checked where all bytes are there. On failure
 * the struct is zeroed. */
int outcome_decode(struct str bytes, struct outcome *o, struct err *err);

/* Bytes that were written but not kept. */
uint64_t outcome_omitted(const struct stream *s);

#endif
