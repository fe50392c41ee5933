/*
 * input: the bundle of one task, ready to be sent: the program, its arguments and environment, its
 * standard input, and the limits of the plan.
 */
#ifndef MANAGER_INPUT_H
#define MANAGER_INPUT_H

#include "base/err.h"
#include "core/plan.h"
#include "core/task.h"
#include "proto/object.h"

struct input {
	struct buf bytes; /* which the object's pieces are in */
	struct object object;
};

/*
 * From a task, the plan by which it runs, and the variables of its runtime: a JSON array of
 * {name, value}, or empty. NULL with ERR_INVALID or ERR_TOO_LARGE, which validate should have
 * prevented.
 */
struct input *input_new(const struct task *task, const struct plan *plan, struct str runtime_env,
			struct err *err);
void input_delete(struct input *input); /* accepts NULL */

#endif
