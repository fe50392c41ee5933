#include "runner_talk.h"

#include "proto_samples.h"
#include "tap.h"

#include <string.h>

uint8_t spool[SPOOL];
struct runner_side side;
uint8_t payload[64];

/* --- Saying something to the runner */

enum runner_event say(int64_t now_ms, uint64_t session, uint8_t type, uint64_t offset,
		      size_t length)
{
	struct frame f = {.type = type, .session = session, .offset = offset};

	f.payload = (struct str){(const char *)payload, length};
	return runner_side_on_frame(&side, now_ms, &f);
}

enum runner_event attach_as(uint64_t session, uint8_t first_byte, uint32_t attempt)
{
	struct payload_attach p = {.version_min = 1, .version_max = 9, .attempt = attempt};

	sample_run_id(p.run_id);
	p.run_id[0] = first_byte;
	payload_put_attach(payload, &p);
	return say(0, session, FRAME_ATTACH, 0, payload_attach_bytes);
}

enum runner_event offer(uint64_t session, uint64_t total, const char *bytes)
{
	struct payload_offer p = {.total = total};

	sha256(bytes, strlen(bytes), p.sha256);
	payload_put_offer(payload, &p);
	return say(0, session, FRAME_OFFER, 0, payload_offer_bytes);
}

enum runner_event data(int64_t now_ms, uint64_t session, uint64_t offset, const char *bytes)
{
	struct frame f = {.type = FRAME_UPLOAD, .session = session, .offset = offset};

	f.payload = str_of(bytes);
	return runner_side_on_frame(&side, now_ms, &f);
}

enum runner_event start(uint64_t session, const char *bytes)
{
	sha256(bytes, strlen(bytes), payload);
	return say(0, session, FRAME_START, 0, payload_start_bytes);
}

enum runner_event get(uint64_t session, uint8_t object, uint64_t offset, uint32_t length)
{
	struct payload_get p = {.object = object, .length = length};

	payload_put_get(payload, &p);
	return say(0, session, FRAME_GET, offset, payload_get_bytes);
}

enum runner_event cancel(uint64_t session, uint32_t grace_ms)
{
	struct payload_cancel p = {.grace_ms = grace_ms};

	payload_put_cancel(payload, &p);
	return say(0, session, FRAME_CANCEL, 0, payload_cancel_bytes);
}

/* --- Hearing it */

struct frame heard;
struct payload_state state;
struct payload_error error;

int hear(int64_t now_ms)
{
	static uint8_t out[RUNNER_FRAME_MAX];
	size_t length = runner_side_next_frame(&side, now_ms, out);
	uint8_t *at = out;

	if (length == 0)
		return 0;
	if (*at == COBS_DELIMITER) {
		at++;
		length--;
	}
	if (frame_decode(at, length - 1, &heard) != PROTO_NO_DROP)
		fail("the runner writes frames");
	if (heard.type == FRAME_STATE && !payload_get_state(heard.payload, &state))
		fail("a STATE is sound");
	if (heard.type == FRAME_ERROR && !payload_get_error(heard.payload, &error))
		fail("an ERROR is sound");
	return heard.type;
}

void hear_all(int64_t now_ms)
{
	while (hear(now_ms) != 0)
		continue;
}

bool refuses(uint64_t session, enum proto_error code)
{
	return hear(0) == FRAME_ERROR && heard.session == session && error.code == code &&
	       hear(0) == 0;
}

bool answers_state(void)
{
	return hear(0) == FRAME_STATE && hear(0) == 0;
}

/* --- Where tests begin */

void boot(void)
{
	runner_side_init(&side);
	side.spool = spool;
	side.spool_bytes = SPOOL;
	side.facts = STR("facts");
}

void attached(void)
{
	boot();
	runner_side_ready(&side, 0);
	attach_as(10, 0, 1);
	hear_all(0);
}

void received(void)
{
	attached();
	offer(10, 3, "abc");
	data(0, 10, 0, "abc");
	hear_all(0);
}

void running(void)
{
	received();
	start(10, "abc");
	runner_side_enter(&side, 0, PHASE_RUNNING);
	hear_all(0);
}

struct object outcome;

void sealed(void)
{
	static char bytes[40000];

	memset(bytes, 'o', sizeof(bytes));
	outcome = (struct object){0};
	object_add(&outcome, (struct str){bytes, sizeof(bytes)});
	object_seal(&outcome);
	running();
	runner_side_seal(&side, 0, &outcome);
	hear_all(0);
}
