/*
 * target: the path and query of a request to the API server. Pure.
 *
 *	target_object(&target, "/k8s/clusters/c-x", &PODS, STR("ns"), STR("pod"), "attach");
 *	target_query(&target, "container", STR("sandbox"));
 *	/k8s/clusters/c-x/api/v1/namespaces/ns/pods/pod/attach?container=sandbox
 *
 * Everything that is not unreserved in RFC 3986 is percent-encoded. A name can't change the path:
 * "", "." and ".." are refused. What does not fit the buffer is an error that target_check reports
 * at the end, so that nothing has to be checked in between.
 */
#ifndef KUBE_TARGET_H
#define KUBE_TARGET_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

/* Above any sensible selector, below what servers take as a request line (Go: 1 MiB of headers). */
#define TARGET_BYTES_MAX (16 * 1024)

/* A kind, as its path has it. */
struct target_resource {
	const char *group; /* "" for core/v1 */
	const char *version;
	const char *plural;
	bool is_namespaced;
};

struct target {
	struct buf text;
	bool has_query;
	const char *fault; /* what was wrong first */
};

void target_init(struct target *target);
void target_free(struct target *target);

/*
 * The path of an object (`name` given) or of a collection (`name` empty). `in_namespace` empty: all
 * namespaces, or a kind without. `prefix` is the server's own path, or "". `subresource` or NULL.
 */
void target_object(struct target *target, const char *prefix,
		   const struct target_resource *resource, struct str in_namespace, struct str name,
		   const char *subresource);

/* Adds key=value; the empty value too. `key` is plain. */
void target_query(struct target *target, const char *key, struct str value);

/* 0, or -1 with ERR_INVALID or ERR_TOO_LARGE for the first thing that went wrong. */
int target_check(const struct target *target, struct err *err);

#endif
