/*
 * sim_target: a request's path and query, taken apart as an API server does.
 */
#ifndef SIM_SIM_TARGET_H
#define SIM_SIM_TARGET_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

#define SIM_TARGET_TEXT_SIZE 4096
#define SIM_TARGET_QUERY_MAX 16

struct sim_target {
	struct str group, version, in_namespace, plural, name, subresource; /* or empty */
	struct {
		struct str key, value;
	} query[SIM_TARGET_QUERY_MAX];
	size_t query_count;
	char text[SIM_TARGET_TEXT_SIZE]; /* decoded: what the slices borrow from */
};

/* False: no path of this API, or too long. */
bool sim_target_read(struct sim_target *target, const char *path_and_query);

/* A value of the query, empty without one. */
struct str sim_target_query(const struct sim_target *target, const char *key);
/* As Kubernetes reads a boolean: given, and neither "0" nor "false". */
bool sim_target_flag(const struct sim_target *target, const char *key);

#endif
