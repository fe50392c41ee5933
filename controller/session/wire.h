/*
 * wire: one websocket to a runner at a time, as frames in both directions.
 *
 *	wire_init(&wire, io, hub, &callbacks, context);
 *	wire_open(&wire, &request);
 *	…open… …frame… …pause…
 *	while (wire_can_send(&wire) &&
 *	       (length = controller_side_next_frame(…, wire_room(&wire))) > 0)
 *		wire_send(&wire, length);
 *	…down: it may be opened again…
 *
 * It reads whatever comes, whether or not somebody can use it: an attacher that does not read stops
 * the runner's output for all. After the Status of channel 3 it sends nothing more (the server
 * closes, and answers what it did not read with a reset that may take the rest of its own words
 * along), and waits a moment for what is still on its way.
 */
#ifndef SESSION_WIRE_H
#define SESSION_WIRE_H

#include "attach.h"
#include "hub.h"
#include "kube/io.h"
#include "proto/reader.h"

/* The server's handshake, its messages (a Go server sends what one read of 32 KiB gave, proxies
 * may join them), and how long it may be silent between pings. */
#define WIRE_CONNECT_TIMEOUT_MS 15000
#define WIRE_MESSAGE_BYTES_MAX	(1u << 20)
#define WIRE_SILENCE_MS		30000
#define WIRE_STATUS_BYTES_MAX	4096
#define WIRE_AFTER_STATUS_MS	2000
#define WIRE_BLOCKED_MS		30000 /* nothing could be sent: it is no use any more */

struct wire_request {
	struct io_endpoint *endpoint;
	const char *target;
	struct str bearer_token;
};

/* Order: open once, then frame and pause in any number and order, down. */
struct wire_callbacks {
	void (*open)(void *context);
	/* A frame of the runner. The wire must not be touched: pause follows. */
	void (*frame)(void *context, const struct frame *frame);
	/* All frames of a message were given, or it can send again. */
	void (*pause)(void *context);
	/* The last one. The text is valid during the call. */
	void (*down)(void *context, enum attach_verdict verdict, const char *text);
};

struct wire {
	/* To be read only. */
	uint64_t heard_bytes; /* of stdout, on all its connections */

	/* Private */
	struct io *io;
	struct hub *hub;
	const struct wire_callbacks *callbacks;
	void *context;
	struct io_ws *ws;
	struct io_timer *timer; /* after a Status, or while nothing can be sent */
	bool is_open, has_status;
	char status_text[ATTACH_TEXT_SIZE];
	struct reader reader; /* in hub->in, unless in mid-frame */
	uint8_t *mid_frame;   /* its own buffer then */
	uint8_t *unsent;      /* a message that was refused and waits for `writable` */
	size_t unsent_length;
};

/* `callbacks` is borrowed for the life of the wire. */
void wire_init(struct wire *wire, struct io *io, struct hub *hub,
	       const struct wire_callbacks *callbacks, void *context);

/* Starts a new connection; there must be none. */
void wire_open(struct wire *wire, const struct wire_request *request);

/* Ends the connection, if there is one, without `down`. A zeroed wire is accepted. */
void wire_close(struct wire *wire);

/* Connecting, or connected. */
bool wire_is_up(const struct wire *wire);

/* A frame would be taken. */
bool wire_can_send(const struct wire *wire);

/* Where the next frame to send has to be written: CONTROLLER_FRAME_MAX bytes. */
uint8_t *wire_room(struct wire *wire);

/* Sends the `length` bytes that lie there. Only when wire_can_send. */
void wire_send(struct wire *wire, size_t length);

#endif
