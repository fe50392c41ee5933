#include "uv_io.h"

#include "base/mem.h"
#include "uv_alarm.h"
#include "uv_core.h"
#include "uv_endpoint.h"
#include "uv_http.h"
#include "uv_resolve.h"
#include "uv_serve.h"
#include "uv_ws.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES 4096

static int64_t now_ms(struct io *io)
{
	return (int64_t)uv_now(uv_io_of(io)->loop);
}

static int64_t wall_ms(struct io *io)
{
	struct timespec now;

	(void)io;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void fill_random(struct io *io, void *bytes, size_t length)
{
	char *at = bytes;

	(void)io;
	while (length > 0) {
		ssize_t got = getrandom(at, length, 0);

		if (got < 0) {
			assert(errno == EINTR);
			continue;
		}
		at += got;
		length -= (size_t)got;
	}
}

static int read_all(int fd, const char *path, struct buf *content, struct err *err)
{
	char bytes[READ_BYTES];
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(err, errno, "reading %s", path);
		if (buf_append(content, bytes, (size_t)got) < 0)
			return err_set(err, ERR_TOO_LARGE, "%s has more than %zu bytes", path,
				       content->limit);
	}
	mem_wipe(bytes, sizeof(bytes));
	return 0;
}

static int read_file(struct io *io, const char *path, struct buf *content, struct err *err)
{
	/* O_NONBLOCK, so that a FIFO by that name is an error and not a standstill. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;
	size_t length = content->length;
	struct stat status;

	(void)io;
	if (fd < 0) {
		int trouble = errno;

		err_set_errno(err, trouble, "opening %s", path);
		if (trouble == ENOENT)
			err->code = ERR_NOT_FOUND;
		return -1;
	}
	if (fstat(fd, &status) < 0)
		result = err_set_errno(err, errno, "reading %s", path);
	else if (!S_ISREG(status.st_mode))
		result = err_set(err, ERR_INVALID, "%s is not a regular file", path);
	else
		result = read_all(fd, path, content, err);
	close(fd);
	if (result < 0)
		buf_truncate(content, length);
	return result;
}

static const struct io FUNCTIONS = {
	.now_ms = now_ms,
	.wall_ms = wall_ms,
	.random = fill_random,
	.timer_start = uv_alarm_start,
	.timer_cancel = uv_alarm_cancel,
	.endpoint_new = uv_endpoint_new,
	.endpoint_delete = uv_endpoint_delete,
	.http_start = uv_http_start,
	.http_cancel = uv_http_cancel,
	.ws_start = uv_ws_start,
	.ws_send = uv_ws_send,
	.ws_close = uv_ws_close,
	.serve = uv_serve_start,
	.reply = uv_serve_reply,
	.serve_stop = uv_serve_stop,
	.read_file = read_file,
};

struct io *uv_io_new(uv_loop_t *loop, const char *user_agent)
{
	struct uv_io *uv = mem_new(1, sizeof(*uv));
	CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);

	assert(code == CURLE_OK);
	uv->io = FUNCTIONS;
	uv->loop = loop;
	uv->user_agent = mem_copy_string(user_agent, strlen(user_agent));
	list_init(&uv->alarms);
	list_init(&uv->requests);
	list_init(&uv->websockets);
	list_init(&uv->servers);
	list_init(&uv->endpoints);
	uv_soon_init(&uv->soon, loop);
	uv->resolver = uv_resolve_new(uv);
	return &uv->io;
}

static void on_soon_closed(uv_handle_t *handle)
{
	struct uv_soon *soon = handle->data;

	list_item(soon, struct uv_io, soon)->pending--;
}

void uv_io_delete(struct io *io)
{
	struct uv_io *uv = io ? uv_io_of(io) : NULL;

	if (!uv)
		return;
	uv_http_cancel_all(uv);
	uv_ws_close_all(uv);
	uv_serve_stop_all(uv);
	uv_alarm_cancel_all(uv);
	uv_endpoint_delete_all(uv);
	while (uv->pending > 0)
		uv_run(uv->loop, UV_RUN_ONCE);
	uv_resolve_delete(uv->resolver);
	uv->pending = 1;
	uv_soon_close(&uv->soon, on_soon_closed);
	while (uv->pending > 0)
		uv_run(uv->loop, UV_RUN_ONCE);
	free(uv->user_agent);
	free(uv);
	curl_global_cleanup();
}
