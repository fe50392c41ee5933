/* A runner that says anything, in any order, on connections that come and go as they like. */
#include "session/session.h"

#include "proto_samples.h"
#include "random.h"
#include "sandbox.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define HISTORIES   1000
#define STEPS	    80
#define OUTCOME_MAX 4000

static struct random dice;
static struct sandbox *s;
static struct owner o;
static uint8_t outcome[OUTCOME_MAX]; /* one that can be read */
static unsigned outcome_length;
static unsigned reached; /* 1 << state */

static unsigned below(unsigned n)
{
	return (unsigned)random_below(&dice, n);
}

/* --- What it says: each frame is well formed, and its content is up to chance. */

static void say(uint8_t type, uint64_t offset, const void *payload, size_t length)
{
	/* Mostly it answers the last session. */
	uint64_t session = below(8) > 0 ? o.config.number + s->ws.count - 1 : below(2) * 99;

	sandbox_say(s, session, type, offset, payload, length);
}

static void say_hello(void)
{
	uint8_t payload[payload_hello_bytes + HELLO_FACTS_BYTES_MAX];
	struct payload_hello hello = {.version = 1, .phase = (uint8_t)below(8), .attempt = 1};
	size_t facts = below(10) > 0 ? s->model.side.facts.n : below(40);

	sample_run_id(hello.run_id);
	hello.run_id[0] = below(50) == 0;
	payload_put_hello(payload, &hello);
	memcpy(payload + payload_hello_bytes, s->model.side.facts.p, facts);
	say(FRAME_HELLO, 0, payload, payload_hello_bytes + facts);
}

static void say_state(void)
{
	static const uint64_t RECEIVED[] = {0, 1, 15360, 100000, UINT64_MAX};
	const uint64_t lengths[] = {0, 1, outcome_length, outcome_length, UINT64_MAX};
	uint8_t payload[payload_state_bytes];
	struct payload_state state = {
		.phase = (uint8_t)(below(2) > 0 ? below(8) : PHASE_RECEIVED),
		.starts = (uint8_t)(below(3) == 0),
		.received = below(3) > 0 ? s->bundle_object.total : RECEIVED[below(5)],
		.outcome_length = lengths[below(below(20) > 0 ? 4 : 5)],
	};

	sha256(outcome, (size_t)(state.outcome_length % OUTCOME_MAX), state.outcome_sha256);
	payload_put_state(payload, &state);
	say(FRAME_STATE, 0, payload, sizeof(payload));
}

static void say_data(void)
{
	unsigned offset = below(2) > 0 ? 0 : below(outcome_length);
	unsigned length = below(2) > 0 ? outcome_length - offset : 1 + below(OUTCOME_MAX - offset);

	say(FRAME_DOWNLOAD, offset, outcome + offset, length);
}

static void say_error(void)
{
	uint8_t payload[payload_error_bytes];
	struct payload_error error = {.code = (uint16_t)(1 + below(9)), .session = below(2)};

	if (below(8) > 0)
		error.code = PROTO_NOT_RECEIVED;
	else if (below(4) == 0)
		error = (struct payload_error){PROTO_LOWER_SESSION, UINT64_MAX};
	payload_put_error(payload, &error);
	say(FRAME_ERROR, 0, payload, sizeof(payload));
}

/* --- What else happens. */

static void connection(void)
{
	struct io_ws *ws = fake_ws_last(&s->ws);

	if (!ws->is_pending)
		return;
	if (!ws->is_open)
		fake_ws_open(ws, "v5.channel.k8s.io");
	else if (below(4) == 0)
		fake_ws_end(ws, (struct fake_end){.code = (enum err_code)below(ERR_IO + 1)});
	else if (below(8) == 0)
		fake_ws_status(ws, "{\"status\":\"Failure\"}");
	else
		fake_ws_block(ws, !ws->is_blocked);
}

static void leave(void)
{
	switch (below(12)) {
	case 0: session_cancel(o.session, 10); return;
	case 1: session_release(o.session); return;
	case 2:
	case 3:
	case 4: session_pull(o.session); return;
	case 5:
	case 6: session_start(o.session); return;
	default: session_upload(o.session, &s->bundle_object); return;
	}
}

static void anything(void)
{
	switch (below(12)) {
	case 0:
	case 1: connection(); return;
	case 2: leave(); return;
	case 3: say_error(); return;
	case 4:
	case 5: say_data(); return;
	case 6:
	case 7: say_hello(); return;
	case 8: fake_io_advance(&s->fake, below(2) > 0 ? below(500) : below(40000)); return;
	default: say_state(); return;
	}
}

/* What must hold whatever was said. */
static bool is_sound(unsigned changes)
{
	bool is_pulled;

	session_report(o.session, &o.report);
	reached |= 1u << o.report.state;
	is_pulled = o.report.outcome != NULL;
	if (o.report.state == SESSION_IS_FAILED && o.report.failure == SESSION_NO_FAILURE)
		return false;
	if (is_pulled && o.report.state != SESSION_IS_PULLED &&
	    o.report.state != SESSION_IS_RELEASED)
		return false;
	return s->hub.turns <= 1 && o.changes - changes <= 40;
}

static void make_outcome(void)
{
	static uint8_t manifest[4 + OUTCOME_MANIFEST_BYTES_MAX];
	struct object object = {0};
	struct outcome sample;
	struct err err;

	sample_plain_outcome(&sample, "what the program printed");
	memcpy(sample.bundle_sha256, s->bundle_object.sha256, SHA256_BYTES);
	if (outcome_encode(&sample, manifest, sizeof(manifest), &object, &err) < 0)
		return;
	outcome_length = 0;
	for (size_t i = 0; i < object.count; i++) {
		memcpy(outcome + outcome_length, object.pieces[i].p, object.pieces[i].n);
		outcome_length += (unsigned)object.pieces[i].n;
	}
}

static bool run_history(uint64_t seed)
{
	bool sound = true;

	dice.state = seed;
	s = sandbox_new();
	owner_init(&o, s);
	o.is_passive = below(2) == 0;
	sandbox_ready(s);
	make_outcome();
	owner_attach(&o);
	fake_io_advance(&s->fake, 0);
	connection();
	for (int step = 0; step < STEPS && sound; step++) {
		unsigned changes = o.changes;

		anything();
		fake_io_advance(&s->fake, 0);
		sound = is_sound(changes);
	}
	owner_free(&o);
	sound = sound && s->hub.turns == 0;
	sandbox_delete(s);
	return sound;
}

int main(void)
{
	unsigned sound = 0;

	for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
		bool is_good = run_history(seed);

		sound += is_good;
		if (!is_good)
			diag("seed %llu: %s", (unsigned long long)seed,
			     session_state_name(o.report.state));
	}
	cmp_ok(sound, "==", HISTORIES, "whatever a runner says, the session stays sound");
	for (enum session_state state = 0; state < SESSION_STATE_COUNT; state++)
		ok(reached & 1u << state, "it was driven into %s", session_state_name(state));
	done_testing();
}
