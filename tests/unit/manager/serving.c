#include "manager/serving.h"

#include "fake_io.h"
#include "tap.h"

#include <string.h>

struct world {
	struct fake_io fake;
	struct serving serving;
	struct serving_facts facts;
	struct metrics metrics;
};

static void tell_facts(void *context, struct serving_facts *facts)
{
	*facts = ((struct world *)context)->facts;
}

static const struct metrics *tell_metrics(void *context)
{
	return &((struct world *)context)->metrics;
}

static int world_open(struct world *world, struct err *err)
{
	const struct serving_source source = {tell_facts, tell_metrics, world};

	world->facts = (struct serving_facts){0};
	metrics_init(&world->metrics, "1.2.3");
	return serving_start(&world->serving, &world->fake.io, "127.0.0.1", 8080, &source, err);
}

static void world_close(struct world *world)
{
	serving_stop(&world->serving);
	serving_stop(&world->serving);
	fake_io_free(&world->fake);
}

#define NEVER (-1)

static void probes_say_what_a_kubelet_has_to_do(void)
{
	/* Times are before the request, the program's start included. */
	static const struct {
		const char *sentence;
		int64_t started_ms, asked_ms, confirmed_ms;
		bool is_stopping;
		int health, readiness;
		const char *text; /* of /readyz, or of /healthz where that is 503 */
	} ROWS[] = {
		{"a program that has just begun lives and is not ready", 0, NEVER, NEVER, false,
		 200, 503, "^not ready: no request about the Lease has succeeded yet\n$"},
		{"a program whose Lease was just read is ready, leader or standby", 9000, 900, 1000,
		 false, 200, 200, "^ok\n$"},
		{"a program that is refused by the API server, or does not reach it, is not ready",
		 900000, 1000, NEVER, false, 200, 503, "has succeeded yet"},
		{"two requests that failed are no reason", 900000, 1000, 15000, false, 200, 200,
		 "^ok\n$"},
		{"more are, and no reason to restart", 900000, 1000, 15001, false, 200, 503,
		 "^not ready: no request about the Lease has succeeded for 15 s\n$"},
		{"an election that asks rarely is well", 900000, 30000, 1000, false, 200, 200,
		 "^ok\n$"},
		{"one that has stopped asking is a reason to restart", 900000, 30001, 30001, false,
		 503, 503, "^stuck: the election has not asked for the Lease for 30 s\n$"},
		{"one that has never begun to ask as well", 30001, NEVER, NEVER, false, 503, 503,
		 "^stuck: "},
		{"a program that ends is not ready, and needs no restart", 900000, 40000, 1000,
		 true, 200, 503, "^not ready: stopping\n$"},
	};
	struct world w;
	struct err err;

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		const char *path = ROWS[i].health == 503 ? "/healthz" : "/readyz";

		fake_io_init(&w.fake);
		world_open(&w, &err);
		fake_io_advance(&w.fake, ROWS[i].started_ms);
		w.facts.is_stopping = ROWS[i].is_stopping;
		if (ROWS[i].asked_ms != NEVER)
			w.facts.asked_ms = w.fake.now_ms - ROWS[i].asked_ms;
		if (ROWS[i].confirmed_ms != NEVER)
			w.facts.confirmed_ms = w.fake.now_ms - ROWS[i].confirmed_ms;
		cmp_ok(fake_io_get(&w.fake, "/healthz"), "==", ROWS[i].health, "%s: /healthz",
		       ROWS[i].sentence);
		cmp_ok(fake_io_get(&w.fake, "/readyz"), "==", ROWS[i].readiness, "%s: /readyz",
		       ROWS[i].sentence);
		fake_io_get(&w.fake, path);
		like(w.fake.reply.body.data, ROWS[i].text, "%s: it says why", ROWS[i].sentence);
		world_close(&w);
	}
}

static void metrics_are_served(void)
{
	struct buf page;
	struct world w;
	struct err err;

	fake_io_init(&w.fake);
	cmp_ok(world_open(&w, &err), "==", 0, "the port is opened");
	is(w.fake.server.address, "127.0.0.1", "at the address");
	cmp_ok(w.fake.server.port, "==", 8080, "and the port that were asked for");
	w.metrics.sessions = 3;
	cmp_ok(fake_io_get(&w.fake, "/metrics"), "==", 200, "/metrics");
	is(w.fake.reply.content_type, "text/plain; version=0.0.4; charset=utf-8",
	   "in the format that Prometheus wants");
	buf_init(&page, METRICS_BYTES_MAX);
	metrics_write(&w.metrics, &page);
	is(w.fake.reply.body.data, page.data, "the page of this moment");
	buf_free(&page);
	world_close(&w);
}

static void all_else_is_refused(void)
{
	static const char *const PATHS[] = {"/", "/healthz/", "/metricsx", "/HEALTHZ", ""};
	struct world w;
	struct err err;

	fake_io_init(&w.fake);
	w.fake.port_is_taken = true;
	cmp_ok(world_open(&w, &err), "==", -1, "a port that is taken is an error");
	is(err.message, "listening at 127.0.0.1 port 8080: taken", "which says which");
	w.fake.port_is_taken = false;
	world_open(&w, &err);
	for (size_t i = 0; i < sizeof(PATHS) / sizeof(PATHS[0]); i++)
		cmp_ok(fake_io_get(&w.fake, PATHS[i]), "==", 404, "\"%s\" is nothing", PATHS[i]);
	world_close(&w);
}

int main(void)
{
	probes_say_what_a_kubelet_has_to_do();
	metrics_are_served();
	all_else_is_refused();
	done_testing();
}
