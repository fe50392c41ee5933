/*
 * io: the seam between the controller and the world.
 *
 * Everything that the controller can do or learn outside its own memory is a member of `struct io`:
 * time, chance, timers, HTTP, websockets, a listening port, small files. All code above this header
 * is ordinary C that is called back; it runs unchanged on the real side (kube/uv_io.c: libuv,
 * libcurl, libwebsockets) and in the simulation. So nothing above it may read a clock, open a file
 * or a socket.
 *
 * Rules that hold for every operation, on either side:
 *
 * 1. A starter returns a handle and calls nothing back before it has returned. It can't fail: what
 *    goes wrong is reported like any other end of the operation.
 * 2. An operation ends exactly once: by its last callback (named below), or by its cancel function.
 *    Either way the handle is dead from the first statement of that callback, or call, on.
 * 3. After cancel nothing of the operation is called, even when its end was already under way.
 * 4. Every function here may be called from every callback, for the same operation too.
 * 5. Memory given to a starter is borrowed for the call only, unless the member says otherwise.
 *    Memory given to a callback is borrowed for that callback only.
 * 6. Callbacks of one operation come in the order documented; between operations no order is
 * promised.
 *
 * To crash a controller in the simulation means: mark its io dead, then free it. A dead io starts
 * nothing and calls nothing back, so that freeing emits nothing.
 */
#ifndef KUBE_IO_H
#define KUBE_IO_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_endpoint; /* a server, how it is trusted, and the connections to it */
struct io_timer;
struct io_http;
struct io_ws;
struct io_server;
struct io_reply;

/*
 * A server and the identities at both ends. PEM texts may hold several certificates (a CA bundle, a
 * client chain). A changed CA or client certificate is a new endpoint: connections know nothing of
 * it.
 */
struct io_endpoint_config {
	const char *host; /* name or address; IPv6 without brackets */
	uint16_t port;
	const char *server_name; /* what the certificate must say; NULL: the host */
	struct str ca_pem;	 /* empty: the system's trust store */
	struct str client_cert_pem, client_key_pem; /* both or neither */
	bool insecure_skip_verify;		    /* only when the user's kubeconfig says so */
	bool plain_text;			    /* no TLS: for tests on loopback */
};

/*
 * Requests of the two kinds travel on connections of their own: a watch that is not read would fill
 * the window of a connection that it shares with a write, and a proxy's limit of streams would make
 * a write wait for a watch to end.
 */
enum io_http_kind { IO_HTTP_CALL, IO_HTTP_WATCH };

struct io_http_request {
	struct io_endpoint *endpoint;
	enum io_http_kind kind;
	const char *method;
	const char
		*target; /* path and query, percent-encoded, with the path prefix of the server */
	const char *accept;	  /* value of the header; NULL: application/json */
	const char *content_type; /* of the body; NULL when there is none */
	struct str bearer_token;  /* empty: none */
	struct str body;
	int64_t timeout_ms; /* for the whole exchange, connecting included; 0: none */
	int64_t silence_ms; /* without one byte for this long it is dead; 0: no such limit */
	size_t body_limit;  /* bytes of answer; one more ends it with ERR_TOO_LARGE. 0: no limit */
};

/* Order: head once, data any number of times, done. Without an answer: done alone. */
struct io_http_callbacks {
	/* The status line and the headers have come. retry_after_ms is 0 without that header. */
	void (*head)(void *context, int status, int64_t retry_after_ms);
	/* Bytes of the body as they come: never empty, cut anywhere. */
	void (*data)(void *context, struct str bytes);
	/* The last one. `err` is NULL when the answer, of whatever status, has come whole. */
	void (*done)(void *context, const struct err *err);
};

/* Of one sent message: a programmer's limit, far below the 32 MiB that servers take. */
#define IO_WS_SEND_BYTES_MAX (1024 * 1024)

struct io_ws_request {
	struct io_endpoint *endpoint;
	const char *target;	  /* as in io_http_request */
	const char *subprotocols; /* offered, best first: "v5.channel.k8s.io, v4.channel.k8s.io" */
	struct str bearer_token;
	int64_t connect_timeout_ms; /* until the handshake is over */
	int64_t silence_ms;   /* pings go out in time; nothing received for this long: it is dead */
	size_t message_limit; /* bytes of one message after joining its fragments */
};

/* Why a websocket ended, or never was. */
struct io_ws_end {
	int close_code;	       /* of the peer's close frame, 0 without one */
	int http_status;       /* of a refused handshake, 0 when there was none */
	const struct err *err; /* what happened; never NULL: a clean close is reported as one too */
	struct str body;       /* of a refused handshake: at most 4 KiB of what the server said */
};

/* Order: open once, then message and writable in any number and order, ended. */
struct io_ws_callbacks {
	/* The server chose `subprotocol` of those offered; a server that chooses none is an end. */
	void (*open)(void *context, struct str subprotocol);
	/* One whole message; may be empty. */
	void (*message)(void *context, struct str bytes);
	/* ws_send was refused before, and would be taken now. */
	void (*writable)(void *context);
	/* The last one. */
	void (*ended)(void *context, const struct io_ws_end *end);
};

/* A request to our own port: GET only, without a body; anything else is answered below this seam.
 */
typedef void io_serve_fn(void *context, struct str path, struct io_reply *reply);

struct io {
	/* --- Time and chance. --- */

	/* Monotonic milliseconds; the same value during one callback. */
	int64_t (*now_ms)(struct io *io);
	/* Milliseconds since 1970 UTC, which may jump: for time stamps that people read only. */
	int64_t (*wall_ms)(struct io *io);
	/* Fills `length` bytes that nobody can guess. */
	void (*random)(struct io *io, void *bytes, size_t length);

	/* --- Timers. `fire` is the last callback. A delay of 0 or less means soon. --- */

	struct io_timer *(*timer_start)(struct io *io, int64_t delay_ms,
					void (*fire)(void *context), void *context);
	void (*timer_cancel)(struct io *io, struct io_timer *timer);

	/* --- Servers. Only endpoint_new can fail: with PEM that doesn't parse. --- */

	struct io_endpoint *(*endpoint_new)(struct io *io, const struct io_endpoint_config *config,
					    struct err *err);
	/* Nothing that uses it may be pending. NULL is accepted. */
	void (*endpoint_delete)(struct io *io, struct io_endpoint *endpoint);

	/* --- HTTP. --- */

	struct io_http *(*http_start)(struct io *io, const struct io_http_request *request,
				      const struct io_http_callbacks *callbacks, void *context);
	void (*http_cancel)(struct io *io, struct io_http *http);

	/* --- Websockets. --- */

	struct io_ws *(*ws_start)(struct io *io, const struct io_ws_request *request,
				  const struct io_ws_callbacks *callbacks, void *context);
	/* One binary message of at most IO_WS_SEND_BYTES_MAX, copied. False: too much is on its
	 * way; `writable` will be called. */
	bool (*ws_send)(struct io *io, struct io_ws *ws, struct str message);
	/* Closes with code 1000 as well as it can, without waiting. This is the cancel function. */
	void (*ws_close)(struct io *io, struct io_ws *ws);

	/* --- Our own port, for /healthz, /readyz, /metrics. --- */

	struct io_server *(*serve)(struct io *io, const char *address, uint16_t port,
				   io_serve_fn *on_request, void *context, struct err *err);
	/* Answers from inside on_request, once; `body` is copied. */
	void (*reply)(struct io *io, struct io_reply *reply, int status, const char *content_type,
		      struct str body);
	void (*serve_stop)(struct io *io, struct io_server *server);

	/* --- Files: the token, the CA, the configuration. Appends to `content`, up to its limit.
	 * --- */

	int (*read_file)(struct io *io, const char *path, struct buf *content, struct err *err);
};

#endif
