/*
 * hello: the facts about itself that a runner adds to HELLO.
 */
#ifndef PROTO_HELLO_H
#define PROTO_HELLO_H

#include "layer.h"

/* Bytes of the facts; less than a frame has room for, since a delimiter goes before HELLO. */
#define HELLO_FACTS_BYTES_MAX 12288

struct hello {
	struct str build;
	struct str kernel;
	uint32_t uid;
	uint64_t memory_limit_bytes; /* 0: the runner sees none */
	uint32_t cpu_limit_milli;    /* 0: the runner sees none */
	uint64_t bundle_bytes_max;
	uint64_t outcome_bytes_max;
	uint32_t boot_us; /* what it took the runner to build and verify its jail */
	struct layer layers[LAYERS_MAX];
	size_t layers_count;
};

/* Writes the facts into `out` of HELLO_FACTS_BYTES_MAX bytes; `*facts` borrows from it. */
int hello_encode(const struct hello *h, uint8_t *out, struct str *facts, struct err *err);

/* The struct's slices borrow from `facts`. On failure it is zeroed. */
int hello_decode(struct str facts, struct hello *h, struct err *err);

#endif
