/*
 * scratch: what stands in the writable folders before the program starts: its home, the folders
 * that libraries look for, and the task's files in the working folder.
 */
#ifndef RUNNER_SCRATCH_H
#define RUNNER_SCRATCH_H

struct launch;

/* Runs in the jail's init, after mounts_scratch. 0, or -1 with errno. */
int scratch_fill(const struct launch *launch);

#endif
