/*
 * step: one thing to do on the way to a jail or a program. Sequences are tables of steps, so that
 * what is done, and in which order, is read at one glance, and a failure names what failed.
 */
#ifndef RUNNER_STEP_H
#define RUNNER_STEP_H

#include "proto/outcome.h"

struct launch;

struct step {
	enum outcome_stage stage;
	const char *name;
	int (*run)(const struct launch *launch); /* 0, or -1 with errno */
};

/* Bytes of a failure's name with its NUL. */
#define STEP_NAME_SIZE 32

/* What failed and why. */
struct failure {
	enum outcome_stage stage;
	int error; /* errno */
	char name[STEP_NAME_SIZE];
};

/* Runs the steps until one fails: 0, or -1 with `*failure` filled. */
int step_run_all(const struct step *steps, unsigned count, const struct launch *launch,
		 struct failure *failure);

/* A failure of something that is no step. */
struct failure step_failure(enum outcome_stage stage, const char *name, int error);

#endif
