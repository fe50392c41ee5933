/* What a manager is in the end, tests/sim/ shows; here is what it does with its surroundings. */
#include "manager/manager.h"

#include "leader.h"
#include "tap.h"

#include <string.h>

static struct leader l; /* its API server alone */
static struct manager *manager;
static int stops;

static const struct manager_config CONFIG = {
	.identity = "me",
	.in_namespace = "system",
	.tasks_max = 10,
	.transfers_max = 2,
	.address = "127.0.0.1",
	.port = 8080,
};

static void on_stopped(void *context)
{
	(void)context;
	stops++;
}

static void begin(const struct manager_config *config)
{
	struct err err;

	stops = 0;
	leader_open(&l);
	manager = manager_new(&l.fake.io, l.client, &l.log, config, &err);
}

static void finish(void)
{
	manager_delete(manager);
	leader_close(&l);
}

static bool page_has(const char *path, const char *part)
{
	return fake_io_get(&l.fake, path) == 200 && strstr(l.fake.reply.body.data, part) != NULL;
}

static bool is_leading(void)
{
	return page_has("/metrics", "\nsandboxtask_leading 1\n");
}

static void it_leads_and_says_so(void)
{
	begin(&CONFIG);
	ok(!is_leading(), "at first it does not lead");
	cmp_ok(fake_io_get(&l.fake, "/readyz"), "==", 503, "and is not ready");
	cmp_ok(fake_io_get(&l.fake, "/healthz"), "==", 200, "but lives");
	leader_run(&l, 0);
	ok(is_leading(), "then it leads");
	cmp_ok(fake_io_get(&l.fake, "/readyz"), "==", 200, "and is ready");
	ok(leader_count(&l, "GET", "/sandboxtasks?") > 0, "and looks for tasks");
	ok(page_has("/metrics", "method=\"GET\",code=\"200\"} "), "requests are counted");
	finish();
}

static void a_port_that_is_taken_is_an_error(void)
{
	struct err err;

	leader_open(&l);
	l.fake.port_is_taken = true;
	ok(!manager_new(&l.fake.io, l.client, &l.log, &CONFIG, &err), "it is not made");
	like(err.message, "port 8080", "and the message says why");
	leader_close(&l);
}

static void without_a_port_none_is_opened(void)
{
	struct manager_config config = CONFIG;

	config.port = 0;
	begin(&config);
	leader_run(&l, 1000);
	ok(!l.fake.server.is_open, "nobody can ask");
	cmp_ok(leader_count(&l, "GET", "/sandboxtasks?"), ">", 0, "but it works");
	finish();
}

static void stopping_ends_the_term_and_gives_the_lease_away(void)
{
	begin(&CONFIG);
	leader_run(&l, 1500);
	manager_stop(manager, on_stopped, NULL);
	cmp_ok(fake_io_pending(&l.fake), "==", 0, "at once nothing is watched any more");
	cmp_ok(stops, "==", 0, "it has not stopped from inside");
	cmp_ok(fake_io_get(&l.fake, "/readyz"), "==", 503, "it is not ready any more");
	leader_run(&l, 0);
	cmp_ok(stops, "==", 1, "then it has");
	like(leader_body(&l, "PUT", "/leases/"), "\"holderIdentity\":\"\"",
	     "the Lease is nobody's");
	leader_run(&l, 60000);
	cmp_ok(stops, "==", 1, "once");
	cmp_ok(fake_io_pending(&l.fake), "==", 0, "and it asks for nothing more");
	finish();
}

static void the_lead_that_is_lost_ends_the_term(void)
{
	begin(&CONFIG);
	leader_run(&l, 1500);
	l.is_lease_mute = true;
	leader_run(&l, LEASE_RENEW_DEADLINE_MS + 1000);
	ok(!is_leading(), "a Lease that can't be renewed is lost");
	cmp_ok(fake_io_pending(&l.fake), "==", 1, "nothing is under way but the Lease's request");
	l.is_lease_mute = false;
	leader_run(&l, 0);
	ok(is_leading(), "it may lead again");
	cmp_ok(leader_count(&l, "GET",
			    "/sandboxtasks?fieldSelector=status.phase%21%3DSucceeded%2C"
			    "status.phase%21%3DFailed&includeObject=Metadata&limit="),
	       "==", 2, "and begins anew, with a list");
	finish();
}

static void an_end_is_legal_at_any_time(void)
{
	begin(&CONFIG);
	finish();
	begin(&CONFIG);
	leader_run(&l, 0);
	manager_stop(manager, on_stopped, NULL);
	finish();
	cmp_ok(stops, "==", 0, "and calls nothing");
	manager_delete(NULL);
}

int main(void)
{
	it_leads_and_says_so();
	a_port_that_is_taken_is_an_error();
	without_a_port_none_is_opened();
	stopping_ends_the_term_and_gives_the_lease_away();
	the_lead_that_is_lost_ends_the_term();
	an_end_is_legal_at_any_time();
	done_testing();
}
