#include "sim_pipe.h"

#include "base/mem.h"

#include <stdlib.h>

struct message {
	struct list link;
	int64_t due_ms;
	int kind;
	struct str bytes;
};

void sim_pipe_init(struct sim_pipe *pipe, struct sim_clock *clock,
		   void (*deliver)(void *context, int kind, struct str bytes), void *context)
{
	*pipe = (struct sim_pipe){.clock = clock, .deliver = deliver, .context = context};
	list_init(&pipe->messages);
}

static void message_free(struct message *message)
{
	list_remove(&message->link);
	free((void *)(uintptr_t)message->bytes.p);
	free(message);
}

void sim_pipe_free(struct sim_pipe *pipe)
{
	struct message *message;

	while ((message = list_first(&pipe->messages, struct message, link)))
		message_free(message);
	sim_clock_cancel(pipe->clock, &pipe->event);
}

static void wait_for_first(struct sim_pipe *pipe);

static void on_due(void *context)
{
	struct sim_pipe *pipe = context;
	struct message *message = list_first(&pipe->messages, struct message, link);
	int64_t held_ms = pipe->held_ms ? pipe->held_ms(pipe->context) : 0;

	if (held_ms > 0) {
		sim_clock_in(pipe->clock, &pipe->event, held_ms, on_due, pipe);
		return;
	}
	list_remove(&message->link);
	pipe->bytes -= message->bytes.n;
	wait_for_first(pipe);
	pipe->deliver(pipe->context, message->kind, message->bytes);
	message_free(message);
}

static void wait_for_first(struct sim_pipe *pipe)
{
	struct message *message = list_first(&pipe->messages, struct message, link);

	if (message)
		sim_clock_in(pipe->clock, &pipe->event, message->due_ms - pipe->clock->now_ms,
			     on_due, pipe);
}

void sim_pipe_send_late(struct sim_pipe *pipe, int kind, struct str bytes, int64_t held_ms)
{
	struct message *message = mem_new(1, sizeof(*message));
	int64_t due_ms =
		pipe->clock->now_ms + held_ms + sim_clock_between(pipe->clock, 1, SIM_PIPE_MS_MAX);

	if (due_ms < pipe->last_due_ms)
		due_ms = pipe->last_due_ms;
	*message = (struct message){.due_ms = pipe->last_due_ms = due_ms, .kind = kind};
	/* Of exactly its length, so that a sanitizer sees what is read beyond it. */
	message->bytes = (struct str){
		memcpy(mem_new(1, bytes.n + (bytes.n == 0)), bytes.n > 0 ? bytes.p : "", bytes.n),
		bytes.n};
	list_push_back(&pipe->messages, &message->link);
	pipe->bytes += bytes.n;
	if (!sim_clock_is_set(&pipe->event))
		wait_for_first(pipe);
}

void sim_pipe_send(struct sim_pipe *pipe, int kind, struct str bytes)
{
	sim_pipe_send_late(pipe, kind, bytes, 0);
}
