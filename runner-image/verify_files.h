/*
 * verify_files: the verifier's look at files, mounts and /proc (see verify.h). Each check returns
 * what it found and puts a few words about it into `detail`.
 */
#ifndef RUNNER_VERIFY_FILES_H
#define RUNNER_VERIFY_FILES_H

#include "report.h"

struct launch;
struct text;

/* No file can be made outside the scratch folders, and every other mount says it is read-only. */
enum layer_state verify_files_read_only(struct text *detail);
/* /tmp, /work and /dev/shm are one tmpfs with the launch block's size and inodes, and writable. */
enum layer_state verify_files_scratch(const struct launch *launch, struct text *detail);
/*
 * What tells about the sentry, the Pod or the machine is empty, the termination log is not there,
 * and /proc can't be written to.
 */
enum layer_state verify_files_masks(const struct launch *launch, struct text *detail);
/* /dev holds the minimal set and nothing can be added. */
enum layer_state verify_files_devices(const struct launch *launch, struct text *detail);

/* Numeric entries of /proc; -1 with errno. */
int verify_files_count_processes(void);

#endif
