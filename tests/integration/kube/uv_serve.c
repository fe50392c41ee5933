/* The port for /healthz and /metrics, spoken to byte by byte over TCP. */
#include "uv_fixture.h"

#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct client {
	uv_tcp_t tcp;
	uv_connect_t connect;
	const char *request;
	size_t length, step; /* `step` bytes a write; 0: all */
	char answer[4096];
	size_t received;
	bool is_ended, is_closed;
};

static void on_closed(uv_handle_t *handle)
{
	struct client *client = handle->data;

	client->is_closed = true;
}

static void on_room_wanted(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
	struct client *client = handle->data;

	(void)suggested;
	*room = uv_buf_init(client->answer + client->received,
			    (unsigned)(sizeof(client->answer) - 1 - client->received));
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *room)
{
	struct client *client = stream->data;

	(void)room;
	if (length > 0) {
		client->received += (size_t)length;
	} else if (length < 0) {
		client->is_ended = true;
		uv_close((uv_handle_t *)stream, on_closed);
	}
}

static void on_connected(uv_connect_t *connect, int status)
{
	struct client *client = connect->data;
	size_t step = client->step ? client->step : client->length;

	if (status == 0)
		uv_read_start((uv_stream_t *)&client->tcp, on_room_wanted, on_read);
	for (size_t at = 0; status == 0 && at < client->length; at += step) {
		uv_buf_t bytes =
			uv_buf_init((char *)(uintptr_t)client->request + at, (unsigned)step);

		uv_try_write((uv_stream_t *)&client->tcp, &bytes, 1);
	}
}

static void client_start(struct client *client, uv_loop_t *loop, uint16_t port, struct str request)
{
	struct sockaddr_in address;

	client->request = request.p;
	client->length = request.n;
	uv_ip4_addr("127.0.0.1", port, &address);
	uv_tcp_init(loop, &client->tcp);
	uv_tcp_nodelay(&client->tcp, 1);
	client->tcp.data = client->connect.data = client;
	uv_tcp_connect(&client->connect, &client->tcp, (struct sockaddr *)&address, on_connected);
}

static void on_request(void *context, struct str path, struct io_reply *reply)
{
	struct io *io = *(struct io **)context;

	if (str_equal(path, STR("/healthz")))
		io->reply(io, reply, 200, "text/plain", STR("ok\n"));
	else
		io->reply(io, reply, 404, "text/plain", STR("no such page\n"));
}

/* A port that was free a moment ago. */
static uint16_t free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	bind(fd, (struct sockaddr *)&address, length);
	getsockname(fd, (struct sockaddr *)&address, &length);
	close(fd);
	return ntohs(address.sin_port);
}

static const struct {
	const char *rule;
	struct str request;
	const char *status;
} ROWS[] = {
	{"a page is served", STR("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"), "200 OK"},
	{"HTTP/1.0 too", STR("GET /healthz HTTP/1.0\r\n\r\n"), "200 OK"},
	{"a query is not part of the path", STR("GET /healthz?verbose HTTP/1.1\r\n\r\n"), "200 OK"},
	{"another page is not found", STR("GET /x HTTP/1.1\r\n\r\n"), "404 Not Found"},
	{"other methods are refused", STR("POST /healthz HTTP/1.1\r\n\r\n"),
	 "405 Method Not Allowed"},
	{"HEAD as well", STR("HEAD /healthz HTTP/1.1\r\n\r\n"), "405 Method Not Allowed"},
	{"a missing version is an error", STR("GET /healthz\r\n\r\n"), "400 Bad Request"},
	{"HTTP/2's preface is an error", STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
	 "400 Bad Request"},
	{"two spaces are an error", STR("GET  /healthz HTTP/1.1\r\n\r\n"), "400 Bad Request"},
	{"a full URL is an error", STR("GET http://a/healthz HTTP/1.1\r\n\r\n"), "400 Bad Request"},
	{"a byte over ASCII is an error", STR("GET /\xff HTTP/1.1\r\n\r\n"), "400 Bad Request"},
	{"a NUL is an error", STR("GET /\0 HTTP/1.1\r\n\r\n"), "400 Bad Request"},
	{"an empty line is an error", STR("\r\n\r\n"), "400 Bad Request"},
	{"TLS is an error", STR("\x16\x03\x01\x00\xa5\x01\r\n\r\n"), "400 Bad Request"},
};

static void each_request_is_answered(struct uv_fixture *fixture, uint16_t port)
{
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		for (size_t step = 0; step < 2; step++) {
			struct client client = {.step = step};

			client_start(&client, &fixture->loop, port, ROWS[i].request);
			run_until(&fixture->loop, client.is_closed);
			ok(strncmp(client.answer, "HTTP/1.1 ", 9) == 0 &&
				   strncmp(client.answer + 9, ROWS[i].status,
					   strlen(ROWS[i].status)) == 0,
			   "%s: %.30s", ROWS[i].rule, client.answer);
		}
	}
}

static void an_answer_has_a_length_and_an_end(struct uv_fixture *fixture, uint16_t port)
{
	struct client client = {0};

	client_start(&client, &fixture->loop, port, ROWS[0].request);
	run_until(&fixture->loop, client.is_closed);
	is(client.answer,
	   "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n"
	   "Cache-Control: no-store\r\nConnection: close\r\n\r\nok\n",
	   "to the byte");
}

static void a_head_without_end_is_refused(struct uv_fixture *fixture, uint16_t port)
{
	static char head[9000];
	struct client client = {0};

	memset(head, 'a', sizeof(head));
	client_start(&client, &fixture->loop, port, (struct str){head, sizeof(head)});
	run_until(&fixture->loop, client.is_closed);
	like(client.answer, "^HTTP/1.1 431 |^$", "with 431, or a reset that overtook it");
}

static void connections_are_counted(struct uv_fixture *fixture, uint16_t port)
{
	struct client *idle = calloc(33, sizeof(*idle)), late = {0};
	int ended = 0;

	for (int i = 0; i < 33; i++)
		client_start(&idle[i], &fixture->loop, port, STR("GET "));
	run_until(&fixture->loop, (ended += idle[32].is_ended) > 0);
	pass("the 33rd connection at once is closed");
	for (int i = 0; i < 32; i++)
		ended += idle[i].is_ended;
	cmp_ok(ended, "==", 1, "and no other");
	uv_close((uv_handle_t *)&idle[0].tcp, on_closed);
	run_until(&fixture->loop, idle[0].is_closed);
	run_turns(&fixture->loop, 5);
	client_start(&late, &fixture->loop, port, ROWS[0].request);
	run_until(&fixture->loop, late.is_closed);
	like(late.answer, "^HTTP/1.1 200 ", "one that leaves makes room");
	uv_fixture_delete_io(fixture);
	run_until(&fixture->loop, idle[31].is_closed);
	pass("deleting the io closes what is open");
	for (int i = 1; i < 32; i++)
		run_until(&fixture->loop, idle[i].is_closed);
	free(idle);
}

static const struct fake_step NOTHING[] = {END};

int main(void)
{
	struct uv_fixture fixture;
	struct io_server *server;
	uint16_t port = free_port();
	struct err err;

	alarm(120);
	signal(SIGPIPE, SIG_IGN);
	uv_fixture_open(&fixture, NOTHING);
	ok(!fixture.io->serve(fixture.io, "localhost", port, on_request, &fixture.io, &err),
	   "a name is no address to listen at: %s", err.message);
	ok(!fixture.io->serve(fixture.io, "127.0.0.1", fake_server_port(fixture.server), on_request,
			      &fixture.io, &err),
	   "a port that is taken is an error: %s", err.message);
	server = fixture.io->serve(fixture.io, "::1", port, on_request, &fixture.io, &err);
	ok(server != NULL, "IPv6 is fine");
	fixture.io->serve_stop(fixture.io, server);
	fixture.io->serve(fixture.io, "127.0.0.1", port, on_request, &fixture.io, &err);
	each_request_is_answered(&fixture, port);
	an_answer_has_a_length_and_an_end(&fixture, port);
	a_head_without_end_is_refused(&fixture, port);
	connections_are_counted(&fixture, port);
	uv_fixture_close(&fixture);
	done_testing();
}
