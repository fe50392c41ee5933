/*
 * lease_manifest: the Lease object of the election (core/lease.h), as it is created and updated.
 */
#ifndef BUILD_LEASE_MANIFEST_H
#define BUILD_LEASE_MANIFEST_H

#include "base/buf.h"
#include "base/err.h"
#include "core/lease.h"

#define LEASE_MANIFEST_BYTES_MAX (4u << 10)
#define LEASE_MANIFEST_NAME	 "sandboxtask-controller"

/* Appends the manifest. An update carries the version that it was decided on: `step->version`. */
int lease_manifest_write(struct buf *text, struct str namespace, const struct lease_step *step,
			 struct err *err);

#endif
