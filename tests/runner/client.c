/*
 * client: drives one task through a runner, with the controller's own side of the protocol, and
 * prints what came of it as lines that a test reads.
 *
 *	client <fd to read from> <fd to write to> <task file> <folder for the streams>
 *
 * The descriptors are a runner's stdout and stdin: two pipes on the host, an attach elsewhere. The
 * task file is task.h's. Exit 0 when the outcome was pulled or the client left where it was told
 * to, else 1; the last "state" says which.
 */
#include "proto/controller_side.h"
#include "proto/hello.h"
#include "proto/outcome.h"
#include "proto/reader.h"

#include "base/hex.h"
#include "base/mem.h"
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define OUTCOME_BYTES_MAX (64u << 20)

struct client {
	int in, out;
	const char *folder;
	struct task task;
	struct object bundle;
	uint8_t manifest[4 + BUNDLE_MANIFEST_BYTES_MAX];
	struct controller_side side;
	struct reader reader;
	uint8_t read_buffer[FRAME_WIRE_MAX];
	uint8_t frame[CONTROLLER_FRAME_MAX];
	size_t frame_at, frame_length;
	uint8_t *outcome;
	size_t outcome_length;
	uint64_t bytes_in;	   /* of the runner's stdout */
	uint64_t bytes_in_unasked; /* of these, what came before the outcome was asked for */
	int64_t started_ms, sealed_ms;
	bool hello_is_shown, is_cancelled, is_at_end;
};

static int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void show_hello(struct client *c, struct str facts)
{
	static const char *const states[] = {"held", "missing", "not-supported"};
	static struct hello hello;
	struct err err;

	if (c->hello_is_shown || facts.n == 0)
		return;
	c->hello_is_shown = true;
	if (hello_decode(facts, &hello, &err) < 0) {
		printf("hello-error %s\n", err.message);
		return;
	}
	printf("build %.*s\nkernel %.*s\nuid %u\nboot-us %u\n", STR_ARGS(hello.build),
	       STR_ARGS(hello.kernel), hello.uid, hello.boot_us);
	printf("bundle-bytes-max %llu\noutcome-bytes-max %llu\n",
	       (unsigned long long)hello.bundle_bytes_max,
	       (unsigned long long)hello.outcome_bytes_max);
	for (size_t i = 0; i < hello.layers_count; i++)
		printf("layer-%.*s %s %.*s\n", STR_ARGS(hello.layers[i].name),
		       states[hello.layers[i].state], STR_ARGS(hello.layers[i].detail));
}

static void save(const struct client *c, const char *name, struct str bytes)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", c->folder, name);
	file = fopen(path, "wb");
	if (!file || (bytes.n > 0 && fwrite(bytes.p, 1, bytes.n, file) != bytes.n) ||
	    fclose(file) != 0) {
		perror(path);
		exit(2);
	}
}

static void show_stream(const struct client *c, const char *name, const struct stream *s)
{
	char sha256[2 * SHA256_BYTES + 1], file[64];

	hex_encode(sha256, s->sha256, SHA256_BYTES);
	printf("%s-total %llu\n%s-head %zu\n%s-tail %zu\n%s-sha256 %s\n", name,
	       (unsigned long long)s->total, name, s->head.n, name, s->tail.n, name, sha256);
	snprintf(file, sizeof(file), "%s.head", name);
	save(c, file, s->head);
	snprintf(file, sizeof(file), "%s.tail", name);
	save(c, file, s->tail);
}

static void show_outcome(const struct client *c)
{
	static const char *const verdicts[] = {"exited", "signalled", "killed", "vanished",
					       "not-started"};
	static const char *const reasons[] = {"nothing", "run-time", "install-time", "cpu-time",
					      "memory",	 "output",   "cancel",	     "shutdown"};
	static const char *const stages[] = {"none", "jail", "files", "limits", "exec", "budget"};
	static struct outcome o;
	struct err err;

	if (outcome_decode((struct str){(const char *)c->outcome, c->outcome_length}, &o, &err) <
	    0) {
		printf("outcome-error %s\n", err.message);
		exit(1);
	}
	printf("verdict %s\nexit-code %u\nsignal %u\nkilled-for %s\nstage %s\nerror-number %u\n",
	       verdicts[o.verdict], o.exit_code, o.signal, reasons[o.killed_for], stages[o.stage],
	       o.error_number);
	printf("detail %.*s\npartial %u\nstart-ms %u\nlimit-hits %u\nmemory-enforced %u\n"
	       "memory-limit %llu\n",
	       STR_ARGS(o.detail), o.partial, o.start_ms, o.limit_hits, o.memory_enforced,
	       (unsigned long long)o.memory_limit_bytes);
	printf("wall-ms %u\nuser-ms %u\nsystem-ms %u\nmemory-peak %llu\nprocesses-peak %u\n",
	       o.run.wall_ms, o.run.user_ms, o.run.system_ms,
	       (unsigned long long)o.run.memory_peak_bytes, o.run.processes_peak);
	printf("leftovers %u\nlayers %zu\n", o.run.leftovers, o.layers_count);
	show_stream(c, "stdout", &o.streams[STREAM_STDOUT]);
	show_stream(c, "stderr", &o.streams[STREAM_STDERR]);
}

static void take_outcome(struct client *c, const struct controller_news *news)
{
	if (news->outcome.n == 0)
		return;
	c->outcome = mem_resize(c->outcome, news->outcome_offset + news->outcome.n, 1);
	memcpy(c->outcome + news->outcome_offset, news->outcome.p, news->outcome.n);
	c->outcome_length = news->outcome_offset + news->outcome.n;
}

static void receive(struct client *c)
{
	char bytes[65536];
	ssize_t n = read(c->in, bytes, sizeof(bytes));
	struct str chunk;
	struct frame frame;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		c->is_at_end = true;
		return;
	}
	c->bytes_in += (uint64_t)n;
	chunk = (struct str){bytes, (size_t)n};
	while (reader_next(&c->reader, &chunk, &frame)) {
		struct controller_news news;

		controller_side_on_frame(&c->side, clock_ms(), &frame, &news);
		show_hello(c, news.facts);
		take_outcome(c, &news);
	}
}

/* Sends what it can without waiting: true when nothing is left of the frame in hand. */
static bool send_frames(struct client *c)
{
	for (;;) {
		ssize_t n;

		if (c->frame_at == c->frame_length) {
			c->frame_at = 0;
			c->frame_length =
				controller_side_next_frame(&c->side, clock_ms(), c->frame);
			if (c->frame_length == 0)
				return true;
		}
		n = write(c->out, c->frame + c->frame_at, c->frame_length - c->frame_at);
		if (n < 0 && errno == EAGAIN)
			return false;
		if (n < 0) {
			c->is_at_end = true;
			return true;
		}
		c->frame_at += (size_t)n;
	}
}

static void give_leave(struct client *c)
{
	const struct task *task = &c->task;
	int64_t now = clock_ms();

	if (c->side.state == CONTROLLER_GREETED)
		controller_side_upload(&c->side, now, &c->bundle);
	if (c->side.state == CONTROLLER_UPLOADED && task->cancel_early && !c->is_cancelled) {
		c->is_cancelled = true;
		controller_side_cancel(&c->side, now, (uint32_t)task->cancel_grace_ms);
	} else if (c->side.state == CONTROLLER_UPLOADED && !task->cancel_early) {
		controller_side_start(&c->side, now);
		c->started_ms = now;
	}
	if (c->side.state == CONTROLLER_STARTED && task->cancel_at_bytes > 0 && !c->is_cancelled &&
	    c->side.seen.stdout_bytes >= task->cancel_at_bytes) {
		c->is_cancelled = true;
		controller_side_cancel(&c->side, now, (uint32_t)task->cancel_grace_ms);
	}
	if (c->side.state == CONTROLLER_SEALED) {
		c->bytes_in_unasked = c->bytes_in;
		controller_side_pull(&c->side, now);
		c->sealed_ms = now;
	}
}

static bool is_final(enum controller_state state)
{
	switch (state) {
	case CONTROLLER_PULLED:
	case CONTROLLER_CANCELLED:
	case CONTROLLER_STALLED:
	case CONTROLLER_OUTRANKED:
	case CONTROLLER_FAILED: return true;
	case CONTROLLER_DETACHED:
	case CONTROLLER_ATTACHING:
	case CONTROLLER_GREETED:
	case CONTROLLER_UPLOADING:
	case CONTROLLER_UPLOADED:
	case CONTROLLER_STARTING:
	case CONTROLLER_STARTED:
	case CONTROLLER_SEALED:
	case CONTROLLER_PULLING: return false;
	}
	return true;
}

static bool should_stop(const struct client *c)
{
	const char *state = controller_side_state_name(c->side.state);

	if (c->side.state == CONTROLLER_STARTED && c->task.leave_at_bytes > 0 &&
	    c->side.seen.stdout_bytes >= c->task.leave_at_bytes)
		return true;
	return c->is_at_end || is_final(c->side.state) ||
	       (c->task.stop_at.n > 0 && str_equal(c->task.stop_at, str_of(state)));
}

static int wait_ms(const struct client *c)
{
	int64_t due = controller_side_deadline(&c->side), now = clock_ms();

	if (due <= now)
		return 0;
	return due - now < 1000 ? (int)(due - now) : 1000;
}

static void drive(struct client *c)
{
	controller_side_attach(&c->side, clock_ms(), c->task.session);
	for (;;) {
		struct pollfd polled[2] = {{.fd = c->in, .events = POLLIN}, {.fd = c->out}};
		bool is_full = !send_frames(c);

		polled[1].events = is_full ? POLLOUT : 0;
		poll(polled, 2, is_full ? 1000 : wait_ms(c));
		if (polled[0].revents)
			receive(c);
		if (should_stop(c))
			break;
		give_leave(c);
	}
	if (c->side.state == CONTROLLER_PULLED && c->task.release) {
		controller_side_release(&c->side);
		while (!send_frames(c))
			poll(NULL, 0, 10);
	}
}

int main(int argc, char *argv[])
{
	static struct client c;
	uint64_t in, out;
	struct err err;

	if (argc != 5 || !str_to_uint(str_of(argv[1]), 1 << 20, &in) ||
	    !str_to_uint(str_of(argv[2]), 1 << 20, &out)) {
		fprintf(stderr, "usage: client IN_FD OUT_FD TASK FOLDER\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	c.in = (int)in;
	c.out = (int)out;
	c.folder = argv[4];
	fcntl(c.out, F_SETFL, O_WRONLY | O_NONBLOCK);
	task_read(&c.task, argv[3]);
	if (bundle_encode(&c.task.bundle, c.manifest, sizeof(c.manifest), &c.bundle, &err) < 0) {
		fprintf(stderr, "client: %s\n", err.message);
		return 2;
	}
	controller_side_init(&c.side, c.task.run_id, (uint32_t)c.task.attempt, OUTCOME_BYTES_MAX);
	reader_init(&c.reader, c.read_buffer);
	drive(&c);
	printf("state %s\nphase %u\nstarts %u\nrefusal %u\nbytes-in %llu\nseen-stdout %llu\n",
	       controller_side_state_name(c.side.state), c.side.seen.phase, c.side.seen.starts,
	       c.side.refusal, (unsigned long long)c.bytes_in,
	       (unsigned long long)c.side.seen.stdout_bytes);
	printf("bytes-in-unasked %llu\n", (unsigned long long)c.bytes_in_unasked);
	printf("sealed-after-ms %lld\n", (long long)(c.sealed_ms - c.started_ms));
	if (c.side.state == CONTROLLER_FAILED)
		printf("failure %s\n", controller_side_failure_text(c.side.failure));
	if (c.side.state == CONTROLLER_PULLED)
		show_outcome(&c);
	free(c.outcome);
	return c.side.state == CONTROLLER_PULLED || c.side.state == CONTROLLER_CANCELLED ||
			       c.task.stop_at.n > 0
		       ? 0
		       : 1;
}
