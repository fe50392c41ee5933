/*
 * isolation: what a sandbox has proved about itself, as its runner reported it and the session held
 * it against the plan before any code was sent.
 */
#ifndef CORE_ISOLATION_H
#define CORE_ISOLATION_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISOLATION_LAYERS_MAX 32

enum isolation_state { ISOLATION_HELD, ISOLATION_MISSING, ISOLATION_NOT_SUPPORTED };

struct isolation_layer {
	struct str name, detail;
	enum isolation_state state;
};

struct isolation {
	struct str runtime; /* "gVisor" */
	int64_t uid;	    /* as the node sees it; below 0: not reported */
	bool read_only_root, no_new_privileges;
	bool memory_limit_seen; /* the sandbox itself saw the Pod's limit */
	struct isolation_layer layers[ISOLATION_LAYERS_MAX];
	size_t layer_count;
};

#endif
