/*
 * status: what the API server says when it says no, as a struct err.
 *
 * A refusal is an HTTP status with a metav1.Status as JSON, or (from proxies, kubelets, etcd) with
 * plain text or nothing. Decisions go by the HTTP status, the Status' reason and its causes; texts
 * change between versions. The one exception is etcd's "request is too large", which comes as a
 * bare 500 and means that the same request can never succeed.
 */
#ifndef KUBE_STATUS_H
#define KUBE_STATUS_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* How long to wait when the server throttles without saying how long. */
#define STATUS_THROTTLED_DEFAULT_MS 1000
/* And how long at the most: a page of a proxy under repair may say an hour, and not mean it. */
#define STATUS_RETRY_AFTER_MAX_MS 60000

/* The code of an HTTP status, as far as that alone tells; ERR_PROTOCOL for one below 400. */
enum err_code status_code_of_http(int http_status);

/*
 * Fills `err` from a refusal and returns -1. `retry_after_ms` is the header's, 0 without one; what
 * the body says counts when it is longer; `err` gets a minute at the most. `http_status` 0: it is
 * in the body (an ERROR event).
 *
 * The message is the server's, but for 422, where it may quote the values that were sent: there it
 * names the fields.
 */
int status_to_err(int http_status, int64_t retry_after_ms, struct str body, struct err *err);

/* A cause, by its reason: "ResourceVersionTooLarge", "NamespaceTerminating". */
bool status_has_cause(struct str body, struct str reason);

#endif
