/*
 * init: process 1 of the jail. It builds the jail around itself, has it verified, waits for the
 * order to start, starts the program, and tells how it ended. Then it exits, and the kernel ends
 * whatever is left in its pid namespace.
 *
 * It is a clone of the runner (no exec), in all six namespaces, with the jail's ends of the pipes
 * on 0, 1 and 2 and the note pair on USER_NOTES_FD, and nothing else open. Only async-signal-safe
 * calls: no allocation, no stdio.
 */
#ifndef RUNNER_INIT_H
#define RUNNER_INIT_H

struct launch;

/* Never returns. Every failure is told as NOTE_FAILED before the process ends. */
void init_main(const struct launch *launch) __attribute__((noreturn));

#endif
