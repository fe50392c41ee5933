/*
 * jail: where the program will run, as the runner sees it.
 *
 * One clone() makes all six namespaces (user, network, pid, mount, ipc, uts) and the jail's init
 * (init.h) in them. Three pipes are the program's standard streams, one note pair is the word
 * between runner and init. The jail is built once, at boot, and is the one the program runs in:
 * what HELLO reports was seen in it.
 */
#ifndef RUNNER_JAIL_H
#define RUNNER_JAIL_H

#include "report.h"
#include "step.h"

#include <sys/types.h>

struct launch;

struct jail {
	pid_t init;		   /* 0 when it was collected */
	int notes;		   /* non-blocking, as are the following; -1 when closed */
	int input, output, errors; /* the runner's ends of the program's 0, 1 and 2 */
	int scratch;		   /* root of the tmpfs, from the program's start on; -1 before */
	struct report layers[LAYER_ID_COUNT];
};

/*
 * Builds and verifies the jail, and waits for that (some 15 ms, at most JAIL_BOOT_MS). 0, or -1
 * with what failed. A layer that was found missing is no failure: it is in `layers`, and whoever
 * sends code decides.
 */
int jail_build(struct jail *jail, struct launch *launch, struct failure *failure);

#define JAIL_BOOT_MS 20000

/* Closes what is non-negative and sets it to -1. */
void jail_close(int *fd);

#endif
