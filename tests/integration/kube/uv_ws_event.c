/* Closing, starting, deleting from inside any callback of a websocket; silence; back-pressure. */
#include "uv_fixture.h"
#include "ws_record.h"

#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define V5     "v5.channel.k8s.io"
#define ACCEPT EXPECT("\r\n\r\n"), WS_ACCEPT(V5)

enum { BINARY = 2, CLOSING = 8, PING = 9 };

/* Open, three messages, end: five callbacks. */
static const struct fake_step THREE[] = {ACCEPT,
					 SEND("\x82\x01"
					      "a\x82\x01"
					      "b"),
					 SEND("\x82\x01"
					      "c"),
					 SEND("\x88\x02\x03\xe8"), END};
/* Open and three messages, then what we say in closing. */
static const struct fake_step UNTIL_CLOSED[] = {ACCEPT,
						SEND("\x82\x01"
						     "a\x82\x01"
						     "b"),
						SEND("\x82\x01"
						     "c"),
						WS_EXPECT(CLOSING, "\x03\xe8"),
						SEND("\x88\x02\x03\xe8"),
						END};
static const struct fake_step NO_ANSWER[] = {END};

static void close_self(struct ws_record *record, int nth)
{
	const int *wanted = record->hook_context;

	if (nth != *wanted || !record->handle)
		return;
	record->io->ws_close(record->io, record->handle);
	record->handle = NULL;
}

static void closing_in_any_callback_is_the_end(void)
{
	for (int nth = 1; nth <= 4; nth++) {
		struct ws_record record = {.hook = close_self, .hook_context = &nth};
		struct uv_fixture fixture;

		uv_fixture_open(&fixture, UNTIL_CLOSED);
		ws_record_start(&record, fixture.io, fixture.endpoint);
		run_until(&fixture.loop, ws_record_nth(&record) >= nth);
		run_until(&fixture.loop, fake_server_seen(fixture.server, 0)->is_through);
		pass("a close in callback %d reaches the server with code 1000", nth);
		run_until(&fixture.loop, !fake_server_seen(fixture.server, 0)->is_open);
		cmp_ok(ws_record_nth(&record), "==", nth, "and nothing comes after it");
		ws_record_free(&record);
		uv_fixture_close(&fixture);
	}
}

/* With nothing else going on: libwebsockets would look at it with the next event of a socket. */
static void closing_before_it_is_open_is_at_once(void)
{
	struct ws_record record = {0};
	struct uv_fixture fixture;

	uv_fixture_open(&fixture, NO_ANSWER);
	ws_record_start(&record, fixture.io, fixture.endpoint);
	run_until(&fixture.loop, fake_server_connections(fixture.server) > 0 &&
					 fake_server_seen(fixture.server, 0)->length > 0);
	run_turns(&fixture.loop, 10);
	fixture.io->ws_close(fixture.io, record.handle);
	run_until(&fixture.loop, !fake_server_seen(fixture.server, 0)->is_open);
	cmp_ok(ws_record_nth(&record), "==", 0, "the connection is gone, and nothing was told");
	ws_record_free(&record);
	uv_fixture_close(&fixture);
}

struct pair {
	struct ws_record *other;
	int nth;
};

static void close_other(struct ws_record *record, int nth)
{
	struct pair *pair = record->hook_context;

	if (nth != pair->nth)
		return;
	if (pair->other->handle)
		record->io->ws_close(record->io, pair->other->handle);
	pair->other->handle = NULL;
	pair->nth = -ws_record_nth(pair->other);
}

static void closing_another_in_any_callback_is_its_end(void)
{
	for (int nth = 1; nth <= 5; nth++) {
		struct ws_record victim = {0}, actor = {.hook = close_other};
		struct pair pair = {&victim, nth};
		struct uv_fixture fixture;

		uv_fixture_open(&fixture, THREE);
		actor.hook_context = &pair;
		ws_record_start(&actor, fixture.io, fixture.endpoint);
		ws_record_start(&victim, fixture.io, fixture.endpoint);
		run_until(&fixture.loop, actor.ends > 0);
		run_turns(&fixture.loop, 20);
		cmp_ok(actor.messages, "==", 3, "who closes another in callback %d goes on", nth);
		cmp_ok(ws_record_nth(&victim), "==", -pair.nth, "the other hears nothing more");
		ws_record_free(&actor);
		ws_record_free(&victim);
		uv_fixture_close(&fixture);
	}
}

struct follower {
	struct ws_record record;
	struct io_endpoint *endpoint;
	int nth;
};

static void start_follower(struct ws_record *record, int nth)
{
	struct follower *follower = record->hook_context;

	if (nth == follower->nth)
		ws_record_start(&follower->record, record->io, follower->endpoint);
}

static void starting_in_any_callback_is_fine(void)
{
	for (int nth = 1; nth <= 5; nth++) {
		struct follower follower = {.nth = nth};
		struct ws_record record = {.hook = start_follower, .hook_context = &follower};
		struct uv_fixture fixture;

		uv_fixture_open(&fixture, THREE);
		follower.endpoint = fixture.endpoint;
		ws_record_start(&record, fixture.io, fixture.endpoint);
		run_until(&fixture.loop, record.ends > 0 && follower.record.ends > 0);
		cmp_ok(record.messages, "==", 3, "the first ends as if nothing were");
		cmp_ok(follower.record.messages, "==", 3, "one started in callback %d as well",
		       nth);
		ws_record_free(&record);
		ws_record_free(&follower.record);
		uv_fixture_close(&fixture);
	}
}

static void leave_for_good(struct ws_record *record, int nth)
{
	struct follower *follower = record->hook_context;

	if (nth != follower->nth)
		return;
	if (record->handle)
		record->io->ws_close(record->io, record->handle);
	record->handle = NULL;
	record->io->endpoint_delete(record->io, follower->endpoint);
	follower->nth = 0;
}

static void an_endpoint_may_go_in_any_callback(void)
{
	for (int nth = 1; nth <= 5; nth++) {
		struct follower follower = {.nth = nth};
		struct ws_record record = {.hook = leave_for_good, .hook_context = &follower};
		struct uv_fixture fixture;

		uv_fixture_open(&fixture, THREE);
		follower.endpoint = fixture.endpoint;
		ws_record_start(&record, fixture.io, fixture.endpoint);
		run_until(&fixture.loop, follower.nth == 0);
		run_until(&fixture.loop, !fake_server_seen(fixture.server, 0)->is_open);
		cmp_ok(ws_record_nth(&record), "==", nth, "deleted in callback %d, it is silent",
		       nth);
		ws_record_free(&record);
		uv_fixture_close(&fixture);
	}
}

static void an_io_may_be_deleted_at_any_moment(void)
{
	static const struct fake_step *const SCRIPTS[] = {THREE, UNTIL_CLOSED, NO_ANSWER};
	bool was_ended = false;
	int turns;

	for (turns = 0; !was_ended; turns++) {
		struct ws_record records[3] = {0};
		struct uv_fixture fixture;
		int calls = 0;

		uv_fixture_open(&fixture, NULL);
		for (int i = 0; i < 3; i++) {
			fake_server_script(fixture.server, SCRIPTS[i]);
			ws_record_start(&records[i], fixture.io, fixture.endpoint);
		}
		for (int i = 0; i < turns && records[0].ends == 0; i++)
			uv_run(&fixture.loop, UV_RUN_ONCE);
		was_ended = records[0].ends > 0;
		for (int i = 0; i < 3; i++)
			calls -= ws_record_nth(&records[i]);
		uv_fixture_delete_io(&fixture);
		run_turns(&fixture.loop, 5);
		for (int i = 0; i < 3; i++)
			calls += ws_record_nth(&records[i]);
		cmp_ok(calls, "==", 0, "deleting the io after %d turns calls nothing back", turns);
		for (int i = 0; i < 3; i++)
			ws_record_free(&records[i]);
		uv_fixture_close(&fixture);
	}
	note("a websocket took %d turns of the loop", turns);
}

/* --- Time. --- */

static void hurry(struct io_ws_request *request)
{
	request->connect_timeout_ms = 100;
}

/* libwebsockets goes on reading whatever comes in place of an answer. */
static void a_handshake_that_is_never_answered_ends(void)
{
	static const struct fake_step GARBAGE[] = {EXPECT("\r\n\r\n"), SEND("SSH-2.0-x\r\n\r\n"),
						   END};
	static const struct fake_step HALF[] = {EXPECT("\r\n\r\n"), SEND("HTTP/1.1 101 "), END};
	static const struct fake_step *const SCRIPTS[] = {NO_ANSWER, GARBAGE, HALF};

	for (size_t i = 0; i < sizeof(SCRIPTS) / sizeof(SCRIPTS[0]); i++) {
		struct ws_record record = {.change = hurry};
		struct uv_fixture fixture;

		uv_fixture_open(&fixture, SCRIPTS[i]);
		ws_record_start(&record, fixture.io, fixture.endpoint);
		run_until(&fixture.loop, record.ends > 0);
		is(err_code_name(record.err.code), "Timeout", "script %zu: %s", i,
		   record.err.message);
		cmp_ok(record.opens, "==", 0, "it was never open");
		ws_record_free(&record);
		uv_fixture_close(&fixture);
	}
}

/* A connect that is never answered: the listener's queue is full, so SYNs are dropped. */
static void a_connect_that_is_never_answered_ends(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), waiting[8];
	struct ws_record ws = {.change = hurry};
	struct http_record http = {0};
	struct io_http_request request = {.method = "GET", .target = "/", .timeout_ms = 100};
	struct io_endpoint_config config;
	struct uv_fixture fixture;
	struct err err;

	bind(listener, (struct sockaddr *)&address, length);
	listen(listener, 0);
	getsockname(listener, (struct sockaddr *)&address, &length);
	for (int i = 0; i < 8; i++) {
		waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(waiting[i], (struct sockaddr *)&address, length);
	}
	uv_fixture_open(&fixture, NO_ANSWER);
	config = uv_fixture_config(&fixture);
	config.port = ntohs(address.sin_port);
	request.endpoint = fixture.io->endpoint_new(fixture.io, &config, &err);
	ws_record_start(&ws, fixture.io, request.endpoint);
	http_record_start(&http, fixture.io, &request);
	run_until(&fixture.loop, ws.ends > 0 && http.dones > 0);
	is(err_code_name(ws.err.code), "Timeout", "a websocket: %s", ws.err.message);
	is(err_code_name(http.err.code), "Timeout", "a request: %s", http.err.message);
	ws_record_free(&ws);
	http_record_free(&http);
	uv_fixture_close(&fixture);
	for (int i = 0; i < 8; i++)
		close(waiting[i]);
	close(listener);
}

static void be_nervous(struct io_ws_request *request)
{
	request->silence_ms = 90;
}

/* Long enough for an answer on a machine that is busy with other things. */
static void be_patient(struct io_ws_request *request)
{
	request->silence_ms = 500;
}

static void set_true(void *context)
{
	*(bool *)context = true;
}

static void a_side_that_answers_no_ping_is_dead(void)
{
	static const struct fake_step MUTE[] = {ACCEPT, PAUSE, END};
	struct ws_record record = {.change = be_nervous};
	struct uv_fixture fixture;

	uv_fixture_open(&fixture, MUTE);
	ws_record_start(&record, fixture.io, fixture.endpoint);
	run_until(&fixture.loop, record.ends > 0);
	cmp_ok(record.opens, "==", 1, "it was open");
	is(err_code_name(record.err.code), "Timeout", "and timed out: %s", record.err.message);
	ws_record_free(&record);
	uv_fixture_close(&fixture);
}

static void a_side_that_answers_pings_is_alive(void)
{
	static const struct fake_step ANSWERS[] = {ACCEPT, WS_EXPECT(CLOSING, ""), END};
	struct ws_record record = {.change = be_patient};
	struct uv_fixture fixture;
	bool has_passed = false;

	uv_fixture_open(&fixture, ANSWERS);
	ws_record_start(&record, fixture.io, fixture.endpoint);
	run_until(&fixture.loop, record.opens > 0);
	fixture.io->timer_start(fixture.io, 2000, set_true, &has_passed);
	run_until(&fixture.loop, has_passed);
	cmp_ok(record.ends, "==", 0, "though it says nothing for several times the silence");
	ws_record_free(&record);
	uv_fixture_close(&fixture);
}

static void fill(struct ws_record *record, int nth)
{
	static const char CHUNK[32 * 1024];
	size_t *sent = record->hook_context;

	(void)nth;
	while (record->handle && *sent < 8 * 1024 * 1024 &&
	       record->io->ws_send(record->io, record->handle, (struct str){CHUNK, sizeof(CHUNK)}))
		*sent += sizeof(CHUNK);
}

static void a_side_that_does_not_read_is_not_dead(void)
{
	static const struct fake_step BLOCKED[] = {ACCEPT, PAUSE, WS_EXPECT(BINARY, "end"),
						   SEND("\x88\x02\x03\xe8"), END};
	size_t sent = 0;
	struct ws_record record = {.change = be_nervous, .hook = fill, .hook_context = &sent};
	struct uv_fixture fixture;
	bool has_passed = false;

	uv_fixture_open(&fixture, BLOCKED);
	ws_record_start(&record, fixture.io, fixture.endpoint);
	run_until(&fixture.loop, record.opens > 0);
	fixture.io->timer_start(fixture.io, 600, set_true, &has_passed);
	run_until(&fixture.loop, has_passed);
	cmp_ok(record.ends, "==", 0, "no pong comes for several times the silence, and it lives");
	cmp_ok(sent, "<", 8 * 1024 * 1024, "after %zu bytes ws_send refused more", sent);
	fake_server_resume(fixture.server);
	run_until(&fixture.loop, record.writables > 0);
	pass("when it reads again, writable is called");
	run_until(&fixture.loop, sent == 8 * 1024 * 1024);
	record.hook = NULL;
	run_until(&fixture.loop, record.io->ws_send(record.io, record.handle, STR("end")));
	run_until(&fixture.loop, record.ends > 0);
	cmp_ok(record.close_code, "==", 1000, "all 8 MiB and the end have come");
	ws_record_free(&record);
	uv_fixture_close(&fixture);
}

/* The server says much, then resets, while we say much: no order is certain, but one end is. */
static void a_reset_in_both_directions_is_one_end(void)
{
	enum { BYTES = 60 * 1000 };
	char *frames = malloc(BYTES);
	const struct fake_step script[] = {ACCEPT, SEND_LONG(frames, BYTES), RESET, END};
	size_t sent = 0;
	struct ws_record record = {.hook = fill, .hook_context = &sent};
	struct uv_fixture fixture;

	for (size_t i = 0; i < BYTES; i += 3)
		memcpy(frames + i, "\x82\x01x", 3);
	uv_fixture_open(&fixture, script);
	ws_record_start(&record, fixture.io, fixture.endpoint);
	run_until(&fixture.loop, record.ends > 0);
	run_turns(&fixture.loop, 10);
	cmp_ok(record.ends, "==", 1, "one end, after %d of 20000 messages: %s", record.messages,
	       record.err.message);
	is(err_code_name(record.err.code), "Transport", "and it is the connection's");
	ws_record_free(&record);
	uv_fixture_close(&fixture);
	free(frames);
}

static void take_your_time(struct io_ws_request *request)
{
	request->connect_timeout_ms = 200000;
}

static void a_hundred_at_once_are_fine(void)
{
	struct ws_record *records = calloc(100, sizeof(*records));
	struct uv_fixture fixture;
	int ended = 0;

	uv_fixture_open(&fixture, THREE);
	for (int i = 0; i < 100; i++) {
		records[i].change = take_your_time;
		ws_record_start(&records[i], fixture.io, fixture.endpoint);
	}
	for (int i = 0; i < 100; i++) {
		run_until(&fixture.loop, records[i].ends > 0);
		ended += records[i].messages == 3 && records[i].close_code == 1000;
		ws_record_free(&records[i]);
	}
	cmp_ok(ended, "==", 100, "each has its three messages and its close");
	uv_fixture_close(&fixture);
	free(records);
}

int main(void)
{
	alarm(300);
	signal(SIGPIPE, SIG_IGN);
	closing_in_any_callback_is_the_end();
	closing_before_it_is_open_is_at_once();
	closing_another_in_any_callback_is_its_end();
	starting_in_any_callback_is_fine();
	an_endpoint_may_go_in_any_callback();
	an_io_may_be_deleted_at_any_moment();
	a_handshake_that_is_never_answered_ends();
	a_connect_that_is_never_answered_ends();
	a_side_that_answers_no_ping_is_dead();
	a_side_that_answers_pings_is_alive();
	a_side_that_does_not_read_is_not_dead();
	a_reset_in_both_directions_is_one_end();
	a_hundred_at_once_are_fine();
	done_testing();
}
