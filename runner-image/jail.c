#include "jail.h"

#include "init.h"
#include "launch.h"
#include "note.h"
#include "user.h"
#include "verify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAMESPACES \
	(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS)

/* The jail's ends, until the clone has its own copies. */
struct inner {
	int input, output, errors, notes;
};

void jail_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int make_pipe(int *reader, int *writer)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*reader = ends[0];
	*writer = ends[1];
	return 0;
}

/* Each end is an open file of its own: the program's ends stay blocking. */
static int make_channels(struct jail *jail, struct inner *inner)
{
	int pair[2], *const ours[] = {&jail->input, &jail->output, &jail->errors, &jail->notes};

	if (make_pipe(&inner->input, &jail->input) < 0 ||
	    make_pipe(&jail->output, &inner->output) < 0 ||
	    make_pipe(&jail->errors, &inner->errors) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	jail->notes = pair[0];
	inner->notes = pair[1];
	for (unsigned i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (fcntl(*ours[i], F_SETFL, O_NONBLOCK | (i == 0 ? O_WRONLY : 0)) < 0)
			return -1;
	return 0;
}

/* Moves the four descriptors to 0 to 3; none of them may be overwritten on the way. */
static bool place_descriptors(const struct inner *inner)
{
	int from[] = {inner->input, inner->output, inner->errors, inner->notes};
	const int count = sizeof(from) / sizeof(from[0]);

	_Static_assert(USER_NOTES_FD == 3, "the note pair comes right after the streams");
	for (int i = 0; i < count; i++) {
		from[i] = fcntl(from[i], F_DUPFD, count);
		if (from[i] < 0)
			return false;
	}
	for (int i = 0; i < count; i++)
		if (dup2(from[i], i) < 0)
			return false;
	return syscall(SYS_close_range, count, ~0u, 0) == 0;
}

/* Takes what init has to say until the jail is ready or can't be. */
static int await_ready(struct jail *jail, struct failure *failure)
{
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += JAIL_BOOT_MS / 1000;
	for (;;) {
		struct pollfd polled = {.fd = jail->notes, .events = POLLIN};
		struct note note;
		int descriptor, result;

		poll(&polled, 1, 1000);
		result = note_receive(jail->notes, &note, &descriptor);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (result < 0 && errno == EAGAIN && now.tv_sec < end.tv_sec)
			continue;
		if (result <= 0) {
			*failure = step_failure(STAGE_JAIL, "init", result == 0 ? ECHILD : errno);
			return -1;
		}
		if (note.type == NOTE_READY)
			return 0;
		if (note.type == NOTE_FAILED) {
			*failure = note.failed;
			return -1;
		}
		if (note.type == NOTE_LAYER)
			jail->layers[note.verified.layer] = note.verified.report;
	}
}

int jail_build(struct jail *jail, struct launch *launch, struct failure *failure)
{
	struct inner inner = {-1, -1, -1, -1};

	*jail = (struct jail){0, -1, -1, -1, -1, -1, {{0}}};
	for (unsigned i = 0; i < LAYER_ID_COUNT; i++)
		jail->layers[i].state = LAYER_MISSING;
	launch->outer_uid = geteuid();
	launch->outer_gid = getegid();
	verify_note_outer(launch);
	if (make_channels(jail, &inner) < 0) {
		*failure = step_failure(STAGE_JAIL, "channels", errno);
		return -1;
	}
	jail->init = (pid_t)syscall(SYS_clone, NAMESPACES | SIGCHLD, 0, 0, 0, 0);
	if (jail->init < 0) {
		*failure = step_failure(STAGE_JAIL, "namespaces", errno);
		return -1;
	}
	if (jail->init == 0) {
		if (!place_descriptors(&inner))
			_exit(EXIT_FAILURE);
		init_main(launch);
	}
	jail_close(&inner.input);
	jail_close(&inner.output);
	jail_close(&inner.errors);
	jail_close(&inner.notes);
	return await_ready(jail, failure);
}
