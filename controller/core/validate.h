/*
 * validate: whether a task can be run as it stands, and if not, the first thing that is wrong.
 *
 * The API server has held the object against the schema. What is checked again here, and what the
 * schema can't say: bytes where it counts characters, what the object takes once it is stored, and
 * everything that depends on the class. The checks are a chain; its order is the order in which a
 * user wants to hear about mistakes. A message names the field, the limit and what to change.
 */
#ifndef CORE_VALIDATE_H
#define CORE_VALIDATE_H

#include "base/str.h"
#include "class.h"
#include "snapshot.h"
#include "task.h"

#define VALIDATE_CODE_BYTES_MAX	  (256u << 10)
#define VALIDATE_STDIN_BYTES_MAX  (512u << 10)
#define VALIDATE_ARG_BYTES_MAX	  4096u
#define VALIDATE_ENV_NAME_MAX	  256u
#define VALIDATE_ENV_BYTES_MAX	  (32u << 10)
#define VALIDATE_STORED_BYTES_MAX (768u << 10) /* spec and metadata, as etcd has them */

/*
 * Fills `refusal`; REASON_NONE when nothing is wrong. Without a class (NULL) only what does not
 * depend on it is checked. `namespace_labels` are those of the task's namespace, as JSON.
 */
void validate(const struct task *task, const struct class *class, struct str namespace_labels,
	      struct refusal *refusal);

#endif
