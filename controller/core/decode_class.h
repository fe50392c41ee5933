/*
 * decode_class: a SandboxClass, as JSON that the API server sent, into struct class. How:
 * decode_task.h. Limits are those of crd/sandboxclasses.yaml, whose defaults the API server has
 * filled in: a field that has one and is missing is an error.
 */
#ifndef CORE_DECODE_CLASS_H
#define CORE_DECODE_CLASS_H

#include "base/err.h"
#include "base/str.h"
#include "class.h"

/* The class owns its strings. To be freed after an error too. */
int decode_class(struct class *class, struct str json, struct err *err);

/* Accepts a zeroed class. */
void decode_class_free(struct class *class);

#endif
