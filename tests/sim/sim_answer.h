/*
 * sim_answer: what a simulated API server says to a request: a status and a body, which is an
 * object, a list, or a metav1.Status that says why not.
 */
#ifndef SIM_SIM_ANSWER_H
#define SIM_SIM_ANSWER_H

#include "sim_store.h"
#include "sim_watch.h"

struct sim_answer {
	int status;
	int64_t retry_after_ms;
	struct buf body;
	struct sim_watch *watch; /* in place of a body: it is to be started, then deleted */
};

void sim_answer_init(struct sim_answer *answer);
void sim_answer_free(struct sim_answer *answer);

void sim_answer_object(struct sim_answer *answer, int status, const struct sim_object *object);
void sim_answer_refuse(struct sim_answer *answer, int status, const char *reason,
		       const char *message);

#endif
