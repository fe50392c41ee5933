/*
 * The runner as it is shipped: the gate first, and no way around it.
 */
#include "gate.h"
#include "options.h"
#include "runner.h"
#include "watch.h"

#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	const struct report held = {LAYER_HELD,
				    "kernel log and memory information are the sentry's"};
	const char *missing = gate_check();
	struct options options;
	struct err err;

	if (missing)
		gate_refuse(missing);
	if (options_read(&options, argc, argv, &err) < 0) {
		if (write(STDERR_FILENO, err.message, strlen(err.message)) < 0)
			return RUNNER_EXIT_INTERNAL;
		return RUNNER_EXIT_INTERNAL;
	}
	runner_main(&options, &watch_files_of_pod, &held);
}
