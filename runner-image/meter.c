#include "meter.h"

#include "clock.h"
#include "folder.h"
#include "text.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* A hostile program decides how deep and how wide its folders are, and inside gVisor it takes half
 * a millisecond to open one: meanwhile nobody is answered. */
#define DEPTH_MAX     16
#define SEARCH_MS_MAX 200
/* And how many processes with how many open files there are: one look must stay short. */
#define LOOK_ENTRIES_MAX 8192

static void hit(struct meter *meter, enum outcome_limit limit)
{
	meter->limit_hits |= 1u << limit;
}

/* Entries of /proc/<process>/<kind>, 0 when it is gone; taken off what may still be looked at. */
static uint32_t count_entries(const char *process, const char *kind, uint32_t *left)
{
	char path[40];
	struct text t = text_in(path, sizeof(path));
	struct folder f;
	uint32_t count = 0;

	text_add(&t, "/proc/");
	text_add(&t, process);
	text_add(&t, kind);
	if (folder_open(&f, AT_FDCWD, path) < 0)
		return 0;
	while (*left > 0 && folder_next(&f)) {
		count++;
		(*left)--;
	}
	folder_close(&f);
	return count;
}

static void look_at_processes(struct meter *meter, const struct bundle *plan, pid_t init)
{
	struct folder proc;
	const char *name;
	uint32_t tasks = 0, left = LOOK_ENTRIES_MAX;

	if (folder_open(&proc, AT_FDCWD, "/proc") < 0)
		return;
	while (left > 0 && (name = folder_next(&proc))) {
		int process = folder_number(name);

		if (process <= 1 || process == init)
			continue;
		tasks += count_entries(name, "/task", &left);
		if (count_entries(name, "/fd", &left) >= plan->open_files)
			hit(meter, LIMIT_OPEN_FILES);
	}
	folder_close(&proc);
	if (tasks > meter->tasks_peak)
		meter->tasks_peak = tasks;
	if (tasks >= plan->processes)
		hit(meter, LIMIT_PROCESSES);
}

static void look_at_scratch(struct meter *meter, int scratch)
{
	struct statfs fs;

	if (scratch < 0 || fstatfs(scratch, &fs) < 0)
		return;
	if (fs.f_bavail == 0)
		hit(meter, LIMIT_TMP_BYTES);
	if (fs.f_ffree == 0)
		hit(meter, LIMIT_TMP_INODES);
}

void meter_look(struct meter *meter, const struct bundle *plan, pid_t init, int scratch)
{
	look_at_processes(meter, plan, init);
	look_at_scratch(meter, scratch);
}

/* True when a regular file of at least `bytes` is found in time; never follows a link. */
static bool has_file_of(int at, const char *path, uint64_t bytes, unsigned depth, int64_t until_ms)
{
	struct folder f;
	const char *name;
	bool found = false;

	if (depth == 0 || folder_open(&f, at, path) < 0)
		return false;
	while (!found && clock_ms() < until_ms && (name = folder_next(&f))) {
		struct stat st;

		if (fstatat(f.fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		found = S_ISREG(st.st_mode) && (uint64_t)st.st_size >= bytes;
		if (S_ISDIR(st.st_mode))
			found = has_file_of(f.fd, name, bytes, depth - 1, until_ms);
	}
	folder_close(&f);
	return found;
}

void meter_finish(struct meter *meter, const struct bundle *plan, int scratch)
{
	look_at_scratch(meter, scratch);
	if (scratch >= 0 && plan->file_bytes > 0 &&
	    has_file_of(scratch, ".", plan->file_bytes, DEPTH_MAX, clock_ms() + SEARCH_MS_MAX))
		hit(meter, LIMIT_FILE_BYTES);
}
