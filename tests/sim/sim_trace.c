#include "sim_trace.h"

#include "base/crc32c.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sim_trace_init(struct sim_trace *trace, const struct sim_clock *clock)
{
	memset(trace, 0, sizeof(*trace));
	trace->clock = clock;
	trace->is_loud = getenv("TRACE") != NULL;
}

void sim_trace_add(struct sim_trace *trace, const char *format, ...)
{
	char *line = trace->lines[trace->count++ % SIM_TRACE_LINES];
	int n = snprintf(line, SIM_TRACE_LINE_SIZE, "%8" PRId64 " ms  ", trace->clock->now_ms);
	va_list args;

	va_start(args, format);
	vsnprintf(line + n, SIM_TRACE_LINE_SIZE - (size_t)n, format, args);
	va_end(args);
	trace->sum = crc32c(trace->sum, line, strlen(line));
	if (trace->is_loud)
		diag("%s", line);
}

void sim_trace_print(const struct sim_trace *trace)
{
	uint64_t first = trace->count > SIM_TRACE_LINES ? trace->count - SIM_TRACE_LINES : 0;

	for (uint64_t i = first; i < trace->count && !trace->is_loud; i++)
		diag("%s", trace->lines[i % SIM_TRACE_LINES]);
}
