/*
 * options: what the Pod's manifest tells the runner. The controller sizes the Pod by the same
 * numbers: they are the room that bundle and outcome have on top of the program's memory.
 */
#ifndef RUNNER_OPTIONS_H
#define RUNNER_OPTIONS_H

#include "base/err.h"

#include <stdint.h>

struct options {
	uint64_t bundle_bytes;	/* of the largest bundle; an OFFER over it is refused */
	uint64_t outcome_bytes; /* of the largest outcome: streams and SEAL_MANIFEST_BYTES_MAX */
	uint64_t grace_ms;	/* the Pod's terminationGracePeriodSeconds */
};

/* --bundle-bytes=N --outcome-bytes=N --grace-seconds=N, each with a default. */
int options_read(struct options *options, int argc, char *const argv[], struct err *err);

#endif
