/*
 * launch: everything the jail needs to know to start the program, in memory that the runner and the
 * jail's init share.
 *
 * It is mapped once at boot, before the jail is cloned: both sides see it at the same address, so
 * pointers in it (and into the bundle's spool, mapped the same way) hold on both. The runner fills
 * it between NOTE_READY and NOTE_START; after that nobody writes to it. The user's program never
 * sees it: exec drops the mapping.
 */
#ifndef RUNNER_LAUNCH_H
#define RUNNER_LAUNCH_H

#include "proto/bundle.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LAUNCH_ARGS_MAX		 BUNDLE_ARGV_MAX
#define LAUNCH_ENV_MAX		 (BUNDLE_ENV_MAX + 16) /* the plan's and our own */
#define LAUNCH_FILES_MAX	 BUNDLE_PARTS_MAX
#define LAUNCH_STRINGS_BYTES_MAX (BUNDLE_MANIFEST_BYTES_MAX + (64u << 10)) /* all texts are in it */

/* Who and what: seen in the jail as this user and group whatever the Pod runs as. */
#define LAUNCH_UID 65534

/* Where things are in the jail. */
#define LAUNCH_WORK_FOLDER "/work"
#define LAUNCH_HOME	   "/tmp/home"
#define LAUNCH_PATH	   "/usr/local/bin:/usr/bin:/bin"

#define LAUNCH_NAMESPACES 6
#define LAUNCH_PAGE_BYTES 4096 /* in which a tmpfs counts */
#define LAUNCH_OWN_INODES 8    /* root and three places of the tmpfs, the home and its folders */

struct launch_limits {
	uint64_t scratch_bytes; /* of the one tmpfs that is /tmp, /work and /dev/shm; whole pages */
	uint64_t scratch_inodes;
	uint64_t processes; /* and threads, of the program */
	uint64_t open_files;
	uint64_t file_bytes;  /* of one file */
	uint64_t cpu_seconds; /* of one process; 0 is no limit */
};

struct launch_file {
	const char *path; /* below the working folder, relative, checked by the bundle's decoder */
	const void *bytes;
	size_t length;
	mode_t mode;
};

struct launch {
	uid_t outer_uid; /* of the runner, before the jail's user namespace */
	gid_t outer_gid;
	char outer_namespaces[LAUNCH_NAMESPACES][24]; /* /proc/self/ns/… in the order of verify.c */

	struct launch_limits limits;
	size_t arg_count, env_count, file_count;
	char *args[LAUNCH_ARGS_MAX + 1]; /* NULL-terminated, as exec wants them */
	char *env[LAUNCH_ENV_MAX + 1];
	struct launch_file files[LAUNCH_FILES_MAX];

	size_t strings_length;
	char strings[LAUNCH_STRINGS_BYTES_MAX];
};

/* Maps a launch block with the limits the jail is verified with. NULL with errno. */
struct launch *launch_map(void);

/* Drops arguments, environment and files; limits and the outer facts stay. */
void launch_clear(struct launch *launch);

/* Each copies its text; -1 when there is no room, or when the text has a NUL byte. */
int launch_add_arg(struct launch *launch, struct str arg);
int launch_add_env(struct launch *launch, struct str name, struct str value);
/* `bytes` is borrowed and must be in memory shared with the jail. */
int launch_add_file(struct launch *launch, struct str path, struct str bytes, mode_t mode);

#endif
