#include "uv_serve.h"

#include "base/buf.h"
#include "base/mem.h"
#include "uv_alarm.h"

#define BACKLOG		128
#define READ_BYTES	1024u
#define HEAD_LINE_BYTES 256 /* of our own answer's head */

struct io_server {
	struct uv_io *uv;
	struct list link;
	uv_tcp_t listener;
	io_serve_fn *on_request;
	void *context;
	struct list connections;
	size_t connection_count;
};

/* What on_request answers through is the connection itself. */
struct io_reply {
	struct io_server *server; /* NULL once the connection is closing */
	struct uv_io *uv;
	struct list link;
	uv_tcp_t tcp;
	uv_write_t write;
	struct io_timer *deadline;
	struct buf head, answer;
	bool is_answered;
};

/* --- Closing. --- */

static void on_closed(uv_handle_t *handle)
{
	struct io_reply *connection = handle->data;

	connection->uv->pending--;
	buf_free(&connection->head);
	buf_free(&connection->answer);
	free(connection);
}

static void close_connection(struct io_reply *connection)
{
	if (!connection->server)
		return;
	connection->server->connection_count--;
	connection->server = NULL;
	list_remove(&connection->link);
	uv_alarm_drop(connection->uv, &connection->deadline);
	uv_close((uv_handle_t *)&connection->tcp, on_closed);
}

static void on_deadline(void *context)
{
	struct io_reply *connection = context;

	connection->deadline = NULL;
	close_connection(connection);
}

static void on_written(uv_write_t *write, int status)
{
	(void)status;
	close_connection(write->data);
}

/* --- Answering. --- */

static const char *reason_of(int status)
{
	switch (status) {
	case 200: return "OK";
	case 400: return "Bad Request";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 431: return "Request Header Fields Too Large";
	case 500: return "Internal Server Error";
	case 503: return "Service Unavailable";
	default: return "-";
	}
}

void uv_serve_reply(struct io *io, struct io_reply *connection, int status,
		    const char *content_type, struct str body)
{
	uv_buf_t bytes;

	(void)io;
	assert(!connection->is_answered && body.n <= SERVE_BODY_BYTES_MAX);
	connection->is_answered = true;
	buf_printf(&connection->answer,
		   "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		   "Cache-Control: no-store\r\nConnection: close\r\n%s\r\n",
		   status, reason_of(status), content_type, body.n,
		   status == 405 ? "Allow: GET\r\n" : "");
	buf_append_str(&connection->answer, body);
	bytes = uv_buf_init(connection->answer.data, (unsigned)connection->answer.length);
	connection->write.data = connection;
	if (uv_write(&connection->write, (uv_stream_t *)&connection->tcp, &bytes, 1, on_written) <
	    0)
		close_connection(connection);
}

static void refuse(struct io_reply *connection, int status, struct str text)
{
	uv_serve_reply(&connection->uv->io, connection, status, "text/plain", text);
}

/* --- Reading. --- */

static bool is_plain_path(struct str path)
{
	if (path.n == 0 || path.p[0] != '/')
		return false;
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] <= ' ' || path.p[i] >= 0x7f)
			return false;
	return true;
}

/* RFC 9112: method SP target SP version CRLF, with nothing else in between. */
static void handle(struct io_reply *connection)
{
	struct str rest = buf_str(&connection->head), line = str_split(&rest, '\r');
	struct str method = str_split(&line, ' '), target = str_split(&line, ' ');
	struct io_server *server = connection->server;

	if ((!str_equal(line, STR("HTTP/1.1")) && !str_equal(line, STR("HTTP/1.0"))) ||
	    !is_plain_path(target)) {
		refuse(connection, 400, STR("not an HTTP/1.1 request\n"));
		return;
	}
	if (!str_equal(method, STR("GET"))) {
		refuse(connection, 405, STR("GET only\n"));
		return;
	}
	server->on_request(server->context, str_split(&target, '?'), connection);
	assert(connection->is_answered);
}

static bool has_whole_head(const struct buf *head)
{
	return memmem(head->data, head->length, "\r\n\r\n", 4) != NULL;
}

static void on_room_wanted(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
	(void)handle, (void)suggested;
	*room = uv_buf_init(mem_new(1, READ_BYTES), READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *room)
{
	struct io_reply *connection = stream->data;

	if (length > 0 && buf_append(&connection->head, room->base, (size_t)length) < 0) {
		uv_read_stop(stream);
		refuse(connection, 431, STR("the request's head is too large\n"));
	} else if (length > 0 && has_whole_head(&connection->head)) {
		uv_read_stop(stream);
		handle(connection);
	} else if (length < 0) {
		close_connection(connection);
	}
	free(room->base);
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct io_server *server = listener->data;
	struct io_reply *connection;

	if (status < 0)
		return;
	connection = mem_new(1, sizeof(*connection));
	connection->server = server;
	connection->uv = server->uv;
	buf_init(&connection->head, SERVE_HEAD_BYTES_MAX);
	buf_init(&connection->answer, SERVE_BODY_BYTES_MAX + HEAD_LINE_BYTES);
	uv_tcp_init(server->uv->loop, &connection->tcp);
	connection->tcp.data = connection;
	server->uv->pending++;
	list_push_back(&server->connections, &connection->link);
	server->connection_count++;
	connection->deadline =
		uv_alarm_start(&server->uv->io, SERVE_TIMEOUT_MS, on_deadline, connection);
	if (uv_accept(listener, (uv_stream_t *)&connection->tcp) < 0 ||
	    server->connection_count > SERVE_CONNECTIONS_MAX ||
	    uv_read_start((uv_stream_t *)&connection->tcp, on_room_wanted, on_read) < 0)
		close_connection(connection);
}

/* --- Starting and stopping. --- */

static void on_listener_closed(uv_handle_t *handle)
{
	struct io_server *server = handle->data;

	server->uv->pending--;
	free(server);
}

static int parse_address(const char *address, uint16_t port, struct sockaddr_storage *result)
{
	int status = uv_ip4_addr(address, port, (struct sockaddr_in *)(void *)result);

	if (status < 0)
		status = uv_ip6_addr(address, port, (struct sockaddr_in6 *)(void *)result);
	return status;
}

struct io_server *uv_serve_start(struct io *io, const char *address, uint16_t port,
				 io_serve_fn *on_request, void *context, struct err *err)
{
	struct uv_io *uv = uv_io_of(io);
	struct io_server *server;
	struct sockaddr_storage where;
	int status;

	if (parse_address(address, port, &where) < 0) {
		err_set(err, ERR_INVALID, "not an address to listen at: %s", address);
		return NULL;
	}
	server = mem_new(1, sizeof(*server));
	server->uv = uv;
	server->on_request = on_request;
	server->context = context;
	list_init(&server->connections);
	list_push_back(&uv->servers, &server->link);
	uv_tcp_init(uv->loop, &server->listener);
	server->listener.data = server;
	uv->pending++;
	status = uv_tcp_bind(&server->listener, (struct sockaddr *)&where, 0);
	if (status == 0)
		status = uv_listen((uv_stream_t *)&server->listener, BACKLOG, on_connection);
	if (status < 0) {
		err_set(err, ERR_IO, "listening at %s port %u: %s", address, port,
			uv_strerror(status));
		uv_serve_stop(io, server);
		return NULL;
	}
	return server;
}

void uv_serve_stop(struct io *io, struct io_server *server)
{
	(void)io;
	while (!list_is_empty(&server->connections))
		close_connection(list_first(&server->connections, struct io_reply, link));
	list_remove(&server->link);
	uv_close((uv_handle_t *)&server->listener, on_listener_closed);
}

void uv_serve_stop_all(struct uv_io *uv)
{
	while (!list_is_empty(&uv->servers))
		uv_serve_stop(&uv->io, list_first(&uv->servers, struct io_server, link));
}
