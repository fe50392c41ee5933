/*
 * plans: a plan from the JSON of a spec and a class, for tests of what is built from it.
 */
#ifndef TESTS_PLANS_H
#define TESTS_PLANS_H

#include "core/decode_class.h"
#include "core/decode_task.h"
#include "core/plan.h"

#include "objects.h"
#include "tap.h"

#include <stdio.h>

#define PLANS_UID "11111111-2222-3333-4444-555555555555"

static inline void plans_make(struct plan *plan, const char *spec, const char *class_json)
{
	static char json[8192];
	struct class class;
	struct task task;
	struct err err;

	snprintf(json, sizeof(json), OBJECTS_TASK("%s"), spec);
	if (decode_task(&task, json_of(json), &err) < 0 ||
	    decode_class(&class, json_of(class_json), &err) < 0)
		fail("%s", err.message);
	plan_make(plan, &task, &class);
	decode_task_free(&task);
	decode_class_free(&class);
}

#endif
