/*
 * leftovers: which processes are still alive in the jail when the program has ended. They are ended
 * with it; the outcome says how many there were, or how many are left that could not be ended.
 */
#ifndef RUNNER_LEFTOVERS_H
#define RUNNER_LEFTOVERS_H

#include <stdint.h>

/* Looks through /proc: every process but this one that is no zombie. */
uint32_t leftovers_count(void);

#endif
