#include "proto_world.h"

#include "proto_samples.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- Pipes */

static void pipe_clear(struct pipe *p)
{
	for (; p->count > 0; p->count--) {
		free(p->chunks[p->first].bytes);
		p->first = (p->first + 1) % PIPE_CHUNKS_MAX;
	}
	p->bytes = 0;
}

static void pipe_push(struct world *w, struct pipe *p, const uint8_t *bytes, size_t length)
{
	struct chunk *c = &p->chunks[(p->first + p->count) % PIPE_CHUNKS_MAX];
	int64_t at_ms = w->now_ms + (int64_t)random_below(&w->random, w->faults.delay_ms + 1);

	assert(p->count < PIPE_CHUNKS_MAX);
	p->last_ms = at_ms > p->last_ms ? at_ms : p->last_ms;
	*c = (struct chunk){p->last_ms, length, malloc(length)};
	memcpy(c->bytes, bytes, length);
	p->count++;
	p->bytes += length;
}

static void pipe_write(struct world *w, struct pipe *p, const uint8_t *bytes, size_t length)
{
	const struct faults *f = &w->faults;
	uint8_t garbage[40];

	while (length > 0) {
		size_t n = length;

		if (f->chunk_bytes > 0 && n > f->chunk_bytes)
			n = 1 + random_below(&w->random, f->chunk_bytes);
		if (random_chance(&w->random, f->garbage_percent)) {
			random_fill(&w->random, garbage, sizeof(garbage));
			pipe_push(w, p, garbage, 1 + random_below(&w->random, sizeof(garbage)));
		}
		if (!random_chance(&w->random, f->loss_percent))
			pipe_push(w, p, bytes, n);
		if (random_chance(&w->random, f->repeat_percent))
			pipe_push(w, p, bytes, n);
		bytes += n;
		length -= n;
	}
}

/* --- The runner: it runs nothing, for a while. */

static void runner_act(struct world *w, enum runner_event event)
{
	switch (event) {
	case RUNNER_START:
		w->starts++;
		runner_side_enter(&w->runner, w->now_ms, PHASE_RUNNING);
		w->seal_ms = w->now_ms + w->run_ms;
		return;
	case RUNNER_CANCEL:
		w->cancels++;
		if (w->runner.starts > 0 && w->seal_ms > w->now_ms)
			w->seal_ms = w->now_ms;
		return;
	case RUNNER_NOTHING:
	case RUNNER_OFFERED:
	case RUNNER_RECEIVED:
	case RUNNER_RELEASE: return;
	}
}

static void runner_read(struct world *w, struct str chunk)
{
	struct frame f;

	while (!w->stdin_closed && reader_next(&w->reader, &chunk, &f))
		runner_act(w, runner_side_on_frame(&w->runner, w->now_ms, &f));
}

/* Stdout takes something as long as every attacher reads: the slowest one counts. */
static void runner_write(struct world *w)
{
	uint8_t out[RUNNER_FRAME_MAX];
	size_t length = 1;

	if (w->now_ms >= w->seal_ms) {
		w->seal_ms = INT64_MAX;
		runner_side_seal(&w->runner, w->now_ms, &w->outcome);
	}
	while (length > 0) {
		for (size_t i = 0; i < CLIENTS_MAX; i++)
			if (w->clients[i].present && w->clients[i].down.bytes >= PIPE_FULL_BYTES)
				return;
		length = runner_side_next_frame(&w->runner, w->now_ms, out);
		w->frames += length > 0;
		for (size_t i = 0; i < CLIENTS_MAX; i++)
			if (w->clients[i].present)
				pipe_write(w, &w->clients[i].down, out, length);
	}
}

/* --- Controllers */

static void client_connect(struct world *w, struct client *c)
{
	pipe_clear(&c->up);
	pipe_clear(&c->down);
	c->up.last_ms = c->down.last_ms = w->now_ms;
	c->present = true;
	reader_restart(&c->reader);
	controller_side_attach(&c->side, w->now_ms, c->session++);
}

/* A controller without memory: what it knows it will learn from the runner. */
void world_attach(struct world *w, struct client *c, uint64_t session, const struct object *bundle)
{
	uint8_t run_id[PROTO_RUN_ID_BYTES];

	sample_run_id(run_id);
	controller_side_init(&c->side, run_id, 1, WORLD_OBJECT_BYTES);
	reader_init(&c->reader, c->buffer);
	c->bundle = bundle;
	c->session = session;
	c->start_ms = INT64_MAX;
	c->outcome_length = 0;
	client_connect(w, c);
}

/* The leave that a manager would give. */
static void client_decide(struct world *w, struct client *c)
{
	struct controller_side *side = &c->side;

	if (side->state == CONTROLLER_GREETED)
		controller_side_upload(side, w->now_ms, c->bundle);
	if (side->state == CONTROLLER_UPLOADED && c->start_ms == INT64_MAX)
		c->start_ms = w->now_ms + c->mark_ms;
	if (w->now_ms >= c->start_ms)
		controller_side_start(side, w->now_ms);
	if (side->state == CONTROLLER_SEALED)
		controller_side_pull(side, w->now_ms);
	if (side->state == CONTROLLER_STALLED) {
		c->reattaches++;
		client_connect(w, c);
	}
}

static void client_read(struct world *w, struct client *c, struct str chunk)
{
	struct controller_news news;
	struct frame f;

	while (reader_next(&c->reader, &chunk, &f)) {
		controller_side_on_frame(&c->side, w->now_ms, &f, &news);
		if (news.outcome.n == 0)
			continue;
		assert(news.outcome_offset == c->outcome_length);
		memcpy(c->outcome + c->outcome_length, news.outcome.p, news.outcome.n);
		c->outcome_length += news.outcome.n;
	}
}

static void client_write(struct world *w, struct client *c)
{
	uint8_t out[CONTROLLER_FRAME_MAX];
	size_t length = 1;

	while (length > 0 && c->up.bytes < PIPE_FULL_BYTES) {
		client_decide(w, c);
		length = controller_side_next_frame(&c->side, w->now_ms, out);
		c->frames += length > 0;
		pipe_write(w, &c->up, out, length);
		if (c->side.state == CONTROLLER_STALLED)
			length = 1; /* it attaches anew at once */
	}
}

/* --- Time */

static int64_t pipe_next_ms(const struct pipe *p)
{
	return p->count > 0 ? p->chunks[p->first].at_ms : INT64_MAX;
}

static void soonest(int64_t *due_ms, int64_t other_ms)
{
	*due_ms = other_ms < *due_ms ? other_ms : *due_ms;
}

/* When something happens next by itself. Deadlines in the past were held up by a full pipe. */
static int64_t world_next_ms(const struct world *w)
{
	int64_t due_ms = w->seal_ms, deadline = runner_side_deadline(&w->runner);

	if (deadline > w->now_ms)
		soonest(&due_ms, deadline);
	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		const struct client *c = &w->clients[i];

		if (!c->present)
			continue;
		soonest(&due_ms, pipe_next_ms(&c->up));
		soonest(&due_ms, pipe_next_ms(&c->down));
		if (c->start_ms > w->now_ms)
			soonest(&due_ms, c->start_ms);
		deadline = controller_side_deadline(&c->side);
		if (deadline > w->now_ms)
			soonest(&due_ms, deadline);
	}
	return due_ms;
}

static bool pipe_deliver(struct world *w, struct client *c, struct pipe *p)
{
	struct chunk chunk = p->chunks[p->first];
	struct str bytes = {(const char *)chunk.bytes, chunk.length};

	if (pipe_next_ms(p) > w->now_ms)
		return false;
	p->first = (p->first + 1) % PIPE_CHUNKS_MAX;
	p->count--;
	p->bytes -= chunk.length;
	if (p == &c->up)
		runner_read(w, bytes);
	else
		client_read(w, c, bytes);
	free(chunk.bytes);
	return true;
}

/* One thing happens: false when nothing ever will. */
bool world_step(struct world *w)
{
	bool delivered = false;
	int64_t next_ms;

	runner_write(w);
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (w->clients[i].present)
			client_write(w, &w->clients[i]);
	for (size_t i = 0; i < CLIENTS_MAX && !delivered; i++) {
		struct client *c = &w->clients[i];

		delivered = pipe_deliver(w, c, &c->up) || pipe_deliver(w, c, &c->down);
	}
	if (delivered)
		return true;
	next_ms = world_next_ms(w);
	if (next_ms == INT64_MAX || next_ms > WORLD_END_MS)
		return false;
	w->now_ms = next_ms > w->now_ms ? next_ms : w->now_ms;
	return true;
}

/* --- Beginning and end */

void world_object(struct world *w, struct object *o, uint8_t *bytes)
{
	size_t length = 1 + random_below(&w->random, WORLD_OBJECT_BYTES - 1);
	size_t half = length / 2;

	random_fill(&w->random, bytes, length);
	*o = (struct object){0};
	object_add(o, (struct str){(const char *)bytes, half});
	object_add(o, (struct str){(const char *)bytes + half, length - half});
	object_seal(o);
}

struct world *world_new(uint64_t seed, const struct faults *faults)
{
	struct world *w = calloc(1, sizeof(*w));

	w->random.state = seed;
	w->faults = *faults;
	w->seal_ms = INT64_MAX;
	w->run_ms = (int64_t)random_below(&w->random, 20000);
	runner_side_init(&w->runner);
	w->runner.spool = w->spool;
	w->runner.spool_bytes = sizeof(w->spool);
	reader_init(&w->reader, w->buffer);
	runner_side_ready(&w->runner, 0);
	world_object(w, &w->outcome, w->outcome_bytes);
	return w;
}

void world_delete(struct world *w)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		pipe_clear(&w->clients[i].up);
		pipe_clear(&w->clients[i].down);
	}
	free(w);
}
