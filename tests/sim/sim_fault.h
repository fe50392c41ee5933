/*
 * sim_fault: an API server that is wrong on purpose: requests of one kind are answered by what a
 * test says, once, for a time or for ever, whether or not they are carried out.
 *
 * It stands between a controller and its sim_io, and counts what the controller asks for. One in a
 * world, whose `context` it takes.
 */
#ifndef SIM_SIM_FAULT_H
#define SIM_SIM_FAULT_H

#include "sim_io.h"

/* Minutes of requests that are counted. */
#define SIM_FAULT_MINUTES_MAX 64

/* The answer: of the status, or, where that is 0, of the code in place of one. */
struct sim_fault_answer {
	const char *name;
	int status;
	const char *body;
	int64_t retry_after_ms;
	enum err_code code;
	int64_t after_ms; /* how long it takes */
	bool is_carried_out;
};

struct sim_fault {
	struct io inner;	   /* the functions that are replaced */
	const char *method, *part; /* of the target; a request of that kind … */
	const char *body_part;	   /* … whose body has this in it; NULL: any */
	const struct sim_fault_answer *answer;
	unsigned times;	  /* that it is given */
	int64_t until_ms; /* of the world's clock: and not after that */
	unsigned met;	  /* so often it was */
	unsigned requests
		[SIM_FAULT_MINUTES_MAX]; /* of any kind but about the Lease, in each minute */
	struct list answers;		 /* that are on their way */
};

/* Takes over an io that nobody has used yet. */
void sim_fault_install(struct sim_fault *fault, struct sim_io *sio);

#endif
