/*
 * A request goes: look-up of the host (from the loop, even for an address: nothing is called back
 * from inside uv_http_start) -> curl -> ended. It can end from four sides: curl is done, the body
 * is too large (inside curl's write callback), time is up (a timer), the user cancels (anywhere).
 * `end` is the one place for the first three, uv_http_cancel for the last; both leave curl's half
 * to uv_http_multi_drop, which knows whether curl is on the stack.
 */
#include "uv_http.h"

#include "base/buf.h"
#include "base/mem.h"
#include "uv_alarm.h"
#include "uv_endpoint.h"
#include "uv_http_multi.h"
#include "uv_resolve.h"
#include "uv_socket.h"

#include <strings.h>

/* Room for a URL or a header line: the target is what the caller built under its own limit. */
#define LINE_BYTES_MAX (64 * 1024)

struct io_http {
	struct uv_http_multi_transfer transfer; /* first: uv_http_multi hands it back */
	struct uv_io *uv;
	struct list link;
	struct io_endpoint *endpoint;
	enum io_http_kind kind;
	struct io_http_callbacks callbacks;
	void *context;
	struct uv_resolve *resolve; /* until the addresses are known */
	bool is_in_curl;
	bool is_over; /* reported or cancelled: curl's half waits for its burial */
	struct curl_slist *headers, *addresses;
	size_t body_limit, received;
	int64_t timeout_ms, silence_ms, started_at_ms, heard_at_ms;
	struct io_timer *deadline;
	int status;
	int64_t retry_after_ms;
	bool has_head;
	char curl_error[CURL_ERROR_SIZE];
};

static void transfer_freed(struct uv_http_multi_transfer *transfer)
{
	struct io_http *http = (struct io_http *)transfer;

	curl_easy_cleanup(transfer->easy);
	curl_slist_free_all(http->headers);
	curl_slist_free_all(http->addresses);
	free(http);
}

/* From here on nothing is called back. The memory goes when curl lets go of it. */
static void retire(struct io_http *http)
{
	http->is_over = true;
	http->endpoint->users--;
	list_remove(&http->link);
	uv_alarm_drop(http->uv, &http->deadline);
	if (http->resolve)
		uv_resolve_cancel(http->resolve);
	if (http->is_in_curl)
		uv_http_multi_drop(uv_endpoint_multi(http->endpoint, http->kind), &http->transfer);
	else
		transfer_freed(&http->transfer);
}

static void end(struct io_http *http, const struct err *err)
{
	void (*done)(void *, const struct err *) = http->callbacks.done;
	void *context = http->context;

	retire(http);
	done(context, err);
}

/* --- Time. --- */

static void watch_time(struct io_http *http);

static void on_deadline(void *context)
{
	struct io_http *http = context;
	int64_t now = (int64_t)uv_now(http->uv->loop);
	struct err err;

	http->deadline = NULL;
	if (http->timeout_ms > 0 && now - http->started_at_ms >= http->timeout_ms) {
		err_set(&err, ERR_TIMEOUT, "%s: no whole answer in %lld ms",
			http->endpoint->authority, (long long)http->timeout_ms);
		end(http, &err);
		return;
	}
	if (http->silence_ms > 0 && now - http->heard_at_ms >= http->silence_ms) {
		err_set(&err, ERR_TIMEOUT, "%s: not one byte in %lld ms", http->endpoint->authority,
			(long long)http->silence_ms);
		end(http, &err);
		return;
	}
	watch_time(http);
}

/* One timer for both limits; a byte that is heard moves no timer, on_deadline looks again. */
static void watch_time(struct io_http *http)
{
	int64_t now = (int64_t)uv_now(http->uv->loop), delay = INT64_MAX;

	if (http->timeout_ms > 0)
		delay = http->started_at_ms + http->timeout_ms - now;
	if (http->silence_ms > 0 && http->heard_at_ms + http->silence_ms - now < delay)
		delay = http->heard_at_ms + http->silence_ms - now;
	if (delay < INT64_MAX)
		http->deadline = uv_alarm_start(&http->uv->io, delay, on_deadline, http);
}

/* --- What curl calls. --- */

static void note_retry_after(struct io_http *http, struct str value)
{
	uint64_t seconds;

	/* The form with a date is not sent by Kubernetes, and would need trust in two clocks. */
	if (str_to_uint(value, HTTP_RETRY_AFTER_SECONDS_MAX, &seconds))
		http->retry_after_ms = (int64_t)seconds * 1000;
}

/* The last status line and its headers count: those before are 1xx. */
static void read_header(struct io_http *http, struct str line)
{
	const struct str retry_after = STR("retry-after:");
	uint64_t status;
	struct str word;

	if (str_starts_with(line, STR("HTTP/"))) {
		http->retry_after_ms = 0;
		str_split(&line, ' ');
		word = str_split(&line, ' ');
		http->status = str_to_uint(str_trim(word), 999, &status) ? (int)status : 0;
	} else if (line.n > retry_after.n &&
		   strncasecmp(line.p, retry_after.p, retry_after.n) == 0) {
		note_retry_after(http, str_trim(str_slice(line, retry_after.n, line.n)));
	} else if (line.n == 0 && http->status >= 200) {
		http->has_head = true;
		http->callbacks.head(http->context, http->status, http->retry_after_ms);
	}
}

static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
	struct io_http *http = context;
	size_t length = size * count;

	if (http->is_over)
		return 0;
	http->heard_at_ms = (int64_t)uv_now(http->uv->loop);
	/* What comes after the head are trailers. */
	if (!http->has_head)
		read_header(http, str_trim((struct str){bytes, length}));
	return http->is_over ? 0 : length;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
	struct io_http *http = context;
	size_t length = size * count;
	struct err err;

	if (http->is_over)
		return 0;
	http->heard_at_ms = (int64_t)uv_now(http->uv->loop);
	if (http->body_limit > 0 && length > http->body_limit - http->received) {
		err_set(&err, ERR_TOO_LARGE, "%s: the answer has more than %zu bytes",
			http->endpoint->authority, http->body_limit);
		err.http_status = http->status;
		end(http, &err);
		return 0;
	}
	http->received += length;
	http->callbacks.data(http->context, (struct str){bytes, length});
	return http->is_over ? 0 : length;
}

static int on_new_socket(void *context, curl_socket_t fd, curlsocktype purpose)
{
	(void)context, (void)purpose;
	uv_socket_detect_death(fd);
	return CURL_SOCKOPT_OK;
}

static enum err_code code_of(CURLcode result)
{
	/* All that is not listed is the network's, or TLS's; a stream that the server resets, too:
	 * that is how a handler that was cut short ends. */
	switch ((int)result) {
	case CURLE_OPERATION_TIMEDOUT: return ERR_TIMEOUT;
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_BAD_CONTENT_ENCODING:
	case CURLE_HTTP2: return ERR_PROTOCOL;
	default: return ERR_TRANSPORT;
	}
}

static void on_ended(struct uv_http_multi_transfer *transfer, CURLcode result)
{
	struct io_http *http = (struct io_http *)transfer;
	struct err err;

	http->is_in_curl = false;
	if (result == CURLE_OK) {
		end(http, NULL);
		return;
	}
	err_set(&err, code_of(result), "%s: %s", http->endpoint->authority,
		http->curl_error[0] ? http->curl_error : curl_easy_strerror(result));
	err.http_status = http->status;
	end(http, &err);
}

/* --- Setting up. --- */

static void add_header(struct io_http *http, const char *name, struct str value)
{
	struct buf line;

	buf_init(&line, LINE_BYTES_MAX);
	buf_printf(&line, "%s%.*s", name, STR_ARGS(value));
	http->headers = curl_slist_append(http->headers, line.data);
	mem_wipe(line.data, line.length);
	buf_free(&line);
}

static void set_headers(struct io_http *http, const struct io_http_request *request)
{
	add_header(http,
		   "Accept: ", str_of(request->accept ? request->accept : "application/json"));
	if (request->content_type)
		add_header(http, "Content-Type: ", str_of(request->content_type));
	if (request->bearer_token.n > 0)
		add_header(http, "Authorization: Bearer ", request->bearer_token);
	/* The URL has the name in the certificate; a proxy in between looks at the host's. */
	add_header(http, "Host: ", str_of(http->endpoint->authority));
	/* No round trip before a large body. */
	add_header(http, "Expect:", STR(""));
	curl_easy_setopt(http->transfer.easy, CURLOPT_HTTPHEADER, http->headers);
}

static void set_body(struct io_http *http, const struct io_http_request *request)
{
	CURL *easy = http->transfer.easy;

	if (strcmp(request->method, "GET") != 0 && (request->body.n > 0 || request->content_type)) {
		/* Copied, since a request that was cancelled inside one of curl's callbacks may
		 * still be sent from until curl returns. */
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.n);
		curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS,
				 request->body.n > 0 ? request->body.p : "");
	}
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
}

static void set_blob(CURL *easy, CURLoption option, struct str pem)
{
	struct curl_blob blob = {(void *)(uintptr_t)pem.p, pem.n, CURL_BLOB_NOCOPY};

	if (pem.n > 0)
		curl_easy_setopt(easy, option, &blob);
}

static void set_tls(struct io_http *http)
{
	const struct io_endpoint *endpoint = http->endpoint;
	CURL *easy = http->transfer.easy;

	curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (endpoint->ca_pem.n > 0) {
		set_blob(easy, CURLOPT_CAINFO_BLOB, endpoint->ca_pem);
		curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
		curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
	if (endpoint->client_cert_pem.n > 0) {
		set_blob(easy, CURLOPT_SSLCERT_BLOB, endpoint->client_cert_pem);
		set_blob(easy, CURLOPT_SSLKEY_BLOB, endpoint->client_key_pem);
	}
	if (endpoint->insecure_skip_verify) {
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

static void set_connection(struct io_http *http)
{
	CURL *easy = http->transfer.easy;

	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* nor one of the environment */
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, HTTP_CONNECT_TIMEOUT_MS);
	curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_new_socket);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, http->uv->user_agent);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, http);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, http);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, http->curl_error);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, http);
}

static void set_url(struct io_http *http, const char *target)
{
	const struct io_endpoint *endpoint = http->endpoint;
	bool needs_brackets = strchr(endpoint->name, ':') != NULL;
	struct buf url;
	int result;

	buf_init(&url, LINE_BYTES_MAX);
	result = buf_printf(&url, needs_brackets ? "%s://[%s]:%u%s" : "%s://%s:%u%s",
			    endpoint->plain_text ? "http" : "https", endpoint->name, endpoint->port,
			    target);
	assert(result == 0);
	curl_easy_setopt(http->transfer.easy, CURLOPT_URL, url.data);
	curl_easy_setopt(http->transfer.easy, CURLOPT_PATH_AS_IS, 1L);
	buf_free(&url);
}

/* Tells curl where the name in the URL is, so that it never asks a name server itself. */
static void set_addresses(struct io_http *http, const struct uv_resolve_answer *answer)
{
	const struct io_endpoint *endpoint = http->endpoint;
	struct buf entry;

	if (uv_resolve_is_address(endpoint->name) && strcmp(endpoint->name, endpoint->host) == 0)
		return;
	buf_init(&entry, LINE_BYTES_MAX);
	buf_printf(&entry, "%s:%u:", endpoint->name, endpoint->port);
	for (size_t i = 0; i < answer->count; i++)
		buf_printf(&entry, strchr(answer->address[i], ':') ? "%s[%s]" : "%s%s",
			   i > 0 ? "," : "", answer->address[i]);
	http->addresses = curl_slist_append(NULL, entry.data);
	curl_easy_setopt(http->transfer.easy, CURLOPT_RESOLVE, http->addresses);
	buf_free(&entry);
}

static void on_resolved(void *context, const struct uv_resolve_answer *answer,
			const struct err *err)
{
	struct io_http *http = context;

	http->resolve = NULL;
	if (!answer) {
		end(http, err);
		return;
	}
	set_addresses(http, answer);
	http->is_in_curl = true;
	uv_http_multi_add(uv_endpoint_multi(http->endpoint, http->kind), &http->transfer);
}

struct io_http *uv_http_start(struct io *io, const struct io_http_request *request,
			      const struct io_http_callbacks *callbacks, void *context)
{
	struct uv_io *uv = uv_io_of(io);
	struct io_http *http = mem_new(1, sizeof(*http));

	assert(request->target[0] == '/');
	http->uv = uv;
	http->endpoint = request->endpoint;
	http->endpoint->users++;
	http->kind = request->kind;
	http->callbacks = *callbacks;
	http->context = context;
	http->body_limit = request->body_limit;
	http->timeout_ms = request->timeout_ms;
	http->silence_ms = request->silence_ms;
	http->started_at_ms = http->heard_at_ms = (int64_t)uv_now(uv->loop);
	list_push_back(&uv->requests, &http->link);
	http->transfer.ended = on_ended;
	http->transfer.freed = transfer_freed;
	http->transfer.easy = curl_easy_init();
	assert(http->transfer.easy);
	set_connection(http);
	set_url(http, request->target);
	if (!http->endpoint->plain_text)
		set_tls(http);
	set_headers(http, request);
	set_body(http, request);
	http->resolve = uv_resolve_start(uv, http->endpoint->host, on_resolved, http);
	watch_time(http);
	return http;
}

void uv_http_cancel(struct io *io, struct io_http *http)
{
	(void)io;
	retire(http);
}

void uv_http_cancel_all(struct uv_io *uv)
{
	while (!list_is_empty(&uv->requests))
		retire(list_item(uv->requests.next, struct io_http, link));
}
