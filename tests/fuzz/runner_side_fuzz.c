#include "fuzz.h"
#include "proto/runner_side.h"
#include "proto_samples.h"

#include <assert.h>
#include <string.h>

/*
 * The input is a list of things that happen to a runner's side: frames of any session and content,
 * time, and what the runner does about the events it gets. START must come out once at most.
 */
#define SPOOL_BYTES 300

enum { SAY, SEND, WAIT, REFUSE_BUNDLE, ENTER, SEAL, CLOSE, KINDS };

/* Bits of the second byte of a frame. */
enum { OTHER_SESSION = 1, HIGHER_SESSION = 2, RIGHT_HASH = 4, RIGHT_OFFSET = 8 };

static uint8_t spool[SPOOL_BYTES];
static struct runner_side side;
static struct object outcome;
static int64_t now_ms;
static unsigned starts;
static uint8_t content_hash[SHA256_BYTES]; /* of SPOOL_BYTES zeros */

static void take(struct str *input, uint8_t *into, size_t length)
{
	size_t n = length < input->n ? length : input->n;

	memset(into, 0, length);
	memcpy(into, input->p, n);
	*input = str_slice(*input, n, input->n);
}

/* Bits for ATTACH: the run that it is bound to. For OFFER, START, DATA: the bundle of zeros. */
static void help(struct frame *f, uint8_t *payload, uint8_t bits)
{
	struct payload_attach attach = {.version_min = 1, .version_max = 1, .attempt = 1};
	struct payload_offer offer = {.total = SPOOL_BYTES};

	if (bits & RIGHT_OFFSET)
		f->offset = side.received;
	if (!(bits & RIGHT_HASH))
		return;
	memcpy(offer.sha256, content_hash, SHA256_BYTES);
	if (f->type == FRAME_ATTACH)
		payload_put_attach(payload, &attach);
	else if (f->type == FRAME_OFFER)
		payload_put_offer(payload, &offer);
	else if (f->type == FRAME_START)
		memcpy(payload, content_hash, SHA256_BYTES);
	else if (f->type == FRAME_UPLOAD)
		memset(payload, 0, 100);
}

static void say(struct str *input, uint8_t bits)
{
	static const uint8_t types[] = {FRAME_ATTACH, FRAME_OFFER,  FRAME_UPLOAD,  FRAME_START,
					FRAME_GET,    FRAME_CANCEL, FRAME_RELEASE, 0x07};
	static const size_t lengths[] = {
		payload_attach_bytes, payload_offer_bytes,  100, payload_start_bytes,
		payload_get_bytes,    payload_cancel_bytes, 0,	 3};
	uint8_t head[3], payload[128];
	struct frame f;

	take(input, head, sizeof(head));
	f = (struct frame){
		.type = types[head[0] % sizeof(types)],
		.session = side.session > 0 ? side.session : 1,
		.offset = head[1],
	};
	f.payload = (struct str){(char *)payload, lengths[head[0] % sizeof(types)]};
	if (bits & OTHER_SESSION)
		f.session = head[2];
	if (bits & HIGHER_SESSION)
		f.session++;
	take(input, payload, f.payload.n);
	help(&f, payload, bits);
	starts += runner_side_on_frame(&side, now_ms, &f) == RUNNER_START;
}

/* What a runner may do by itself depends on where it is. */
static void act(uint8_t kind)
{
	if (kind == REFUSE_BUNDLE && side.phase == PHASE_RECEIVED && side.starts == 0)
		runner_side_refuse_bundle(&side, now_ms);
	if (kind == ENTER && side.phase == PHASE_RECEIVED && side.starts == 1)
		runner_side_enter(&side, now_ms, PHASE_INSTALLING);
	else if (kind == ENTER && side.phase == PHASE_INSTALLING)
		runner_side_enter(&side, now_ms, PHASE_RUNNING);
	if (kind == SEAL && side.starts == 1 && side.phase != PHASE_DONE)
		runner_side_seal(&side, now_ms, &outcome);
	if (kind == CLOSE)
		runner_side_on_end(&side, now_ms);
}

static void send_all(void)
{
	static uint8_t out[RUNNER_FRAME_MAX];
	struct payload_state state;
	struct frame f;
	size_t length;
	int frames = 0;

	while ((length = runner_side_next_frame(&side, now_ms, out)) > 0) {
		size_t begin = out[0] == COBS_DELIMITER;

		frames++;
		assert(frame_decode(out + begin, length - begin - 1, &f) == PROTO_NO_DROP);
		assert(f.type != FRAME_STATE || payload_get_state(f.payload, &state));
	}
	assert(frames < 16);
	assert(runner_side_deadline(&side) > now_ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char bytes[SPOOL_BYTES], sealed[50000];
	struct str input = {(const char *)data, size};

	if (outcome.total == 0) {
		object_add(&outcome, (struct str){sealed, sizeof(sealed)});
		object_seal(&outcome);
		sha256(bytes, sizeof(bytes), content_hash);
	}
	now_ms = 0;
	starts = 0;
	runner_side_init(&side);
	side.spool = spool;
	side.spool_bytes = SPOOL_BYTES;
	runner_side_ready(&side, 0);
	while (input.n > 0) {
		uint8_t head[2];

		take(&input, head, sizeof(head));
		head[0] %= KINDS;
		if (head[0] == SAY)
			say(&input, head[1]);
		else if (head[0] == SEND)
			send_all();
		else if (head[0] == WAIT)
			now_ms += head[1] * 10;
		else
			act(head[0]);
		assert(starts <= 1 && side.starts == starts);
		assert(side.received <= SPOOL_BYTES);
	}
	return 0;
}
