/*
 * result: what was pulled, read as if hostile code had written it.
 *
 * Length and hash were checked on the way (controller_side.h), every field by outcome_decode. What
 * is left is what only the one who asked for the run can know: how much he allowed to be kept, and
 * which bundle he sent. Whether bytes are UTF-8 or JSON is for the one who puts them into a status.
 * Pure.
 */
#ifndef SESSION_RESULT_H
#define SESSION_RESULT_H

#include "base/err.h"
#include "proto/outcome.h"

struct result_limits {
	uint64_t kept_bytes[STREAM_COUNT]; /* head and tail together, of each stream */
	uint64_t outcome_bytes;		   /* of all, with its manifest */
};

/*
 * `bundle_sha256` is of the bundle that must have been run; NULL: not known here, so any. Slices of
 * the outcome borrow from `bytes`. ERR_PROTOCOL or what outcome_decode says; the message holds
 * nothing of the program's. On failure the outcome is zeroed.
 */
int result_read(struct str bytes, const struct result_limits *limits, const uint8_t *bundle_sha256,
		struct outcome *outcome, struct err *err);

#endif
