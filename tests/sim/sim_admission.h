/*
 * sim_admission: what stands between a write and the store: what the server fills in, and what it
 * refuses. The rules are those of crd/ and of Kubernetes that the controller builds on; all others
 * are for tests on the real API server.
 */
#ifndef SIM_SIM_ADMISSION_H
#define SIM_SIM_ADMISSION_H

#include "sim_answer.h"

/* Appends the object that a create makes of what was sent. */
void sim_admission_complete(struct buf *out, const struct sim_resource *resource, struct str sent);

/* False with the refusal: the namespace is missing, or the object is not what was asked for. */
bool sim_admission_may_create(const struct sim_store *store, const struct sim_resource *resource,
			      struct str in_namespace, struct str sent, struct sim_answer *answer);

/* Appends the part of a patch that this target (the object or its status) takes. */
void sim_admission_cut(struct buf *out, const struct sim_resource *resource, bool is_status,
		       struct str patch);

/* False with the refusal: a resourceVersion that is not the object's, a status that is final, a
 * spec that can't be changed. */
bool sim_admission_may_patch(const struct sim_object *object, struct str patch,
			     struct sim_answer *answer);

#endif
