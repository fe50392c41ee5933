/*
 * facts: what HELLO says about this runner, its Pod and its jail.
 */
#ifndef RUNNER_FACTS_H
#define RUNNER_FACTS_H

#include "proto/hello.h"

#include <stdint.h>

struct jail;
struct options;
struct watch;

/*
 * Writes them into `out` of HELLO_FACTS_BYTES_MAX bytes; the result borrows from it. `boot_us` is
 * how long the boot took.
 */
struct str facts_write(const struct options *options, const struct jail *jail,
		       const struct watch *watch, uint32_t boot_us, uint8_t *out);

#endif
