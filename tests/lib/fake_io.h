/*
 * fake_io: an io whose other side is the test. Time stands still until the test moves it, requests
 * wait until the test answers them, files are what the test says.
 *
 *	struct fake_io fake;
 *	fake_io_init(&fake);
 *	…start something with &fake.io…
 *	fake_io_answer(fake_io_last(&fake), 200, "{…}");
 *	fake_io_advance(&fake, 1000);
 */
#ifndef TESTS_FAKE_IO_H
#define TESTS_FAKE_IO_H

#include "base/buf.h"
#include "files.h"
#include "kube/io.h"

#define FAKE_REQUESTS_MAX 4096
#define FAKE_TIMERS_MAX	  64
#define FAKE_REPLY_MAX	  (1024 * 1024)

struct io_http {
	struct fake_io *fake;
	bool is_pending;
	enum io_http_kind kind;
	char *method, *target, *accept, *content_type, *token, *body; /* NULL as given */
	struct io_endpoint *endpoint;
	int64_t timeout_ms, silence_ms;
	size_t body_limit;
	struct io_http_callbacks callbacks;
	void *context;
};

struct io_timer {
	bool is_pending;
	int64_t due_ms;
	unsigned order;
	void (*fire)(void *context);
	void *context;
};

struct io_server {
	bool is_open;
	char address[64];
	uint16_t port;
	io_serve_fn *on_request;
	void *context;
};

struct io_reply {
	int status; /* 0: not answered */
	char content_type[80];
	struct buf body;
};

struct fake_ws; /* fake_ws.h */

struct fake_io {
	struct io io;		    /* first */
	struct fake_ws *websockets; /* NULL: none can be started */
	int64_t now_ms;
	uint32_t chance; /* every byte of random is one of these */
	struct io_http requests[FAKE_REQUESTS_MAX];
	size_t request_count;
	struct io_timer timers[FAKE_TIMERS_MAX]; /* reused when they are over */
	unsigned timer_order;
	struct files files;
	struct io_server server; /* the one port that can be opened */
	bool port_is_taken;
	struct io_reply reply; /* to the last fake_io_get */
	int endpoints, endpoints_made;
	char last_ca[64]; /* of the last endpoint that was made */
};

void fake_io_init(struct fake_io *fake);
/* Nothing may be pending: checks that, and that no endpoint and no port is left. */
void fake_io_free(struct fake_io *fake);

/* The n-th request, counted from 0, and the last one. */
struct io_http *fake_io_request(struct fake_io *fake, size_t n);
struct io_http *fake_io_last(struct fake_io *fake);
size_t fake_io_pending(const struct fake_io *fake);

/* A whole answer, or its parts. The request is over with the first and the last of them. */
void fake_io_answer(struct io_http *request, int status, const char *body);
void fake_io_head(struct io_http *request, int status, int64_t retry_after_ms);
void fake_io_data(struct io_http *request, struct str bytes);
void fake_io_done(struct io_http *request);
void fake_io_fail(struct io_http *request, enum err_code code);

/* Moves time on and fires what becomes due, in its order. */
void fake_io_advance(struct fake_io *fake, int64_t ms);
/* When the next timer is due, from now; -1 without one. */
int64_t fake_io_next_timer(const struct fake_io *fake);

/* A GET at the port that is open: the status, with the rest in fake->reply. */
int fake_io_get(struct fake_io *fake, const char *path);

/* Sets or replaces a file; content NULL takes it away. */
void fake_io_file(struct fake_io *fake, const char *path, const char *content);

#endif
