/*
 * bundle: everything a run needs, from the controller to the runner.
 *
 * manifest.h says how it lies on the wire, tags.h what each field is. Parts follow the manifest in
 * the order of its table: the code, then stdin, then params, then files.
 */
#ifndef PROTO_BUNDLE_H
#define PROTO_BUNDLE_H

#include "manifest.h"
#include "tags.h"

/* The task may have 64 arguments, 64 variables and 64 files; runtime and class add theirs. */
#define BUNDLE_ARGV_MAX		  80
#define BUNDLE_ENV_MAX		  128
#define BUNDLE_PARTS_MAX	  67
#define BUNDLE_MANIFEST_BYTES_MAX (1u << 20)

enum bundle_mode {
	BUNDLE_SCRIPT,	 /* run argv */
	BUNDLE_FUNCTION, /* call `entrypoint` with params, give back its result */
	BUNDLE_LINT,	 /* check the code, run nothing of it */
	BUNDLE_MODE_MAX = BUNDLE_LINT,
};

/* What happens when a stream grows over what is kept of it. */
enum bundle_overflow {
	OVERFLOW_TRUNCATE, /* head and tail are kept, the run goes on */
	OVERFLOW_FAIL,	   /* the run is killed */
	OVERFLOW_MAX = OVERFLOW_FAIL,
};

enum bundle_role {
	PART_CODE,   /* exactly one; path is its file name in the working folder */
	PART_STDIN,  /* at most one, without a path; none: stdin is at its end */
	PART_PARAMS, /* at most one, in Function only: JSON text, opaque here */
	PART_FILE,   /* path is relative to the working folder */
	PART_ROLE_MAX = PART_FILE,
};

struct bundle_env {
	struct str name, value;
};

struct bundle_part {
	uint8_t role; /* enum bundle_role */
	struct str path;
	uint16_t mode; /* permission bits; 0 for stdin and params */
	struct str data;
};

struct bundle {
	uint8_t mode; /* enum bundle_mode */
	struct str language;
	struct str entrypoint;
	struct str argv[BUNDLE_ARGV_MAX];
	size_t argv_count;
	struct bundle_env env[BUNDLE_ENV_MAX];
	size_t env_count;
	uint64_t memory_bytes, tmp_bytes;
	uint32_t tmp_inodes, processes, open_files;
	uint64_t file_bytes;
	uint32_t cpu_seconds;
	uint16_t cpus;
	uint32_t stdout_bytes, stderr_bytes;
	uint8_t on_overflow; /* enum bundle_overflow */
	uint32_t install_log_bytes, result_bytes;
	uint32_t start_ms, install_ms, run_ms;
	struct bundle_part parts[BUNDLE_PARTS_MAX];
	size_t parts_count;
};

/*
 * Makes the object of a bundle: its manifest in `manifest`, which has `size` bytes (4 +
 * BUNDLE_MANIFEST_BYTES_MAX always suffice), and the parts where they lie. Sealed. ERR_INVALID or
 * ERR_TOO_LARGE names the field, never its content.
 */
int bundle_encode(const struct bundle *b, uint8_t *manifest, size_t size, struct object *o,
		  struct err *err);

/* Everything that tags.h and this header demand has been checked; slices borrow from `bytes`. On
 * failure the struct is zeroed. */
int bundle_decode(struct str bytes, struct bundle *b, struct err *err);

#endif
