/*
 * hub: what the sessions of one controller share, so that hundreds of idle ones cost little.
 *
 * - Turns: at most so many sessions upload or pull at the same time. The others wait in the order
 *   in which they asked, before they ask the runner for anything.
 * - Buffers for one frame each way. A session that is in the middle of a frame has one of its own.
 */
#ifndef SESSION_HUB_H
#define SESSION_HUB_H

#include "base/list.h"
#include "channels.h"
#include "proto/controller_side.h"

#include <stdbool.h>
#include <stdint.h>

struct hub {
	unsigned turns_max;
	unsigned turns; /* held now */
	struct list waiting;
	uint8_t in[FRAME_WIRE_MAX];
	uint8_t out[CHANNELS_HEAD_BYTES + CONTROLLER_FRAME_MAX];
};

/* One who holds a turn, waits for one, or neither. */
struct hub_turn {
	struct list link; /* while it waits */
	bool is_held;
	/* It has become his: called from inside another's hub_leave, so it may only note that. */
	void (*granted)(void *context);
	void *context;
};

void hub_init(struct hub *hub, unsigned turns_max);

void hub_turn_init(struct hub_turn *turn, void (*granted)(void *context), void *context);

/* Asks for a turn, unless it waits or has one already. True: it is held. */
bool hub_ask(struct hub *hub, struct hub_turn *turn);

/* Gives the turn back, or the wish for one. */
void hub_leave(struct hub *hub, struct hub_turn *turn);

#endif
