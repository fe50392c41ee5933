#include "hub.h"

void hub_init(struct hub *hub, unsigned turns_max)
{
	assert(turns_max > 0);
	hub->turns_max = turns_max;
	hub->turns = 0;
	list_init(&hub->waiting);
}

void hub_turn_init(struct hub_turn *turn, void (*granted)(void *context), void *context)
{
	*turn = (struct hub_turn){.granted = granted, .context = context};
	list_init(&turn->link);
}

bool hub_ask(struct hub *hub, struct hub_turn *turn)
{
	if (turn->is_held)
		return true;
	if (!list_is_empty(&turn->link))
		return false;
	if (hub->turns == hub->turns_max) {
		list_push_back(&hub->waiting, &turn->link);
		return false;
	}
	hub->turns++;
	turn->is_held = true;
	return true;
}

void hub_leave(struct hub *hub, struct hub_turn *turn)
{
	struct hub_turn *next;

	list_remove(&turn->link);
	if (!turn->is_held)
		return;
	turn->is_held = false;
	next = list_first(&hub->waiting, struct hub_turn, link);
	if (!next) {
		hub->turns--;
		return;
	}
	list_remove(&next->link);
	next->is_held = true;
	next->granted(next->context);
}
