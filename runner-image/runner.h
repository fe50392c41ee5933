/*
 * runner: process 1 of the sandbox, from boot to exit: one epoll loop over the protocol's two
 * streams, signals, and the jail's pipes. One task per life.
 *
 * - It takes all its memory at boot: the spools of bundle and outcome are mapped then and touched
 *   when they are filled. Nothing is allocated afterwards, so nothing can fail for want of memory.
 * - After boot it never exits on what comes in, whatever it is; a stdout that nobody reads and a
 *   stdin at its end stop the talk, not the run.
 * - It exits with 70 when the jail ends before START: what HELLO reported is gone, nothing ran, and
 *   the controller may try another Pod. After START such an end is part of the outcome.
 * - It exits on SIGTERM: at once when no outcome would be lost, else after the run was stopped and
 *   its partial outcome was on offer until shortly before the Pod's grace period ends.
 */
#ifndef RUNNER_RUNNER_H
#define RUNNER_RUNNER_H

#include "options.h"
#include "report.h"

struct watch_files;

/* Exit code for what is the runner's own fault, before anything was run. */
#define RUNNER_EXIT_INTERNAL 70

/*
 * Never returns. `gvisor` is what the gate found (gate.h), or that there is none; `files` is where
 * memory and CPU time are read.
 */
void runner_main(const struct options *options, const struct watch_files *files,
		 const struct report *gvisor) __attribute__((noreturn));

#endif
