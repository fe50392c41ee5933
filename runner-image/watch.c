#include "watch.h"

#include "text.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Over this, a memory limit means that there is none (cgroup v1 writes a huge number). */
#define NO_LIMIT_BYTES (1ull << 60)

static const char *const usage_files[] = {"/sys/fs/cgroup/memory/memory.usage_in_bytes",
					  "/sys/fs/cgroup/memory.current", NULL};
static const char *const limit_files[] = {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
					  "/sys/fs/cgroup/memory.max", NULL};

const struct watch_files watch_files_of_pod = {
	.usage = usage_files,
	.limit = limit_files,
	.sentry = "/proc/sentry-meminfo",
	.cpu = "/sys/fs/cgroup/cpuacct/cpuacct.usage",
};

static int open_file(const char *path)
{
	return path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static int open_first(const char *const *paths)
{
	for (; paths && *paths; paths++) {
		int fd = open_file(*paths);

		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* The number behind `key` (at the beginning when it is empty); 0 when there is none. */
static uint64_t read_number(int fd, const char *key)
{
	char text[512];
	const char *at;
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strstr(text, key);
	if (!at)
		return 0;
	at += strlen(key);
	while (*at == ' ')
		at++;
	return text_read_number(&at);
}

static uint64_t memory(const struct watch *watch)
{
	return read_number(watch->usage, "") + read_number(watch->sentry, "\nSys:") * 1024;
}

void watch_open(struct watch *watch, const struct watch_files *files)
{
	int limit = open_first(files->limit);

	*watch = (struct watch){
		.usage = open_first(files->usage),
		.sentry = open_file(files->sentry),
		.cpu = open_file(files->cpu),
		.limit_bytes = read_number(limit, ""),
	};
	if (watch->limit_bytes >= NO_LIMIT_BYTES)
		watch->limit_bytes = 0;
	if (limit >= 0)
		close(limit);
}

bool watch_sees_memory(const struct watch *watch)
{
	return watch->usage >= 0 && read_number(watch->usage, "") > 0;
}

/* The runner's own share: it works for the program (hashing its output), not as the program. */
static uint64_t own_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void watch_begin(struct watch *watch)
{
	watch->memory_base = memory(watch);
	watch->cpu_base_ns = read_number(watch->cpu, "");
	watch->cpu_own_base_ns = own_cpu_ns();
	watch->memory_now = watch->memory_peak = watch->cpu_ms = 0;
}

static uint64_t above(uint64_t value, uint64_t base)
{
	return value > base ? value - base : 0;
}

void watch_look(struct watch *watch)
{
	watch->memory_now = above(memory(watch), watch->memory_base);
	if (watch->memory_now > watch->memory_peak)
		watch->memory_peak = watch->memory_now;
	watch->cpu_ms = above(above(read_number(watch->cpu, ""), watch->cpu_base_ns),
			      own_cpu_ns() - watch->cpu_own_base_ns) /
			1000000;
}
