#include "sandbox.h"

#include "proto_samples.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CODE_BYTES   100000
#define OUTPUT_BYTES 150000

#define STEPS_WITHOUT_TIME_MAX 1000 /* more is a loop that never waits */

/* --- The runner. --- */

static void make_bundle(struct sandbox *s)
{
	struct err err;

	sample_bundle(&s->bundle);
	s->bundle.mode = BUNDLE_SCRIPT;
	s->bundle.entrypoint = s->bundle.parts[2].data = STR("");
	s->bundle.parts_count = 2;
	s->code = mem_new(1, CODE_BYTES);
	memset(s->code, '#', CODE_BYTES);
	s->bundle.parts[0].data = (struct str){s->code, CODE_BYTES};
	if (bundle_encode(&s->bundle, s->bundle_manifest, sizeof(s->bundle_manifest),
			  &s->bundle_object, &err) < 0)
		assert(!"a bundle that can be encoded");
}

static void make_outcome(struct sandbox *s)
{
	struct stream *out = &s->model.outcome.streams[STREAM_STDOUT];

	s->output = mem_new(1, OUTPUT_BYTES);
	memset(s->output, 'x', OUTPUT_BYTES);
	out->head = (struct str){s->output, OUTPUT_BYTES};
	out->total = OUTPUT_BYTES;
	sha256(s->output, OUTPUT_BYTES, out->sha256);
	memcpy(s->model.outcome.bundle_sha256, s->bundle_object.sha256, SHA256_BYTES);
}

/* --- The attach. --- */

/* True: the connection is no more in place of this message. */
static bool is_cut(struct sandbox *s, struct io_ws *ws)
{
	if (++s->messages == s->hook_at)
		s->hook(s->hook_context);
	if (ws->is_pending && s->messages == s->cut_at)
		fake_ws_end(ws, (struct fake_end){.code = ERR_TRANSPORT});
	return !ws->is_pending;
}

static void say(struct sandbox *s, struct io_ws *ws, struct str bytes)
{
	while (ws->is_open && bytes.n > 0) {
		size_t n =
			s->chunk_bytes > 0 && s->chunk_bytes < bytes.n ? s->chunk_bytes : bytes.n;

		if (is_cut(s, ws))
			return;
		fake_ws_stdout(ws, str_slice(bytes, 0, n));
		bytes = str_slice(bytes, n, bytes.n);
	}
}

/* Everybody hears everything. */
static bool say_to_all(struct sandbox *s)
{
	uint8_t out[RUNNER_FRAME_MAX];
	size_t length = runner_model_next_frame(&s->model, s->fake.now_ms, out);

	if (length == 0)
		return false;
	for (size_t i = 0; i < s->ws.count && !s->is_mute; i++)
		if (s->ws.sockets[i]->is_open)
			say(s, s->ws.sockets[i], (struct str){(const char *)out, length});
	return true;
}

void sandbox_say(struct sandbox *s, uint64_t session, uint8_t type, uint64_t offset,
		 const void *payload, size_t length)
{
	static uint8_t wire[1 + FRAME_WIRE_MAX];
	struct frame f = {.type = type, .session = session, .offset = offset};

	f.payload = (struct str){payload, length};
	wire[0] = COBS_DELIMITER;
	if (fake_ws_last(&s->ws)->is_open)
		fake_ws_stdout(fake_ws_last(&s->ws),
			       (struct str){(char *)wire, 1 + frame_encode(wire + 1, &f)});
}

static bool take_one(struct sandbox *s, struct io_ws *ws)
{
	struct str message;

	if (!ws->is_open || !fake_ws_take(ws, &message))
		return false;
	assert(message.n > 1 && message.p[0] == 0);
	if (!is_cut(s, ws) && !s->is_deaf && (s->lost_over == 0 || message.n <= s->lost_over))
		runner_model_hear(&s->model, s->fake.now_ms, str_slice(message, 1, message.n));
	free((void *)(uintptr_t)message.p);
	return true;
}

/* A websocket that refused a message takes the next one again. */
static bool unblock(struct io_ws *ws)
{
	if (!ws->is_open || !ws->is_wanted)
		return false;
	fake_ws_block(ws, false);
	return true;
}

static bool answer_handshake(struct sandbox *s, struct io_ws *ws)
{
	if (!ws->is_pending || ws->is_open)
		return false;
	if (s->refuses) {
		fake_ws_end(ws, s->refusal);
		return true;
	}
	if (is_cut(s, ws))
		return true;
	fake_ws_open(ws, s->subprotocol);
	if (ws->is_open)
		fake_ws_message(ws, "\1", 1);
	return true;
}

static void pump(struct sandbox *s)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (size_t i = 0; i < s->ws.count; i++)
			moved |= answer_handshake(s, s->ws.sockets[i]);
		for (size_t i = 0; i < s->ws.count; i++)
			moved |= take_one(s, s->ws.sockets[i]) || unblock(s->ws.sockets[i]);
		moved |= say_to_all(s);
	}
}

static void soonest(int64_t *due_ms, int64_t other_ms)
{
	*due_ms = other_ms < *due_ms ? other_ms : *due_ms;
}

/* When something happens by itself: now or later. */
static int64_t next_ms(const struct sandbox *s)
{
	int64_t due_ms = runner_model_next_ms(&s->model), timer_ms = fake_io_next_timer(&s->fake);

	if (timer_ms >= 0)
		soonest(&due_ms, s->fake.now_ms + timer_ms);
	return due_ms;
}

void sandbox_run(struct sandbox *s, int64_t ms)
{
	int64_t until_ms = s->fake.now_ms + ms, due_ms;
	int steps = 0;

	for (pump(s); (due_ms = next_ms(s)) <= until_ms; pump(s)) {
		steps = due_ms > s->fake.now_ms ? 0 : steps + 1;
		assert(steps < STEPS_WITHOUT_TIME_MAX);
		fake_io_advance(&s->fake, due_ms > s->fake.now_ms ? due_ms - s->fake.now_ms : 0);
	}
	fake_io_advance(&s->fake, until_ms - s->fake.now_ms);
}

struct sandbox *sandbox_new(void)
{
	struct sandbox *s = mem_new(1, sizeof(*s));

	fake_io_init(&s->fake);
	fake_ws_init(&s->ws, &s->fake);
	hub_init(&s->hub, 2);
	s->subprotocol = "v5.channel.k8s.io";
	runner_model_init(&s->model);
	s->model.hello.bundle_bytes_max = SANDBOX_SPOOL_BYTES;
	make_bundle(s);
	make_outcome(s);
	return s;
}

void sandbox_ready(struct sandbox *s)
{
	runner_model_ready(&s->model, s->fake.now_ms);
}

void sandbox_delete(struct sandbox *s)
{
	fake_ws_free(&s->ws);
	fake_io_free(&s->fake);
	runner_model_free(&s->model);
	free(s->code);
	free(s->output);
	free(s);
}

/* --- The owner. --- */

static void credentials(void *context, struct io_endpoint **endpoint, struct str *token)
{
	struct owner *o = context;

	o->asked++;
	*endpoint = NULL;
	*token = STR("a token");
}

static void give_leave(struct owner *o)
{
	switch ((int)o->report.state) {
	case SESSION_IS_READY: session_upload(o->session, &o->sandbox->bundle_object); return;
	case SESSION_IS_RECEIVED: session_start(o->session); return;
	case SESSION_IS_DONE: session_pull(o->session); return;
	case SESSION_IS_PULLED: session_release(o->session); return;
	default: return;
	}
}

static void changed(void *context)
{
	struct owner *o = context;

	session_report(o->session, &o->report);
	o->changes++;
	o->seen |= 1u << o->report.state;
	if (o->changes == o->delete_at)
		owner_free(o);
	else if (!o->is_passive)
		give_leave(o);
}

void owner_init(struct owner *o, struct sandbox *s)
{
	*o = (struct owner){.sandbox = s};
	o->config = (struct session_config){
		.io = &s->fake.io,
		.hub = &s->hub,
		.target = "/api/v1/namespaces/ns/pods/pod/attach?stdin=1&stdout=1",
		.attempt = 1,
		.number = SANDBOX_NUMBER,
		.demands = {.layers = VERIFY_ALL_LAYERS, .uid = VERIFY_ANY_UID},
		.limits = {.kept_bytes = {1u << 20, 1u << 20}, .outcome_bytes = 2u << 20},
		.credentials = credentials,
		.changed = changed,
		.context = o,
	};
	sample_run_id(o->config.run_id);
}

void owner_attach(struct owner *o)
{
	o->session = session_new(&o->config);
}

void owner_free(struct owner *o)
{
	session_delete(o->session);
	o->session = NULL;
}

bool owner_saw(const struct owner *o, enum session_state state)
{
	return o->seen & 1u << state;
}
