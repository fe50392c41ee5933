/*
 * vectors: the golden bytes of the runner protocol. They were made from the specification by a
 * program that shares no code with controller/proto, and do not change while layout 1 lives.
 *
 * A frame stands here twice: its body field by field, then as it is on the wire.
 */
#ifndef TESTS_PROTO_VECTORS_H
#define TESTS_PROTO_VECTORS_H

#include <stddef.h>

struct vector {
	const char *name;
	const char *body; /* hexadecimal */
	const char *wire;
};

extern const struct vector frame_vectors[];
extern const size_t frame_vectors_count;

/* sample_hello, sample_bundle and sample_outcome of proto_samples.h. */
extern const char hello_vector[];
extern const char bundle_vector[];
extern const char outcome_vector[];

#endif
