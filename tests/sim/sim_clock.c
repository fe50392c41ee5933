#include "sim_clock.h"

#include "base/rfc3339.h"

/* 2026-01-02T03:04:05Z */
#define BEGIN_US INT64_C(1767323045000000)

void sim_clock_init(struct sim_clock *clock, uint64_t seed)
{
	*clock = (struct sim_clock){.random = {seed}};
	heap_init(&clock->due);
}

void sim_clock_free(struct sim_clock *clock)
{
	heap_free(&clock->due);
}

void sim_clock_in(struct sim_clock *clock, struct sim_event *event, int64_t delay_ms,
		  void (*fire)(void *context), void *context)
{
	event->fire = fire;
	event->context = context;
	heap_adjust(&clock->due, &event->node, clock->now_ms + (delay_ms > 0 ? delay_ms : 0));
}

void sim_clock_cancel(struct sim_clock *clock, struct sim_event *event)
{
	heap_remove(&clock->due, &event->node);
}

bool sim_clock_is_set(const struct sim_event *event)
{
	return heap_contains(&event->node);
}

bool sim_clock_step(struct sim_clock *clock)
{
	struct heap_node *node = heap_pop(&clock->due);
	struct sim_event *event;

	if (!node)
		return false;
	event = heap_item(node, struct sim_event, node);
	clock->now_ms = node->key;
	clock->steps++;
	event->fire(event->context);
	return true;
}

int64_t sim_clock_next_ms(const struct sim_clock *clock)
{
	const struct heap_node *node = heap_peek(&clock->due);

	return node ? node->key : SIM_NEVER;
}

int64_t sim_clock_between(struct sim_clock *clock, int64_t min, int64_t max)
{
	return min + random_below(&clock->random, (uint32_t)(max - min + 1));
}

int64_t sim_clock_wall_us(const struct sim_clock *clock)
{
	return BEGIN_US + clock->now_ms * 1000;
}

const char *sim_clock_text(const struct sim_clock *clock)
{
	static char texts[4][RFC3339_SIZE];
	static unsigned next;
	char *text = texts[next++ % 4];

	rfc3339_format(text, sim_clock_wall_us(clock), RFC3339_SECONDS);
	return text;
}
