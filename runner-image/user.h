/*
 * user: the last steps of a process before it runs what it was made for: the user's program, or the
 * verifier that looks at the jail with the very same rights.
 *
 * Only async-signal-safe calls: this runs between clone and exec, where musl's own idea of the
 * thread (its cached thread id) is that of another process.
 */
#ifndef RUNNER_USER_H
#define RUNNER_USER_H

#include "step.h"

struct launch;

/*
 * Own session, default signals, only init's descriptors beside the standard streams (closed by
 * exec), limits, working folder, no capability and none to get back, no new privileges, seccomp. 0,
 * or -1 with what failed.
 */
int user_become(const struct launch *launch, struct failure *failure);

/* Starts the program of the launch block; returns only on failure, with errno. */
void user_exec(const struct launch *launch);

/*
 * RLIMIT_NPROC counts the tasks of this user in the whole sandbox. Not the program's are: the
 * runner, the jail's init, and the Pod's pause container, which runs as the same user. Where it
 * does not (and on Linux, which counts the jail's namespace alone) a program may have one or two
 * tasks more.
 */
#define USER_OTHER_TASKS 3

/* Descriptors of the jail's init, right above the standard streams; exec closes them. */
#define USER_NOTES_FD	3 /* the note pair */
#define USER_SCRATCH_FD 4 /* the root of the scratch tmpfs, which no path leads to */

#endif
