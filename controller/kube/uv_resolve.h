/*
 * uv_resolve: host names to addresses, without blocking the loop.
 *
 * curl and libwebsockets would call getaddrinfo where they stand, and a slow name server would stop
 * every watch, timer and Lease renewal. So names are looked up by libuv (in its thread pool) and
 * both get numbers. Answers are kept for RESOLVE_CACHE_MS, failures are not; one look-up serves all
 * who wait for the same name.
 */
#ifndef KUBE_UV_RESOLVE_H
#define KUBE_UV_RESOLVE_H

#include "uv_core.h"

#define RESOLVE_CACHE_MS    30000
#define RESOLVE_CACHE_NAMES 16
#define RESOLVE_ADDRESSES   8

/* Numeric addresses, best first; IPv6 without brackets. */
struct uv_resolve_answer {
	size_t count;
	char address[RESOLVE_ADDRESSES][INET6_ADDRSTRLEN];
};

struct uv_resolve;

/* `answer` is NULL on failure, then `err` is set; both are borrowed. */
typedef void uv_resolve_fn(void *context, const struct uv_resolve_answer *answer,
			   const struct err *err);

struct uv_resolver *uv_resolve_new(struct uv_io *uv);
/* Nobody may be waiting. */
void uv_resolve_delete(struct uv_resolver *resolver);

/* `done` comes once, from the loop. A numeric host is its own address. */
struct uv_resolve *uv_resolve_start(struct uv_io *uv, const char *host, uv_resolve_fn *done,
				    void *context);
void uv_resolve_cancel(struct uv_resolve *resolve);

/* True for an IPv4 or IPv6 address in text, without brackets. */
bool uv_resolve_is_address(const char *host);

#endif
