#include "fuzz.h"
#include "proto/controller_side.h"
#include "proto/le.h"
#include "proto_samples.h"

#include <assert.h>
#include <string.h>

/*
 * A hostile runner: the input is a list of things that happen to a controller's side. Frames are
 * made by the input, with a little help to get past what it could not guess (session, run id, the
 * offset that is waited for, the hash of a small outcome).
 */
#define OUTCOME_BYTES_MAX 2000

enum {
	SAY_HELLO,
	SAY_STATE,
	SAY_DATA,
	SAY_ERROR,
	SAY_ANYTHING,
	ALLOW,
	SEND,
	WAIT,
	REATTACH,
	KINDS
};

/* Bits of the second byte of each step. */
enum { MINE = 1, NOBODYS = 2, RIGHT_RUN = 4, RIGHT_OFFSET = 8, RIGHT_HASH = 16 };

static struct controller_side side;
static struct object bundle;
static int64_t now_ms;
static uint64_t session;

/* Takes up to `length` bytes of the input; what is missing is zero. */
static void take(struct str *input, uint8_t *into, size_t length)
{
	size_t n = length < input->n ? length : input->n;

	memset(into, 0, length);
	memcpy(into, input->p, n);
	*input = str_slice(*input, n, input->n);
}

static void help(uint8_t *payload, uint8_t kind, uint8_t bits)
{
	static const char content[OUTCOME_BYTES_MAX];
	struct payload_hello hello = {.version = 1, .attempt = 1};
	uint64_t length = le_get(payload + 10, 8);

	if (kind == SAY_HELLO && bits & RIGHT_RUN) {
		hello.phase = payload[1];
		sample_run_id(hello.run_id);
		payload_put_hello(payload, &hello);
	}
	if (kind == SAY_STATE && bits & RIGHT_HASH && length <= OUTCOME_BYTES_MAX)
		sha256(content, (size_t)length, payload + 18);
}

static void say(struct str *input, uint8_t kind, uint8_t bits)
{
	static const uint8_t types[] = {FRAME_HELLO, FRAME_STATE, FRAME_DOWNLOAD, FRAME_ERROR,
					0x84};
	static const size_t lengths[] = {payload_hello_bytes, payload_state_bytes, 40,
					 payload_error_bytes, 20};
	uint8_t payload[128];
	struct controller_news news;
	struct frame f = {.type = types[kind], .session = bits & MINE ? session : 99};

	if (bits & NOBODYS)
		f.session = 0;
	take(input, payload, lengths[kind]);
	help(payload, kind, bits);
	f.offset = bits & RIGHT_OFFSET ? side.got : payload[0];
	f.payload = (struct str){(char *)payload, lengths[kind]};
	if (kind == SAY_DATA) {
		f.payload.n = payload[0] % lengths[kind];
		if (bits & RIGHT_HASH)
			memset(payload, 0, sizeof(payload));
	}
	controller_side_on_frame(&side, now_ms, &f, &news);
	assert(news.outcome.n == 0 || news.outcome_offset + news.outcome.n == side.got);
}

static void allow(uint8_t what)
{
	if (what & 1 && !side.bundle)
		controller_side_upload(&side, now_ms, &bundle);
	if (what & 2)
		controller_side_start(&side, now_ms);
	if (what & 4)
		controller_side_pull(&side, now_ms);
	if (what & 8)
		controller_side_cancel(&side, now_ms, what);
	if (what & 16)
		controller_side_release(&side);
}

static void send_all(void)
{
	static uint8_t out[CONTROLLER_FRAME_MAX];
	int frames = 0;

	while (controller_side_next_frame(&side, now_ms, out) > 0)
		frames++;
	assert(frames < 16);
	assert(controller_side_deadline(&side) > now_ms);
}

static void step(struct str *input)
{
	uint8_t head[2];

	take(input, head, 2);
	head[0] %= KINDS;
	if (head[0] <= SAY_ANYTHING)
		say(input, head[0], head[1]);
	else if (head[0] == ALLOW)
		allow(head[1]);
	else if (head[0] == SEND)
		send_all();
	else if (head[0] == WAIT)
		now_ms += head[1] * 200;
	else if (side.state != CONTROLLER_PULLED && side.state != CONTROLLER_FAILED &&
		 side.state != CONTROLLER_OUTRANKED)
		controller_side_attach(&side, now_ms, ++session);
	if (side.state == CONTROLLER_PULLED)
		assert(side.got == side.seen.outcome_length && side.seen.starts == 1);
	assert((side.state == CONTROLLER_FAILED) == (side.failure != CONTROLLER_NO_FAILURE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char bytes[200000];
	struct str input = {(const char *)data, size};
	uint8_t run_id[PROTO_RUN_ID_BYTES];

	if (bundle.total == 0) {
		object_add(&bundle, (struct str){bytes, sizeof(bytes)});
		object_seal(&bundle);
	}
	now_ms = 0;
	session = 1;
	sample_run_id(run_id);
	controller_side_init(&side, run_id, 1, OUTCOME_BYTES_MAX);
	controller_side_attach(&side, 0, session);
	while (input.n > 0)
		step(&input);
	return 0;
}
