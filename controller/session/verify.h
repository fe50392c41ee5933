/*
 * verify: the report of a runner about its jail, held against what the plan demands, before any
 * code is sent. Pure.
 *
 * What is not reported is not held. A report that says more than was demanded is fine: a newer
 * runner may know more layers.
 */
#ifndef SESSION_VERIFY_H
#define SESSION_VERIFY_H

#include "proto/hello.h"

#include <stdint.h>

#define VERIFY_TEXT_SIZE 512

#define VERIFY_ALL_LAYERS ((1u << LAYER_ID_COUNT) - 1)
#define VERIFY_ANY_UID	  (-1)

struct verify_demands {
	uint32_t layers;	     /* 1 << enum layer_id */
	int64_t uid;		     /* of the runner, outside the jail; or VERIFY_ANY_UID */
	uint64_t memory_limit_bytes; /* the Pod's, which the runner must see; 0: it need not */
	uint64_t capabilities;	     /* 1 << enum proto_capability */
	uint64_t bundle_bytes;	     /* room that the run needs for its bundle */
	uint64_t outcome_bytes;	     /* and for its outcome */
};

enum verify_verdict {
	VERIFY_SATISFIED,
	VERIFY_NOT_ISOLATED, /* the text begins with the first layer that is missing */
	VERIFY_NOT_CAPABLE,  /* the text begins with the first capability that is missing */
};

/* Isolation is judged first. `text` is written unless all is satisfied. */
enum verify_verdict verify_hello(const struct verify_demands *demands, const struct hello *hello,
				 uint64_t capabilities, char text[VERIFY_TEXT_SIZE]);

#endif
