/*
 * signals: all that the kernel has. Through libc, the three that it keeps to itself (32 to 34) can
 * neither be ignored nor blocked nor reset, and their default is to end the process: inside gVisor,
 * where an init has no protection from those of its namespace, that would be the jail's.
 */
#ifndef RUNNER_SIGNALS_H
#define RUNNER_SIGNALS_H

#include <stdint.h>

#define SIGNALS_MAX 64 /* the highest signal of Linux */

/* The bit of a signal in a mask. */
#define SIGNALS_BIT(number) (1ull << ((number)-1))

/* Ignores the signals of the mask, and sets the others to their defaults. */
void signals_ignore(uint64_t mask);

/* Blocks these and no others. -1 with errno. */
int signals_block(uint64_t mask);

#endif
