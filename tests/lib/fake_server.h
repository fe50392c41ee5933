/*
 * fake_server: a server that does to the byte what a test tells it, on the test's own loop.
 *
 *	static const struct fake_step SCRIPT[] = {
 *		EXPECT("\r\n\r\n"),
 *		SEND("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"),
 *		RESET,
 *		END,
 *	};
 *	struct fake_server *server = fake_server_new(&loop, &tls);
 *	fake_server_script(server, SCRIPT);
 *
 * The n-th connection plays the n-th script that was given, and later ones the last. A script
 * starts when the connection (with its TLS handshake) stands; its steps follow one another as far
 * as they can; after END the connection stays open and is read, in silence.
 */
#ifndef TESTS_FAKE_SERVER_H
#define TESTS_FAKE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define FAKE_SCRIPTS_MAX 16

enum fake_step_kind {
	FAKE_END,
	FAKE_EXPECT,	   /* waits for these bytes; what stands before them is skipped */
	FAKE_SEND,	   /* in one TLS record */
	FAKE_BYTEWISE,	   /* each byte in a record of its own */
	FAKE_WS_ACCEPT,	   /* answers a websocket handshake; `bytes`: the subprotocol, NULL: none */
	FAKE_WS_EXPECT,	   /* waits for a frame of opcode `number` with this payload */
	FAKE_STOP_READING, /* for good: the other side's window fills */
	FAKE_PAUSE,	   /* until fake_server_resume; reads nothing meanwhile */
	FAKE_CLOSE,	   /* says so (close_notify), then ends the connection */
	FAKE_CUT,	   /* ends the connection without a word of TLS */
	FAKE_RESET,	   /* ends it with RST */
};

struct fake_step {
	enum fake_step_kind kind;
	const char *bytes;
	size_t length;
	int number;
};

#define END                          \
	{                            \
		FAKE_END, NULL, 0, 0 \
	}
#define EXPECT(text)                                   \
	{                                              \
		FAKE_EXPECT, text, sizeof(text) - 1, 0 \
	}
#define SEND(text)                                   \
	{                                            \
		FAKE_SEND, text, sizeof(text) - 1, 0 \
	}
#define SEND_LONG(p, n)            \
	{                          \
		FAKE_SEND, p, n, 0 \
	}
#define BYTEWISE(text)                                   \
	{                                                \
		FAKE_BYTEWISE, text, sizeof(text) - 1, 0 \
	}
#define WS_ACCEPT(protocol)                    \
	{                                      \
		FAKE_WS_ACCEPT, protocol, 0, 0 \
	}
#define WS_EXPECT(opcode, text)                                \
	{                                                      \
		FAKE_WS_EXPECT, text, sizeof(text) - 1, opcode \
	}
#define STOP_READING                          \
	{                                     \
		FAKE_STOP_READING, NULL, 0, 0 \
	}
#define PAUSE                          \
	{                              \
		FAKE_PAUSE, NULL, 0, 0 \
	}
#define CLOSE                          \
	{                              \
		FAKE_CLOSE, NULL, 0, 0 \
	}
#define CUT                          \
	{                            \
		FAKE_CUT, NULL, 0, 0 \
	}
#define RESET                          \
	{                              \
		FAKE_RESET, NULL, 0, 0 \
	}

struct fake_tls {
	const char *certificate, *key; /* PEM; the certificate may be a chain */
	const char *client_ca;	       /* PEM: asks for a client certificate by it; NULL: doesn't */
	const char *alpn;	       /* the protocol that is chosen; NULL: "http/1.1" */
};

struct fake_server;

/* What the server saw of one connection. */
struct fake_seen {
	bool is_open;
	bool is_through; /* its script is at END, or has closed it */
	char *received;	 /* all bytes, with a NUL behind them; NULL before the first */
	size_t length;
	char server_name[256]; /* SNI, "" when there was none */
	char alpn_offered[64]; /* "h2,http/1.1" */
	char client_name[64];  /* of a verified client certificate */
	size_t client_chain_length;
};

/* Listens at 127.0.0.1; `tls` NULL: plain text. */
struct fake_server *fake_server_new(uv_loop_t *loop, const struct fake_tls *tls);
/* Runs the loop until all its handles are closed. */
void fake_server_delete(struct fake_server *server);

uint16_t fake_server_port(const struct fake_server *server);

/* `steps` must outlive the server. */
void fake_server_script(struct fake_server *server, const struct fake_step *steps);

/* Lets all connections that pause go on. */
void fake_server_resume(struct fake_server *server);

size_t fake_server_connections(const struct fake_server *server);
/* The n-th connection, counted from 0; valid until the server is deleted. */
const struct fake_seen *fake_server_seen(const struct fake_server *server, size_t n);

/* Waits for what is to come. A test that waits for ever is ended by its alarm(). */
#define run_until(loop, condition)                   \
	do {                                         \
		while (!(condition))                 \
			uv_run((loop), UV_RUN_ONCE); \
	} while (0)

/* Turns of the loop in which nothing is awaited: what should not come would come now. */
static inline void run_turns(uv_loop_t *loop, int turns)
{
	while (turns-- > 0)
		uv_run(loop, UV_RUN_NOWAIT);
}

#endif
