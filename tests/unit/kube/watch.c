#include "kube/watch.h"

#include "fake_io.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static const struct target_resource PODS = {"", "v1", "pods", true};

/* What a watch tells, as words: +a7 changed, version 7; -a deleted; ! synced; ?Gone trouble. */
struct world {
	struct fake_io fake;
	struct log log;
	struct client *client;
	struct watch *watch;
	struct buf told;
	int delete_at; /* the watch is deleted in the n-th callback */
	int calls;
};

static int64_t no_clock(void *context)
{
	(void)context;
	return 0;
}

static void no_sink(void *context, enum log_level level, struct str line)
{
	(void)context, (void)level, (void)line;
}

static void called(struct world *world)
{
	if (++world->calls != world->delete_at)
		return;
	watch_delete(world->watch);
	world->watch = NULL;
}

static void on_changed(void *context, const struct kube_object *object)
{
	struct world *world = context;

	buf_printf(&world->told, "+%s%s ", object->name, object->resource_version);
	called(world);
}

static void on_deleted(void *context, const struct kube_object *object)
{
	struct world *world = context;

	buf_printf(&world->told, "-%s ", object->name);
	called(world);
}

static void on_synced(void *context)
{
	struct world *world = context;

	buf_printf(&world->told, "! ");
	called(world);
}

static void on_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	struct world *world = context;

	buf_printf(&world->told, "?%s/%lld ", err_code_name(err->code), (long long)retry_ms);
	called(world);
}

static void world_open(struct world *world, bool as_table)
{
	static const struct watch_callbacks CALLBACKS = {on_changed, on_deleted, on_synced,
							 on_trouble};
	struct watch_config watch = {.resource = &PODS,
				     .in_namespace = "ns",
				     .label_selector = "a=b",
				     .as_table = as_table,
				     .keeps_objects = true};
	struct config config = {0};
	struct err err;

	memset(world, 0, sizeof(*world));
	fake_io_init(&world->fake);
	log_init(&world->log, LOG_ERROR, no_clock, no_sink, NULL);
	buf_init(&world->told, 4096);
	config_set_server(&config, STR("https://server"), &err);
	world->client = client_new(&world->fake.io, &config, &world->log, &err);
	world->watch = watch_new(&world->fake.io, world->client, &watch, &CALLBACKS, world);
	cmp_ok(world->fake.request_count, "==", 0, "nothing happens inside of watch_new");
	fake_io_advance(&world->fake, 0);
}

static void world_close(struct world *world)
{
	watch_delete(world->watch);
	client_delete(world->client);
	log_free(&world->log);
	buf_free(&world->told);
	fake_io_free(&world->fake);
}

/* What was told since the last time. */
static void told(struct world *world, const char *wanted, const char *rule)
{
	is(world->told.data, wanted, "%s", rule);
	buf_clear(&world->told);
}

#define OBJECT(name, uid, version)                                                                \
	"{\"metadata\":{\"name\":\"" name "\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version \
	"\"}}"
#define LIST(version, items) \
	"{\"metadata\":{\"resourceVersion\":\"" version "\"},\"items\":[" items "]}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version) \
	EVENT("BOOKMARK", \
	      "{\"metadata\":{\"resourceVersion\":\"" version "\"},\"spec\":{\"x\":null}}")
#define STATUS(code, more) "{\"kind\":\"Status\",\"code\":" code more "}"

static struct io_http *last(struct world *world)
{
	return fake_io_last(&world->fake);
}

static void answer(struct world *world, int status, const char *body)
{
	fake_io_answer(last(world), status, body);
}

/* Lists a@5 and b@6 at version 9, and opens the watch. */
static void list_two(struct world *world)
{
	answer(world, 200, LIST("9", OBJECT("a", "u1", "5") "," OBJECT("b", "u2", "6")));
	told(world, "+a5 +b6 ! ", "a list is told, then that it is through");
	fake_io_head(last(world), 200, 0);
}

static void event(struct world *world, const char *text)
{
	fake_io_data(last(world), str_of(text));
}

static void a_list_is_followed_by_a_watch(void)
{
	struct world w;
	const struct kube_object *object;

	world_open(&w, false);
	is(last(&w)->target, "/api/v1/namespaces/ns/pods?labelSelector=a%3Db&limit=500",
	   "the list");
	ok(!watch_is_synced(w.watch), "it is not synced");
	list_two(&w);
	ok(watch_is_synced(w.watch), "it is synced");
	like(last(&w)->target,
	     "^/api/v1/namespaces/ns/pods\\?labelSelector=a%3Db&watch=true&allowWatchBookmarks=true"
	     "&timeoutSeconds=[0-9]+&resourceVersion=9$",
	     "the watch goes on from the list's version");
	cmp_ok(last(&w)->kind, "==", IO_HTTP_WATCH, "over a connection of watches");
	cmp_ok(last(&w)->silence_ms, ">", 60000, "with patience beyond the period of bookmarks");
	event(&w,
	      EVENT("ADDED", OBJECT("c", "u3", "10")) EVENT("MODIFIED", OBJECT("a", "u1", "11")));
	told(&w, "+c10 +a11 ", "two events in one piece");
	for (const char *at = EVENT("DELETED", OBJECT("b", "u2", "12")); *at; at++)
		fake_io_data(last(&w), (struct str){at, 1});
	told(&w, "-b ", "an event in single bytes");
	event(&w, BOOKMARK("20"));
	told(&w, "", "a bookmark is not told");
	object = watch_find(w.watch, STR(""), STR("a"));
	is(object->resource_version, "11", "what is known can be looked up");
	ok(str_equal(object->raw, STR(OBJECT("a", "u1", "11"))), "with its text");
	ok(!watch_find(w.watch, STR(""), STR("b")), "what is gone can't");
	fake_io_done(last(&w));
	like(last(&w)->target, "resourceVersion=20$",
	     "a clean end goes on from the bookmark, at once");
	told(&w, "", "and is no trouble");
	world_close(&w);
}

static void pages_are_joined(void)
{
	struct world w;

	world_open(&w, false);
	answer(&w, 200,
	       "{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"x/y\"},\"items\":[" OBJECT(
		       "a", "u1", "5") "]}");
	like(last(&w)->target, "&limit=500&continue=x%2Fy$", "the next page is asked for");
	told(&w, "+a5 ", "the first has been told");
	answer(&w, 410, STATUS("410", ""));
	told(&w, "?Gone/800 ", "a token that is too old is trouble");
	fake_io_advance(&w.fake, 800);
	like(last(&w)->target, "&limit=500$", "and the list begins anew");
	answer(&w, 200,
	       "{\"metadata\":{\"resourceVersion\":\"10\",\"continue\":\"z\"},\"items\":[]}");
	answer(&w, 200, LIST("10", OBJECT("b", "u2", "6")));
	told(&w, "+b6 -a ! ", "what was in no page of it is gone");
	world_close(&w);
}

static void a_new_list_finds_what_was_missed(void)
{
	struct world w;

	world_open(&w, false);
	list_two(&w);
	event(&w, EVENT("ADDED", OBJECT("c", "u3", "10")));
	event(&w, EVENT("ERROR", STATUS("410", ",\"reason\":\"Expired\"")));
	told(&w, "+c10 ?Gone/800 ", "a version that is too old, as an event");
	cmp_ok(fake_io_pending(&w.fake), "==", 0, "ends the watch");
	fake_io_advance(&w.fake, 800);
	like(last(&w)->target, "&limit=500$", "then it lists");
	answer(&w, 200,
	       LIST("30", OBJECT("a", "u1", "5") "," OBJECT("b", "u9", "25") "," OBJECT("d", "u4",
											"26")));
	told(&w, "-b +b25 +d26 -c ! ",
	     "unchanged: silence; another of the name: deleted, new; new: new; missing: deleted");
	like(last(&w)->target, "resourceVersion=30$", "and it watches on from there");
	answer(&w, 410, STATUS("410", ""));
	told(&w, "?Gone/1600 ", "a version that is too old, as an answer");
	fake_io_advance(&w.fake, 1600);
	like(last(&w)->target, "&limit=500$", "leads to a list as well");
	world_close(&w);
}

/* A watch that fails like this is opened again at the same version, or needs a list. */
static const struct {
	const char *rule;
	int status; /* 0: the connection fails with `code` */
	enum err_code code;
	const char *body;
	const char *told;
	int64_t wait_ms;
	bool lists;
} FAILURES[] = {
	{"a refused connection", 0, ERR_TRANSPORT, "", "?Transport/800 ", 800, false},
	{"silence", 0, ERR_TIMEOUT, "", "?Timeout/800 ", 800, false},
	{"429 while the storage starts", 429, 0,
	 STATUS("429", ",\"details\":{\"retryAfterSeconds\":5}"), "?Throttled/5000 ", 5000, false},
	{"429 without a time", 429, 0, "", "?Throttled/1000 ", 1000, false},
	{"401", 401, 0, "", "?Unauthorized/800 ", 800, false},
	{"403", 403, 0, "", "?Forbidden/800 ", 800, false},
	{"500", 500, 0, "oops", "?Unavailable/800 ", 800, false},
	{"503", 503, 0, "", "?Unavailable/800 ", 800, false},
	{"504 for a version from the future", 504, 0,
	 STATUS("504", ",\"details\":{\"retryAfterSeconds\":1,\"causes\":[{\"reason\":"
		       "\"ResourceVersionTooLarge\"}]}"),
	 "?Timeout/1000 ", 1000, false},
	{"410", 410, 0, "", "?Gone/800 ", 800, true},
	{"400 for the version", 400, 0, "", "?Invalid/800 ", 800, true},
	{"404 for the kind", 404, 0, "", "?Unavailable/800 ", 800, true},
	{"a redirect", 302, 0, "", "?Protocol/800 ", 800, true},
};

static void each_failure_has_its_way_back(void)
{
	for (size_t i = 0; i < sizeof(FAILURES) / sizeof(FAILURES[0]); i++) {
		struct world w;

		world_open(&w, false);
		answer(&w, 200, LIST("9", ""));
		told(&w, "! ", "an empty list is through");
		if (FAILURES[i].status)
			answer(&w, FAILURES[i].status, FAILURES[i].body);
		else
			fake_io_fail(last(&w), FAILURES[i].code);
		told(&w, FAILURES[i].told, FAILURES[i].rule);
		cmp_ok(fake_io_pending(&w.fake), "==", 0, "%s: waits", FAILURES[i].rule);
		fake_io_advance(&w.fake, FAILURES[i].wait_ms);
		like(last(&w)->target, FAILURES[i].lists ? "limit=500$" : "resourceVersion=9$",
		     "%s: goes on", FAILURES[i].rule);
		world_close(&w);
	}
}

static void a_list_that_fails_is_repeated(void)
{
	struct world w;

	world_open(&w, false);
	fake_io_fail(last(&w), ERR_TRANSPORT);
	told(&w, "?Transport/800 ", "no connection");
	fake_io_advance(&w.fake, 799);
	cmp_ok(fake_io_pending(&w.fake), "==", 0, "not before its time");
	fake_io_advance(&w.fake, 1);
	answer(&w, 200, "{\"metadata\":{");
	told(&w, "?Protocol/1600 ", "a list that is no JSON");
	fake_io_advance(&w.fake, 1600);
	answer(&w, 200, LIST("9", "{\"metadata\":{}}"));
	told(&w, "?Protocol/3200 ", "an item without a name");
	w.fake.chance = 0xff;
	fake_io_advance(&w.fake, 3200);
	answer(&w, 200, LIST("9", "") "x");
	told(&w, "?Protocol/12799 ", "chance stretches the wait up to the double");
	world_close(&w);
}

static void a_stream_that_lies_is_left(void)
{
	static const char *const LIES[] = {"{\"type\":\"ADDED\",\"object\":{]}}",
					   "{\"type\":\"ADDED\"}",
					   "not JSON",
					   EVENT("NEWS", "{}"),
					   EVENT("ADDED", "{\"metadata\":{\"name\":\"a\"}}"),
					   EVENT("BOOKMARK", "{}")};

	for (size_t i = 0; i < sizeof(LIES) / sizeof(LIES[0]); i++) {
		struct world w;

		world_open(&w, false);
		list_two(&w);
		event(&w, LIES[i]);
		told(&w, "?Protocol/800 ", "what is no event is trouble");
		fake_io_advance(&w.fake, 800);
		like(last(&w)->target, "limit=500$", "only a list helps");
		world_close(&w);
	}
}

static void an_error_event_is_trouble_but_no_list(void)
{
	struct world w;

	world_open(&w, false);
	list_two(&w);
	event(&w, EVENT("ADDED", OBJECT("c", "u3", "10")));
	event(&w,
	      EVENT("ERROR", STATUS("500", ",\"message\":\"etcd is away\"")) EVENT("ADDED", "{}"));
	told(&w, "+c10 ?Unavailable/800 ", "what follows an error is not looked at");
	fake_io_advance(&w.fake, 800);
	like(last(&w)->target, "resourceVersion=10$", "it goes on from the last event");
	world_close(&w);
}

static void a_cut_object_comes_again(void)
{
	struct world w;

	world_open(&w, false);
	list_two(&w);
	event(&w, EVENT("ADDED", OBJECT("c", "u3", "10")) "{\"type\":\"ADDED\",\"object\":{\"meta");
	fake_io_fail(last(&w), ERR_TRANSPORT);
	told(&w, "+c10 ?Transport/800 ", "the half is not told");
	fake_io_advance(&w.fake, 800);
	fake_io_head(last(&w), 200, 0);
	event(&w, EVENT("ADDED", OBJECT("d", "u4", "11")));
	told(&w, "+d11 ", "nor glued to what comes next");
	world_close(&w);
}

static void a_watch_that_ends_at_once_is_trouble(void)
{
	struct world w;

	world_open(&w, false);
	list_two(&w);
	fake_io_done(last(&w));
	told(&w, "?Unavailable/800 ", "under a second, without an event");
	fake_io_advance(&w.fake, 800);
	fake_io_head(last(&w), 200, 0);
	fake_io_advance(&w.fake, 1000);
	fake_io_done(last(&w));
	told(&w, "", "a second later it is none");
	fake_io_head(last(&w), 200, 0);
	event(&w, EVENT("ADDED", OBJECT("c", "u3", "10")));
	fake_io_done(last(&w));
	told(&w, "+c10 ", "nor with an event");
	world_close(&w);
}

static void a_version_from_the_future_is_not_waited_for_for_ever(void)
{
	struct world w;
	int tries = 0;

	world_open(&w, false);
	answer(&w, 200, LIST("9", ""));
	while (strstr(last(&w)->target, "resourceVersion=9")) {
		answer(&w, 504,
		       STATUS("504", ",\"details\":{\"causes\":[{\"reason\":"
				     "\"ResourceVersionTooLarge\"}]}"));
		fake_io_advance(&w.fake, 30000);
		tries++;
	}
	cmp_ok(tries, "==", WATCH_FUTURE_TRIES, "after some tries it lists");
	world_close(&w);
}

#define ROW(name, version)                                                                      \
	"{\"cells\":[\"" name "\",\"Running\"],\"object\":{\"kind\":\"PartialObjectMetadata\"," \
	"\"metadata\":{\"name\":\"" name "\",\"uid\":\"u-" name                                 \
	"\",\"resourceVersion\":\"" version "\"}}}"
#define TABLE(version, columns, rows)                                                    \
	"{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"" version "\"}" columns \
	",\"rows\":[" rows "]}"

static void tables_are_read(void)
{
	struct world w;

	world_open(&w, true);
	like(last(&w)->target, "&includeObject=Metadata&limit=500$", "metadata is asked for");
	is(last(&w)->accept, "application/json;as=Table;g=meta.k8s.io;v=v1", "as a Table");
	answer(&w, 200, TABLE("9", ",\"columnDefinitions\":[{\"name\":\"Name\"}]", ROW("a", "5")));
	told(&w, "+a5 ! ", "rows are told");
	ok(str_equal(watch_columns(w.watch), STR("[{\"name\":\"Name\"}]")), "columns are kept");
	ok(str_equal(watch_find(w.watch, STR(""), STR("a"))->raw, STR(ROW("a", "5"))),
	   "with their cells");
	fake_io_head(last(&w), 200, 0);
	event(&w, EVENT("MODIFIED", TABLE("", "", ROW("a", "10"))));
	event(&w, EVENT("BOOKMARK",
			TABLE("", "", "{\"object\":{\"metadata\":{\"resourceVersion\":\"12\"}}}")));
	told(&w, "+a10 ", "events have one row, and no columns");
	fake_io_done(last(&w));
	like(last(&w)->target, "resourceVersion=12$", "bookmarks count here, too");
	fake_io_head(last(&w), 200, 0);
	event(&w, EVENT("ADDED", OBJECT("b", "u2", "13")));
	told(&w, "?Protocol/800 ", "an object in place of a row is an error");
	world_close(&w);
}

/* The same story each time: list, events, error, list; the watch is deleted at callback n. */
static void it_may_be_deleted_in_any_callback(void)
{
	for (int nth = 1; nth <= 9; nth++) {
		struct world w;

		world_open(&w, false);
		w.delete_at = nth;
		answer(&w, 200, LIST("9", OBJECT("a", "u1", "5") "," OBJECT("b", "u2", "6")));
		if (w.watch) {
			fake_io_head(last(&w), 200, 0);
			event(&w, EVENT("ADDED", OBJECT("c", "u3", "10"))
					  EVENT("DELETED", OBJECT("a", "u1", "11"))
						  EVENT("ERROR", STATUS("410", "")));
		}
		fake_io_advance(&w.fake, 800);
		if (w.watch)
			answer(&w, 200, LIST("12", OBJECT("c", "u9", "12")));
		cmp_ok(w.calls, "==", nth, "deleted in callback %d, it tells nothing more: %s", nth,
		       w.told.data);
		ok(!w.watch, "it is gone");
		world_close(&w);
	}
}

int main(void)
{
	a_list_is_followed_by_a_watch();
	pages_are_joined();
	a_new_list_finds_what_was_missed();
	each_failure_has_its_way_back();
	a_list_that_fails_is_repeated();
	a_stream_that_lies_is_left();
	an_error_event_is_trouble_but_no_list();
	a_cut_object_comes_again();
	a_watch_that_ends_at_once_is_trouble();
	a_version_from_the_future_is_not_waited_for_for_ever();
	tables_are_read();
	it_may_be_deleted_in_any_callback();
	done_testing();
}
