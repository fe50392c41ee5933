/*
 * sim_clock: virtual time and chance, of which a simulated world has one each. Nothing happens but
 * by an event of this clock, in the order of their times, and of those at the same time in the
 * order in which they were set: so a seed says everything that will happen.
 */
#ifndef SIM_SIM_CLOCK_H
#define SIM_SIM_CLOCK_H

#include "base/heap.h"

#include "random.h"

#define SIM_NEVER INT64_MAX

struct sim_clock {
	struct heap due;
	int64_t now_ms; /* since the world began */
	struct random random;
	uint64_t steps;
};

/* Part of what it happens to. Zeroed: it is not set. */
struct sim_event {
	struct heap_node node;
	void (*fire)(void *context);
	void *context;
};

void sim_clock_init(struct sim_clock *clock, uint64_t seed);
/* What is set then counts as cancelled. */
void sim_clock_free(struct sim_clock *clock);

/* Sets the event, anew if it is set already. A delay of 0 or less: after all that is due now. */
void sim_clock_in(struct sim_clock *clock, struct sim_event *event, int64_t delay_ms,
		  void (*fire)(void *context), void *context);
/* Does nothing when it is not set. */
void sim_clock_cancel(struct sim_clock *clock, struct sim_event *event);
bool sim_clock_is_set(const struct sim_event *event);

/* Moves on to the next event and fires it. False: there is none. */
bool sim_clock_step(struct sim_clock *clock);

/* When that will be; SIM_NEVER without one. */
int64_t sim_clock_next_ms(const struct sim_clock *clock);

/* From `min` to `max`, both included. */
int64_t sim_clock_between(struct sim_clock *clock, int64_t min, int64_t max);

/* Microseconds since 1970: what people see. */
int64_t sim_clock_wall_us(const struct sim_clock *clock);
/* The same as a JSON string's content of whole seconds, valid until the fourth call after it. */
const char *sim_clock_text(const struct sim_clock *clock);

#endif
