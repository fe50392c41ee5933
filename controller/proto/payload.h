/*
 * payload: what each frame carries behind its header.
 *
 * One table per payload gives the struct, its bytes and both directions: N(type, member) is a
 * little-endian number, B(member, bytes) a byte string, one behind the other without padding.
 * A payload has exactly this length (see proto.h for why); HELLO alone has more behind it, a record
 * of facts (hello.h). DATA's payload is the bytes themselves, one at least; RELEASE has none.
 */
#ifndef PROTO_PAYLOAD_H
#define PROTO_PAYLOAD_H

#include "base/sha256.h"
#include "base/str.h"
#include "frame.h"
#include "proto.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ATTACH: `offset` unused. */
#define PAYLOAD_ATTACH(N, B)                                      \
	N(uint8_t, version_min) /* protocol versions it speaks */ \
	N(uint8_t, version_max)                                   \
	B(run_id, PROTO_RUN_ID_BYTES)                             \
	N(uint32_t, attempt) /* which Pod of the run, from 1 */

/* OFFER */
#define PAYLOAD_OFFER(N, B)                                \
	N(uint64_t, total) /* bytes of the whole bundle */ \
	B(sha256, SHA256_BYTES)

/* START: must be the hash of the bundle received. */
#define PAYLOAD_START(N, B) B(sha256, SHA256_BYTES)

/* GET: from `offset` on. It replaces the GET before it. */
#define PAYLOAD_GET(N, B)                              \
	N(uint8_t, object)  /* PROTO_OBJECT_OUTCOME */ \
	N(uint32_t, length) /* 1 to PAYLOAD_GET_LENGTH_MAX */
#define PAYLOAD_GET_LENGTH_MAX 65536

/* CANCEL: SIGTERM now, SIGKILL after the grace; 0 kills at once. */
#define PAYLOAD_CANCEL(N, B) N(uint32_t, grace_ms)

/* HELLO, before its facts. */
#define PAYLOAD_HELLO(N, B)                                     \
	N(uint8_t, version) /* of the protocol from now on */   \
	N(uint8_t, phase)                                       \
	B(run_id, PROTO_RUN_ID_BYTES) /* what it is bound to */ \
	N(uint32_t, attempt)                                    \
	N(uint64_t, capabilities) /* 1 << enum proto_capability */

/* STATE: one answer to every question of where things are. */
#define PAYLOAD_STATE(N, B)                                                         \
	N(uint8_t, phase)                                                           \
	N(uint8_t, starts)	    /* how often START began a run: 0 or 1, ever */ \
	N(uint64_t, received)	    /* bytes of the upload, without a gap */        \
	N(uint64_t, outcome_length) /* 0 until sealed */                            \
	B(outcome_sha256, SHA256_BYTES)                                             \
	N(uint32_t, budget_left_ms) /* of the phase it is in */                     \
	N(uint64_t, memory_now)	    /* bytes */                                     \
	N(uint64_t, memory_peak)    /* bytes */                                     \
	N(uint32_t, cpu_ms)	    /* used by the run */                           \
	N(uint64_t, stdout_bytes)   /* written by it so far */                      \
	N(uint64_t, stderr_bytes)

/* ERROR: the header's session is the one refused. */
#define PAYLOAD_ERROR(N, B)                         \
	N(uint16_t, code)    /* enum proto_error */ \
	N(uint64_t, session) /* the highest one that attached */

/* X(name, table) */
#define PAYLOADS(X)               \
	X(attach, PAYLOAD_ATTACH) \
	X(offer, PAYLOAD_OFFER)   \
	X(start, PAYLOAD_START)   \
	X(get, PAYLOAD_GET)       \
	X(cancel, PAYLOAD_CANCEL) \
	X(hello, PAYLOAD_HELLO)   \
	X(state, PAYLOAD_STATE)   \
	X(error, PAYLOAD_ERROR)

#define N_MEMBER(type, member)	type member;
#define B_MEMBER(member, bytes) uint8_t member[bytes];
#define N_SIZE(type, member)	+sizeof(type)
#define B_SIZE(member, bytes)	+(bytes)
#define X_PAYLOAD(name, TABLE)            \
	struct payload_##name {           \
		TABLE(N_MEMBER, B_MEMBER) \
	};                                \
	enum { payload_##name##_bytes = 0 TABLE(N_SIZE, B_SIZE) };
PAYLOADS(X_PAYLOAD)
#undef N_MEMBER
#undef B_MEMBER
#undef N_SIZE
#undef B_SIZE
#undef X_PAYLOAD

#define PAYLOAD_STATE_FRAME_MAX 512 /* on the wire: what may be sent unasked stays small */

/* payload_put_NAME writes payload_NAME_bytes. payload_frame_NAME writes a whole frame around them,
 * of `head`'s type, session and offset. payload_get_NAME is false, with `*p` undefined, for a
 * payload of another length or with a number that its table does not allow. For HELLO the payload
 * may be longer, and what follows is the facts. */
#define X_PAYLOAD(name, TABLE)                                                 \
	void payload_put_##name(uint8_t *out, const struct payload_##name *p); \
	size_t payload_frame_##name(uint8_t *out, const struct frame *head,    \
				    const struct payload_##name *p);           \
	bool payload_get_##name(struct str payload, struct payload_##name *p);
PAYLOADS(X_PAYLOAD)
#undef X_PAYLOAD

#endif
