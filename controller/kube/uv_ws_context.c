/*
 * The end of a context on somebody else's loop: the first lws_context_destroy closes all wsi, whose
 * libuv handles are done one turn of the loop later; then libwebsockets closes its timer and its
 * idle handle, done one turn after that; only then may the second lws_context_destroy free the
 * context and unload the plugin with the code of those very callbacks. (Read in lws 4.1.6,
 * event-libs/libuv/libuv.c; with one call alone it is never freed.)
 *
 * And the first call closes the descriptor that wakes the context, whose number is closed once more
 * a turn of the loop later (vhost.c, lws_destroy_event_pipe): by then it may be anybody's. So the
 * number is kept busy in between with a descriptor that nobody misses.
 */
#include "uv_ws_context.h"

#include "base/mem.h"
#include "uv_ws_event.h"

#include <fcntl.h>
#include <unistd.h>

/* Turns of the loop between the last wsi's end and the second call; two are needed. */
#define DESTROY_TURNS 4

/* Also the size of one read: a frame that is larger comes in pieces. */
#define BUFFER_BYTES (64 * 1024)

/* Room for the request's headers with a token in them, and for those of the answer. */
#define HEADER_BYTES_MAX (16 * 1024)

/*
 * Websockets of one context at a time. Without a number libwebsockets makes its tables as large as
 * the process' limit of descriptors: in a container without a limit that is gigabytes.
 */
#define WEBSOCKETS_MAX 1024

/* Its limits of time are out of the way: those of the request hold. */
#define OWN_TIMEOUT_SECONDS 3600

struct uv_ws_context {
	struct uv_io *uv;
	struct lws_context *lws;
	int wake_fd;
	unsigned wsi_count;
	void (*deleted)(void *context);
	void *deleted_context;
	int turns_left;
	struct uv_soon_call turn;
};

static const struct lws_protocols PROTOCOLS[] = {
	{.name = "sandboxtask", .callback = uv_ws_event_on, .rx_buffer_size = BUFFER_BYTES},
	{NULL},
};

/* The last of the loop's polled descriptors: right after a context was made, its wake_fd. */
static void note_polled(uv_handle_t *handle, void *context)
{
	int *fd = context;

	if (uv_handle_get_type(handle) == UV_POLL && !uv_is_closing(handle))
		uv_fileno(handle, fd);
}

/* Only when the number is free: a thread that looks up a name may have got it. */
static void keep_number_busy(int number)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), copy;

	if (null < 0 || null == number)
		return;
	copy = fcntl(null, F_DUPFD_CLOEXEC, number);
	if (copy >= 0 && copy != number)
		close(copy);
	close(null);
}

static void on_turn(void *context)
{
	struct uv_ws_context *ours = context;

	if (ours->wsi_count == 0 && --ours->turns_left == 0) {
		lws_context_destroy(ours->lws);
		ours->deleted(ours->deleted_context);
		free(ours);
		return;
	}
	uv_soon_ask(&ours->uv->soon, &ours->turn);
}

struct uv_ws_context *uv_ws_context_new(struct uv_io *uv, SSL_CTX *tls)
{
	struct uv_ws_context *ours = mem_new(1, sizeof(*ours));
	void *loops[] = {uv->loop};
	struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN,
		.protocols = PROTOCOLS,
		.gid = (gid_t)-1,
		.uid = (uid_t)-1,
		.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS,
		.foreign_loops = loops,
		.provided_client_ssl_ctx = tls,
		.pt_serv_buf_size = BUFFER_BYTES,
		.fd_limit_per_thread = WEBSOCKETS_MAX,
		.max_http_header_data2 = HEADER_BYTES_MAX,
		.connect_timeout_secs = OWN_TIMEOUT_SECONDS,
		.timeout_secs = OWN_TIMEOUT_SECONDS,
	};

	if (tls)
		info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
	ours->uv = uv;
	uv_soon_call_init(&ours->turn, on_turn, ours);
	/* What it would log comes to us as callbacks. */
	lws_set_log_level(0, NULL);
	ours->lws = lws_create_context(&info);
	if (!ours->lws) {
		free(ours);
		return NULL;
	}
	uv_walk(uv->loop, note_polled, &ours->wake_fd);
	/* It takes http_proxy from the environment; this takes it away again. */
	lws_set_proxy(lws_get_vhost_by_name(ours->lws, "default"), ":0");
	return ours;
}

void uv_ws_context_delete(struct uv_ws_context *ours, void (*deleted)(void *context), void *context)
{
	ours->deleted = deleted;
	ours->deleted_context = context;
	ours->turns_left = DESTROY_TURNS;
	lws_context_destroy(ours->lws);
	keep_number_busy(ours->wake_fd);
	uv_soon_ask(&ours->uv->soon, &ours->turn);
}

struct lws_context *uv_ws_context_lws(struct uv_ws_context *ours)
{
	return ours->lws;
}

void uv_ws_context_hold(struct uv_ws_context *ours)
{
	ours->wsi_count++;
}

void uv_ws_context_release(struct uv_ws_context *ours)
{
	ours->wsi_count--;
}

void uv_ws_context_kick(struct uv_ws_context *ours)
{
	lws_cancel_service(ours->lws);
}
