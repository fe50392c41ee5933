#include "manager/election.h"

#include "fake_io.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

#define PATH  "/apis/coordination.k8s.io/v1/namespaces/system/leases"
#define LEASE PATH "/sandboxtask-controller"

struct world {
	struct fake_io fake;
	struct log log;
	char lines[8192];
	struct client *client;
	struct election election;
	char told[64]; /* L: leading, N: not; S: stopped */
	int64_t told_ms;
};

static struct world w;

static int64_t no_clock(void *context)
{
	(void)context;
	return 0;
}

static void keep_line(void *context, enum log_level level, struct str line)
{
	size_t used = strlen(w.lines);

	(void)context;
	(void)level;
	snprintf(w.lines + used, sizeof(w.lines) - used, "%.*s", STR_ARGS(line));
}

static void tell(const char *what)
{
	size_t used = strlen(w.told);

	snprintf(w.told + used, sizeof(w.told) - used, "%s", what);
	w.told_ms = w.fake.now_ms;
}

static void on_changed(void *context)
{
	(void)context;
	tell(election_is_leading(&w.election) ? "L" : "N");
}

static void on_stopped(void *context)
{
	(void)context;
	tell("S");
}

static void begin(void)
{
	struct config config = {0};
	struct err err;

	memset(&w, 0, sizeof(w));
	fake_io_init(&w.fake);
	log_init(&w.log, LOG_DEBUG, no_clock, keep_line, NULL);
	config_set_server(&config, STR("https://server"), &err);
	w.client = client_new(&w.fake.io, &config, &w.log, &err);
	election_start(&w.election, &w.fake.io, w.client, &w.log, "me", "system", on_changed, NULL);
	fake_io_advance(&w.fake, 0);
}

static void finish(void)
{
	election_end(&w.election);
	client_delete(w.client);
	log_free(&w.log);
	fake_io_free(&w.fake);
}

/* The one request under way; NULL: there is none, or there are more. */
static struct io_http *request(void)
{
	struct io_http *last = w.fake.request_count > 0 ? fake_io_last(&w.fake) : NULL;

	return fake_io_pending(&w.fake) == 1 && last->is_pending ? last : NULL;
}

static bool asks(const char *method, const char *target)
{
	const struct io_http *r = request();

	return r && strcmp(r->method, method) == 0 && strcmp(r->target, target) == 0;
}

static void answer_lease(const char *holder, const char *version)
{
	char body[512];

	snprintf(body, sizeof(body),
		 "{\"metadata\":{\"resourceVersion\":\"%s\"},\"spec\":{\"holderIdentity\":\"%s\","
		 "\"leaseDurationSeconds\":8}}",
		 version, holder);
	fake_io_answer(request(), 200, body);
}

/* Leads since now, by a write that was asked for now. */
static void begin_leading(void)
{
	begin();
	fake_io_answer(request(), 404, "{\"kind\":\"Status\"}");
	answer_lease("me", "100");
}

static void who_finds_no_lease_makes_it_and_leads(void)
{
	begin();
	ok(asks("GET", LEASE), "it looks first");
	cmp_ok(request()->timeout_ms, "==", LEASE_REQUEST_MS, "with a time limit of its own");
	fake_io_answer(request(), 404, "{\"kind\":\"Status\"}");
	ok(asks("POST", PATH), "and makes the Lease that is not there");
	like(request()->body, "\"holderIdentity\":\"me\"", "in its own name");
	is(w.told, "", "it does not lead before the answer");
	answer_lease("me", "100");
	is(w.told, "L", "then it leads, and says so");
	cmp_ok(election_session_base(&w.election), "==", 100ll << LEASE_SESSION_SHIFT,
	       "and numbers sessions by that write");
	ok(!election_was_confirmed_since(&w.election, w.fake.now_ms),
	   "what happens in the same millisecond is not confirmed by it");
	ok(election_was_confirmed_since(&w.election, w.fake.now_ms - 1), "what was before is");
	finish();
}

static void who_finds_a_holder_waits(void)
{
	begin();
	answer_lease("another", "70");
	is(w.told, "", "it does not lead");
	ok(!request(), "nor asks at once");
	for (int i = 0; i < 7; i++) {
		fake_io_advance(&w.fake, LEASE_RETRY_MS);
		if (request())
			answer_lease("another", "70");
	}
	is(w.told, "", "while the holder has time");
	fake_io_advance(&w.fake, 2 * LEASE_RETRY_MS);
	answer_lease("another", "70");
	ok(asks("PUT", LEASE), "when that is over it takes the Lease");
	like(request()->body, "\"resourceVersion\":\"70\"", "as it was seen");
	answer_lease("me", "90");
	is(w.told, "L", "and leads");
	finish();
}

static void a_leader_renews_and_keeps_quiet(void)
{
	begin_leading();
	for (int i = 0; i < 100; i++) {
		char version[16];

		snprintf(version, sizeof(version), "%d", 101 + i);
		fake_io_advance(&w.fake, LEASE_RETRY_MS);
		if (asks("PUT", LEASE))
			answer_lease("me", version);
	}
	cmp_ok(w.fake.request_count, "==", 102, "it writes once a second");
	is(w.told, "L", "and says nothing more");
	cmp_ok(election_session_base(&w.election), "==", 100ll << LEASE_SESSION_SHIFT,
	       "sessions are still numbered by the first write");
	finish();
}

static void the_lead_ends_on_the_millisecond(void)
{
	int64_t since_ms;

	begin_leading();
	since_ms = w.fake.now_ms;
	fake_io_advance(&w.fake, LEASE_RENEW_DEADLINE_MS - 1);
	is(w.told, "L", "a leader that hears nothing leads until its time is over");
	ok(election_is_leading(&w.election), "to the last millisecond");
	fake_io_advance(&w.fake, 1);
	is(w.told, "LN", "and then no more");
	cmp_ok(w.told_ms - since_ms, "==", LEASE_RENEW_DEADLINE_MS,
	       "counted from the asking, whatever is under way");
	finish();
}

/* Its way there took longer than the time that it renews. */
static void a_late_answer_begins_another_leadership(void)
{
	struct io_timer *end;

	begin_leading();
	fake_io_advance(&w.fake, LEASE_RETRY_MS);
	ok(asks("PUT", LEASE), "a renewal is under way");
	end = w.election.end_timer;
	end->due_ms += 1000; /* the loop is late */
	fake_io_advance(&w.fake, LEASE_RENEW_DEADLINE_MS - LEASE_RETRY_MS);
	is(w.told, "L", "the end is not noticed yet");
	answer_lease("me", "105");
	is(w.told, "LNL", "the old leadership ends before the new one begins");
	cmp_ok(election_session_base(&w.election), "==", 105ll << LEASE_SESSION_SHIFT,
	       "with new session numbers");
	finish();
}

/* After the acquisition every request has this fate. */
static void every_trouble_ends_the_lead_in_time_and_is_no_hot_loop(void)
{
	static const struct {
		const char *sentence;
		int status; /* 0: fails with `code`, below: no answer */
		enum err_code code;
		const char *body;
	} rows[] = {
		{"no answer", -1, ERR_TIMEOUT, NULL},
		{"a time-out", 0, ERR_TIMEOUT, NULL},
		{"a refused connection", 0, ERR_TRANSPORT, NULL},
		{"401", 401, ERR_IO, "{}"},
		{"403", 403, ERR_IO, "{}"},
		{"404", 404, ERR_IO, "{}"},
		{"409", 409, ERR_IO, "{}"},
		{"410", 410, ERR_IO, "{}"},
		{"422", 422, ERR_IO, "{}"},
		{"429", 429, ERR_IO, "{}"},
		{"500", 500, ERR_IO, "{}"},
		{"503", 503, ERR_IO, ""},
		{"garbage", 200, ERR_IO, "{\"metadata\":"},
		{"an empty body", 200, ERR_IO, ""},
		{"a Lease without a version", 200, ERR_IO, "{\"metadata\":{},\"spec\":{}}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t until_ms, since_ms;

		begin_leading();
		since_ms = w.fake.now_ms;
		for (until_ms = since_ms + 60000; w.fake.now_ms < until_ms;) {
			if (request() && rows[i].status == 0)
				fake_io_fail(request(), rows[i].code);
			else if (request() && rows[i].status > 0)
				fake_io_answer(request(), rows[i].status, rows[i].body);
			else
				fake_io_advance(&w.fake, 1);
		}
		is(w.told, "LN", "%s ends the lead, for good", rows[i].sentence);
		cmp_ok(w.told_ms - since_ms, "<=", LEASE_RENEW_DEADLINE_MS, "  in time");
		cmp_ok(w.fake.request_count, "<=", 2 + 61 * 2, "  and is no hot loop");
		finish();
	}
}

static void a_conflict_is_looked_into(void)
{
	begin_leading();
	fake_io_advance(&w.fake, LEASE_RETRY_MS);
	fake_io_answer(request(), 409, "{}");
	ok(asks("GET", LEASE), "after a conflict it looks at once");
	answer_lease("another", "120");
	is(w.told, "LN", "and ends at once when another one leads");
	finish();
}

static void stopping_gives_the_lease_away(void)
{
	begin_leading();
	election_stop(&w.election, on_stopped, NULL);
	ok(!election_is_leading(&w.election), "who stops does not lead from that moment on");
	is(w.told, "L", "says nothing from inside");
	fake_io_advance(&w.fake, 0);
	ok(asks("PUT", LEASE), "and gives the Lease away");
	like(request()->body, "\"holderIdentity\":\"\"", "to nobody");
	answer_lease("", "101");
	is(w.told, "LS", "then it has stopped");
	fake_io_advance(&w.fake, 60000);
	cmp_ok(fake_io_pending(&w.fake), "==", 0, "and asks for nothing more");
	is(w.told, "LS", "once");
	finish();
}

static void stopping_waits_for_no_more_than_one_answer(void)
{
	static const struct {
		const char *sentence;
		int status;
	} rows[] = {{"a conflict", 409}, {"a refusal", 403}, {"a time-out", 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_leading();
		election_stop(&w.election, on_stopped, NULL);
		fake_io_advance(&w.fake, 0);
		if (rows[i].status > 0)
			fake_io_answer(request(), rows[i].status, "{}");
		else
			fake_io_fail(request(), ERR_TIMEOUT);
		is(w.told, "LS", "%s does not keep it", rows[i].sentence);
		finish();
	}
}

static void stopping_in_the_middle_of_a_renewal(void)
{
	begin_leading();
	fake_io_advance(&w.fake, LEASE_RETRY_MS);
	election_stop(&w.election, on_stopped, NULL);
	fake_io_advance(&w.fake, 100);
	cmp_ok(w.fake.request_count, "==", 3, "it waits for the renewal that is under way");
	answer_lease("me", "101");
	like(request()->body, "\"resourceVersion\":\"101\"", "and gives away what came of it");
	answer_lease("", "102");
	is(w.told, "LS", "then it has stopped");
	finish();
}

static void a_standby_stops_at_once(void)
{
	begin();
	answer_lease("another", "70");
	election_stop(&w.election, on_stopped, NULL);
	fake_io_advance(&w.fake, 0);
	is(w.told, "S", "who has nothing gives nothing away");
	cmp_ok(w.fake.request_count, "==", 1, "and writes nothing");
	finish();
}

static void ending_is_legal_at_any_time(void)
{
	begin();
	finish();
	begin_leading();
	finish();
	begin_leading();
	fake_io_advance(&w.fake, LEASE_RETRY_MS);
	ok(asks("PUT", LEASE), "also with a request under way");
	finish();
	begin_leading();
	election_stop(&w.election, on_stopped, NULL);
	finish();
	is(w.told, "L", "and calls nothing");
}

int main(void)
{
	who_finds_no_lease_makes_it_and_leads();
	who_finds_a_holder_waits();
	a_leader_renews_and_keeps_quiet();
	the_lead_ends_on_the_millisecond();
	a_late_answer_begins_another_leadership();
	every_trouble_ends_the_lead_in_time_and_is_no_hot_loop();
	a_conflict_is_looked_into();
	stopping_gives_the_lease_away();
	stopping_waits_for_no_more_than_one_answer();
	stopping_in_the_middle_of_a_renewal();
	a_standby_stops_at_once();
	ending_is_legal_at_any_time();
	done_testing();
}
