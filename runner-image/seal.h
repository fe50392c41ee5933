/*
 * seal: from a run that is over to the outcome the controller pulls.
 *
 * The manifest is written once, into memory of the caller; the streams stay where they were kept.
 * Nothing is decided here that the run does not know, with one exception: who ended the program
 * (seal_verdict), which is worked out from all that is known at the end.
 */
#ifndef RUNNER_SEAL_H
#define RUNNER_SEAL_H

#include "proto/outcome.h"

struct run;

/* Room for a manifest without files: fixed fields and the texts of LAYERS_MAX layers. */
#define SEAL_MANIFEST_BYTES_MAX (16u << 10)

/* Verdict, exit code, signal, stage: from a run that is over. */
void seal_verdict(const struct run *run, struct outcome *outcome);

/*
 * Makes the sealed object of the outcome. `manifest` has SEAL_MANIFEST_BYTES_MAX bytes; it, the
 * streams' memory and the jail's layers must stay as they are while the object is in use.
 */
void seal_run(struct run *run, const uint8_t bundle_sha256[SHA256_BYTES], uint8_t *manifest,
	      struct object *object);

/* What the jail's reports look like on the wire: returns how many were written to `layers`. */
struct jail;
size_t seal_layers(const struct jail *jail, struct layer layers[LAYERS_MAX]);

#endif
