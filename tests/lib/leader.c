#include "leader.h"

#include "base/mem.h"
#include "manager/job.h"
#include "manager/term_internal.h"
#include "tap.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A leader that runs for ever without waiting is ended by this. */
#define SECONDS_MAX 60

static int64_t no_clock(void *context)
{
	(void)context;
	return 0;
}

static void keep_line(void *context, enum log_level level, struct str line)
{
	struct leader *l = context;
	int result = buf_append_str(&l->lines, line);

	(void)level;
	assert(result == 0);
}

/* --- The API server. --- */

static bool fits(const struct io_http *request, const char *method, const char *part)
{
	return strcmp(request->method, method) == 0 && strstr(request->target, part) != NULL;
}

static void send_answer(struct io_http *request, int status, int64_t retry_after_ms,
			struct str body)
{
	fake_io_head(request, status, retry_after_ms);
	if (request->is_pending)
		fake_io_data(request, body);
	if (request->is_pending)
		fake_io_done(request);
}

static void answer_lease(struct leader *l, struct io_http *request)
{
	char body[512];

	if (strcmp(request->method, "GET") == 0) {
		send_answer(request, 404, 0, STR("{\"kind\":\"Status\"}"));
		return;
	}
	snprintf(body, sizeof(body),
		 "{'metadata':{'resourceVersion':'%llu'},'spec':{'holderIdentity':'me',"
		 "'leaseDurationSeconds':8}}",
		 (unsigned long long)l->version++);
	send_answer(request, 200, 0, json_of(body));
}

static struct leader_rule *rule_for(struct leader *l, const struct io_http *request)
{
	for (size_t i = l->rule_count; i-- > 0;)
		if (fits(request, l->rules[i].method, l->rules[i].part))
			return &l->rules[i];
	return NULL;
}

/* Writes `object` with more behind its "metadata":{ and before its end. */
static void write_object(char *text, size_t size, const char *object, const char *metadata,
			 const char *more)
{
	const char *begin = strstr(object, "\"metadata\":{");
	int head, n;

	assert(begin);
	head = (int)(begin - object) + (int)strlen("\"metadata\":{");
	n = snprintf(text, size, "%.*s%s%.*s%s}", head, object, metadata,
		     (int)strlen(object + head) - 1, object + head, more);
	assert(n > 0 && (size_t)n < size);
}

static void answer_echo(struct leader *l, struct io_http *request, int status)
{
	size_t size = strlen(request->body) + 256;
	char *text = mem_new(1, size), metadata[64];

	snprintf(metadata, sizeof(metadata), "\"uid\":\"made\",\"resourceVersion\":\"%llu\",",
		 (unsigned long long)l->version++);
	write_object(text, size, request->body, metadata, "");
	send_answer(request, status, 0, str_of(text));
	free(text);
}

static void answer_by_rule(struct leader *l, struct io_http *request)
{
	struct leader_rule *rule = rule_for(l, request);

	if (!rule) {
		send_answer(request, 404, 0, STR("{\"kind\":\"Status\"}"));
		return;
	}
	if (rule->hangs)
		return;
	rule->asked++;
	if (rule->status == 0)
		fake_io_fail(request, rule->code);
	else if (strcmp(rule->body, LEADER_ECHO) == 0)
		answer_echo(l, request, rule->status);
	else
		send_answer(request, rule->status, rule->retry_after_ms, json_of(rule->body));
}

static void open_watch(struct leader *l, struct io_http *request)
{
	bool *is_opened = &l->is_opened[request - l->fake.requests];

	if (!*is_opened)
		fake_io_head(request, 200, 0);
	*is_opened = true;
}

static bool answer(struct leader *l, struct io_http *request)
{
	if (!request->is_pending)
		return false;
	if (strstr(request->target, "/leases") && l->is_lease_mute)
		return false;
	if (strstr(request->target, "/leases"))
		answer_lease(l, request);
	else if (request->kind == IO_HTTP_CALL)
		answer_by_rule(l, request);
	else
		open_watch(l, request);
	return !request->is_pending;
}

static void answer_all(struct leader *l)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (size_t i = 0; i < l->fake.request_count; i++)
			moved |= answer(l, fake_io_request(&l->fake, i));
	}
}

struct leader_rule *leader_on(struct leader *l, const char *method, const char *part, int status,
			      const char *body)
{
	assert(l->rule_count < LEADER_RULES_MAX);
	l->rules[l->rule_count] = (struct leader_rule){
		.method = method, .part = part, .status = status, .body = body};
	return &l->rules[l->rule_count++];
}

static void make_default_rules(struct leader *l)
{
	leader_on(l, "GET", "/sandboxclasses?", 200, LEADER_LIST(OBJECTS_CLASS));
	leader_on(l, "GET", "/v1/namespaces?", 200,
		  LEADER_LIST("{'metadata':{'name':'team','uid':'n1','resourceVersion':'1'}},"
			      "{'metadata':{'name':'sandboxtask-pods','uid':'n2',"
			      "'resourceVersion':'2'}}"));
	leader_on(l, "GET", "/sandboxtasks?", 200, LEADER_TABLE(""));
	leader_on(l, "GET", "/pods?", 200, LEADER_LIST(""));
	leader_on(l, "GET", "/networkpolicies?", 200, LEADER_LIST(""));
	leader_on(l, "GET", "/events?", 200, LEADER_LIST(""));
	leader_on(l, "POST", "/events?", 201, "{}");
	leader_on(l, "PATCH", "/status?", 409, "{'kind':'Status','reason':'Conflict'}");
}

/* --- Its watches. --- */

static struct io_http *watch_of(const struct leader *l, const char *part)
{
	for (size_t i = l->fake.request_count; i-- > 0;) {
		const struct io_http *request = &l->fake.requests[i];

		if (request->is_pending && request->kind == IO_HTTP_WATCH &&
		    strstr(request->target, part))
			return (struct io_http *)(uintptr_t)request;
	}
	return NULL;
}

void leader_event(struct leader *l, const char *part, const char *type, const char *object)
{
	struct io_http *watch = watch_of(l, part);
	static char text[OBJECTS_TEXT_SIZE];

	assert(watch);
	snprintf(text, sizeof(text), "{'type':'%s','object':%s}\n", type, object);
	fake_io_data(watch, json_of(text));
}

const char *leader_pod(struct leader *l, const char *uid, const char *version, const char *status)
{
	static char texts[4][OBJECTS_TEXT_SIZE];
	static int next;
	const char *asked = leader_body(l, "POST", "/pods?");
	char metadata[256], more[2048];
	char *text = texts[next++ % 4];

	assert(asked);
	snprintf(metadata, sizeof(metadata), "\"uid\":\"%s\",\"resourceVersion\":\"%s\",", uid,
		 version);
	snprintf(more, sizeof(more), ",\"status\":%s", status);
	write_object(text, OBJECTS_TEXT_SIZE, asked, metadata, more);
	return text;
}

/* --- Time. --- */

void leader_run(struct leader *l, int64_t ms)
{
	int64_t until_ms = l->fake.now_ms + ms, next_ms;

	for (answer_all(l);
	     (next_ms = fake_io_next_timer(&l->fake)) >= 0 && l->fake.now_ms + next_ms <= until_ms;
	     answer_all(l))
		fake_io_advance(&l->fake, next_ms);
	fake_io_advance(&l->fake, until_ms - l->fake.now_ms);
}

/* --- What was asked. --- */

unsigned leader_count(const struct leader *l, const char *method, const char *part)
{
	unsigned count = 0;

	for (size_t i = 0; i < l->fake.request_count; i++)
		count += fits(&l->fake.requests[i], method, part);
	return count;
}

const char *leader_body(const struct leader *l, const char *method, const char *part)
{
	for (size_t i = l->fake.request_count; i-- > 0;)
		if (fits(&l->fake.requests[i], method, part))
			return l->fake.requests[i].body;
	return NULL;
}

/* --- Its life. --- */

static void on_changed(void *context)
{
	struct leader *l = context;
	struct term_config config = {
		.io = &l->fake.io,
		.client = l->client,
		.log = &l->log,
		.metrics = &l->metrics,
		.election = &l->election,
		.identity = "me",
		.tasks_max = l->tasks_max,
		.transfers_max = 1,
	};

	term_delete(l->term);
	l->term = election_is_leading(&l->election) ? term_new(&config) : NULL;
}

void leader_open(struct leader *l)
{
	struct config config = {0};
	struct err err;

	alarm(SECONDS_MAX);
	memset(l, 0, sizeof(*l));
	l->version = 100;
	l->tasks_max = 10;
	fake_io_init(&l->fake);
	fake_ws_init(&l->ws, &l->fake);
	buf_init(&l->lines, LEADER_LOG_BYTES);
	log_init(&l->log, LOG_DEBUG, no_clock, keep_line, l);
	metrics_init(&l->metrics, "1.2.3");
	config_set_server(&config, STR("https://server"), &err);
	l->client = client_new(&l->fake.io, &config, &l->log, &err);
	make_default_rules(l);
}

void leader_begin(struct leader *l)
{
	election_start(&l->election, &l->fake.io, l->client, &l->log, "me", "system", on_changed,
		       l);
	leader_run(l, 0);
	assert(l->term);
}

struct job *leader_open_with_job(struct leader *l)
{
	leader_open(l);
	leader_on(l, "GET", LEADER_TASK, 200, "")->hangs = true;
	leader_begin(l);
	return term_add_job(l->term, STR(LEADER_UID), STR("team"), STR("answer"));
}

void leader_open_with_pod(struct leader *l)
{
	leader_open(l);
	leader_on(l, "GET", "/sandboxtasks?", 200,
		  LEADER_TABLE(LEADER_ROW("answer", LEADER_UID, "77")));
	leader_on(l, "GET", LEADER_TASK, 200,
		  LEADER_TASK_OF("team", "answer", LEADER_UID, "77", OBJECTS_PENDING));
	leader_on(l, "PATCH", "/networkpolicies/", 200, LEADER_ECHO);
	leader_on(l, "POST", "/pods?", 201, LEADER_ECHO);
	leader_begin(l);
	leader_run(l, 0);
}

struct job *leader_job(const struct leader *l)
{
	return term_job(l->term, STR(LEADER_UID));
}

void leader_mark(struct leader *l)
{
	static char task[4096];
	struct job *job = leader_job(l);
	struct err err;

	snprintf(task, sizeof(task),
		 LEADER_TASK_OF("team", "answer", LEADER_UID, "80",
				"{'phase':'Running','startedAt':"
				"'2026-01-02T03:04:05Z','attempt':1,'podUID':"
				"'made','planSHA256':'%s'}"),
		 job->plan->sha256);
	leader_on(l, "GET", LEADER_TASK, 200, task);
	if (job_note_task(job, json_of(task), &err) < 0)
		fail("%s", err.message);
	term_wake_now(l->term, job);
}

void leader_close(struct leader *l)
{
	term_delete(l->term);
	l->term = NULL;
	if (l->election.io)
		election_end(&l->election);
	client_delete(l->client);
	log_free(&l->log);
	buf_free(&l->lines);
	fake_ws_free(&l->ws);
	fake_io_free(&l->fake);
}
