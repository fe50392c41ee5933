/*
 * mounts: what the program sees of files. Runs in the jail's init, in its own mount namespace.
 *
 * The image's root stays, read-only, and so does every other mount of the Pod. Over it lie:
 *   /proc		a new one, of the jail's processes only; read-only, parts are masked
 *   /dev		null, zero, full, random, urandom, the standard streams; read-only
 *   /sys		empty and read-only
 *   /tmp /work /dev/shm	one tmpfs with a size and a number of inodes: all that is writable
 *
 * gVisor answers a remount of a tmpfs with success and ignores the new size. So a program's tmpfs
 * is a new one, mounted over the one of the verification.
 */
#ifndef RUNNER_MOUNTS_H
#define RUNNER_MOUNTS_H

#include "step.h"

struct launch;

/* The steps that build all of it, for step_run_all; the last one is mounts_scratch. */
extern const struct step mounts_steps[];
extern const unsigned mounts_step_count;

/*
 * The writable tmpfs with the sizes of the launch block, checked after mounting; its root is open
 * as USER_SCRATCH_FD. May be called again: the new one covers the old. -1 with errno.
 */
int mounts_scratch(const struct launch *launch);

#endif
