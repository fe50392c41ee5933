/*
 * uv_core: what the parts of the real io share. Included by kube/uv_*.c only.
 *
 * `struct uv_io` is the io: its first member is the vtable that others see. Each kind of operation
 * is a list in it, so that uv_io_delete can end what is still there, and a file of its own:
 *
 *	uv_io         the vtable, time, chance, files, birth and death
 *	uv_soon       calls from the loop
 *	uv_alarm      timers
 *	uv_resolve    names to addresses
 *	uv_endpoint   servers and what is kept open to them, with uv_tls, uv_socket
 *	uv_http       requests, with uv_http_multi: a curl multi on the loop
 *	uv_ws         websockets, with uv_ws_context, uv_ws_event: libwebsockets on the loop,
 *	              uv_ws_outbox: messages to be written, uv_ws_pulse: is the other side there?
 *	uv_serve      our own port
 */
#ifndef KUBE_UV_CORE_H
#define KUBE_UV_CORE_H

#include "base/list.h"
#include "io.h"
#include "uv_soon.h"

#include <assert.h>
#include <uv.h>

struct uv_resolver;

struct uv_io {
	struct io io;
	uv_loop_t *loop;
	char *user_agent;
	struct uv_soon soon;
	struct uv_resolver *resolver;
	struct list alarms, requests, websockets, servers, endpoints;
	unsigned pending; /* what the loop has to finish before this memory may go */
};

static inline struct uv_io *uv_io_of(struct io *io)
{
	return (struct uv_io *)io;
}

#endif
