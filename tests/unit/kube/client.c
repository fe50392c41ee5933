#include "kube/client.h"

#include "fake_io.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static const struct target_resource PODS = {"", "v1", "pods", true};

struct outcome {
	int dones;
	bool failed;
	struct err err;
	char body[256];
	struct client *client;
	struct client_call *call; /* cleared when it is over */
	bool starts_another;
};

struct world {
	struct fake_io fake;
	struct log log;
	char lines[4096];
	struct client *client;
};

static int64_t no_clock(void *context)
{
	(void)context;
	return 0;
}

static void keep_line(void *context, enum log_level level, struct str line)
{
	char *lines = context;
	size_t used = strlen(lines);

	(void)level;
	snprintf(lines + used, sizeof(((struct world *)0)->lines) - used, "%.*s", STR_ARGS(line));
}

static void on_done(void *context, struct str body, const struct err *err)
{
	struct outcome *outcome = context;

	outcome->dones++;
	outcome->call = NULL;
	outcome->failed = err != NULL;
	if (err)
		outcome->err = *err;
	snprintf(outcome->body, sizeof(outcome->body), "%.*s", STR_ARGS(body));
}

static void world_open(struct world *world, const char *token_path)
{
	struct config config = {0};
	struct err err;

	memset(world, 0, sizeof(*world));
	fake_io_init(&world->fake);
	fake_io_file(&world->fake, "/token", "token-one");
	fake_io_file(&world->fake, "/ca", "ca-one");
	log_init(&world->log, LOG_DEBUG, no_clock, keep_line, world->lines);
	config_set_server(&config, STR("https://server/prefix"), &err);
	config.ca.path = strdup("/ca");
	config_read(&world->fake.io, &config.ca, &err);
	if (token_path) {
		config.token.path = strdup(token_path);
		config_read(&world->fake.io, &config.token, &err);
	}
	world->client = client_new(&world->fake.io, &config, &world->log, &err);
}

static void world_close(struct world *world)
{
	client_delete(world->client);
	log_free(&world->log);
	fake_io_free(&world->fake);
}

static const struct client_object POD = {&PODS, {"ns", 2}, {"p", 1}, NULL};

static void verbs_become_requests(void)
{
	struct client_preconditions both = {STR("u\"1"), STR("7"), 1}, none = {.grace_seconds = -1};
	struct client_object status = {&PODS, STR("ns"), STR("p"), "status"};
	struct client_object pods = {&PODS, STR("ns"), STR(""), NULL};
	struct outcome outcome = {0};
	struct world w;

	world_open(&w, "/token");
	client_get(w.client, &POD, on_done, &outcome);
	is(fake_io_last(&w.fake)->method, "GET", "get");
	is(fake_io_last(&w.fake)->target, "/prefix/api/v1/namespaces/ns/pods/p", "an object");
	is(fake_io_last(&w.fake)->token, "token-one", "with the token");
	cmp_ok(fake_io_last(&w.fake)->timeout_ms, "==", CLIENT_TIMEOUT_MS, "and a limit of time");
	client_create(w.client, &pods, STR("{}"), on_done, &outcome);
	is(fake_io_last(&w.fake)->method, "POST", "create");
	is(fake_io_last(&w.fake)->target,
	   "/prefix/api/v1/namespaces/ns/pods?fieldManager=sandboxtask", "in a collection");
	is(fake_io_last(&w.fake)->body, "{}", "what was given");
	client_patch(w.client, &status, CLIENT_MERGE, STR("{}"), on_done, &outcome);
	is(fake_io_last(&w.fake)->method, "PATCH", "patch");
	is(fake_io_last(&w.fake)->content_type, "application/merge-patch+json", "by merging");
	is(fake_io_last(&w.fake)->target,
	   "/prefix/api/v1/namespaces/ns/pods/p/status?fieldManager=sandboxtask", "a subresource");
	client_patch(w.client, &POD, CLIENT_APPLY, STR("{}"), on_done, &outcome);
	is(fake_io_last(&w.fake)->content_type, "application/apply-patch+yaml", "by applying");
	like(fake_io_last(&w.fake)->target, "\\?fieldManager=sandboxtask&force=true$",
	     "with force");
	client_delete_object(w.client, &POD, &both, on_done, &outcome);
	is(fake_io_last(&w.fake)->method, "DELETE", "delete");
	is(fake_io_last(&w.fake)->body,
	   "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"propagationPolicy\":\"Background\","
	   "\"gracePeriodSeconds\":1,"
	   "\"preconditions\":{\"uid\":\"u\\\"1\",\"resourceVersion\":\"7\"}}",
	   "with preconditions");
	client_delete_object(w.client, &POD, &none, on_done, &outcome);
	is(fake_io_last(&w.fake)->body,
	   "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
	   "\"propagationPolicy\":\"Background\"}",
	   "or without");
	cmp_ok(outcome.dones, "==", 0, "nothing is called before there is an answer");
	for (size_t i = 0; i < w.fake.request_count; i++)
		fake_io_answer(fake_io_request(&w.fake, i), 200, "{}");
	cmp_ok(outcome.dones, "==", 6, "each is answered once");
	world_close(&w);
}

static void answers_become_objects_or_errors(void)
{
	struct outcome outcome = {0};
	struct world w;

	world_open(&w, NULL);
	client_get(w.client, &POD, on_done, &outcome);
	fake_io_answer(fake_io_last(&w.fake), 200, "{\"a\":1}");
	is(outcome.body, "{\"a\":1}", "200 is the object");
	client_get(w.client, &POD, on_done, &outcome);
	fake_io_answer(fake_io_last(&w.fake), 404, "{\"kind\":\"Status\",\"message\":\"gone\"}");
	is(err_code_name(outcome.err.code), "NotFound", "404 is an error");
	is(outcome.err.message, "GET /prefix/api/v1/namespaces/ns/pods/p: HTTP 404: gone",
	   "which says of what");
	client_get(w.client, &POD, on_done, &outcome);
	fake_io_head(fake_io_last(&w.fake), 429, 4000);
	fake_io_done(fake_io_last(&w.fake));
	cmp_ok(outcome.err.retry_after_ms, "==", 4000, "429 says when");
	client_get(w.client, &POD, on_done, &outcome);
	fake_io_head(fake_io_last(&w.fake), 200, 0);
	fake_io_data(fake_io_last(&w.fake), STR("{\"half"));
	fake_io_fail(fake_io_last(&w.fake), ERR_TRANSPORT);
	is(err_code_name(outcome.err.code), "Transport", "an answer that breaks off is an error");
	is(outcome.body, "", "and none of it is told");
	client_get(w.client, &POD, on_done, &outcome);
	fake_io_answer(fake_io_last(&w.fake), 401, "");
	is(err_code_name(outcome.err.code), "Unauthorized", "without a token file 401 is final");
	cmp_ok(w.fake.request_count, "==", 5, "with one request each");
	world_close(&w);
}

static void bad_names_are_errors_from_the_loop(void)
{
	static char large[CLIENT_BODY_BYTES_MAX + 1];
	struct client_object bad = {&PODS, STR("ns"), STR(".."), NULL};
	struct client_preconditions no_utf8 = {STR("\xff"), STR(""), -1};
	struct outcome outcome = {0};
	struct client_call *call;
	struct world w;

	world_open(&w, NULL);
	client_get(w.client, &bad, on_done, &outcome);
	cmp_ok(outcome.dones, "==", 0, "nothing is called from inside the starter");
	fake_io_advance(&w.fake, 0);
	is(err_code_name(outcome.err.code), "Invalid", "%s", outcome.err.message);
	client_delete_object(w.client, &POD, &no_utf8, on_done, &outcome);
	fake_io_advance(&w.fake, 0);
	is(err_code_name(outcome.err.code), "Invalid", "%s", outcome.err.message);
	client_create(w.client, &POD, (struct str){large, sizeof(large)}, on_done, &outcome);
	fake_io_advance(&w.fake, 0);
	is(err_code_name(outcome.err.code), "TooLarge", "%s", outcome.err.message);
	call = client_get(w.client, &bad, on_done, &outcome);
	client_cancel(call);
	call = client_get(w.client, &POD, on_done, &outcome);
	client_cancel(call);
	fake_io_advance(&w.fake, 1000);
	cmp_ok(outcome.dones, "==", 3, "what was cancelled is not told");
	world_close(&w);
}

static void a_token_is_read_again(void)
{
	struct outcome outcome = {0};
	struct world w;

	world_open(&w, "/token");
	fake_io_file(&w.fake, "/token", "token-two");
	client_get(w.client, &POD, on_done, &outcome);
	is(fake_io_last(&w.fake)->token, "token-one", "within a minute the token is not read");
	fake_io_answer(fake_io_last(&w.fake), 401, "");
	cmp_ok(outcome.dones, "==", 0, "401 is not told yet");
	is(fake_io_last(&w.fake)->token, "token-two", "the call is repeated with the new token");
	fake_io_answer(fake_io_last(&w.fake), 401, "");
	is(err_code_name(outcome.err.code), "Unauthorized", "a second 401 is final");
	fake_io_file(&w.fake, "/token", "token-three");
	fake_io_advance(&w.fake, CLIENT_TOKEN_CACHE_MS);
	client_get(w.client, &POD, on_done, &outcome);
	is(fake_io_last(&w.fake)->token, "token-three", "after a minute it is read");
	fake_io_answer(fake_io_last(&w.fake), 200, "{}");
	fake_io_file(&w.fake, "/token", NULL);
	fake_io_advance(&w.fake, CLIENT_TOKEN_CACHE_MS);
	client_get(w.client, &POD, on_done, &outcome);
	is(fake_io_last(&w.fake)->token, "token-three", "a file that is gone leaves the old one");
	fake_io_answer(fake_io_last(&w.fake), 200, "{}");
	like(w.lines, "warning \"the old token stays in use\" error=NotFound", "which is logged");
	ok(!strstr(w.lines, "token-"), "without the token");
	world_close(&w);
}

static void changed_trust_is_a_new_endpoint(void)
{
	struct outcome old = {0}, new = {0};
	struct io_http *request;
	struct world w;

	world_open(&w, NULL);
	client_get(w.client, &POD, on_done, &old);
	request = fake_io_last(&w.fake);
	fake_io_file(&w.fake, "/ca", "ca-two");
	fake_io_advance(&w.fake, CLIENT_TRUST_CACHE_MS);
	client_get(w.client, &POD, on_done, &new);
	is(w.fake.last_ca, "ca-two", "the new CA makes a new endpoint");
	ok(fake_io_last(&w.fake)->endpoint != request->endpoint, "for calls from now on");
	cmp_ok(w.fake.endpoints, "==", 2, "the old one stays while it is used");
	fake_io_answer(request, 200, "{}");
	cmp_ok(w.fake.endpoints, "==", 1, "and goes with its last call");
	fake_io_fail(fake_io_last(&w.fake), ERR_TRANSPORT);
	fake_io_file(&w.fake, "/ca", "ca-three");
	client_get(w.client, &POD, on_done, &new);
	is(w.fake.last_ca, "ca-two", "a failed connection right after is no reason to look again");
	fake_io_fail(fake_io_last(&w.fake), ERR_TRANSPORT);
	fake_io_advance(&w.fake, CLIENT_TRUST_RETRY_MS);
	client_get(w.client, &POD, on_done, &new);
	is(w.fake.last_ca, "ca-three", "one a little later is");
	fake_io_answer(fake_io_last(&w.fake), 200, "{}");
	fake_io_file(&w.fake, "/ca", "bad");
	fake_io_advance(&w.fake, CLIENT_TRUST_CACHE_MS);
	client_get(w.client, &POD, on_done, &new);
	is(w.fake.last_ca, "ca-three", "a CA that does not parse changes nothing");
	fake_io_answer(fake_io_last(&w.fake), 200, "{}");
	like(w.lines, "the old certificates stay in use", "but is logged");
	world_close(&w);
}

static void keep_exchange(void *context, const char *method, int status, int64_t ms)
{
	struct buf *exchanges = context;

	buf_printf(exchanges, "%s %d %d\n", method, status, (int)ms);
}

static void exchanges_are_observed(void)
{
	struct client_object bad = {&PODS, STR("ns"), STR(".."), NULL};
	struct outcome outcome = {0};
	struct buf seen;
	struct world w;

	buf_init(&seen, 1024);
	world_open(&w, "/token");
	client_observe(w.client, keep_exchange, &seen);
	client_get(w.client, &POD, on_done, &outcome);
	fake_io_advance(&w.fake, 20);
	fake_io_answer(fake_io_last(&w.fake), 401, "");
	fake_io_advance(&w.fake, 5);
	fake_io_answer(fake_io_last(&w.fake), 200, "{}");
	is(seen.data, "GET 401 20\nGET 200 5\n", "a call that is repeated is two exchanges");
	buf_clear(&seen);
	client_patch(w.client, &POD, CLIENT_MERGE, STR("{}"), on_done, &outcome);
	fake_io_head(fake_io_last(&w.fake), 200, 0);
	fake_io_fail(fake_io_last(&w.fake), ERR_TRANSPORT);
	is(seen.data, "PATCH 0 0\n", "an answer that breaks off is none");
	buf_clear(&seen);
	client_get(w.client, &bad, on_done, &outcome);
	fake_io_advance(&w.fake, 0);
	client_cancel(client_get(w.client, &POD, on_done, &outcome));
	is(seen.data, "", "what is not sent, or cancelled, is no exchange");
	client_observe(w.client, NULL, NULL);
	client_get(w.client, &POD, on_done, &outcome);
	fake_io_answer(fake_io_last(&w.fake), 200, "{}");
	is(seen.data, "", "an observer can be taken away");
	world_close(&w);
	buf_free(&seen);
}

int main(void)
{
	verbs_become_requests();
	answers_become_objects_or_errors();
	bad_names_are_errors_from_the_loop();
	a_token_is_read_again();
	changed_trust_is_a_new_endpoint();
	exchanges_are_observed();
	done_testing();
}
