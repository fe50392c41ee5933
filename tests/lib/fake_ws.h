/*
 * fake_ws: websockets for a fake_io, whose server is the test. What is sent waits until the test
 * takes it; nothing is opened, delivered or ended but by the test.
 */
#ifndef TESTS_FAKE_WS_H
#define TESTS_FAKE_WS_H

#include "fake_io.h"

#include "base/list.h"

#define FAKE_SOCKETS_MAX 1024

struct io_ws {
	struct fake_ws *fake;
	bool is_pending, is_open;
	char *target, *token;
	struct io_endpoint *endpoint;
	int64_t connect_timeout_ms, silence_ms;
	size_t message_limit;
	struct io_ws_callbacks callbacks;
	void *context;
	struct list sent;	    /* messages, oldest first */
	bool is_blocked, is_wanted; /* ws_send is refused; was, so that `writable` is owed */
};

struct fake_ws {
	struct fake_io *fake;
	struct io_ws *sockets[FAKE_SOCKETS_MAX];
	size_t count;
	int closed;		  /* by ws_close */
	unsigned sends, block_at; /* the websocket of that send is blocked then; 0: never */
};

/* Gives the fake io websockets. */
void fake_ws_init(struct fake_ws *ws, struct fake_io *fake);
/* Checks that none is pending. */
void fake_ws_free(struct fake_ws *ws);

/* The last one that was started. */
struct io_ws *fake_ws_last(const struct fake_ws *ws);

void fake_ws_open(struct io_ws *ws, const char *subprotocol);
void fake_ws_message(struct io_ws *ws, const void *bytes, size_t length);
/* A message to stdout: its channel byte and the bytes. */
void fake_ws_stdout(struct io_ws *ws, struct str bytes);
/* Status of channel 3. */
void fake_ws_status(struct io_ws *ws, const char *json);

struct fake_end {
	int http_status, close_code;
	const char *body;
	enum err_code code;
};
void fake_ws_end(struct io_ws *ws, struct fake_end end);

/* From now on nothing is taken; again, and `writable` is called if something was refused. */
void fake_ws_block(struct io_ws *ws, bool is_blocked);

/* Takes the oldest message off what was sent: true, and the caller frees it. */
bool fake_ws_take(struct io_ws *ws, struct str *message);

#endif
