/* The simulated io keeps the rules of kube/io.h, alive and dead. */
#include "sim_client.h"
#include "sim_io.h"

#include "tap.h"

#include <string.h>

static struct sim_world world;
static struct sim_client c;
static struct io *io;

static int calls; /* of any callback */
static char order[64];
static int last_status;
static enum err_code last_code;
static struct buf body;

static void begin(uint64_t seed)
{
	sim_world_init(&world, seed);
	sim_client_init(&c, &world, "controller");
	io = c.io;
	calls = 0;
	order[0] = '\0';
	last_status = 0;
	buf_init(&body, 1 << 20);
}

static void end(void)
{
	sim_client_free(&c);
	ok(!world.check.has_failed, "nothing is left behind %s", world.check.text);
	sim_world_free(&world);
	buf_free(&body);
}

static void run(int64_t ms)
{
	sim_world_run(&world, ms);
}

static void remember(char what)
{
	size_t n = strlen(order);

	calls++;
	if (n + 1 < sizeof(order) && (n == 0 || order[n - 1] != what)) {
		order[n] = what;
		order[n + 1] = '\0';
	}
}

/* --- Timers. */

static void on_fire(void *context)
{
	remember(*(const char *)context);
}

static struct io_timer *start_timer(int64_t delay_ms, char letter)
{
	static char letters[128];

	letters[(int)letter] = letter;
	return io->timer_start(io, delay_ms, on_fire, &letters[(int)letter]);
}

static struct io_timer *to_cancel;

static void on_fire_and_cancel(void *context)
{
	(void)context;
	remember('x');
	io->timer_cancel(io, to_cancel);
}

static void test_timers(void)
{
	int64_t before_ms;

	begin(1);
	before_ms = io->now_ms(io);
	start_timer(20, 'b');
	start_timer(10, 'a');
	start_timer(20, 'c');
	start_timer(-5, '0');
	cmp_ok(calls, "==", 0, "a timer fires at no time inside its starter");
	run(30);
	is(order, "0abc", "timers fire in the order of their times, then of their starts");
	cmp_ok(io->now_ms(io) - before_ms, "==", 30, "time moves on with the world's");
	order[0] = '\0';
	io->timer_start(io, 5, on_fire_and_cancel, NULL);
	to_cancel = start_timer(5, 'y');
	run(10);
	is(order, "x", "one that is cancelled when it is due already does not fire");
	end();
}

/* --- HTTP. */

static struct io_http *pending;
static char cancel_at; /* the callback in which it is cancelled; 0: none */

static void cancel_if(char what)
{
	if (cancel_at != what)
		return;
	io->http_cancel(io, pending);
	pending = NULL;
}

static void on_head(void *context, int status, int64_t retry_after_ms)
{
	(void)context, (void)retry_after_ms;
	last_status = status;
	remember('h');
	cancel_if('h');
}

static void on_data(void *context, struct str bytes)
{
	(void)context;
	buf_append_str(&body, bytes);
	remember('d');
	cancel_if('d');
}

static void on_done(void *context, const struct err *err)
{
	(void)context;
	pending = NULL;
	last_code = err ? err->code : 0;
	remember(err ? 'e' : 'f');
}

static void get(const char *target, size_t body_limit)
{
	static const struct io_http_callbacks CALLBACKS = {on_head, on_data, on_done};
	struct io_http_request request = {
		.method = "GET",
		.target = target,
		.bearer_token = str_of(world.api.token),
		.timeout_ms = 5000,
		.body_limit = body_limit,
	};

	pending = io->http_start(io, &request, &CALLBACKS, NULL);
}

#define CLASSES "/apis/sandboxtask.io/v1beta1/sandboxclasses"

static void test_http(void)
{
	begin(2);
	cancel_at = 0;
	get(CLASSES "/default", 0);
	cmp_ok(calls, "==", 0, "nothing is called back from inside http_start");
	run(100);
	is(order, "hdf", "head, data, done, each once");
	cmp_ok(last_status, "==", 200, "with the status");
	like(body.data, "\"kind\":\"SandboxClass\"", "and the object");
	order[0] = '\0';
	get(CLASSES "/none", 0);
	run(100);
	is(order, "hdf", "a refusal is an answer");
	cmp_ok(last_status, "==", 404, "of its status");
	order[0] = '\0';
	get(CLASSES, 10);
	run(100);
	cmp_ok(last_code, "==", ERR_TOO_LARGE, "an answer over its limit is an error");
	end();
}

static void test_cancel(void)
{
	static const char AT[] = "hd";

	begin(3);
	for (size_t i = 0; i < strlen(AT); i++) {
		order[0] = '\0';
		cancel_at = AT[i];
		get(CLASSES, 0);
		run(100);
		cmp_ok(order[strlen(order) - 1], "==", AT[i],
		       "cancelled in a callback, '%c', nothing more is called", AT[i]);
	}
	calls = 0;
	get(CLASSES, 0);
	run(3);
	io->http_cancel(io, pending);
	run(100);
	cmp_ok(calls, "==", 0, "cancelled on its way, nothing is called");
	end();
}

/* --- Files and the port. */

static void on_request(void *context, struct str path, struct io_reply *reply)
{
	(void)context;
	io->reply(io, reply, str_equal(path, STR("/healthz")) ? 200 : 404, "text/plain", path);
}

static void test_files_and_port(void)
{
	struct io_server *server;
	struct err err;

	begin(4);
	files_set(&c.sio->files, "/etc/x", "content");
	cmp_ok(io->read_file(io, "/etc/x", &body, &err), "==", 0, "a file that is there is read");
	is(body.data, "content", "as it is");
	ok(io->read_file(io, "/etc/y", &body, &err) < 0 && err.code == ERR_NOT_FOUND,
	   "one that is not, is not found");
	buf_clear(&body);
	cmp_ok(sim_io_ask(c.sio, 8080, "/healthz", &body), "==", 0, "nobody listens");
	server = io->serve(io, "", 8080, on_request, NULL, &err);
	cmp_ok(sim_io_ask(c.sio, 8080, "/healthz", &body), "==", 200, "now somebody does");
	is(body.data, "/healthz", "and answers");
	io->serve_stop(io, server);
	end();
}

/* --- Death. */

static void test_death(void)
{
	struct io_timer *timer;
	struct io_http *old;

	begin(5);
	cancel_at = 0;
	start_timer(1, 'a');
	run(2);
	calls = 0;
	timer = start_timer(10, 'b');
	get(CLASSES, 0);
	old = pending;
	sim_io_kill(c.sio);
	run(10000);
	cmp_ok(calls, "==", 0, "a dead io calls nothing back of what was pending");
	io->timer_cancel(io, timer);
	io->http_cancel(io, old);
	timer = start_timer(1, 'c');
	get(CLASSES, 0);
	run(10000);
	cmp_ok(calls, "==", 0, "nor of what is started on it");
	io->timer_cancel(io, timer);
	io->http_cancel(io, pending);
	end();
}

/* The request whose effect has that number is where the controller dies. */
static bool write_reached_the_server(uint64_t crash_at)
{
	static const struct io_http_callbacks CALLBACKS = {on_head, on_data, on_done};
	const struct io_http_request request = {
		.method = "POST",
		.target = "/apis/coordination.k8s.io/v1/namespaces/" SIM_SYSTEM_NAMESPACE "/leases",
		.bearer_token = str_of(world.api.token),
		.content_type = "application/json",
		.body = STR("{\"metadata\":{\"name\":\"x\"}}"),
	};

	world.effects = 0;
	world.point = crash_at;
	pending = io->http_start(io, &request, &CALLBACKS, NULL);
	run(1000);
	return sim_store_find(&world.api.store, sim_store_kind("leases"), STR(SIM_SYSTEM_NAMESPACE),
			      STR("x")) != NULL;
}

static void test_crash_at(void)
{
	static const struct {
		const char *rule;
		uint64_t at;
		bool arrives, is_heard;
	} ROWS[] = {
		{"at the first effect, before the request has left", 1, false, false},
		{"at the second, when the server has acted and nobody hears it", 2, true, false},
		{"not at all", 0, true, true},
	};

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		begin(6);
		cancel_at = 0;
		ok(write_reached_the_server(ROWS[i].at) == ROWS[i].arrives, "%s: the write is %s",
		   ROWS[i].rule, ROWS[i].arrives ? "there" : "not there");
		ok((calls > 0) == ROWS[i].is_heard, "%s: its answer is %s", ROWS[i].rule,
		   ROWS[i].is_heard ? "heard" : "not heard");
		if (pending)
			io->http_cancel(io, pending);
		end();
	}
}

int main(void)
{
	test_timers();
	test_http();
	test_cancel();
	test_files_and_port();
	test_death();
	test_crash_at();
	done_testing();
}
