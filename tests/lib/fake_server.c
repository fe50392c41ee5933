#include "fake_server.h"

#include "base/list.h"

#include <assert.h>
#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTIONS_MAX 512
#define READ_BYTES	(64 * 1024)

struct connection {
	struct fake_server *server;
	uv_tcp_t tcp;
	SSL *ssl; /* NULL for plain text */
	BIO *in, *out;
	bool is_handshaken, is_closing, is_paused;
	const struct fake_step *step;
	struct fake_seen seen;
	size_t consumed; /* of seen.received */
};

struct fake_server {
	uv_loop_t *loop;
	uv_tcp_t listener;
	SSL_CTX *tls;
	const char *alpn;
	const struct fake_step *scripts[FAKE_SCRIPTS_MAX];
	size_t script_count;
	struct connection *connections[CONNECTIONS_MAX];
	size_t connection_count;
	unsigned handles;
};

struct written {
	uv_write_t request;
	struct connection *connection;
	char bytes[];
};

static void play(struct connection *connection);

/* --- Closing. --- */

static void on_closed(uv_handle_t *handle)
{
	struct connection *connection = handle->data;

	connection->server->handles--;
}

static void drop(struct connection *connection)
{
	if (connection->is_closing)
		return;
	connection->is_closing = true;
	connection->seen.is_open = false;
	connection->seen.is_through = true;
	uv_close((uv_handle_t *)&connection->tcp, on_closed);
}

static void reset(struct connection *connection)
{
	if (connection->is_closing)
		return;
	connection->is_closing = true;
	connection->seen.is_open = false;
	connection->seen.is_through = true;
	uv_tcp_close_reset(&connection->tcp, on_closed);
}

/* --- Writing. --- */

static void on_written(uv_write_t *request, int status)
{
	(void)status;
	free(request->data);
}

static void write_raw(struct connection *connection, const void *bytes, size_t length)
{
	struct written *written = malloc(sizeof(*written) + length);
	uv_buf_t buffer;

	assert(written);
	memcpy(written->bytes, bytes, length);
	written->connection = connection;
	written->request.data = written;
	buffer = uv_buf_init(written->bytes, (unsigned)length);
	if (connection->is_closing || uv_write(&written->request, (uv_stream_t *)&connection->tcp,
					       &buffer, 1, on_written) < 0)
		free(written);
}

/* What OpenSSL has to say goes out. */
static void flush(struct connection *connection)
{
	char bytes[READ_BYTES];
	int length;

	while (connection->ssl && (length = BIO_read(connection->out, bytes, sizeof(bytes))) > 0)
		write_raw(connection, bytes, (size_t)length);
}

static void send_bytes(struct connection *connection, const void *bytes, size_t length)
{
	if (!connection->ssl) {
		write_raw(connection, bytes, length);
		return;
	}
	if (length > 0)
		SSL_write(connection->ssl, bytes, (int)length);
	flush(connection);
}

/* --- Websockets (RFC 6455), the server's side. --- */

static void ws_accept(struct connection *connection, const char *subprotocol)
{
	const char *name = "Sec-WebSocket-Key: ";
	const char *key = strcasestr(connection->seen.received, name);
	unsigned char digest[SHA_DIGEST_LENGTH];
	char text[128], accept[64], answer[512];
	int length;

	assert(key);
	key += strlen(name);
	snprintf(text, sizeof(text), "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
	SHA1((unsigned char *)text, strlen(text), digest);
	EVP_EncodeBlock((unsigned char *)accept, digest, sizeof(digest));
	length = snprintf(answer, sizeof(answer),
			  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
			  "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n%s%s%s\r\n",
			  accept, subprotocol ? "Sec-WebSocket-Protocol: " : "",
			  subprotocol ? subprotocol : "", subprotocol ? "\r\n" : "");
	send_bytes(connection, answer, (size_t)length);
}

/* Takes one whole frame off the received bytes, unmasked in place; false while none is whole. */
static bool take_frame(struct connection *connection, int *opcode, unsigned char **payload,
		       size_t *length)
{
	unsigned char *at = (unsigned char *)connection->seen.received + connection->consumed;
	size_t have = connection->seen.length - connection->consumed, head = 6;

	if (have < 2)
		return false;
	assert(at[1] & 0x80); /* a client masks */
	*length = at[1] & 0x7f;
	if (*length == 126) {
		head = 8;
		if (have < head)
			return false;
		*length = (size_t)at[2] << 8 | at[3];
	} else if (*length == 127) {
		head = 14;
		if (have < head)
			return false;
		*length = 0;
		for (int i = 2; i < 10; i++)
			*length = *length << 8 | at[i];
	}
	if (have < head + *length)
		return false;
	*opcode = at[0] & 0x0f;
	*payload = at + head;
	for (size_t i = 0; i < *length; i++)
		(*payload)[i] ^= at[head - 4 + i % 4];
	connection->consumed += head + *length;
	return true;
}

static void pong(struct connection *connection, const unsigned char *payload, size_t length)
{
	unsigned char frame[2 + 125] = {0x8a, (unsigned char)length};

	memcpy(frame + 2, payload, length);
	send_bytes(connection, frame, 2 + length);
}

/* Pings on the way to the awaited frame are answered; other frames are skipped. */
static bool ws_expect(struct connection *connection, const struct fake_step *step)
{
	unsigned char *payload;
	size_t length;
	int opcode;

	while (take_frame(connection, &opcode, &payload, &length)) {
		if (opcode == step->number && length >= step->length &&
		    memcmp(payload, step->bytes, step->length) == 0)
			return true;
		if (opcode == 9)
			pong(connection, payload, length);
	}
	return false;
}

/* --- Playing. --- */

static bool expect(struct connection *connection, const struct fake_step *step)
{
	const char *from = connection->seen.received, *at;

	if (!from)
		return false;
	from += connection->consumed;
	at = memmem(from, connection->seen.length - connection->consumed, step->bytes,
		    step->length);
	if (!at)
		return false;
	connection->consumed = (size_t)(at - connection->seen.received) + step->length;
	return true;
}

/* True when the step is done. */
static bool play_step(struct connection *connection, const struct fake_step *step)
{
	switch (step->kind) {
	case FAKE_END: connection->seen.is_through = true; return false;
	case FAKE_EXPECT: return expect(connection, step);
	case FAKE_SEND: send_bytes(connection, step->bytes, step->length); return true;
	case FAKE_BYTEWISE:
		for (size_t i = 0; i < step->length; i++)
			send_bytes(connection, step->bytes + i, 1);
		return true;
	case FAKE_WS_ACCEPT: ws_accept(connection, step->bytes); return true;
	case FAKE_WS_EXPECT: return ws_expect(connection, step);
	case FAKE_STOP_READING: uv_read_stop((uv_stream_t *)&connection->tcp); return true;
	case FAKE_PAUSE:
		connection->is_paused = true;
		uv_read_stop((uv_stream_t *)&connection->tcp);
		return false;
	case FAKE_CLOSE:
		if (connection->ssl)
			SSL_shutdown(connection->ssl);
		flush(connection);
		drop(connection);
		return true;
	case FAKE_CUT: drop(connection); return true;
	case FAKE_RESET: reset(connection); return true;
	}
	abort();
}

static void play(struct connection *connection)
{
	while (!connection->is_closing && !connection->is_paused &&
	       play_step(connection, connection->step))
		connection->step++;
}

/* --- Reading. --- */

static void keep(struct connection *connection, const void *bytes, size_t length)
{
	struct fake_seen *seen = &connection->seen;

	seen->received = realloc(seen->received, seen->length + length + 1);
	assert(seen->received);
	memcpy(seen->received + seen->length, bytes, length);
	seen->length += length;
	seen->received[seen->length] = '\0';
}

static void note_handshake(struct connection *connection)
{
	const char *name = SSL_get_servername(connection->ssl, TLSEXT_NAMETYPE_host_name);
	X509 *client = SSL_get0_peer_certificate(connection->ssl);
	STACK_OF(X509) *chain = SSL_get_peer_cert_chain(connection->ssl);
	struct fake_seen *seen = &connection->seen;

	connection->is_handshaken = true;
	seen->is_open = true;
	snprintf(seen->server_name, sizeof(seen->server_name), "%s", name ? name : "");
	if (client && SSL_get_verify_result(connection->ssl) == X509_V_OK)
		X509_NAME_get_text_by_NID(X509_get_subject_name(client), NID_commonName,
					  seen->client_name, sizeof(seen->client_name));
	seen->client_chain_length = (client ? 1 : 0) + (chain ? (size_t)sk_X509_num(chain) : 0);
}

static void read_tls(struct connection *connection)
{
	char bytes[READ_BYTES];
	int length;

	if (!connection->is_handshaken && SSL_do_handshake(connection->ssl) == 1)
		note_handshake(connection);
	while (connection->is_handshaken &&
	       (length = SSL_read(connection->ssl, bytes, sizeof(bytes))) > 0)
		keep(connection, bytes, (size_t)length);
	ERR_clear_error();
	flush(connection);
}

static void on_room_wanted(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
	(void)handle, (void)suggested;
	*room = uv_buf_init(malloc(READ_BYTES), READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *room)
{
	struct connection *connection = stream->data;

	if (length < 0) {
		drop(connection);
	} else if (connection->ssl) {
		BIO_write(connection->in, room->base, (int)length);
		read_tls(connection);
	} else {
		keep(connection, room->base, (size_t)length);
	}
	free(room->base);
	if (connection->is_handshaken)
		play(connection);
}

/* --- Starting. --- */

static int choose_alpn(SSL *ssl, const unsigned char **chosen, unsigned char *chosen_length,
		       const unsigned char *offered, unsigned length, void *context)
{
	struct connection *connection = SSL_get_app_data(ssl);
	const struct fake_server *server = context;
	char *text = connection->seen.alpn_offered;
	size_t room = sizeof(connection->seen.alpn_offered);

	for (unsigned i = 0; i < length; i += offered[i] + 1u) {
		size_t used = strlen(text);

		snprintf(text + used, room - used, "%s%.*s", used ? "," : "", offered[i],
			 (const char *)offered + i + 1);
		if (strlen(server->alpn) == offered[i] &&
		    memcmp(server->alpn, offered + i + 1, offered[i]) == 0) {
			*chosen = offered + i + 1;
			*chosen_length = offered[i];
		}
	}
	return *chosen_length ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

static SSL_CTX *make_tls(struct fake_server *server, const struct fake_tls *tls)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	BIO *certificate = BIO_new_mem_buf(tls->certificate, -1),
	    *key = BIO_new_mem_buf(tls->key, -1);
	X509 *leaf = PEM_read_bio_X509(certificate, NULL, NULL, NULL);
	EVP_PKEY *private = PEM_read_bio_PrivateKey(key, NULL, NULL, NULL);

	SSL_CTX_use_certificate(context, leaf);
	SSL_CTX_use_PrivateKey(context, private);
	X509_free(leaf);
	EVP_PKEY_free(private);
	BIO_free(certificate);
	BIO_free(key);
	SSL_CTX_set_alpn_select_cb(context, choose_alpn, server);
	if (tls->client_ca) {
		BIO *bio = BIO_new_mem_buf(tls->client_ca, -1);
		X509 *ca = PEM_read_bio_X509(bio, NULL, NULL, NULL);

		X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca);
		SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
		X509_free(ca);
		BIO_free(bio);
	}
	return context;
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct fake_server *server = listener->data;
	struct connection *connection = calloc(1, sizeof(*connection));
	size_t script = server->connection_count;

	assert(status == 0 && connection && server->connection_count < CONNECTIONS_MAX);
	assert(server->script_count > 0);
	if (script >= server->script_count)
		script = server->script_count - 1;
	connection->server = server;
	connection->step = server->scripts[script];
	server->connections[server->connection_count++] = connection;
	server->handles++;
	uv_tcp_init(server->loop, &connection->tcp);
	connection->tcp.data = connection;
	status = uv_accept(listener, (uv_stream_t *)&connection->tcp);
	assert(status == 0);
	uv_tcp_nodelay(&connection->tcp, 1);
	if (server->tls) {
		connection->ssl = SSL_new(server->tls);
		connection->in = BIO_new(BIO_s_mem());
		connection->out = BIO_new(BIO_s_mem());
		SSL_set_app_data(connection->ssl, connection);
		SSL_set_bio(connection->ssl, connection->in, connection->out);
		SSL_set_accept_state(connection->ssl);
	} else {
		connection->is_handshaken = connection->seen.is_open = true;
	}
	uv_read_start((uv_stream_t *)&connection->tcp, on_room_wanted, on_read);
	if (connection->is_handshaken)
		play(connection);
}

struct fake_server *fake_server_new(uv_loop_t *loop, const struct fake_tls *tls)
{
	struct fake_server *server = calloc(1, sizeof(*server));
	struct sockaddr_in address;
	int status;

	assert(server);
	server->loop = loop;
	if (tls) {
		server->alpn = tls->alpn ? tls->alpn : "http/1.1";
		server->tls = make_tls(server, tls);
	}
	uv_ip4_addr("127.0.0.1", 0, &address);
	uv_tcp_init(loop, &server->listener);
	server->listener.data = server;
	server->handles++;
	uv_tcp_bind(&server->listener, (struct sockaddr *)&address, 0);
	status = uv_listen((uv_stream_t *)&server->listener, 128, on_connection);
	assert(status == 0);
	return server;
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct fake_server *server = handle->data;

	server->handles--;
}

void fake_server_delete(struct fake_server *server)
{
	uv_close((uv_handle_t *)&server->listener, on_listener_closed);
	for (size_t i = 0; i < server->connection_count; i++)
		drop(server->connections[i]);
	run_until(server->loop, server->handles == 0);
	for (size_t i = 0; i < server->connection_count; i++) {
		SSL_free(server->connections[i]->ssl);
		free(server->connections[i]->seen.received);
		free(server->connections[i]);
	}
	SSL_CTX_free(server->tls);
	free(server);
}

uint16_t fake_server_port(const struct fake_server *server)
{
	struct sockaddr_in address;
	int length = sizeof(address);

	uv_tcp_getsockname(&server->listener, (struct sockaddr *)&address, &length);
	return ntohs(address.sin_port);
}

void fake_server_script(struct fake_server *server, const struct fake_step *steps)
{
	assert(server->script_count < FAKE_SCRIPTS_MAX);
	server->scripts[server->script_count++] = steps;
}

void fake_server_resume(struct fake_server *server)
{
	for (size_t i = 0; i < server->connection_count; i++) {
		struct connection *connection = server->connections[i];

		if (!connection->is_paused)
			continue;
		connection->is_paused = false;
		connection->step++;
		uv_read_start((uv_stream_t *)&connection->tcp, on_room_wanted, on_read);
		play(connection);
	}
}

size_t fake_server_connections(const struct fake_server *server)
{
	return server->connection_count;
}

const struct fake_seen *fake_server_seen(const struct fake_server *server, size_t n)
{
	assert(n < server->connection_count);
	return &server->connections[n]->seen;
}
