#include "manager.h"

#include "base/mem.h"
#include "election.h"
#include "metrics.h"
#include "serving.h"
#include "term.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* So often the loop's lag is measured. */
#define LAG_PERIOD_MS 1000

struct manager {
	struct io *io;
	struct client *client;
	struct log *log;
	char *identity, *in_namespace;
	int64_t tasks_max, transfers_max;
	struct metrics metrics;
	struct serving serving;
	struct election election;
	struct term *term; /* while leading */
	struct io_timer *lag_timer;
	int64_t lag_due_ms;
	bool is_stopping;
	void (*stopped)(void *context);
	void *stopped_context;
};

/* --- Leading. --- */

static void begin_term(struct manager *m)
{
	struct term_config config = {
		.io = m->io,
		.client = m->client,
		.log = m->log,
		.metrics = &m->metrics,
		.election = &m->election,
		.identity = m->identity,
		.tasks_max = m->tasks_max,
		.transfers_max = m->transfers_max,
	};

	m->term = term_new(&config);
}

static void end_term(struct manager *m)
{
	term_delete(m->term);
	m->term = NULL;
}

static void on_election_changed(void *context)
{
	struct manager *m = context;

	end_term(m);
	if (election_is_leading(&m->election))
		begin_term(m);
}

/* --- What others ask. --- */

static void on_facts(void *context, struct serving_facts *facts)
{
	const struct manager *m = context;

	*facts = (struct serving_facts){
		.asked_ms = m->election.asked_ms,
		.confirmed_ms = m->election.confirmed_ms,
		.is_stopping = m->is_stopping,
	};
}

static const struct metrics *on_metrics(void *context)
{
	struct manager *m = context;
	struct term_counts counts = {0};

	if (m->term)
		term_count(m->term, &counts);
	m->metrics.is_leading = m->term != NULL;
	m->metrics.tasks_known = counts.jobs;
	m->metrics.tasks_waiting = (uint64_t)counts.waiting;
	m->metrics.tasks_placed = (uint64_t)counts.placed;
	m->metrics.sessions = counts.sessions;
	return &m->metrics;
}

static void measure_lag(struct manager *m);

static void on_lag_timer(void *context)
{
	struct manager *m = context;

	metrics_note_loop_lag(&m->metrics, m->io->now_ms(m->io) - m->lag_due_ms);
	measure_lag(m);
}

static void measure_lag(struct manager *m)
{
	m->lag_due_ms = m->io->now_ms(m->io) + LAG_PERIOD_MS;
	m->lag_timer = m->io->timer_start(m->io, LAG_PERIOD_MS, on_lag_timer, m);
}

/* --- Its life. --- */

static void free_manager(struct manager *m)
{
	free(m->identity);
	free(m->in_namespace);
	free(m);
}

struct manager *manager_new(struct io *io, struct client *client, struct log *log,
			    const struct manager_config *config, struct err *err)
{
	struct manager *m = mem_new(1, sizeof(*m));
	struct serving_source source = {on_facts, on_metrics, m};

	m->io = io;
	m->client = client;
	m->log = log;
	m->identity = mem_copy_string(config->identity, strlen(config->identity));
	m->in_namespace = mem_copy_string(config->in_namespace, strlen(config->in_namespace));
	m->tasks_max = config->tasks_max;
	m->transfers_max = config->transfers_max;
	metrics_init(&m->metrics, SANDBOXTASK_VERSION);
	if (config->port != 0 &&
	    serving_start(&m->serving, io, config->address, config->port, &source, err) < 0) {
		free_manager(m);
		return NULL;
	}
	client_observe(client, metrics_note_request, &m->metrics);
	measure_lag(m);
	election_start(&m->election, io, client, log, m->identity, m->in_namespace,
		       on_election_changed, m);
	return m;
}

static void on_election_stopped(void *context)
{
	struct manager *m = context;

	m->stopped(m->stopped_context);
}

void manager_stop(struct manager *m, void (*stopped)(void *context), void *context)
{
	assert(!m->is_stopping);
	m->is_stopping = true;
	m->stopped = stopped;
	m->stopped_context = context;
	end_term(m);
	election_stop(&m->election, on_election_stopped, m);
}

void manager_delete(struct manager *m)
{
	if (!m)
		return;
	end_term(m);
	election_end(&m->election);
	client_observe(m->client, NULL, NULL);
	m->io->timer_cancel(m->io, m->lag_timer);
	serving_stop(&m->serving);
	free_manager(m);
}
