#include "step.h"

#include "text.h"

#include <errno.h>

struct failure step_failure(enum outcome_stage stage, const char *name, int error)
{
	struct failure failure = {.stage = stage, .error = error};
	struct text t = text_in(failure.name, sizeof(failure.name));

	text_add(&t, name);
	return failure;
}

int step_run_all(const struct step *steps, unsigned count, const struct launch *launch,
		 struct failure *failure)
{
	for (unsigned i = 0; i < count; i++) {
		if (steps[i].run(launch) == 0)
			continue;
		*failure = step_failure(steps[i].stage, steps[i].name, errno);
		return -1;
	}
	return 0;
}
