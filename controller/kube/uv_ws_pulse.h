/*
 * uv_ws_pulse: is a websocket's other side still there? Counting only, no I/O.
 *
 * A ping goes out every interval, and a side that sends nothing at all for `silence_ms` is dead,
 * with one exception. A server that is writing our data into a program's stdin reads nothing else
 * until the program reads: pings stand in line behind the data, and no pong comes, legally and for
 * as long as the program likes. So pings are numbered, and data counts as taken only when a ping
 * that was sent after it is answered. While data is not known to be taken, silence proves nothing,
 * and the caller asks the kernel whether the other kernel is there (uv_socket_is_unanswered).
 */
#ifndef KUBE_UV_WS_PULSE_H
#define KUBE_UV_WS_PULSE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a ping's payload. */
#define PULSE_PING_BYTES 8

struct uv_ws_pulse {
	int64_t silence_ms, heard_at_ms;
	uint64_t sent;	   /* number of the last ping */
	uint64_t answered; /* number of the last ping that was answered */
	uint64_t proof;	   /* an answer to this ping proves that all data was taken */
};

enum uv_ws_pulse_verdict { PULSE_ALIVE, PULSE_DEAD, PULSE_ASK_KERNEL };

void uv_ws_pulse_start(struct uv_ws_pulse *pulse, int64_t silence_ms, int64_t now_ms);

/* Anything came in. */
void uv_ws_pulse_heard(struct uv_ws_pulse *pulse, int64_t now_ms);

/* Data went out. */
void uv_ws_pulse_data_sent(struct uv_ws_pulse *pulse);

/* The payload of the ping that goes out now. */
void uv_ws_pulse_ping(struct uv_ws_pulse *pulse, unsigned char payload[PULSE_PING_BYTES]);

/* A pong came in; one that is no answer to a ping of ours is only heard. */
void uv_ws_pulse_pong(struct uv_ws_pulse *pulse, struct str payload, int64_t now_ms);

/* `has_unsent`: data waits on our side. */
enum uv_ws_pulse_verdict uv_ws_pulse_judge(const struct uv_ws_pulse *pulse, bool has_unsent,
					   int64_t now_ms);

#endif
