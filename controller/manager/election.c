#include "election.h"

#include "build/lease_manifest.h"
#include "core/decode_lease.h"
#include "kinds.h"

#include <assert.h>
#include <string.h>

static int64_t now_ms(const struct election *e)
{
	return e->io->now_ms(e->io);
}

static uint32_t chance(const struct election *e)
{
	uint32_t value;

	e->io->random(e->io, &value, sizeof(value));
	return value;
}

static void stop_timer(struct election *e, struct io_timer **timer)
{
	if (*timer)
		e->io->timer_cancel(e->io, *timer);
	*timer = NULL;
}

static void step(struct election *e);

static void on_step(void *context)
{
	struct election *e = context;

	e->step_timer = NULL;
	step(e);
}

/* --- What became of it. --- */

static void tell(struct election *e)
{
	bool is_leading = election_is_leading(e);

	if (is_leading == e->was_leading)
		return;
	e->was_leading = is_leading;
	if (is_leading)
		log_info(e->log, "leading", log_name("identity", str_of(e->lease.identity)));
	else
		log_warning(e->log, "not leading any more");
	e->changed(e->context);
}

static void on_end(void *context)
{
	struct election *e = context;

	e->end_timer = NULL;
	tell(e);
}

static void watch_the_end(struct election *e)
{
	stop_timer(e, &e->end_timer);
	if (election_is_leading(e))
		e->end_timer =
			e->io->timer_start(e->io, e->lease.held_until_ms - now_ms(e), on_end, e);
}

static void note_answer(struct election *e, struct str body)
{
	struct lease_record record;
	char version[LEASE_VERSION_SIZE];
	struct err err;

	if (decode_lease(&record, version, body, &err) < 0) {
		log_error(e->log, "the Lease can't be read", log_err(&err));
		lease_refused(&e->lease, now_ms(e), chance(e), false);
		return;
	}
	e->confirmed_ms = e->asked_ms;
	if (e->doing == LEASE_GET)
		lease_read(&e->lease, now_ms(e), &record, str_of(version));
	else
		lease_written(&e->lease, now_ms(e), str_of(version));
}

static void note_refusal(struct election *e, const struct err *err)
{
	if (e->doing == LEASE_GET && err->code == ERR_NOT_FOUND) {
		lease_missing(&e->lease, now_ms(e));
		return;
	}
	log_warning(e->log, "the Lease could not be read or written", log_err(err));
	lease_refused(&e->lease, now_ms(e), chance(e),
		      err->code == ERR_CONFLICT || err->code == ERR_ALREADY_EXISTS ||
			      err->code == ERR_NOT_FOUND);
}

static void on_done(void *context, struct str body, const struct err *err)
{
	struct election *e = context;

	e->call = NULL;
	/* An answer that is too late to renew begins another leadership; first this one ends. */
	tell(e);
	if (err)
		note_refusal(e, err);
	else
		note_answer(e, body);
	watch_the_end(e);
	tell(e);
	step(e);
}

/* --- What to do. --- */

static void send(struct election *e, const struct lease_step *s)
{
	struct target target;
	struct buf body;
	struct err err;
	bool is_create = s->action == LEASE_CREATE;
	struct client_request request = {
		.method = s->action == LEASE_GET ? "GET"
			  : is_create		 ? "POST"
						 : "PUT",
		.timeout_ms = LEASE_REQUEST_MS,
	};
	int result = 0;

	target_init(&target);
	buf_init(&body, LEASE_MANIFEST_BYTES_MAX);
	target_object(&target, client_prefix(e->client), &kind_leases, str_of(e->in_namespace),
		      is_create ? STR("") : STR(LEASE_MANIFEST_NAME), NULL);
	if (s->action != LEASE_GET) {
		request.content_type = "application/json";
		result = lease_manifest_write(&body, str_of(e->in_namespace), s, &err);
	}
	assert(result == 0 && target_check(&target, &err) == 0);
	request.target = target.text.data;
	request.body = buf_str(&body);
	e->doing = s->action;
	e->asked_ms = now_ms(e);
	e->call = client_start(e->client, &request, on_done, e);
	buf_free(&body);
	target_free(&target);
}

static void finish_stop(struct election *e)
{
	void (*stopped)(void *context) = e->stopped;

	e->stopped = NULL;
	if (stopped)
		stopped(e->stopped_context);
}

static void step(struct election *e)
{
	struct lease_step s;

	if (e->call)
		return;
	stop_timer(e, &e->step_timer);
	lease_step(&e->lease, now_ms(e), e->io->wall_ms(e->io) * 1000, chance(e), &s);
	if (s.action != LEASE_NOTHING)
		send(e, &s);
	else if (e->is_stopping)
		finish_stop(e);
	else
		e->step_timer = e->io->timer_start(e->io, s.wake_at_ms - now_ms(e), on_step, e);
}

/* --- For the owner. --- */

void election_start(struct election *e, struct io *io, struct client *client, struct log *log,
		    const char *identity, const char *in_namespace, void (*changed)(void *context),
		    void *context)
{
	size_t n = strlen(in_namespace);

	*e = (struct election){
		.io = io, .client = client, .log = log, .changed = changed, .context = context};
	assert(n < sizeof(e->in_namespace));
	memcpy(e->in_namespace, in_namespace, n);
	lease_init(&e->lease, str_of(identity));
	e->step_timer = io->timer_start(io, 0, on_step, e);
}

bool election_is_leading(const struct election *e)
{
	return lease_is_leading(&e->lease, now_ms(e));
}

uint64_t election_session_base(const struct election *e)
{
	return lease_session_base(&e->lease);
}

bool election_was_confirmed_since(const struct election *e, int64_t since_ms)
{
	return election_is_leading(e) && e->confirmed_ms > since_ms;
}

/* From inside the loop, like everything: the owner may be in the middle of something. */
void election_stop(struct election *e, void (*stopped)(void *context), void *context)
{
	assert(!e->is_stopping);
	e->is_stopping = true;
	e->stopped = stopped;
	e->stopped_context = context;
	lease_release(&e->lease);
	stop_timer(e, &e->end_timer);
	stop_timer(e, &e->step_timer);
	e->was_leading = false;
	if (!e->call)
		e->step_timer = e->io->timer_start(e->io, 0, on_step, e);
}

void election_end(struct election *e)
{
	stop_timer(e, &e->step_timer);
	stop_timer(e, &e->end_timer);
	if (e->call)
		client_cancel(e->call);
	e->call = NULL;
}
