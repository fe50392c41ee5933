/*
 * kube_probe: controller/kube against a real API server. Run by client.t and apiserver.t, which
 * make what it needs:
 *
 *	kube_probe KUBECONFIG NAMESPACE PART...
 *
 * Parts: verbs; watch; gone; attach (a Pod "echo" runs cat, "done" has finished); storm;
 * token KUBECONFIG FILE GOOD (of a user whose token is in FILE, and bad; GOOD has a good one).
 */
#include "kube/client.h"
#include "kube/kubeconfig.h"
#include "kube/splitter.h"
#include "kube/status.h"
#include "kube/uv_io.h"
#include "kube/watch.h"

#include "tap.h"
#include "ws_record.h"

#include <assert.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define run_until(condition)                           \
	do {                                           \
		while (!(condition))                   \
			uv_run(&w->loop, UV_RUN_ONCE); \
	} while (0)

static const struct target_resource CONFIG_MAPS = {"", "v1", "configmaps", true};
static const struct target_resource PODS = {"", "v1", "pods", true};

struct world {
	uv_loop_t loop;
	struct io *io;
	struct log log;
	struct client *client;
	struct str in_namespace;
	/* The last call: */
	bool is_done, failed;
	struct err err;
	struct buf body;
};

static int64_t no_clock(void *context)
{
	(void)context;
	return 0;
}

static void to_stderr(void *context, enum log_level level, struct str line)
{
	(void)context, (void)level;
	fprintf(stderr, "# %.*s", STR_ARGS(line));
}

static struct client *make_client(struct world *w, struct io *io, const char *kubeconfig)
{
	struct config config = {0};
	struct client *client = NULL;
	struct err err;

	if (kubeconfig_load(&config, io, kubeconfig, true, NULL, &err) == 0)
		client = client_new(io, &config, &w->log, &err);
	if (!client) {
		diag("%s", err.message);
		exit(1);
	}
	return client;
}

static void on_done(void *context, struct str body, const struct err *err)
{
	struct world *w = context;

	w->is_done = true;
	w->failed = err != NULL;
	if (err)
		w->err = *err;
	buf_clear(&w->body);
	buf_append_str(&w->body, body);
}

/* Waits for the call that was just started; the name of its error's code, or "" for success. */
static const char *outcome(struct world *w)
{
	run_until(w->is_done);
	w->is_done = false;
	if (w->failed)
		diag("%s", w->err.message);
	return w->failed ? err_code_name(w->err.code) : "";
}

static struct client_object map_named(const struct world *w, const char *name)
{
	return (struct client_object){&CONFIG_MAPS, w->in_namespace, str_of(name), NULL};
}

static const char *create_map(struct world *w, const char *name)
{
	struct client_object maps = map_named(w, "");
	char body[256];

	snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"},\"data\":{\"a\":\"1\"}}",
		 name);
	client_create(w->client, &maps, str_of(body), on_done, w);
	return outcome(w);
}

static const char *patch_map(struct world *w, const char *name, enum client_patch kind,
			     const char *body)
{
	struct client_object map = map_named(w, name);

	client_patch(w->client, &map, kind, str_of(body), on_done, w);
	return outcome(w);
}

static const char *delete_map(struct world *w, const char *name, const char *uid)
{
	struct client_object map = map_named(w, name);
	struct client_preconditions only = {str_of(uid), STR(""), -1};

	client_delete_object(w->client, &map, &only, on_done, w);
	return outcome(w);
}

static const char *get_map(struct world *w, const char *name)
{
	struct client_object map = map_named(w, name);

	client_get(w->client, &map, on_done, w);
	return outcome(w);
}

static void test_verbs(struct world *w)
{
	struct kube_object object;
	char stale[256], uid[KUBE_OBJECT_UID_SIZE];
	struct err err;

	is(get_map(w, "m"), "NotFound", "what is not there is not found");
	is(create_map(w, "m"), "", "create");
	is(create_map(w, "m"), "AlreadyExists", "a second create meets it");
	is(get_map(w, "m"), "", "get");
	kube_object_read(buf_str(&w->body), &object, &err);
	is(object.name, "m", "has its name");
	memcpy(uid, object.uid, sizeof(uid));
	snprintf(stale, sizeof(stale),
		 "{\"metadata\":{\"resourceVersion\":\"%s\"},\"data\":{\"a\":\"2\"}}",
		 object.resource_version);
	is(patch_map(w, "m", CLIENT_MERGE, stale), "",
	   "a merge patch with the version that is there");
	is(patch_map(w, "m", CLIENT_MERGE, stale), "Conflict", "and with one that was there");
	is(patch_map(w, "m", CLIENT_APPLY,
		     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"b\":\"3\"}}"),
	   "", "apply");
	is(patch_map(w, "m", CLIENT_MERGE, "{\"data\":{\"b/d\":\"\"}}"), "Invalid",
	   "a bad key is invalid");
	like(w->err.message, "HTTP 422: not valid: data\\[b/d\\]", "the field is named");
	is(patch_map(w, "m", CLIENT_MERGE, "{"), "Invalid", "so is what is no JSON");
	is(delete_map(w, "m", "00000000-0000-0000-0000-000000000000"), "Conflict",
	   "a delete with another uid fails");
	is(delete_map(w, "m", uid), "", "with its own it is done");
	is(delete_map(w, "m", uid), "NotFound", "once");
}

/* --- Watches. --- */

struct told {
	struct watch *watch;
	struct buf text; /* +name -name ! ? */
};

static void remember(struct told *told, const char *mark, const char *name)
{
	/* Every namespace has this one, made some time after the namespace. */
	if (strcmp(name, "kube-root-ca.crt") != 0)
		buf_printf(&told->text, "%s%s ", mark, name);
}

static void on_changed(void *context, const struct kube_object *object)
{
	remember(context, "+", object->name);
}

static void on_deleted(void *context, const struct kube_object *object)
{
	remember(context, "-", object->name);
}

static void on_synced(void *context)
{
	remember(context, "!", "");
}

static void on_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	note("%s; again in %lld ms", err->message, (long long)retry_ms);
	remember(context, "?", err_code_name(err->code));
}

static void watch_maps(struct world *w, struct told *told, struct io *io, struct client *client,
		       bool as_table)
{
	static const struct watch_callbacks CALLBACKS = {on_changed, on_deleted, on_synced,
							 on_trouble};
	struct watch_config config = {
		.resource = &CONFIG_MAPS, .in_namespace = w->in_namespace.p, .as_table = as_table};

	buf_init(&told->text, 65536);
	told->watch = watch_new(io, client, &config, &CALLBACKS, told);
	run_until(watch_is_synced(told->watch));
	buf_clear(&told->text);
}

static void is_told(struct world *w, struct told *told, const char *wanted, const char *rule)
{
	run_until(told->text.length >= strlen(wanted));
	is(told->text.data, wanted, "%s", rule);
	buf_clear(&told->text);
}

/* Ends all TCP connections of this process, as a network would. */
static void cut_connections(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;
	int cut = 0;

	while ((entry = readdir(folder))) {
		uint64_t fd;

		if (str_to_uint(str_of(entry->d_name), INT32_MAX, &fd))
			cut += shutdown((int)fd, SHUT_RDWR) == 0;
	}
	closedir(folder);
	note("cut %d connections", cut);
}

static void test_watch(struct world *w, const char *kubeconfig)
{
	struct io *second_io = uv_io_new(&w->loop, "second/1");
	struct client *second = make_client(w, second_io, kubeconfig);
	struct told objects, rows;

	create_map(w, "before");
	watch_maps(w, &objects, w->io, w->client, false);
	watch_maps(w, &rows, second_io, second, true);
	ok(watch_find(objects.watch, w->in_namespace, STR("before")),
	   "what was there is known after the list");
	create_map(w, "one");
	is_told(w, &objects, "+one ", "a new object is told");
	is_told(w, &rows, "+one ", "to a second controller in this process as well, as a row");
	like(watch_columns(rows.watch).p, "\"name\":\"Data\"",
	     "the columns of the Table have come");
	patch_map(w, "one", CLIENT_MERGE, "{\"data\":{\"a\":\"2\"}}");
	is_told(w, &objects, "+one ", "a change is told");
	is_told(w, &rows, "+one ", "to both");
	cut_connections();
	create_map(w, "two");
	delete_map(w, "one", "");
	run_until(objects.text.length >= strlen("?Transport +two -one ") &&
		  rows.text.length >= strlen("?Transport +two -one "));
	is(objects.text.data, "?Transport +two -one ",
	   "after a cut it goes on where it was, and misses nothing");
	is(rows.text.data, "?Transport +two -one ", "both do");
	watch_delete(objects.watch);
	watch_delete(rows.watch);
	client_delete(second);
	uv_io_delete(second_io);
	buf_free(&objects.text);
	buf_free(&rows.text);
	delete_map(w, "before", "");
	delete_map(w, "two", "");
}

struct stream {
	int status;
	struct splitter splitter;
	bool is_over;
	const char *code;
};

static void on_head(void *context, int status, int64_t retry_after_ms)
{
	(void)retry_after_ms;
	((struct stream *)context)->status = status;
}

static void on_data(void *context, struct str bytes)
{
	struct stream *stream = context;
	enum kube_object_event type;
	struct str object, value;
	struct err err;

	if (splitter_next(&stream->splitter, &bytes, &object, &err) <= 0)
		return;
	if (stream->status == 200 && kube_object_read_event(object, &type, &value, &err) == 0 &&
	    type == KUBE_OBJECT_ERROR)
		object = value;
	status_to_err(stream->status == 200 ? 0 : stream->status, 0, object, &err);
	note("HTTP %d: %s", stream->status, err.message);
	stream->code = err_code_name(err.code);
}

static void on_stream_done(void *context, const struct err *err)
{
	(void)err;
	((struct stream *)context)->is_over = true;
}

static void test_gone(struct world *w)
{
	static const struct io_http_callbacks CALLBACKS = {on_head, on_data, on_stream_done};
	struct client_route route = client_route_take(w->client);
	struct stream stream = {.code = ""};
	struct io_http_request request = {
		.endpoint = route.endpoint,
		.kind = IO_HTTP_WATCH,
		.method = "GET",
		.target = "/api/v1/configmaps?watch=true&resourceVersion=1&timeoutSeconds=5",
		.bearer_token = route.token,
	};

	splitter_init(&stream.splitter, 65536);
	w->io->http_start(w->io, &request, &CALLBACKS, &stream);
	run_until(stream.is_over);
	is(stream.code, "Gone", "a watch from a version that is too old says so");
	client_route_release(w->client, &route);
	splitter_free(&stream.splitter);
}

/* --- Attach. --- */

static char attach_target[512];

static void set_target(struct io_ws_request *request)
{
	request->target = attach_target;
}

static void attach(struct world *w, struct ws_record *record, struct client_route *route,
		   const char *pod)
{
	snprintf(attach_target, sizeof(attach_target),
		 "/api/v1/namespaces/%s/pods/%s/attach"
		 "?container=main&stdin=true&stdout=true&stderr=true&tty=false",
		 w->in_namespace.p, pod);
	*record = (struct ws_record){.change = set_target};
	*route = client_route_take(w->client);
	ws_record_start(record, w->io, route->endpoint);
}

static void detach(struct world *w, struct ws_record *record, struct client_route *route)
{
	if (record->handle)
		w->io->ws_close(w->io, record->handle);
	ws_record_free(record);
	client_route_release(w->client, route);
}

/* Bytes of output in what has come: all messages without their first bytes, the channels. */
static size_t echoed(const struct ws_record *record)
{
	return record->text.length - (size_t)record->messages;
}

static void test_attach(struct world *w)
{
	static char chunk[16 * 1024 + 1];
	struct ws_record record;
	struct client_route route;
	size_t sent;

	memset(chunk + 1, 'x', sizeof(chunk) - 1);
	for (int round = 0; round < 2; round++) {
		attach(w, &record, &route, "echo");
		run_until(record.opens || record.ends);
		is(record.subprotocol, "v5.channel.k8s.io", "attach %d: the server takes v5",
		   round);
		for (sent = 0; sent < 4 * 1024 * 1024 && record.handle;) {
			if (w->io->ws_send(w->io, record.handle,
					   (struct str){chunk, sizeof(chunk)}))
				sent += sizeof(chunk) - 1;
			else
				uv_run(&w->loop, UV_RUN_ONCE);
		}
		run_until(echoed(&record) >= sent || record.ends);
		cmp_ok(echoed(&record), "==", sent, "4 MiB come back from the program: %s",
		       record.err.message);
		detach(w, &record, &route);
	}
	attach(w, &record, &route, "nobody");
	run_until(record.ends);
	cmp_ok(record.http_status, "==", 404, "a Pod that is not there: %s", record.err.message);
	like(record.body.data, "\"kind\":\"Status\"", "with the server's Status");
	detach(w, &record, &route);
	attach(w, &record, &route, "done");
	run_until(record.ends);
	ok(record.http_status >= 400 || record.messages > 0,
	   "a Pod that has finished: HTTP %d, %d messages: %s", record.http_status, record.messages,
	   record.body.data);
	detach(w, &record, &route);
}

static void test_token(struct world *w, const char *kubeconfig, const char *file, const char *good)
{
	struct client_object pods = {&PODS, w->in_namespace, STR(""), NULL};
	struct client *admin = w->client;

	w->client = make_client(w, w->io, kubeconfig);
	client_get(w->client, &pods, on_done, w);
	is(outcome(w), "Unauthorized", "a bad token is not accepted");
	rename(good, file);
	client_get(w->client, &pods, on_done, w);
	is(outcome(w), "", "the file is read again, and the call repeated");
	is(create_map(w, "m"), "Forbidden", "what the account may not do is forbidden");
	client_delete(w->client);
	w->client = admin;
}

/* --- An API server that sends connections away. --- */

static void test_storm(struct world *w)
{
	struct told objects, rows;
	int failures = 0;

	watch_maps(w, &objects, w->io, w->client, false);
	watch_maps(w, &rows, w->io, w->client, true);
	for (int i = 0; i < 300; i++) {
		char name[16];

		snprintf(name, sizeof(name), "m%d", i);
		failures += create_map(w, name)[0] != '\0';
		failures += delete_map(w, name, "")[0] != '\0';
	}
	cmp_ok(failures, "==", 0, "600 writes in a row, with GOAWAY now and then: all done");
	run_until(strstr(objects.text.data, "-m299 ") && strstr(rows.text.data, "-m299 "));
	ok(strncmp(objects.text.data, "+m0 -m0 +m1 -m1 ", 16) == 0,
	   "all of them are told, in their order");
	ok(!strchr(objects.text.data, '?'), "without trouble: %.40s",
	   strchrnul(objects.text.data, '?'));
	watch_delete(objects.watch);
	watch_delete(rows.watch);
	buf_free(&objects.text);
	buf_free(&rows.text);
}

int main(int argc, char **argv)
{
	struct world world = {0}, *w = &world;

	assert(argc > 3);
	alarm(240);
	signal(SIGPIPE, SIG_IGN);
	uv_loop_init(&w->loop);
	w->io = uv_io_new(&w->loop, "kube_probe/1");
	w->in_namespace = str_of(argv[2]);
	buf_init(&w->body, 1024 * 1024);
	log_init(&w->log, LOG_INFO, no_clock, to_stderr, NULL);
	w->client = make_client(w, w->io, argv[1]);
	for (int i = 3; i < argc; i++) {
		if (strcmp(argv[i], "verbs") == 0)
			test_verbs(w);
		else if (strcmp(argv[i], "watch") == 0)
			test_watch(w, argv[1]);
		else if (strcmp(argv[i], "gone") == 0)
			test_gone(w);
		else if (strcmp(argv[i], "attach") == 0)
			test_attach(w);
		else if (strcmp(argv[i], "storm") == 0)
			test_storm(w);
		else if (strcmp(argv[i], "token") == 0 && i + 3 < argc)
			test_token(w, argv[i + 1], argv[i + 2], argv[i + 3]), i += 3;
		else
			fail("no such part: %s", argv[i]);
	}
	client_delete(w->client);
	log_free(&w->log);
	buf_free(&w->body);
	uv_io_delete(w->io);
	cmp_ok(uv_loop_close(&w->loop), "==", 0, "no handle is left");
	done_testing();
}
