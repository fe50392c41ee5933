/*
 * uv_io: the real side of kube/io.h, on a libuv loop that the caller owns and runs.
 *
 *	struct io *io = uv_io_new(&loop, "sandboxtask-controller/0.1.0");
 *	…
 *	uv_run(&loop, UV_RUN_DEFAULT);
 *	uv_io_delete(io);
 *	uv_loop_close(&loop);
 *
 * No signals, no threads but libuv's own for name look-ups, no environment. SIGPIPE has to be
 * ignored by the program: OpenSSL writes to sockets that the other side may have closed.
 */
#ifndef KUBE_UV_IO_H
#define KUBE_UV_IO_H

#include "io.h"

#include <uv.h>

/* `user_agent` must not start with "curl": the API server would indent its answers. Copied. */
struct io *uv_io_new(uv_loop_t *loop, const char *user_agent);

/*
 * Ends all that is under way, calling nothing back, and runs the loop until its own handles are
 * closed; what else is on the loop runs along. Not from inside a callback. Accepts NULL.
 */
void uv_io_delete(struct io *io);

#endif
