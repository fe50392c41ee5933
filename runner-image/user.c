#include "user.h"

#include "launch.h"
#include "seccomp.h"
#include "signals.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nothing of the runner's signal state is inherited: Python and shells behave as at a terminal. */
static int session(const struct launch *launch)
{
	(void)launch;
	if (setsid() < 0)
		return -1;
	signals_ignore(0);
	umask(022);
	return signals_block(0);
}

static int descriptors(const struct launch *launch)
{
	(void)launch;
	return (int)syscall(SYS_close_range, USER_NOTES_FD, ~0u, CLOSE_RANGE_CLOEXEC);
}

static int limit(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit limit = {soft, hard};

	return setrlimit(resource, &limit);
}

static int limits(const struct launch *launch)
{
	const struct launch_limits *l = &launch->limits;
	uint64_t cpu = l->cpu_seconds > 0 ? l->cpu_seconds : RLIM_INFINITY;
	/* A program that catches SIGXCPU gets one second to end. */
	uint64_t cpu_hard = l->cpu_seconds > 0 ? l->cpu_seconds + 1 : RLIM_INFINITY;

	if (limit(RLIMIT_NPROC, l->processes + USER_OTHER_TASKS, l->processes + USER_OTHER_TASKS) <
		    0 ||
	    limit(RLIMIT_NOFILE, l->open_files, l->open_files) < 0 ||
	    limit(RLIMIT_FSIZE, l->file_bytes, l->file_bytes) < 0 ||
	    limit(RLIMIT_CPU, cpu, cpu_hard) < 0)
		return -1;
	return limit(RLIMIT_CORE, 0, 0);
}

static int folder(const struct launch *launch)
{
	(void)launch;
	return chdir(LAUNCH_WORK_FOLDER);
}

/* The bounding set first: dropping from it needs a capability. */
static int capabilities(const struct launch *launch)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	(void)launch;
	for (unsigned long capability = 0; capability < 64; capability++) {
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0)
			continue;
		/* Behind the last one that this kernel knows. */
		if (errno == EINVAL && capability > 0)
			break;
		return -1;
	}
	return (int)syscall(SYS_capset, &header, none);
}

static int no_new_privileges(const struct launch *launch)
{
	(void)launch;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static int filter(const struct launch *launch)
{
	(void)launch;
	return seccomp_install();
}

static const struct step steps[] = {
	{STAGE_LIMITS, "session", session},
	{STAGE_LIMITS, "descriptors", descriptors},
	{STAGE_LIMITS, "limits", limits},
	{STAGE_LIMITS, "working folder", folder},
	{STAGE_LIMITS, "capabilities", capabilities},
	{STAGE_LIMITS, "no new privileges", no_new_privileges},
	{STAGE_LIMITS, "seccomp", filter},
};

int user_become(const struct launch *launch, struct failure *failure)
{
	return step_run_all(steps, sizeof(steps) / sizeof(steps[0]), launch, failure);
}

/* execvp searches the PATH of the runner's own environment; the program's is what counts. */
static const char *search_path(const struct launch *launch)
{
	for (size_t i = 0; i < launch->env_count; i++)
		if (strncmp(launch->env[i], "PATH=", 5) == 0)
			return launch->env[i] + 5;
	return LAUNCH_PATH;
}

void user_exec(const struct launch *launch)
{
	const char *folder_at = search_path(launch);
	int error = ENOENT;

	if (strchr(launch->args[0], '/')) {
		execve(launch->args[0], launch->args, launch->env);
		return;
	}
	while (folder_at) {
		const char *end = strchr(folder_at, ':');
		char path[PATH_MAX];
		struct text t = text_in(path, sizeof(path));
		size_t length = end ? (size_t)(end - folder_at) : strlen(folder_at);

		if (length > 0 && length + strlen(launch->args[0]) + 2 <= sizeof(path)) {
			memcpy(path, folder_at, length);
			t.length = length;
			path[length] = '\0';
			text_add(&t, "/");
			text_add(&t, launch->args[0]);
			execve(path, launch->args, launch->env);
			/* A file that is there but can't be run is the better answer. */
			if (errno != ENOENT && errno != ENOTDIR)
				error = errno;
		}
		folder_at = end ? end + 1 : NULL;
	}
	errno = error;
}
