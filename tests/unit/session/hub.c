#include "session/hub.h"

#include "tap.h"

#define TURNS 6

static struct hub hub;
static struct hub_turn turns[TURNS];
static int granted[TURNS];
static int grants;

static void remember(void *context)
{
	*(int *)context = ++grants;
}

static void begin(unsigned turns_max)
{
	hub_init(&hub, turns_max);
	grants = 0;
	for (int i = 0; i < TURNS; i++) {
		granted[i] = 0;
		hub_turn_init(&turns[i], remember, &granted[i]);
	}
}

static void test_order(void)
{
	begin(2);
	ok(hub_ask(&hub, &turns[0]) && hub_ask(&hub, &turns[1]), "as many as there are get one");
	ok(!hub_ask(&hub, &turns[2]) && !hub_ask(&hub, &turns[3]), "others wait");
	ok(hub_ask(&hub, &turns[0]), "who has one and asks again has it");
	ok(!hub_ask(&hub, &turns[3]), "who waits and asks again waits");
	hub_leave(&hub, &turns[1]);
	ok(turns[2].is_held && granted[2] == 1, "the first who asked is next, and is told");
	ok(!turns[3].is_held && granted[3] == 0, "the second still waits");
	hub_leave(&hub, &turns[0]);
	ok(turns[3].is_held && granted[3] == 2, "until the next one is given back");
	cmp_ok(hub.turns, "==", 2, "never more than there are");
	hub_leave(&hub, &turns[2]);
	hub_leave(&hub, &turns[3]);
	cmp_ok(hub.turns, "==", 0, "all are given back");
	cmp_ok(granted[0] + granted[1], "==", 0, "who got one at once was not told again");
}

static void test_giving_up(void)
{
	begin(1);
	hub_leave(&hub, &turns[0]);
	cmp_ok(hub.turns, "==", 0, "giving back what one has not got changes nothing");
	hub_ask(&hub, &turns[0]);
	hub_ask(&hub, &turns[1]);
	hub_ask(&hub, &turns[2]);
	hub_leave(&hub, &turns[1]);
	hub_leave(&hub, &turns[0]);
	ok(turns[2].is_held && !turns[1].is_held, "who gives up waiting is passed over");
	ok(!hub_ask(&hub, &turns[1]), "and comes last when he asks again");
	hub_leave(&hub, &turns[2]);
	ok(turns[1].is_held, "but comes");
	hub_leave(&hub, &turns[1]);
	cmp_ok(hub.turns, "==", 0, "all are given back");
}

int main(void)
{
	test_order();
	test_giving_up();
	done_testing();
}
