#include "init.h"

#include "launch.h"
#include "leftovers.h"
#include "mounts.h"
#include "note.h"
#include "scratch.h"
#include "signals.h"
#include "text.h"
#include "user.h"
#include "verify.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST_NAME "sandbox"

static void fail(const struct failure *failure) __attribute__((noreturn));
static void fail(const struct failure *failure)
{
	const struct note note = {.type = NOTE_FAILED, .failed = *failure};

	/* A runner that is gone has nobody to tell; it took this process along anyway. */
	note_send(USER_NOTES_FD, &note, -1);
	_exit(EXIT_FAILURE);
}

static void fail_at(enum outcome_stage stage, const char *name) __attribute__((noreturn));
static void fail_at(enum outcome_stage stage, const char *name)
{
	const struct failure failure = step_failure(stage, name, errno);

	fail(&failure);
}

static void run_or_fail(const struct step *steps, unsigned count, const struct launch *launch)
{
	struct failure failure;

	if (step_run_all(steps, count, launch, &failure) < 0)
		fail(&failure);
}

/*
 * A session of its own, first of all: a stopped child in the process group of the Pod's PID 1
 * whose parent is killed makes gVisor send SIGHUP to the whole group. Signals are ignored, since
 * inside gVisor an init has no protection from those of its own namespace.
 */
static void leave_the_runner_behind(void)
{
	setsid();
	signals_ignore(~SIGNALS_BIT(SIGCHLD));
	signals_block(~0ull);
}

static int write_file(const char *path, const char *text)
{
	size_t length = strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int error;

	if (fd < 0)
		return -1;
	n = write(fd, text, length);
	error = errno;
	close(fd);
	errno = error;
	return n == (ssize_t)length ? 0 : -1;
}

/* "65534 <id outside> 1": one id, the one this process has. */
static int write_map(const char *path, uint64_t outer)
{
	char line[64];
	struct text t = text_in(line, sizeof(line));

	text_add_number(&t, LAUNCH_UID);
	text_add(&t, " ");
	text_add_number(&t, outer);
	text_add(&t, " 1");
	return write_file(path, line);
}

/* Dumpable meanwhile: the maps of a process that is not belong to root. */
static int identity(const struct launch *launch)
{
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ||
	    write_map("/proc/self/uid_map", launch->outer_uid) < 0 ||
	    write_file("/proc/self/setgroups", "deny") < 0 ||
	    write_map("/proc/self/gid_map", launch->outer_gid) < 0)
		return -1;
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static int host_name(const struct launch *launch)
{
	(void)launch;
	return sethostname(HOST_NAME, strlen(HOST_NAME));
}

/* In gVisor lo is up already and the request is unknown (ENOTTY). */
static int loopback(const struct launch *launch)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result;

	(void)launch;
	if (fd < 0)
		return -1;
	result = ioctl(fd, SIOCSIFFLAGS, &request);
	if (result < 0 && errno == ENOTTY)
		result = 0;
	close(fd);
	return result;
}

static const struct step building[] = {
	{STAGE_JAIL, "identity", identity},
	{STAGE_JAIL, "host name", host_name},
	{STAGE_JAIL, "loopback", loopback},
};

/* fork() without libc's part of it, which is not made for a process that was cloned raw. */
static int fork_raw(void)
{
	return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/* The verifier must be a process like the program's: it becomes one, looks, and ends. */
static void verify(const struct launch *launch)
{
	struct failure failure;
	int status, child = fork_raw();

	if (child < 0)
		fail_at(STAGE_JAIL, "verification");
	if (child == 0) {
		if (user_become(launch, &failure) < 0)
			fail(&failure);
		_exit(verify_report(launch, USER_NOTES_FD) < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			fail_at(STAGE_JAIL, "verification");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) {
		errno = ECHILD;
		fail_at(STAGE_JAIL, "verification");
	}
}

/* Waits for the order to start; a runner that is gone, or wants an end, ends this process. */
static void await_start(void)
{
	struct note note;
	int descriptor;

	if (note_receive(USER_NOTES_FD, &note, &descriptor) != 1 || note.type != NOTE_START)
		_exit(EXIT_FAILURE);
}

static const struct step preparing[] = {
	{STAGE_JAIL, "tmp", mounts_scratch},
	{STAGE_FILES, "files", scratch_fill},
};

static void send_scratch(void)
{
	const struct note note = {.type = NOTE_SCRATCH};

	if (note_send(USER_NOTES_FD, &note, USER_SCRATCH_FD) < 0)
		fail_at(STAGE_FILES, "tmp");
}

/* Before there is a program, which may take from its init what it can, descriptors above all. */
static int open_child_signals(void)
{
	sigset_t children;
	int fd;

	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	fd = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		fail_at(STAGE_LIMITS, "events");
	return fd;
}

/*
 * Told before exec, by the one who does it: told afterwards, or by init, a program could run while
 * the runner still believes that it does not. If exec fails NOTE_FAILED follows.
 */
static void exec_program(const struct launch *launch) __attribute__((noreturn));
static void exec_program(const struct launch *launch)
{
	const struct note started = {.type = NOTE_STARTED};
	struct failure failure;

	if (user_become(launch, &failure) < 0)
		fail(&failure);
	if (note_send(USER_NOTES_FD, &started, -1) < 0)
		_exit(EXIT_FAILURE);
	user_exec(launch);
	fail_at(STAGE_EXEC, "exec");
}

static int start(const struct launch *launch)
{
	int child = fork_raw();

	if (child < 0)
		fail_at(STAGE_LIMITS, "fork");
	if (child == 0)
		exec_program(launch);
	/* The program alone holds its ends of the pipes. */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	return child;
}

static uint64_t microseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* Collects every child that ended; true when `program` was among them. */
static bool reap(int program, struct note_end *end)
{
	bool found = false;

	for (;;) {
		siginfo_t info = {.si_pid = 0};
		struct rusage usage;

		/* The system call itself also gives the resource usage. */
		if (syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG, &usage) < 0 ||
		    info.si_pid == 0)
			return found;
		if (info.si_pid != program)
			continue;
		found = true;
		end->code = info.si_code;
		end->status = info.si_status;
		end->user_us = microseconds(&usage.ru_utime);
		end->system_us = microseconds(&usage.ru_stime);
		end->max_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	}
}

/* Every process of the jail but this one, stopped ones too. */
static void terminate_all(void)
{
	assert(getpid() == 1);
	kill(-1, SIGTERM);
	kill(-1, SIGCONT);
}

static void obey(void)
{
	struct note note;
	int descriptor;

	if (note_receive(USER_NOTES_FD, &note, &descriptor) != 1)
		_exit(EXIT_FAILURE);
	if (note.type == NOTE_TERMINATE)
		terminate_all();
}

/* What fails from here on is no NOTE_FAILED, which says that the program never ran. */
static void serve(int program, int child_signals) __attribute__((noreturn));
static void serve(int program, int child_signals)
{
	struct note note = {.type = NOTE_ENDED};
	struct signalfd_siginfo ignored;
	struct pollfd polled[2] = {{.fd = USER_NOTES_FD, .events = POLLIN},
				   {.fd = child_signals, .events = POLLIN}};

	while (!reap(program, &note.end)) {
		if (poll(polled, 2, -1) < 0 && errno != EINTR)
			_exit(EXIT_FAILURE);
		if (polled[1].revents && read(polled[1].fd, &ignored, sizeof(ignored)) < 0)
			continue;
		if (polled[0].revents)
			obey();
	}
	note.end.leftovers = leftovers_count();
	note_send(USER_NOTES_FD, &note, -1);
	_exit(EXIT_SUCCESS);
}

void init_main(const struct launch *launch)
{
	const struct note ready = {.type = NOTE_READY};
	int child_signals;

	leave_the_runner_behind();
	run_or_fail(building, sizeof(building) / sizeof(building[0]), launch);
	run_or_fail(mounts_steps, mounts_step_count, launch);
	verify(launch);
	if (note_send(USER_NOTES_FD, &ready, -1) < 0)
		_exit(EXIT_FAILURE);
	await_start();
	run_or_fail(preparing, sizeof(preparing) / sizeof(preparing[0]), launch);
	send_scratch();
	child_signals = open_child_signals();
	serve(start(launch), child_signals);
}
