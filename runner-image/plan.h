/*
 * plan: from the bundle to the launch block: which command, environment, files and limits.
 *
 * The environment is made from nothing: a few variables of ours, then the bundle's over them.
 */
#ifndef RUNNER_PLAN_H
#define RUNNER_PLAN_H

#include "proto/bundle.h"

#include <stdbool.h>

struct launch;

/* This runner runs scripts: a bundle with another mode or an install phase is refused. */
bool plan_is_supported(const struct bundle *bundle);

/* Fills the launch block; -1 when something does not fit. File contents stay in the bundle. */
int plan_fill(const struct bundle *bundle, struct launch *launch);

/* What the program reads from its standard input; empty when the bundle has no such part. */
struct str plan_input(const struct bundle *bundle);

#endif
