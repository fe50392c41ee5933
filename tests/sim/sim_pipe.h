/*
 * sim_pipe: messages that arrive in their order, each some milliseconds after it was sent: one
 * direction of a connection.
 */
#ifndef SIM_SIM_PIPE_H
#define SIM_SIM_PIPE_H

#include "base/list.h"
#include "base/str.h"

#include "sim_clock.h"

#define SIM_PIPE_MS_MAX 15

struct sim_pipe {
	struct sim_clock *clock;
	struct list messages;
	struct sim_event event;
	int64_t last_due_ms;
	size_t bytes; /* on their way */
	/* For how long the receiver takes nothing; NULL: it always does. */
	int64_t (*held_ms)(void *context);
	/* `kind` is the sender's number. The pipe may be freed in it. */
	void (*deliver)(void *context, int kind, struct str bytes);
	void *context;
};

void sim_pipe_init(struct sim_pipe *pipe, struct sim_clock *clock,
		   void (*deliver)(void *context, int kind, struct str bytes), void *context);
/* What is on its way is lost. */
void sim_pipe_free(struct sim_pipe *pipe);

/* It leaves `held_ms` later; what is sent after it does not overtake it. */
void sim_pipe_send_late(struct sim_pipe *pipe, int kind, struct str bytes, int64_t held_ms);
void sim_pipe_send(struct sim_pipe *pipe, int kind, struct str bytes);

#endif
