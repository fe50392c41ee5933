#include "uv_http_multi.h"

#include "base/mem.h"

/* Connections kept open for later requests. */
#define IDLE_CONNECTIONS 4L

struct uv_http_multi {
	struct uv_io *uv;
	CURLM *handle;
	uv_timer_t timer;
	struct uv_soon_call now; /* curl asked for a timeout of nothing */
	bool is_running;	 /* curl is on the stack */
	struct list doomed;
};

/* While it is closing it may outlive its curl. */
struct socket {
	uv_poll_t poll;
	struct uv_io *uv;
	struct uv_http_multi *multi;
	curl_socket_t fd;
};

static void bury_doomed(struct uv_http_multi *multi)
{
	while (!list_is_empty(&multi->doomed)) {
		struct uv_http_multi_transfer *transfer =
			list_item(multi->doomed.next, struct uv_http_multi_transfer, doomed);

		list_remove(&transfer->doomed);
		curl_multi_remove_handle(multi->handle, transfer->easy);
		transfer->freed(transfer);
	}
}

static void report_ended(struct uv_http_multi *multi)
{
	CURLMsg *message;
	int left;

	/* A report may drop transfers; curl then takes their messages out of its queue. */
	while ((message = curl_multi_info_read(multi->handle, &left))) {
		struct uv_http_multi_transfer *transfer;
		CURLcode result = message->data.result;

		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
		curl_multi_remove_handle(multi->handle, transfer->easy);
		transfer->ended(transfer, result);
	}
}

static void drive(struct uv_http_multi *multi, curl_socket_t fd, int flags)
{
	int running;

	multi->is_running = true;
	curl_multi_socket_action(multi->handle, fd, flags, &running);
	multi->is_running = false;
	bury_doomed(multi);
	report_ended(multi);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	const struct socket *socket = poll->data;
	int flags = 0;

	/* An error is for curl to find by reading: told of it, it would not read what is there. */
	if (status < 0)
		flags = CURL_CSELECT_IN | CURL_CSELECT_OUT;
	if (events & UV_READABLE)
		flags |= CURL_CSELECT_IN;
	if (events & UV_WRITABLE)
		flags |= CURL_CSELECT_OUT;
	drive(socket->multi, socket->fd, flags);
}

static void on_socket_closed(uv_handle_t *handle)
{
	struct socket *socket = handle->data;

	socket->uv->pending--;
	free(socket);
}

static struct socket *socket_new(struct uv_http_multi *multi, curl_socket_t fd)
{
	struct socket *socket = mem_new(1, sizeof(*socket));
	int status;

	socket->uv = multi->uv;
	socket->multi = multi;
	socket->fd = fd;
	status = uv_poll_init_socket(multi->uv->loop, &socket->poll, fd);
	assert(status == 0);
	socket->poll.data = socket;
	multi->uv->pending++;
	curl_multi_assign(multi->handle, fd, socket);
	return socket;
}

/* CURLMOPT_SOCKETFUNCTION */
static int on_socket_wish(CURL *easy, curl_socket_t fd, int what, void *context,
			  void *socket_context)
{
	struct uv_http_multi *multi = context;
	struct socket *socket = socket_context;
	int events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (!socket)
			return 0;
		uv_poll_stop(&socket->poll);
		uv_close((uv_handle_t *)&socket->poll, on_socket_closed);
		curl_multi_assign(multi->handle, fd, NULL);
		return 0;
	}
	if (!socket)
		socket = socket_new(multi, fd);
	if (what & CURL_POLL_IN)
		events |= UV_READABLE;
	if (what & CURL_POLL_OUT)
		events |= UV_WRITABLE;
	uv_poll_start(&socket->poll, events, on_poll);
	return 0;
}

static void run_timeout(void *context)
{
	drive(context, CURL_SOCKET_TIMEOUT, 0);
}

static void on_timer(uv_timer_t *timer)
{
	run_timeout(timer->data);
}

/* CURLMOPT_TIMERFUNCTION */
static int on_timer_wish(CURLM *handle, long timeout_ms, void *context)
{
	struct uv_http_multi *multi = context;

	(void)handle;
	uv_timer_stop(&multi->timer);
	uv_soon_cancel(&multi->now);
	if (timeout_ms == 0)
		uv_soon_ask(&multi->uv->soon, &multi->now);
	else if (timeout_ms > 0)
		uv_timer_start(&multi->timer, on_timer, (uint64_t)timeout_ms, 0);
	return 0;
}

struct uv_http_multi *uv_http_multi_new(struct uv_io *uv, long connections)
{
	struct uv_http_multi *multi = mem_new(1, sizeof(*multi));

	multi->uv = uv;
	list_init(&multi->doomed);
	uv_soon_call_init(&multi->now, run_timeout, multi);
	uv_timer_init(uv->loop, &multi->timer);
	multi->timer.data = multi;
	uv->pending++;
	multi->handle = curl_multi_init();
	assert(multi->handle);
	curl_multi_setopt(multi->handle, CURLMOPT_SOCKETFUNCTION, on_socket_wish);
	curl_multi_setopt(multi->handle, CURLMOPT_SOCKETDATA, multi);
	curl_multi_setopt(multi->handle, CURLMOPT_TIMERFUNCTION, on_timer_wish);
	curl_multi_setopt(multi->handle, CURLMOPT_TIMERDATA, multi);
	curl_multi_setopt(multi->handle, CURLMOPT_MAX_HOST_CONNECTIONS, connections);
	curl_multi_setopt(multi->handle, CURLMOPT_MAXCONNECTS, IDLE_CONNECTIONS);
	return multi;
}

static void on_timer_closed(uv_handle_t *handle)
{
	struct uv_http_multi *multi = handle->data;

	multi->uv->pending--;
	free(multi);
}

void uv_http_multi_delete(struct uv_http_multi *multi)
{
	if (!multi)
		return;
	assert(!multi->is_running);
	bury_doomed(multi);
	curl_multi_cleanup(multi->handle);
	uv_soon_cancel(&multi->now);
	uv_close((uv_handle_t *)&multi->timer, on_timer_closed);
}

void uv_http_multi_add(struct uv_http_multi *multi, struct uv_http_multi_transfer *transfer)
{
	CURLMcode code;

	assert(!multi->is_running);
	list_init(&transfer->doomed);
	code = curl_multi_add_handle(multi->handle, transfer->easy);
	assert(code == CURLM_OK);
}

void uv_http_multi_drop(struct uv_http_multi *multi, struct uv_http_multi_transfer *transfer)
{
	if (multi->is_running) {
		list_push_back(&multi->doomed, &transfer->doomed);
		return;
	}
	curl_multi_remove_handle(multi->handle, transfer->easy);
	transfer->freed(transfer);
}
