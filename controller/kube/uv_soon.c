#include "uv_soon.h"

static void run_calls(uv_idle_t *idle)
{
	struct uv_soon *soon = idle->data;
	struct list batch;

	/* What is asked for from here on waits for the next turn. */
	list_init(&batch);
	while (!list_is_empty(&soon->calls)) {
		struct list *link = soon->calls.next;

		list_remove(link);
		list_push_back(&batch, link);
	}
	uv_idle_stop(idle);
	/* Taken one by one, since a call may cancel those behind it. */
	while (!list_is_empty(&batch)) {
		struct uv_soon_call *call = list_item(batch.next, struct uv_soon_call, link);

		list_remove(&call->link);
		call->run(call->context);
	}
}

void uv_soon_init(struct uv_soon *soon, uv_loop_t *loop)
{
	uv_idle_init(loop, &soon->idle);
	soon->idle.data = soon;
	list_init(&soon->calls);
}

void uv_soon_close(struct uv_soon *soon, uv_close_cb closed)
{
	uv_close((uv_handle_t *)&soon->idle, closed);
}

void uv_soon_call_init(struct uv_soon_call *call, void (*run)(void *context), void *context)
{
	list_init(&call->link);
	call->run = run;
	call->context = context;
}

void uv_soon_ask(struct uv_soon *soon, struct uv_soon_call *call)
{
	if (!list_is_empty(&call->link))
		return;
	list_push_back(&soon->calls, &call->link);
	/* An active idle handle makes the loop poll without waiting. */
	uv_idle_start(&soon->idle, run_calls);
}

void uv_soon_cancel(struct uv_soon_call *call)
{
	list_remove(&call->link);
}
