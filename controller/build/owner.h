/*
 * owner: a task as the owner of what belongs to it, so that Kubernetes' garbage collector deletes
 * it after the task.
 *
 * Only for objects of the task's own namespace: with an owner in another one the collector would
 * take the owner for gone, and the object with it.
 */
#ifndef BUILD_OWNER_H
#define BUILD_OWNER_H

#include "base/str.h"

struct out;

/* Writes the member ownerReferences of a metadata. */
void owner_write(struct out *o, struct str task_name, struct str task_uid);

#endif
