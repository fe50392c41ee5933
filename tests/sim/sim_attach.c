#include "sim_attach.h"

#include "sim_pipe.h"
#include "sim_target.h"
#include "sim_ws.h"

#include "proto/reader.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { HANDSHAKE, INPUT, HANG_UP }; /* kinds of what goes up */

#define WIRED_MS_MAX 20

struct sim_attach {
	struct list link, pod_link;
	struct sim_world *world;
	struct io_ws *ws;    /* NULL: the client is gone */
	struct sim_pod *pod; /* NULL: not attached yet, or its container has ended */
	bool is_wired, is_over, is_cut;
	struct sim_event wiring;
	struct sim_pipe up, down;
	/* What went through, for the checks. */
	struct reader sent, heard;
	uint8_t sent_frame[FRAME_WIRE_MAX], heard_frame[FRAME_WIRE_MAX];
	struct sim_check_connection said;
};

static void attach_free(struct sim_attach *a)
{
	list_remove(&a->link);
	list_remove(&a->pod_link);
	sim_clock_cancel(&a->world->clock, &a->wiring);
	sim_pipe_free(&a->up);
	sim_pipe_free(&a->down);
	free(a);
}

struct sim_attach *sim_attach_of_link(struct list *pod_link)
{
	return list_item(pod_link, struct sim_attach, pod_link);
}

/* --- To the client. --- */

static void note_heard(struct sim_attach *a, struct str message)
{
	struct str bytes = str_slice(message, 1, message.n);
	struct frame frame;

	while (message.n > 0 && message.p[0] == 1 && reader_next(&a->heard, &bytes, &frame))
		a->said.hello_was_heard |= frame.type == FRAME_HELLO;
}

static int64_t held_ms_of(void *context)
{
	const struct sim_attach *a = context;

	return a->ws ? sim_ws_held_ms(a->ws) : 0;
}

static void on_down(void *context, int kind, struct str bytes)
{
	struct sim_attach *a = context;

	if (!a->ws)
		return;
	if (kind == SIM_WS_MESSAGE)
		note_heard(a, bytes);
	sim_ws_hear(a->ws, kind, bytes);
}

static void refuse(struct sim_attach *a, int http_status, const char *body)
{
	a->is_over = true;
	sim_pipe_send(&a->down, http_status, str_of(body));
}

void sim_attach_output(struct sim_attach *a, struct str bytes)
{
	char message[1 + RUNNER_FRAME_MAX] = {1};

	if (!a->is_wired || a->is_over || a->is_cut || bytes.n > RUNNER_FRAME_MAX)
		return;
	memcpy(message + 1, bytes.p, bytes.n);
	sim_pipe_send(&a->down, SIM_WS_MESSAGE, (struct str){message, 1 + bytes.n});
}

void sim_attach_end(struct sim_attach *a)
{
	list_remove(&a->pod_link);
	a->pod = NULL;
	a->is_over = true;
	if (a->is_cut)
		return;
	sim_pipe_send(&a->down, SIM_WS_MESSAGE, STR("\3{\"metadata\":{},\"status\":\"Success\"}"));
	sim_pipe_send(&a->down, SIM_WS_CLOSED, STR(""));
}

void sim_attach_cut(struct sim_attach *a)
{
	a->is_cut = true;
}

/* --- To the container. --- */

static void on_wired(void *context)
{
	struct sim_attach *a = context;

	a->is_wired = true;
}

static void shake_hands(struct sim_attach *a, struct str target_text)
{
	struct sim_target target;
	char text[SIM_TARGET_TEXT_SIZE];
	struct sim_refusal refusal;

	snprintf(text, sizeof(text), "%.*s", STR_ARGS(target_text));
	if (!sim_target_read(&target, text) || !str_equal(target.plural, STR("pods")) ||
	    !str_equal(target.subresource, STR("attach"))) {
		refuse(a, 404, "404 page not found");
		return;
	}
	a->pod = sim_node_find(&a->world->node, target.in_namespace, target.name, &refusal);
	if (!a->pod) {
		refuse(a, refusal.http_status, refusal.body);
		return;
	}
	sim_pipe_send(&a->down, SIM_WS_OPENED, STR("v5.channel.k8s.io"));
	list_push_back(&a->pod->attaches, &a->pod_link);
	a->is_cut = a->world->clock.now_ms < a->pod->cut_until_ms;
	if (a->is_cut)
		return;
	sim_pipe_send(&a->down, SIM_WS_MESSAGE, STR("\1"));
	sim_clock_in(&a->world->clock, &a->wiring,
		     sim_clock_between(&a->world->clock, 0, WIRED_MS_MAX), on_wired, a);
}

static void on_up(void *context, int kind, struct str bytes)
{
	struct sim_attach *a = context;

	switch (kind) {
	case HANDSHAKE: shake_hands(a, bytes); return;
	case HANG_UP: attach_free(a); return;
	case INPUT: break;
	}
	if (a->is_cut)
		return;
	if (a->pod)
		sim_node_input(&a->world->node, a->pod, str_slice(bytes, 1, bytes.n));
	if (a->ws)
		sim_ws_note_arrival(a->ws, bytes.n);
}

/* What the controller decided to send is checked when it is sent, whoever hears it. */
static void check_sent(struct sim_attach *a, struct str message)
{
	struct str bytes = str_slice(message, 1, message.n);
	struct frame frame;

	while (reader_next(&a->sent, &bytes, &frame))
		sim_check_frame(&a->world->check, a->pod, &a->said, &frame);
}

void sim_attach_send(struct sim_attach *a, struct str message)
{
	check_sent(a, message);
	sim_pipe_send_late(&a->up, INPUT, message, sim_ws_held_ms(a->ws));
}

size_t sim_attach_unsent(const struct sim_attach *a)
{
	return a->up.bytes;
}

void sim_attach_leave(struct sim_attach *a, bool loses_bytes)
{
	a->ws = NULL;
	if (loses_bytes)
		sim_pipe_free(&a->up);
	sim_pipe_send(&a->up, HANG_UP, STR(""));
}

struct sim_attach *sim_attach_new(struct sim_world *world, struct io_ws *ws, const char *target)
{
	struct sim_attach *a = mem_new(1, sizeof(*a));

	a->world = world;
	a->ws = ws;
	sim_pipe_init(&a->up, &world->clock, on_up, a);
	sim_pipe_init(&a->down, &world->clock, on_down, a);
	a->down.held_ms = held_ms_of;
	reader_init(&a->sent, a->sent_frame);
	reader_init(&a->heard, a->heard_frame);
	list_push_back(&world->attaches, &a->link);
	sim_pipe_send(&a->up, HANDSHAKE, str_of(target));
	return a;
}

void sim_attach_free_all(struct sim_world *world)
{
	struct sim_attach *a;

	while ((a = list_first(&world->attaches, struct sim_attach, link)))
		attach_free(a);
}
