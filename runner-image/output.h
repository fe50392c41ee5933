/*
 * output: what is kept of one stream of the program, in constant memory.
 *
 * Of a limit of n bytes, three quarters are the head and one quarter the tail. While the stream is
 * not longer than n, all of it is kept and nothing is missing; beyond that the head stays and the
 * tail is a ring with the latest bytes. Length and SHA-256 are always those of the whole stream.
 */
#ifndef RUNNER_OUTPUT_H
#define RUNNER_OUTPUT_H

#include "base/sha256.h"
#include "proto/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
	uint8_t *memory; /* the caller's, `limit` bytes: head and tail side by side */
	size_t limit;
	size_t head_size; /* of the limit, the rest is the tail's */
	uint64_t total;	  /* bytes the program wrote */
	struct sha256 hash;
};

void output_init(struct output *o, uint8_t *memory, size_t limit);

void output_add(struct output *o, const uint8_t *bytes, size_t length);

/* More was written than is kept. Exactly the limit is not more. */
bool output_is_cut(const struct output *o);

/*
 * Describes the stream; the slices borrow from the memory, whose tail is turned so that it lies in
 * order. Where bytes are missing, head and tail are cut on characters, each as far as it is UTF-8.
 * Once only, after the last byte.
 */
void output_seal(struct output *o, struct stream *stream);

#endif
