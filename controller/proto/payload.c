#include "payload.h"

#include "le.h"

#include <string.h>

_Static_assert(COBS_BYTES_MAX(FRAME_HEADER_BYTES + payload_state_bytes + FRAME_CRC_BYTES) + 1 <=
		       PAYLOAD_STATE_FRAME_MAX,
	       "STATE stays small");

/* --- What the tables can't say about values. */

static bool attach_is_sound(const struct payload_attach *p)
{
	return p->version_min >= 1 && p->version_min <= p->version_max;
}

static bool offer_is_sound(const struct payload_offer *p)
{
	return p->total > 0;
}

static bool start_is_sound(const struct payload_start *p)
{
	(void)p;
	return true;
}

static bool get_is_sound(const struct payload_get *p)
{
	return p->length >= 1 && p->length <= PAYLOAD_GET_LENGTH_MAX;
}

static bool cancel_is_sound(const struct payload_cancel *p)
{
	(void)p;
	return true;
}

static bool hello_is_sound(const struct payload_hello *p)
{
	return p->version >= 1 && p->phase <= PHASE_DONE;
}

/* Whoever was started and is done has an outcome, and nobody else. */
static bool state_is_sound(const struct payload_state *p)
{
	return p->phase <= PHASE_DONE && p->starts <= 1 &&
	       (p->outcome_length > 0) == (p->phase == PHASE_DONE && p->starts == 1) &&
	       (p->starts == 1 || (p->phase != PHASE_INSTALLING && p->phase != PHASE_RUNNING));
}

static bool error_is_sound(const struct payload_error *p)
{
	return p->code != PROTO_NO_ERROR;
}

/* --- Both directions, out of the tables. */

#define PUT_NUMBER(type, member)              \
	le_put(out, p->member, sizeof(type)); \
	out += sizeof(type);
#define PUT_BYTES(member, bytes)         \
	memcpy(out, p->member, (bytes)); \
	out += (bytes);
#define GET_NUMBER(type, member)                    \
	p->member = (type)le_get(at, sizeof(type)); \
	at += sizeof(type);
#define GET_BYTES(member, bytes)        \
	memcpy(p->member, at, (bytes)); \
	at += (bytes);

#define DEFINE(name, TABLE)                                                                   \
	void payload_put_##name(uint8_t *out,                                                 \
				const struct payload_##name *p){TABLE(PUT_NUMBER, PUT_BYTES)} \
                                                                                              \
	size_t payload_frame_##name(uint8_t *out, const struct frame *head,                   \
				    const struct payload_##name *p)                           \
	{                                                                                     \
		uint8_t payload[payload_##name##_bytes];                                      \
		struct frame f = *head;                                                       \
                                                                                              \
		payload_put_##name(payload, p);                                               \
		f.payload = (struct str){(const char *)payload, sizeof(payload)};             \
		return frame_encode(out, &f);                                                 \
	}                                                                                     \
                                                                                              \
	bool payload_get_##name(struct str payload, struct payload_##name *p)                 \
	{                                                                                     \
		const char *at = payload.p;                                                   \
                                                                                              \
		if (payload.n != payload_##name##_bytes &&                                    \
		    !(payload.n > payload_##name##_bytes && has_facts_behind_##name))         \
			return false;                                                         \
		TABLE(GET_NUMBER, GET_BYTES)                                                  \
		return name##_is_sound(p);                                                    \
	}

enum {
	has_facts_behind_attach = 0,
	has_facts_behind_offer = 0,
	has_facts_behind_start = 0,
	has_facts_behind_get = 0,
	has_facts_behind_cancel = 0,
	has_facts_behind_hello = 1,
	has_facts_behind_state = 0,
	has_facts_behind_error = 0,
};

PAYLOADS(DEFINE)
