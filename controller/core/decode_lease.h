/*
 * decode_lease: a Lease, as JSON that the API server sent, into what the election knows of it. How:
 * decode_task.h.
 */
#ifndef CORE_DECODE_LEASE_H
#define CORE_DECODE_LEASE_H

#include "base/err.h"
#include "base/str.h"
#include "lease.h"

/* ERR_INVALID names the field. What Kubernetes lets be absent is empty or 0. */
int decode_lease(struct lease_record *record, char version[LEASE_VERSION_SIZE], struct str json,
		 struct err *err);

#endif
