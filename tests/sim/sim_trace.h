/*
 * sim_trace: the last things that happened in a simulated world, one line each, for whoever has to
 * understand a failure; and a sum over all of them, by which two runs are told to be the same.
 */
#ifndef SIM_SIM_TRACE_H
#define SIM_SIM_TRACE_H

#include "sim_clock.h"

#define SIM_TRACE_LINES	    80
#define SIM_TRACE_LINE_SIZE 200

struct sim_trace {
	const struct sim_clock *clock;
	char lines[SIM_TRACE_LINES][SIM_TRACE_LINE_SIZE];
	uint64_t count;
	uint32_t sum;
	bool is_loud; /* prints every line at once */
};

void sim_trace_init(struct sim_trace *trace, const struct sim_clock *clock);

/* Longer lines are cut. */
void sim_trace_add(struct sim_trace *trace, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As comments of the test. */
void sim_trace_print(const struct sim_trace *trace);

#endif
