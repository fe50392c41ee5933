/*
 * The runner for tests on the host: everything but the gate, and files to read memory and CPU time
 * from that a test chooses. Never in an image.
 *
 *	ungated [--usage=FILE] [--sentry=FILE] [--cpu=FILE] [the runner's own options]
 */
#include "options.h"
#include "runner.h"
#include "watch.h"

#include <stdbool.h>
#include <stdio.h>

/* True, with the rest of `arg` in `*value`, when it begins with `name`. */
static bool is_option(const char *arg, struct str name, const char **value)
{
	if (!str_starts_with(str_of(arg), name))
		return false;
	*value = arg + name.n;
	return true;
}

int main(int argc, char *argv[])
{
	const struct report none = {LAYER_NOT_SUPPORTED, "the test program, on the host's kernel"};
	const char *usage[2] = {NULL, NULL};
	struct watch_files files = {.usage = usage};
	struct options options;
	struct err err;

	while (argc > 1 && (is_option(argv[1], STR("--usage="), &usage[0]) ||
			    is_option(argv[1], STR("--sentry="), &files.sentry) ||
			    is_option(argv[1], STR("--cpu="), &files.cpu))) {
		argc--;
		argv++;
	}
	if (options_read(&options, argc, argv, &err) < 0) {
		fprintf(stderr, "ungated: %s\n", err.message);
		return RUNNER_EXIT_INTERNAL;
	}
	runner_main(&options, &files, &none);
}
