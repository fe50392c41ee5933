/*
 * sim_store: what etcd is to an API server: the objects as JSON, one revision for all of them that
 * grows with every change, and the changes of the past, from which watches are served.
 *
 * Whoever writes gives his name, which the observers hear: the checks tell by it whose write it
 * was. A write that changes nothing makes no revision. Observers are called inside of the write and
 * must not write themselves; they set an event for that.
 */
#ifndef SIM_SIM_STORE_H
#define SIM_SIM_STORE_H

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "kube/target.h"

#include "sim_trace.h"

#define SIM_STORE_OBJECTS_MAX	10000
#define SIM_STORE_OBSERVERS_MAX 8

struct sim_resource {
	struct target_resource path;
	const char *kind;
	const char *status; /* the CRD's default of it; NULL: no status subresource */
};

struct sim_object {
	const struct sim_resource *resource;
	char in_namespace[64], name[254], uid[37];
	uint64_t version; /* of its last change */
	struct buf json;
};

enum sim_change { SIM_ADDED, SIM_MODIFIED, SIM_DELETED };

/* A change that has happened. */
struct sim_commit {
	struct list link;
	enum sim_change change;
	const struct sim_resource *resource;
	char in_namespace[64], name[254], uid[37];
	uint64_t version;
	struct str before, after; /* as JSON; empty where there is none */
	const char *actor;
};

typedef void sim_observer(void *context, const struct sim_commit *commit);

struct sim_store {
	struct sim_clock *clock;
	struct sim_trace *trace;
	struct map objects; /* by "plural/namespace/name" */
	uint64_t version, made;
	uint64_t compacted; /* changes up to this one are forgotten */
	struct list commits;
	struct {
		sim_observer *call;
		void *context;
	} observers[SIM_STORE_OBSERVERS_MAX];
	size_t observer_count;
};

void sim_store_init(struct sim_store *store, struct sim_clock *clock, struct sim_trace *trace);
void sim_store_free(struct sim_store *store);

void sim_store_observe(struct sim_store *store, sim_observer *call, void *context);

/* The kind of a plural in a group; NULL: there is none. */
const struct sim_resource *sim_store_resource(struct str group, struct str plural);
/* Of those kinds that are there once: by the plural alone. */
const struct sim_resource *sim_store_kind(const char *plural);

struct sim_object *sim_store_find(const struct sim_store *store,
				  const struct sim_resource *resource, struct str in_namespace,
				  struct str name);

/* The first object of a kind, or the next one behind `after`; in the order of their names. */
struct sim_object *sim_store_next(const struct sim_store *store,
				  const struct sim_resource *resource,
				  const struct sim_object *after);

/* Adds uid, times, version and, where there is one, the default status. There must be no object of
 * that name. */
struct sim_object *sim_store_create(struct sim_store *store, const char *actor,
				    const struct sim_resource *resource, struct str in_namespace,
				    struct str json);

/* False: it changed nothing. */
bool sim_store_patch(struct sim_store *store, const char *actor, struct sim_object *object,
		     struct str patch);
/* The same, with a patch in printf's way, in which ' stands for ". */
bool sim_store_patchf(struct sim_store *store, const char *actor, struct sim_object *object,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

void sim_store_remove(struct sim_store *store, const char *actor, struct sim_object *object);

/* Forgets the changes so far: a watch that asks for them is told that it is too late. */
void sim_store_compact(struct sim_store *store);

#endif
