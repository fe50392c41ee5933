#include "kube/uv_soon.h"

#include "tap.h"

#include <string.h>

struct world {
	uv_loop_t loop;
	struct uv_soon soon;
	char log[64];
	struct entry {
		struct world *world;
		char name;
		struct uv_soon_call call;
		struct entry *asks, *cancels;
	} a, b, c;
};

static void run(void *context)
{
	struct entry *entry = context;
	size_t length = strlen(entry->world->log);

	entry->world->log[length] = entry->name;
	if (entry->asks)
		uv_soon_ask(&entry->world->soon, &entry->asks->call);
	if (entry->cancels)
		uv_soon_cancel(&entry->cancels->call);
}

static void init(struct world *world, struct entry *entry, char name)
{
	entry->world = world;
	entry->name = name;
	uv_soon_call_init(&entry->call, run, entry);
}

static void world_open(struct world *world)
{
	memset(world, 0, sizeof(*world));
	uv_loop_init(&world->loop);
	uv_soon_init(&world->soon, &world->loop);
	init(world, &world->a, 'a');
	init(world, &world->b, 'b');
	init(world, &world->c, 'c');
}

static void on_closed(uv_handle_t *handle)
{
	(void)handle;
}

static void finish(struct world *world, const char *wanted, const char *rule)
{
	is(world->log, wanted, "%s", rule);
	uv_soon_close(&world->soon, on_closed);
	uv_run(&world->loop, UV_RUN_DEFAULT);
	cmp_ok(uv_loop_close(&world->loop), "==", 0, "and no handle is left");
}

int main(void)
{
	struct world w;

	world_open(&w);
	uv_soon_ask(&w.soon, &w.b.call);
	uv_soon_ask(&w.soon, &w.a.call);
	uv_soon_ask(&w.soon, &w.b.call);
	is(w.log, "", "nothing is called before the loop runs");
	uv_run(&w.loop, UV_RUN_DEFAULT);
	finish(&w, "ba", "each is called once, in the order asked for");

	world_open(&w);
	uv_soon_ask(&w.soon, &w.a.call);
	uv_soon_cancel(&w.a.call);
	uv_run(&w.loop, UV_RUN_NOWAIT);
	finish(&w, "", "what was cancelled is not called");

	world_open(&w);
	w.a.cancels = &w.b;
	uv_soon_ask(&w.soon, &w.a.call);
	uv_soon_ask(&w.soon, &w.b.call);
	uv_soon_ask(&w.soon, &w.c.call);
	uv_run(&w.loop, UV_RUN_DEFAULT);
	finish(&w, "ac", "a call may cancel one behind it in the same turn");

	world_open(&w);
	w.a.asks = &w.a;
	uv_soon_ask(&w.soon, &w.a.call);
	for (int i = 0; i < 3; i++)
		uv_run(&w.loop, UV_RUN_NOWAIT);
	finish(&w, "aaa", "one that asks for itself comes once a turn");
	done_testing();
}
