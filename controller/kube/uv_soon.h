/*
 * uv_soon: calls that are made from the loop, never from inside whoever asks for them.
 *
 * This is what keeps rule 1 of kube/io.h (a starter calls nothing back before it has returned) and
 * what takes work out of the callbacks of libraries that forbid it there. A call is made once, in
 * the next turn of the loop, in the order asked for; calls asked for during a turn wait for the
 * following one, so that sockets and timers always get theirs.
 */
#ifndef KUBE_UV_SOON_H
#define KUBE_UV_SOON_H

#include "base/list.h"

#include <stdbool.h>
#include <uv.h>

struct uv_soon {
	uv_idle_t idle;
	struct list calls;
};

/* Embedded by whoever asks; zeroed or initialised by uv_soon_call_init before its first use. */
struct uv_soon_call {
	struct list link;
	void (*run)(void *context);
	void *context;
};

void uv_soon_init(struct uv_soon *soon, uv_loop_t *loop);

/* Ends with closing the handle inside; `closed` is called from the loop when its memory is free. */
void uv_soon_close(struct uv_soon *soon, uv_close_cb closed);

void uv_soon_call_init(struct uv_soon_call *call, void (*run)(void *context), void *context);

/* Asks for the call; asking again before it is made changes nothing. */
void uv_soon_ask(struct uv_soon *soon, struct uv_soon_call *call);

/* The call is not made, even when it was asked for. */
void uv_soon_cancel(struct uv_soon_call *call);

#endif
