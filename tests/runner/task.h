/*
 * task: the description of one run, as tests write it: lines of "key value".
 *
 *	code main.py /tmp/x/main.py	the code's name and where it is (or "file", "stdin")
 *	arg python3			one of the command, in order
 *	env NAME=value
 *	run-ms 2000			a number of the bundle; all have sound defaults
 *
 * What is read lives until the process ends; a bad description ends the process.
 */
#ifndef TESTS_RUNNER_TASK_H
#define TESTS_RUNNER_TASK_H

#include "proto/bundle.h"

struct task {
	struct bundle bundle;
	uint8_t run_id[16];
	uint64_t attempt;
	uint64_t session;
	uint64_t cancel_grace_ms;
	uint64_t cancel_at_bytes; /* of stdout; 0 is never */
	uint64_t cancel_early;	  /* before START */
	uint64_t leave_at_bytes;  /* of stdout: the client leaves without a word; 0 is never */
	uint64_t release;	  /* after the outcome was pulled */
	struct str stop_at;	  /* state in which the client leaves without a word */
};

void task_read(struct task *task, const char *path);

/* The whole content of a file. */
struct str task_read_file(const char *path);

#endif
