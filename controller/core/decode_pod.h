/*
 * decode_pod: a Pod, as JSON that the API server sent, into struct pod. How: decode_task.h.
 */
#ifndef CORE_DECODE_POD_H
#define CORE_DECODE_POD_H

#include "base/err.h"
#include "base/str.h"
#include "pod.h"

/* Only `pod->json` borrows from `json`. To be freed after an error too. */
int decode_pod(struct pod *pod, struct str json, struct err *err);

/* Accepts a zeroed Pod. */
void decode_pod_free(struct pod *pod);

#endif
