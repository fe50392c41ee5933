/* The HTTP side of the real io against a server that follows a script to the byte. */
#include "uv_fixture.h"

#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

static const struct fake_step ANSWER[] = {EXPECT("\r\n\r\n"), SEND(OK_HEAD "hello"), END};
static const struct fake_step SILENCE[] = {END};

static struct io_http_request get(const struct uv_fixture *fixture)
{
	return (struct io_http_request){
		.endpoint = fixture->endpoint, .method = "GET", .target = "/version"};
}

/* Plays a script once, with a request that may be changed by `change`. */
struct exchange {
	const char *rule;
	const struct fake_step *script;
	int64_t silence_ms, timeout_ms;
	size_t body_limit;
	/* What has to come of it: */
	int status;
	const char *body;
	bool fails;
	enum err_code code;
	int64_t retry_after_ms;
};

static const struct fake_step BYTE_BY_BYTE[] = {EXPECT("\r\n\r\n"), BYTEWISE(OK_HEAD "hello"), END};
static const struct fake_step CHUNKED[] = {
	EXPECT("\r\n\r\n"),
	BYTEWISE("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		 "3\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n"),
	END};
static const struct fake_step UNTIL_CLOSE[] = {
	EXPECT("\r\n\r\n"), SEND("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"), CLOSE, END};
static const struct fake_step EARLY_HINTS[] = {EXPECT("\r\n\r\n"),
					       SEND("HTTP/1.1 103 Early\r\nRetry-After: 9\r\n\r\n"),
					       SEND(OK_HEAD "hello"), END};
static const struct fake_step NO_CONTENT[] = {EXPECT("\r\n\r\n"),
					      SEND("HTTP/1.1 204 No Content\r\n\r\n"), END};
static const struct fake_step THROTTLED[] = {
	EXPECT("\r\n\r\n"),
	SEND("HTTP/1.1 429 Too Many Requests\r\nRETRY-AFTER: 7\r\nContent-Length: 0\r\n\r\n"), END};
static const struct fake_step ODD_RETRY_AFTER[] = {
	EXPECT("\r\n\r\n"),
	SEND("HTTP/1.1 503 No\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n"
	     "Content-Length: 0\r\n\r\n"),
	END};
static const struct fake_step REDIRECT[] = {
	EXPECT("\r\n\r\n"),
	SEND("HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
	END};
static const struct fake_step CUT_IN_BODY[] = {EXPECT("\r\n\r\n"), SEND(OK_HEAD "hel"), CUT, END};
static const struct fake_step RESET_IN_BODY[] = {EXPECT("\r\n\r\n"), SEND(OK_HEAD "hel"), RESET,
						 END};
static const struct fake_step CUT_AT_ONCE[] = {CUT, END};
static const struct fake_step RESET_ON_REQUEST[] = {EXPECT("\r\n\r\n"), RESET, END};
static const struct fake_step CUT_IN_CHUNK[] = {
	EXPECT("\r\n\r\n"), SEND("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhel"),
	CLOSE, END};
static const struct fake_step GARBAGE[] = {EXPECT("\r\n\r\n"),
					   SEND("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\r\n"), END};
static const struct fake_step HEAD_THEN_SILENCE[] = {EXPECT("\r\n\r\n"), SEND(OK_HEAD), END};

static const struct exchange EXCHANGES[] = {
	{"an answer comes whole", ANSWER, .status = 200, .body = "hello"},
	{"an answer in single bytes comes whole", BYTE_BY_BYTE, .status = 200, .body = "hello"},
	{"chunks are joined, trailers are not a second head", CHUNKED, .status = 200,
	 .body = "hello"},
	{"a body may end with the connection", UNTIL_CLOSE, .status = 200, .body = "hello"},
	{"an interim answer is no head", EARLY_HINTS, .status = 200, .body = "hello"},
	{"an answer without a body has a head", NO_CONTENT, .status = 204, .body = ""},
	{"Retry-After is read in any case", THROTTLED, .status = 429, .body = "",
	 .retry_after_ms = 7000},
	{"Retry-After as a date is none", ODD_RETRY_AFTER, .status = 503, .body = ""},
	{"a redirect is an answer, not an order", REDIRECT, .status = 302, .body = ""},
	{"a body of just the limit is taken", ANSWER, .body_limit = 5, .status = 200,
	 .body = "hello"},
	{"one byte over the limit is an error", ANSWER, .body_limit = 4, .status = 200, .body = "",
	 .fails = true, .code = ERR_TOO_LARGE},
	{"a connection that ends in the body is an error", CUT_IN_BODY, .status = 200,
	 .body = "hel", .fails = true, .code = ERR_TRANSPORT},
	{"a reset in the body is an error", RESET_IN_BODY, .status = 200, .body = "hel",
	 .fails = true, .code = ERR_TRANSPORT},
	{"an end inside a chunk is an error", CUT_IN_CHUNK, .status = 200, .body = "hel",
	 .fails = true, .code = ERR_TRANSPORT},
	{"a connection that ends without an answer is an error", CUT_AT_ONCE, .body = "",
	 .fails = true, .code = ERR_TRANSPORT},
	{"a reset instead of an answer is an error", RESET_ON_REQUEST, .body = "", .fails = true,
	 .code = ERR_TRANSPORT},
	{"an answer of another protocol is an error", GARBAGE, .body = "", .fails = true,
	 .code = ERR_PROTOCOL},
	{"no answer in time is an error", SILENCE, .timeout_ms = 50, .body = "", .fails = true,
	 .code = ERR_TIMEOUT},
	{"silence from the start is an error", SILENCE, .silence_ms = 50, .body = "", .fails = true,
	 .code = ERR_TIMEOUT},
	{"silence in the body is an error", HEAD_THEN_SILENCE, .silence_ms = 1500, .status = 200,
	 .body = "", .fails = true, .code = ERR_TIMEOUT},
	{"a body that is never whole meets the time limit", HEAD_THEN_SILENCE, .timeout_ms = 1500,
	 .status = 200, .body = "", .fails = true, .code = ERR_TIMEOUT},
};

static void each_exchange_ends_as_it_should(void)
{
	for (size_t i = 0; i < sizeof(EXCHANGES) / sizeof(EXCHANGES[0]); i++) {
		const struct exchange *exchange = &EXCHANGES[i];
		struct http_record record = {0};
		struct io_http_request request;
		struct uv_fixture fixture;

		uv_fixture_open(&fixture, exchange->script);
		request = get(&fixture);
		request.silence_ms = exchange->silence_ms;
		request.timeout_ms = exchange->timeout_ms;
		request.body_limit = exchange->body_limit;
		http_record_start(&record, fixture.io, &request);
		cmp_ok(record.heads + record.datas + record.dones, "==", 0,
		       "nothing is called from inside the starter");
		run_until(&fixture.loop, record.dones > 0);
		run_turns(&fixture.loop, 5);
		cmp_ok(record.dones, "==", 1, "%s: done comes once", exchange->rule);
		cmp_ok(record.status, "==", exchange->status, "%s: status", exchange->rule);
		cmp_ok(record.heads, "==", exchange->status ? 1 : 0, "%s: heads", exchange->rule);
		cmp_ok(record.retry_after_ms, "==", exchange->retry_after_ms, "%s: Retry-After",
		       exchange->rule);
		is(record.body.data, exchange->body, "%s: body", exchange->rule);
		cmp_ok(record.has_err, "==", exchange->fails, "%s: error", exchange->rule);
		if (record.has_err) {
			is(err_code_name(record.err.code), err_code_name(exchange->code),
			   "%s: code", exchange->rule);
			like(record.err.message,
			     "^127\\.0\\.0\\.1:[0-9]+: ", "the message says which server: %s",
			     record.err.message);
		}
		http_record_free(&record);
		uv_fixture_close(&fixture);
	}
}

static void a_request_is_sent_as_asked(void)
{
	static const struct fake_step SCRIPT[] = {EXPECT("\"}}"), SEND(OK_HEAD "hello"), END};
	struct http_record record = {0};
	struct uv_fixture fixture;
	struct io_http_request request;
	char *expected;

	uv_fixture_open(&fixture, SCRIPT);
	request = get(&fixture);
	request.method = "PATCH";
	request.target = "/prefix/a/../%2e?b=c%20d";
	request.accept = "application/json;as=Table";
	request.content_type = "application/merge-patch+json";
	request.bearer_token = STR("s3cret");
	request.body = STR("{\"a\":{\"b\":\"c\"}}");
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	if (asprintf(&expected,
		     "PATCH /prefix/a/../%%2e?b=c%%20d HTTP/1.1\r\n"
		     "Host: 127.0.0.1:%u\r\n"
		     "User-Agent: fixture/1.0\r\n"
		     "Accept: application/json;as=Table\r\n"
		     "Content-Type: application/merge-patch+json\r\n"
		     "Authorization: Bearer s3cret\r\n"
		     "Content-Length: 15\r\n\r\n{\"a\":{\"b\":\"c\"}}",
		     fake_server_port(fixture.server)) < 0)
		abort();
	is(fake_server_seen(fixture.server, 0)->received, expected,
	   "the whole request, with no encoding offered, no Expect, its path as it is");
	is(fake_server_seen(fixture.server, 0)->alpn_offered, "h2,http/1.1",
	   "HTTP/2 is offered first");
	free(expected);
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

static void a_connection_is_used_again(void)
{
	static const struct fake_step TWICE[] = {EXPECT("\r\n\r\n"), SEND(OK_HEAD "hello"),
						 EXPECT("\r\n\r\n"), SEND(OK_HEAD "again"), END};
	struct http_record record = {0};
	struct uv_fixture fixture;
	struct io_http_request request;

	uv_fixture_open(&fixture, TWICE);
	request = get(&fixture);
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	is(record.body.data, "again", "the second answer comes");
	cmp_ok(fake_server_connections(fixture.server), "==", 1, "over the same connection");
	request.kind = IO_HTTP_WATCH;
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	cmp_ok(fake_server_connections(fixture.server), "==", 2, "a watch has one of its own");
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

static void a_dead_idle_connection_is_replaced_unseen(void)
{
	static const struct fake_step ONCE[] = {EXPECT("\r\n\r\n"), SEND(OK_HEAD "hello"), CUT,
						END};
	struct http_record record = {0};
	struct uv_fixture fixture;
	struct io_http_request request;

	uv_fixture_open(&fixture, ONCE);
	request = get(&fixture);
	for (int i = 0; i < 3; i++) {
		http_record_start(&record, fixture.io, &request);
		run_until(&fixture.loop, record.dones > 0);
		ok(!record.has_err, "request %d ends well", i + 1);
	}
	cmp_ok(fake_server_connections(fixture.server), "==", 3, "each over a new connection");
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

static void a_large_body_goes_out_and_comes_in_whole(void)
{
	enum { BYTES = 700 * 1024 };
	char *large = malloc(BYTES);
	struct fake_step script[] = {EXPECT("end}"),
				     SEND("HTTP/1.1 200 OK\r\nContent-Length: 716800\r\n\r\n"),
				     SEND_LONG(large, BYTES), END};
	struct http_record record = {0};
	struct uv_fixture fixture;
	struct io_http_request request;

	for (size_t i = 0; i < BYTES; i++)
		large[i] = (char)('a' + i % 23);
	memcpy(large + BYTES - 4, "end}", 4);
	uv_fixture_open(&fixture, script);
	request = get(&fixture);
	request.method = "POST";
	request.content_type = "application/json";
	request.body = (struct str){large, BYTES};
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	is_bytes(record.body.data, record.body.length, large, BYTES, "the answer is whole");
	is_bytes(fake_server_seen(fixture.server, 0)->received +
			 fake_server_seen(fixture.server, 0)->length - BYTES,
		 BYTES, large, BYTES, "and so was the request");
	http_record_free(&record);
	uv_fixture_close(&fixture);
	free(large);
}

static void a_closed_port_is_a_transport_error(void)
{
	struct http_record record = {0};
	struct uv_fixture fixture;
	struct io_endpoint_config config;
	struct io_http_request request;
	struct err err;

	uv_fixture_open(&fixture, SILENCE);
	config = uv_fixture_config(&fixture);
	config.port = 1;
	request = get(&fixture);
	request.endpoint = fixture.io->endpoint_new(fixture.io, &config, &err);
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	is(err_code_name(record.err.code), "Transport", "connection refused: %s",
	   record.err.message);
	cmp_ok(record.heads, "==", 0, "without an answer, done comes alone");
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

static void names_are_looked_up_by_us(void)
{
	struct http_record record = {0};
	struct uv_fixture fixture;
	struct io_endpoint_config config;
	struct io_http_request request;
	struct err err;

	uv_fixture_open(&fixture, ANSWER);
	config = uv_fixture_config(&fixture);
	config.host = "localhost";
	request = get(&fixture);
	request.endpoint = fixture.io->endpoint_new(fixture.io, &config, &err);
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	ok(!record.has_err, "a name leads to its address: %s", record.err.message);
	is(fake_server_seen(fixture.server, 0)->server_name, "localhost", "and is sent as SNI");
	config.host = "no-such-host.invalid";
	request.endpoint = fixture.io->endpoint_new(fixture.io, &config, &err);
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	is(err_code_name(record.err.code), "Transport", "a name that does not exist is an error");
	like(record.err.message, "looking up the host no-such-host.invalid: ", "which says so");
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

int main(void)
{
	alarm(300);
	signal(SIGPIPE, SIG_IGN);
	/* Nothing of the environment may lead elsewhere. */
	setenv("https_proxy", "http://127.0.0.1:1", 1);
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	each_exchange_ends_as_it_should();
	a_request_is_sent_as_asked();
	a_connection_is_used_again();
	a_dead_idle_connection_is_replaced_unseen();
	a_large_body_goes_out_and_comes_in_whole();
	a_closed_port_is_a_transport_error();
	names_are_looked_up_by_us();
	done_testing();
}
