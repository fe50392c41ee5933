/*
 * tree: every process below the runner, ended and collected.
 *
 * The runner is process 1 of its pid namespace, and kill(-1) reaches all that is in it, nested
 * namespaces, daemons and stopped processes included. In any other place the same call would end
 * what is not ours: each of them stands behind assert(getpid() == 1).
 *
 * waitpid() on the jail's init returns before its descendants are gone (inside gVisor, by up to
 * 0.3 s), and a process that is forking may be missed by one kill. So: kill, collect, look, again.
 */
#ifndef RUNNER_TREE_H
#define RUNNER_TREE_H

#include <stdbool.h>
#include <sys/types.h>

/* SIGKILL to all. */
void tree_kill(void);

/* Collects what has ended, and what was orphaned and ended. True when `init` was among it. */
bool tree_collect(pid_t init);

/* Nothing is left but the runner itself, not even a zombie. */
bool tree_is_empty(void);

#endif
