/*
 * decode_task: a SandboxTask, as JSON that the API server sent, into struct task.
 *
 * Nothing of it goes through a general JSON library: text of users keeps every byte, integers keep
 * every digit, and of duplicate keys the last counts, as it does for everybody else. Limits are
 * those of crd/sandboxtasks.yaml; an object that breaks one, which the API server would not have
 * let in, is an error that names the field.
 */
#ifndef CORE_DECODE_TASK_H
#define CORE_DECODE_TASK_H

#include "base/err.h"
#include "base/str.h"
#include "task.h"

/*
 * The task owns its strings: the JSON may go. ERR_INVALID, ERR_TOO_LARGE: no JSON object, or one
 * without the metadata that anything else needs. A spec that is not as the schema says is no error
 * here: `task->spec_error` holds it, so that the task can be ended with it.
 *
 * To be freed after an error too.
 */
int decode_task(struct task *task, struct str json, struct err *err);

/* Accepts a zeroed task. */
void decode_task_free(struct task *task);

#endif
