#include "kube/uv_io.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

struct world {
	uv_loop_t loop;
	struct io *io;
	char log[64];
};

struct entry {
	struct world *world;
	char name;
	struct io_timer *timer;
	struct entry *cancels;
	int again;
};

static void fire(void *context)
{
	struct entry *entry = context;
	struct world *world = entry->world;

	entry->timer = NULL;
	world->log[strlen(world->log)] = entry->name;
	if (entry->cancels && entry->cancels->timer)
		world->io->timer_cancel(world->io, entry->cancels->timer);
	if (entry->again-- > 0)
		entry->timer = world->io->timer_start(world->io, 0, fire, entry);
}

static void start(struct entry *entry, int64_t delay_ms)
{
	entry->timer = entry->world->io->timer_start(entry->world->io, delay_ms, fire, entry);
}

static void world_open(struct world *world)
{
	memset(world, 0, sizeof(*world));
	uv_loop_init(&world->loop);
	world->io = uv_io_new(&world->loop, "test");
}

static void finish(struct world *world, const char *wanted, const char *rule)
{
	uv_run(&world->loop, UV_RUN_DEFAULT);
	is(world->log, wanted, "%s", rule);
	uv_io_delete(world->io);
	cmp_ok(uv_loop_close(&world->loop), "==", 0, "and no handle is left");
}

int main(void)
{
	struct world w;

	world_open(&w);
	{
		struct entry a = {&w, 'a'}, b = {&w, 'b'};

		start(&a, 20);
		start(&b, 10);
		is(w.log, "", "nothing fires from inside timer_start");
		finish(&w, "ba", "timers fire in the order of their delays");
	}
	world_open(&w);
	{
		struct entry a = {&w, 'a'}, b = {&w, 'b'};

		start(&a, 5);
		start(&b, -3);
		w.io->timer_cancel(w.io, a.timer);
		w.io->timer_cancel(w.io, b.timer);
		finish(&w, "", "a cancelled timer does not fire, due or not");
	}
	world_open(&w);
	{
		struct entry b = {&w, 'b'}, a = {&w, 'a', .cancels = &b};

		start(&a, 5);
		start(&b, 5);
		finish(&w, "a", "a timer may cancel another that is due in the same turn");
	}
	world_open(&w);
	{
		struct entry a = {&w, 'a', .again = 4};

		start(&a, 0);
		uv_run(&w.loop, UV_RUN_NOWAIT);
		is(w.log, "a", "a delay of nothing that is started anew comes once a turn");
		finish(&w, "aaaaa", "and as often as it was started");
	}
	world_open(&w);
	{
		struct entry a = {&w, 'a'}, b = {&w, 'b'};

		start(&a, 1000000);
		start(&b, 0);
		uv_io_delete(w.io);
		is(w.log, "", "deleting the io fires nothing");
		cmp_ok(uv_loop_close(&w.loop), "==", 0, "and leaves no handle");
	}
	done_testing();
}
