#include "runner.h"

#include "clock.h"
#include "facts.h"
#include "gate.h"
#include "jail.h"
#include "launch.h"
#include "plan.h"
#include "proto/reader.h"
#include "proto/runner_side.h"
#include "run.h"
#include "seal.h"
#include "signals.h"
#include "text.h"
#include "watch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Bytes read from stdin, and frames written to stdout, before others get their turn. */
#define INPUT_BYTES_PER_TURN 65536
#define FRAMES_PER_TURN	     8
/* The runner is gone this long before the kubelet kills it. */
#define EXIT_BEFORE_GRACE_MS 1000
#define EVENTS_PER_TURN	     8
#define STDOUT_RETRY_MS	     1000

enum source {
	SOURCE_STDIN,
	SOURCE_STDOUT,
	SOURCE_SIGNALS,
	SOURCE_NOTES,
	SOURCE_INPUT,
	SOURCE_OUTPUT,
	SOURCE_ERRORS,
};

struct runner {
	int epoll, signals;
	int64_t now_ms; /* one clock value per turn */
	int64_t grace_ms;
	int64_t exit_ms; /* after SIGTERM: when to go at the latest; else RUN_NEVER */

	struct runner_side side;
	struct reader reader;
	uint8_t read_buffer[FRAME_WIRE_MAX];
	uint8_t out[RUNNER_FRAME_MAX]; /* one frame, from `out_at` to `out_length` not yet sent */
	size_t out_at, out_length;
	/* It is full, or nobody reads it: when to try again at the latest. */
	int64_t stdout_retry_ms;

	struct jail jail;
	struct launch *launch;
	struct watch watch;
	struct bundle plan;
	struct run run;
	uint8_t *streams; /* spool of `streams_bytes` */
	size_t streams_bytes;
	uint8_t manifest[SEAL_MANIFEST_BYTES_MAX];
	struct object outcome;
	uint8_t facts[HELLO_FACTS_BYTES_MAX];
};

static void give_up(const char *what) __attribute__((noreturn));
static void give_up(const char *what)
{
	char line[160];
	struct text t = text_in(line, sizeof(line));

	text_add(&t, "sandboxtask: runner can't go on: ");
	text_add(&t, what);
	text_add(&t, ": ");
	text_add(&t, strerror(errno));
	text_add(&t, "\n");
	if (write(STDERR_FILENO, line, t.length) < 0)
		_exit(RUNNER_EXIT_INTERNAL);
	_exit(RUNNER_EXIT_INTERNAL);
}

/* --- What may be asked for by the other side. */

static bool accept_bundle(struct runner *r)
{
	struct str bytes = {(const char *)r->side.spool, (size_t)r->side.total};
	struct err err;

	return bundle_decode(bytes, &r->plan, &err) == 0 && plan_is_supported(&r->plan) &&
	       (uint64_t)r->plan.stdout_bytes + r->plan.stderr_bytes <= r->streams_bytes &&
	       plan_fill(&r->plan, r->launch) == 0;
}

static void start(struct runner *r)
{
	struct epoll_event event = {.events = EPOLLOUT, .data.u32 = SOURCE_INPUT};

	r->run.input = plan_input(&r->plan);
	runner_side_enter(&r->side, r->now_ms, PHASE_RUNNING);
	run_begin(&r->run, &r->plan, r->streams, r->now_ms);
	/* Known to epoll since boot, so this can't fail for want of memory; no input: closed. */
	epoll_ctl(r->epoll, EPOLL_CTL_MOD, r->jail.input, &event);
}

static void exit_when_nothing_is_lost(struct runner *r)
{
	if (r->exit_ms != RUN_NEVER && (r->side.starts == 0 || r->side.released))
		_exit(EXIT_SUCCESS);
}

static void on_frame(struct runner *r, const struct frame *frame)
{
	switch (runner_side_on_frame(&r->side, r->now_ms, frame)) {
	case RUNNER_NOTHING:
	case RUNNER_OFFERED: break;
	case RUNNER_RECEIVED:
		if (!accept_bundle(r))
			runner_side_refuse_bundle(&r->side, r->now_ms);
		break;
	case RUNNER_START: start(r); break;
	case RUNNER_CANCEL: run_cancel(&r->run, r->side.cancel_grace_ms, r->now_ms); break;
	case RUNNER_RELEASE: exit_when_nothing_is_lost(r); break;
	}
}

/* --- The protocol's two streams. */

static void on_stdin(struct runner *r)
{
	char bytes[INPUT_BYTES_PER_TURN];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));
	struct str chunk;
	struct frame frame;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
		runner_side_on_end(&r->side, r->now_ms);
		return;
	}
	chunk = (struct str){bytes, (size_t)n};
	while (reader_next(&r->reader, &chunk, &frame))
		on_frame(r, &frame);
}

/* Sends what is left of a frame: true when nothing is. */
static bool send_rest(struct runner *r)
{
	while (r->out_at < r->out_length) {
		ssize_t n = write(STDOUT_FILENO, r->out + r->out_at, r->out_length - r->out_at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			r->stdout_retry_ms = r->now_ms + STDOUT_RETRY_MS;
			return false;
		}
		r->out_at += (size_t)n;
	}
	return true;
}

static void send_frames(struct runner *r)
{
	for (int i = 0; i < FRAMES_PER_TURN && r->now_ms >= r->stdout_retry_ms && send_rest(r);
	     i++) {
		r->out_at = 0;
		r->out_length = runner_side_next_frame(&r->side, r->now_ms, r->out);
		if (r->out_length == 0)
			break;
	}
}

/* --- Signals and time. */

static void on_signals(struct runner *r)
{
	struct signalfd_siginfo signal;

	while (read(r->signals, &signal, sizeof(signal)) == sizeof(signal)) {
		if (signal.ssi_signo != SIGTERM)
			continue;
		if (r->exit_ms == RUN_NEVER)
			r->exit_ms = r->now_ms + r->grace_ms - EXIT_BEFORE_GRACE_MS;
		exit_when_nothing_is_lost(r);
		run_kill(&r->run, KILLED_FOR_SHUTDOWN, r->now_ms);
	}
	run_on_child(&r->run, r->now_ms);
}

static void update_report(struct runner *r)
{
	r->side.report = (struct runner_report){
		.budget_left_ms = run_budget_left_ms(&r->run, r->now_ms),
		.memory_now = r->watch.memory_now,
		.memory_peak = r->watch.memory_peak,
		.cpu_ms = (uint32_t)r->watch.cpu_ms,
		.stdout_bytes = r->run.streams[STREAM_STDOUT].total,
		.stderr_bytes = r->run.streams[STREAM_STDERR].total,
	};
}

static void on_time(struct runner *r)
{
	run_on_time(&r->run, r->now_ms);
	update_report(r);
	if (r->run.state == RUN_OVER && r->side.phase != PHASE_DONE) {
		seal_run(&r->run, r->side.sha256, r->manifest, &r->outcome);
		runner_side_seal(&r->side, r->now_ms, &r->outcome);
	}
	if (r->now_ms >= r->exit_ms)
		_exit(EXIT_SUCCESS);
}

/*
 * The jail that HELLO reported has ended before there was anything to run in it: told by exiting,
 * while another Pod can still be tried, and not by an outcome after START.
 */
static void give_up_without_jail(const struct runner *r)
{
	if (r->side.phase >= PHASE_DONE || r->side.starts > 0 || r->jail.notes >= 0)
		return;
	errno = ECHILD;
	give_up("jail");
}

static void on_event(struct runner *r, enum source source)
{
	switch (source) {
	case SOURCE_STDIN: on_stdin(r); break;
	case SOURCE_STDOUT: r->stdout_retry_ms = 0; break;
	case SOURCE_SIGNALS: on_signals(r); break;
	case SOURCE_NOTES:
		run_on_notes(&r->run, r->now_ms);
		give_up_without_jail(r);
		break;
	case SOURCE_INPUT: run_on_input(&r->run); break;
	case SOURCE_OUTPUT: run_on_output(&r->run, STREAM_STDOUT, r->now_ms); break;
	case SOURCE_ERRORS: run_on_output(&r->run, STREAM_STDERR, r->now_ms); break;
	}
}

/* Milliseconds until something is due: 0 when it is now, -1 when nothing is. */
static int sleep_ms(const struct runner *r)
{
	int64_t due = run_deadline(&r->run), now = clock_ms();
	int64_t frame_due = runner_side_deadline(&r->side);

	if (r->out_at < r->out_length)
		frame_due = 0;
	if (frame_due < r->stdout_retry_ms)
		frame_due = r->stdout_retry_ms;
	if (frame_due < due)
		due = frame_due;
	if (r->exit_ms < due)
		due = r->exit_ms;
	if (due == RUN_NEVER)
		return -1;
	if (due <= now)
		return 0;
	return due - now < INT32_MAX ? (int)(due - now) : INT32_MAX;
}

static void loop(struct runner *r) __attribute__((noreturn));
static void loop(struct runner *r)
{
	for (;;) {
		struct epoll_event events[EVENTS_PER_TURN];
		int count = epoll_wait(r->epoll, events, EVENTS_PER_TURN, sleep_ms(r));

		r->now_ms = clock_ms();
		for (int i = 0; i < count; i++)
			on_event(r, (enum source)events[i].data.u32);
		on_time(r);
		send_frames(r);
	}
}

/* --- Boot. */

/*
 * Inside gVisor an init has no protection from signals; the jail's pid namespace keeps user code
 * away, and what the sentry itself may send (SIGHUP to a process group) is ignored.
 */
static int harden(void)
{
	sigset_t wanted;

	signals_ignore(~(SIGNALS_BIT(SIGCHLD) | SIGNALS_BIT(SIGTERM)));
	signals_block(~0ull);
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigaddset(&wanted, SIGTERM);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		give_up("prctl");
	return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Address space only: a page becomes memory when it is first written. */
static void *map_spool(size_t bytes, int sharing)
{
	void *spool = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (spool == MAP_FAILED)
		give_up("spool");
	return spool;
}

static void watch_descriptor(struct runner *r, int fd, enum source source, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.u32 = source};

	/* Only what can't be waited for (a file, /dev/null) is refused so: nobody speaks there. */
	if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &event) < 0 && errno != EPERM)
		give_up("epoll");
}

/*
 * Stdout by edges: when nobody reads it, it is reported as broken once and not without end. The
 * clock retries as well, so that no lost edge can silence the runner.
 */
static void watch_everything(struct runner *r)
{
	watch_descriptor(r, STDIN_FILENO, SOURCE_STDIN, EPOLLIN);
	watch_descriptor(r, STDOUT_FILENO, SOURCE_STDOUT, EPOLLOUT | EPOLLET);
	watch_descriptor(r, r->signals, SOURCE_SIGNALS, EPOLLIN);
	watch_descriptor(r, r->jail.notes, SOURCE_NOTES, EPOLLIN);
	watch_descriptor(r, r->jail.input, SOURCE_INPUT, 0);
	watch_descriptor(r, r->jail.output, SOURCE_OUTPUT, EPOLLIN);
	watch_descriptor(r, r->jail.errors, SOURCE_ERRORS, EPOLLIN);
}

static void set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		give_up("standard streams");
}

static void boot(struct runner *r, const struct options *options, const struct watch_files *files,
		 const struct report *gvisor)
{
	const int64_t begun_us = clock_us();
	struct failure failure;

	r->now_ms = clock_ms();
	r->exit_ms = RUN_NEVER;
	r->grace_ms = (int64_t)options->grace_ms;
	r->signals = harden();
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->signals < 0 || r->epoll < 0)
		give_up("descriptors");
	set_nonblocking(STDIN_FILENO);
	set_nonblocking(STDOUT_FILENO);
	watch_open(&r->watch, files);
	runner_side_init(&r->side);
	/* The jail's init reads the program's files in the bundle: shared, and mapped before it. */
	r->side.spool = map_spool(options->bundle_bytes, MAP_SHARED);
	r->side.spool_bytes = options->bundle_bytes;
	r->streams_bytes = options->outcome_bytes - SEAL_MANIFEST_BYTES_MAX;
	r->streams = map_spool(r->streams_bytes, MAP_PRIVATE);
	r->launch = launch_map();
	if (!r->launch)
		give_up("launch block");
	if (jail_build(&r->jail, r->launch, &failure) < 0)
		gate_refuse(failure.name);
	r->jail.layers[LAYER_GVISOR] = *gvisor;
	run_init(&r->run, &r->jail, &r->watch);
	r->side.capabilities = 1u << CAPABILITY_FILES;
	r->side.facts = facts_write(options, &r->jail, &r->watch, (uint32_t)(clock_us() - begun_us),
				    r->facts);
	reader_init(&r->reader, r->read_buffer);
	watch_everything(r);
	runner_side_ready(&r->side, clock_ms());
}

void runner_main(const struct options *options, const struct watch_files *files,
		 const struct report *gvisor)
{
	struct runner runner = {0};

	boot(&runner, options, files, gvisor);
	loop(&runner);
}
