/* HTTP/2 to the byte (RFC 9113): connections that are sent away, streams refused or few. */
#include "uv_fixture.h"

#include "tap.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Frames: three bytes of length, type, flags, four bytes of stream. 0x88: HPACK's :status 200. */
#define SETTINGS "\0\0\0\x04\0\0\0\0\0"
#define ONE_STREAM               \
	"\0\0\x06\x04\0\0\0\0\0" \
	"\0\x03\0\0\0\x01"
#define SETTINGS_ACK  "\0\0\0\x04\x01\0\0\0\0"
#define HEADERS(n)    "\0\0\x01\x01\x04\0\0\0" n "\x88"
#define HELLO(n)      "\0\0\x05\0\0\0\0\0" n "hello"
#define LAST_HELLO(n) "\0\0\x05\0\x01\0\0\0" n "hello"
#define GOAWAY(n)                \
	"\0\0\x08\x07\0\0\0\0\0" \
	"\0\0\0" n "\0\0\0\0"
#define REFUSED(n) "\0\0\x04\x03\0\0\0\0" n "\0\0\0\x07"
#define BROKEN(n)  "\0\0\x04\x03\0\0\0\0" n "\0\0\0\x02"

/* HEADERS behind the body: "x: y", and the end of the stream. */
#define TRAILERS(n)                         \
	"\0\0\x05\x01\x05\0\0\0" n "\0\x01" \
	"x"                                 \
	"\x01"                              \
	"y"

/* The client's request on a stream: HEADERS with END_HEADERS and END_STREAM. */
#define REQUEST(n) EXPECT("\x01\x05\0\0\0" n)

#define PREFACE EXPECT("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), SEND(SETTINGS SETTINGS_ACK)

static const struct fake_step ANSWER[] = {PREFACE,
					  REQUEST("\x01"),
					  SEND(HEADERS("\x01") LAST_HELLO("\x01")),
					  REQUEST("\x03"),
					  SEND(HEADERS("\x03") LAST_HELLO("\x03")),
					  END};

static void open_h2(struct uv_fixture *fixture, const struct fake_step *script)
{
	struct io_endpoint_config config;
	struct err err;

	uv_fixture_open(fixture, NULL);
	fake_server_delete(fixture->server);
	fixture->tls.alpn = "h2";
	fixture->server = fake_server_new(&fixture->loop, &fixture->tls);
	fake_server_script(fixture->server, script);
	config = uv_fixture_config(fixture);
	fixture->io->endpoint_delete(fixture->io, fixture->endpoint);
	fixture->endpoint = fixture->io->endpoint_new(fixture->io, &config, &err);
}

static struct io_http_request get(const struct uv_fixture *fixture)
{
	return (struct io_http_request){
		.endpoint = fixture->endpoint, .method = "GET", .target = "/version"};
}

static void requests_share_a_connection(void)
{
	struct http_record record = {0};
	struct io_http_request request;
	struct uv_fixture fixture;

	open_h2(&fixture, ANSWER);
	request = get(&fixture);
	for (int i = 0; i < 2; i++) {
		http_record_start(&record, fixture.io, &request);
		run_until(&fixture.loop, record.dones > 0);
		is(record.body.data, "hello", "answer %d comes", i + 1);
	}
	cmp_ok(fake_server_connections(fixture.server), "==", 1, "over one connection");
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

/* What an API server does with --goaway-chance, and before it stops. */
static void a_running_stream_outlives_goaway(void)
{
	static const struct fake_step AWAY[] = {PREFACE,
						REQUEST("\x01"),
						SEND(HEADERS("\x01") HELLO("\x01")),
						SEND(GOAWAY("\x01")),
						PAUSE,
						SEND(LAST_HELLO("\x01")),
						END};
	struct http_record watch = {0}, call = {0};
	struct io_http_request request;
	struct uv_fixture fixture;

	open_h2(&fixture, AWAY);
	fake_server_script(fixture.server, ANSWER);
	request = get(&fixture);
	http_record_start(&watch, fixture.io, &request);
	run_until(&fixture.loop, watch.datas > 0);
	run_turns(&fixture.loop, 10);
	http_record_start(&call, fixture.io, &request);
	run_until(&fixture.loop, call.dones > 0);
	ok(!call.has_err, "a new request is answered: %s", call.has_err ? call.err.message : "");
	cmp_ok(fake_server_connections(fixture.server), "==", 2, "over a new connection");
	cmp_ok(watch.dones, "==", 0, "while the old stream lives");
	fake_server_resume(fixture.server);
	run_until(&fixture.loop, watch.dones > 0);
	is(watch.body.data, "hellohello", "to its own end");
	http_record_free(&watch);
	http_record_free(&call);
	uv_fixture_close(&fixture);
}

static void a_refused_stream_is_sent_again(void)
{
	static const struct fake_step REFUSES[] = {PREFACE,
						   REQUEST("\x01"),
						   SEND(REFUSED("\x01")),
						   REQUEST("\x03"),
						   SEND(HEADERS("\x03") LAST_HELLO("\x03")),
						   END};
	struct http_record record = {0};
	struct io_http_request request;
	struct uv_fixture fixture;

	open_h2(&fixture, REFUSES);
	fake_server_script(fixture.server, ANSWER);
	request = get(&fixture);
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	ok(!record.has_err, "what was not processed is repeated: %s",
	   record.has_err ? record.err.message : "");
	cmp_ok(record.heads, "==", 1, "unseen by the user");
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

static void trailers_are_no_second_head(void)
{
	static const struct fake_step SCRIPT[] = {
		PREFACE, REQUEST("\x01"), SEND(HEADERS("\x01") HELLO("\x01") TRAILERS("\x01")),
		END};
	struct http_record record = {0};
	struct io_http_request request;
	struct uv_fixture fixture;

	open_h2(&fixture, SCRIPT);
	request = get(&fixture);
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	cmp_ok(record.heads, "==", 1, "one head");
	is(record.body.data, "hello", "and the body");
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

static void a_broken_stream_is_an_error(void)
{
	static const struct fake_step BREAKS[] = {PREFACE, REQUEST("\x01"),
						  SEND(HEADERS("\x01") HELLO("\x01")),
						  SEND(BROKEN("\x01")), END};
	struct http_record record = {0};
	struct io_http_request request;
	struct uv_fixture fixture;

	open_h2(&fixture, BREAKS);
	request = get(&fixture);
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	ok(record.has_err, "with what has come: \"%s\", then %s", record.body.data,
	   record.err.message);
	is(record.body.data, "hello", "all of it");
	is(err_code_name(record.err.code), "Transport", "it is as if the connection had broken");
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

static void few_streams_need_more_connections(void)
{
	static const struct fake_step FEW[] = {EXPECT("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
					       SEND(ONE_STREAM SETTINGS_ACK),
					       REQUEST("\x01"),
					       SEND(HEADERS("\x01") HELLO("\x01")),
					       PAUSE,
					       SEND(LAST_HELLO("\x01")),
					       END};
	struct http_record first = {0}, second = {0};
	struct io_http_request request;
	struct uv_fixture fixture;

	open_h2(&fixture, FEW);
	fake_server_script(fixture.server, ANSWER);
	request = get(&fixture);
	http_record_start(&first, fixture.io, &request);
	run_until(&fixture.loop, first.datas > 0);
	http_record_start(&second, fixture.io, &request);
	run_until(&fixture.loop, second.dones > 0);
	is(second.body.data, "hello", "a second request does not wait for the first to end");
	fake_server_resume(fixture.server);
	run_until(&fixture.loop, first.dones > 0);
	is(first.body.data, "hellohello", "which ends as well");
	http_record_free(&first);
	http_record_free(&second);
	uv_fixture_close(&fixture);
}

int main(void)
{
	alarm(120);
	signal(SIGPIPE, SIG_IGN);
	requests_share_a_connection();
	a_running_stream_outlives_goaway();
	a_refused_stream_is_sent_again();
	trailers_are_no_second_head();
	a_broken_stream_is_an_error();
	few_streams_need_more_connections();
	done_testing();
}
