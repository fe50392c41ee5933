/*
 * watch: how much memory and CPU time the program uses, read from files.
 *
 * Inside gVisor nobody stops a Pod that grows over its memory but the host, which ends the whole
 * sandbox, runner and outcome included. So the runner looks every WATCH_INTERVAL_MS: application
 * memory (heap, memfd, files in the tmpfs) plus the heap of the sentry (pipes, sockets, inodes,
 * mappings), minus what it was right before the program began. Best effort: a program may be
 * faster, and then the host ends the Pod.
 *
 * The Pod's own emptyDir on /tmp is not counted: nobody in the jail can see or write it.
 */
#ifndef RUNNER_WATCH_H
#define RUNNER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define WATCH_INTERVAL_MS 5

/* The files to read; the first of each list that exists. NULL ends a list. */
struct watch_files {
	const char *const *usage; /* bytes */
	const char *const *limit; /* bytes, or "max" */
	const char *sentry;	  /* "Sys: <kB> kB" among other lines; none outside gVisor */
	const char *cpu;	  /* nanoseconds used by all processes, ended ones included */
};

/* Where they are in a Pod under gVisor. */
extern const struct watch_files watch_files_of_pod;

struct watch {
	int usage, sentry, cpu; /* descriptors, -1 for what is not there */
	uint64_t limit_bytes;	/* of the Pod as seen inside; 0: none seen */
	uint64_t memory_base, cpu_base_ns, cpu_own_base_ns;
	uint64_t memory_now, memory_peak; /* of the program, bytes */
	uint64_t cpu_ms;		  /* of all but the runner; 0 without the file */
};

void watch_open(struct watch *watch, const struct watch_files *files);

/* Memory can be seen, so a limit can be kept. */
bool watch_sees_memory(const struct watch *watch);

/* What is used now is not the program's. */
void watch_begin(struct watch *watch);

/* Reads everything again. */
void watch_look(struct watch *watch);

#endif
