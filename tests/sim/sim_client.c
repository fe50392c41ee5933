#include "sim_client.h"

#include "kube/config.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

#define TOKEN_PATH "/var/run/token"
#define TOKEN	   "token-of-the-controller"

static int64_t now_us(void *context)
{
	const struct sim_client *c = context;

	return sim_clock_wall_us(&c->sio->world->clock);
}

static void hear_line(void *context, enum log_level level, struct str line)
{
	const struct sim_client *c = context;

	(void)level;
	sim_check_log(&c->sio->world->check, line);
	sim_trace_add(&c->sio->world->trace, "%s logs %.*s", c->sio->name, (int)line.n - 1, line.p);
}

void sim_client_init(struct sim_client *c, struct sim_world *world, const char *name)
{
	struct config config = {0};
	struct err err;
	int result;

	*c = (struct sim_client){.sio = sim_io_new(world, name)};
	c->io = &c->sio->io;
	world->api.token = TOKEN;
	files_set(&c->sio->files, TOKEN_PATH, TOKEN "\n");
	log_init(&c->log, LOG_INFO, now_us, hear_line, c);
	config.token.path = mem_copy_string(TOKEN_PATH, strlen(TOKEN_PATH));
	result = config_set_server(&config, STR("https://api"), &err) < 0 ||
		 config_read(c->io, &config.token, &err) < 0;
	assert(result == 0);
	c->client = client_new(c->io, &config, &c->log, &err);
	assert(c->client);
}

void sim_client_free(struct sim_client *c)
{
	struct sim_world *world = c->sio->world;
	size_t leaked;

	sim_io_kill(c->sio);
	client_delete(c->client);
	log_free(&c->log);
	leaked = sim_io_delete(c->sio);
	if (leaked > 0)
		sim_check_fail(&world->check, "%zu operations of a controller were left behind",
			       leaked);
}
