/*
 * sim_api: a small API server over a store: get, list with pages, watch, create, merge patch,
 * server-side apply, put, and delete with preconditions and grace; as Table too.
 *
 * It is as strict as the real one in what the controller builds on (facts are Kubernetes' API
 * concepts): optimistic locking, 404, 409 (of two kinds), 410, 422, a status that is a subresource,
 * a Pod that is deleted in two steps. What it leaves out: managedFields (apply is a merge whose
 * owner always wins), schemas, quota, finalizers. Continue tokens are of the list's version and are
 * refused with 410 once an object of that kind has changed.
 */
#ifndef SIM_SIM_API_H
#define SIM_SIM_API_H

#include "sim_answer.h"

struct sim_api {
	struct sim_store store;
	struct sim_clock *clock;
	struct list watches;
	const char *token;   /* the one that is taken; NULL: any */
	struct list rubbish; /* owners that are gone, whose objects follow */
	struct sim_event collecting;
};

struct sim_request {
	const char *actor; /* who sends it: for the trace and the checks */
	const char *method, *target;
	struct str accept, content_type, token, body;
};

void sim_api_init(struct sim_api *api, struct sim_clock *clock, struct sim_trace *trace);
/* All watches must have been deleted. */
void sim_api_free(struct sim_api *api);

/* Carries the request out, at once, into an initialised answer. */
void sim_api_handle(struct sim_api *api, const struct sim_request *request,
		    struct sim_answer *answer);

/* Deletes a Pod in its two steps; a grace of 0, or a Pod on no node, goes at once. */
void sim_api_delete_pod(struct sim_api *api, const char *actor, struct sim_object *pod,
			int64_t grace_seconds);

#endif
