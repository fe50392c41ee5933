/* What is kept open to a server, and that it goes with the endpoint. */
#include "uv_fixture.h"
#include "ws_record.h"

#include "tap.h"

#include <signal.h>
#include <unistd.h>

static const struct fake_step ANSWER[] = {
	EXPECT("\r\n\r\n"), SEND("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), END};
static const struct fake_step SOCKET[] = {EXPECT("\r\n\r\n"), WS_ACCEPT("v5.channel.k8s.io"),
					  SEND("\x88\x02\x03\xe8"), END};

/* A changed CA or client certificate is a new endpoint: the old one's connections don't live on. */
static void connections_go_with_their_endpoint(void)
{
	struct http_record record = {0};
	struct io_http_request request = {.method = "GET", .target = "/"};
	struct io_endpoint_config config;
	struct io_endpoint *second;
	struct uv_fixture fixture;
	struct err err;

	uv_fixture_open(&fixture, ANSWER);
	config = uv_fixture_config(&fixture);
	second = fixture.io->endpoint_new(fixture.io, &config, &err);
	request.endpoint = fixture.endpoint;
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	request.endpoint = second;
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	cmp_ok(fake_server_connections(fixture.server), "==", 2, "endpoints share no connection");
	ok(fake_server_seen(fixture.server, 0)->is_open, "an idle connection stays open");
	fixture.io->endpoint_delete(fixture.io, fixture.endpoint);
	run_until(&fixture.loop, !fake_server_seen(fixture.server, 0)->is_open);
	ok(fake_server_seen(fixture.server, 1)->is_open, "until its own endpoint goes");
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

static void endpoints_may_come_and_go(void)
{
	struct uv_fixture fixture;
	struct ws_record record = {0};
	struct io_endpoint_config config;
	struct err err;

	uv_fixture_open(&fixture, SOCKET);
	config = uv_fixture_config(&fixture);
	for (int i = 0; i < 8; i++) {
		fixture.io->endpoint_delete(fixture.io, fixture.endpoint);
		fixture.endpoint = fixture.io->endpoint_new(fixture.io, &config, &err);
		ws_record_start(&record, fixture.io, fixture.endpoint);
		run_until(&fixture.loop, record.ends > 0);
		cmp_ok(record.close_code, "==", 1000, "websocket %d, over an endpoint of its own",
		       i);
	}
	ws_record_free(&record);
	uv_fixture_close(&fixture);
}

/* Two controllers in one process: two io on one loop know nothing of each other. */
static void two_io_share_a_loop(void)
{
	struct http_record record = {0};
	struct io_http_request request = {.method = "GET", .target = "/"};
	struct io_endpoint_config config;
	struct uv_fixture fixture;
	struct io *other;
	struct err err;

	uv_fixture_open(&fixture, ANSWER);
	other = uv_io_new(&fixture.loop, "other/1.0");
	config = uv_fixture_config(&fixture);
	request.endpoint = other->endpoint_new(other, &config, &err);
	http_record_start(&record, other, &request);
	uv_fixture_delete_io(&fixture);
	run_until(&fixture.loop, record.dones > 0);
	is(record.body.data, "hello", "one goes, the other goes on");
	uv_io_delete(other);
	http_record_free(&record);
	uv_fixture_close(&fixture);
}

static void a_server_without_tls_is_for_tests(void)
{
	struct http_record record = {0};
	struct ws_record ws = {0};
	struct io_http_request request = {.method = "GET", .target = "/"};
	struct io_endpoint_config config;
	struct uv_fixture fixture;
	struct fake_server *plain;
	struct err err;

	uv_fixture_open(&fixture, NULL);
	plain = fake_server_new(&fixture.loop, NULL);
	fake_server_script(plain, ANSWER);
	fake_server_script(plain, SOCKET);
	config = uv_fixture_config(&fixture);
	config.port = fake_server_port(plain);
	config.plain_text = true;
	request.endpoint = fixture.io->endpoint_new(fixture.io, &config, &err);
	http_record_start(&record, fixture.io, &request);
	run_until(&fixture.loop, record.dones > 0);
	is(record.body.data, "hello", "a request");
	ws_record_start(&ws, fixture.io, request.endpoint);
	run_until(&fixture.loop, ws.ends > 0);
	cmp_ok(ws.close_code, "==", 1000, "a websocket");
	http_record_free(&record);
	ws_record_free(&ws);
	uv_fixture_delete_io(&fixture);
	fake_server_delete(plain);
	uv_fixture_close(&fixture);
}

int main(void)
{
	alarm(300);
	signal(SIGPIPE, SIG_IGN);
	connections_go_with_their_endpoint();
	endpoints_may_come_and_go();
	two_io_share_a_loop();
	a_server_without_tls_is_for_tests();
	done_testing();
}
