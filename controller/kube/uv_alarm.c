#include "uv_alarm.h"

#include "base/mem.h"

struct io_timer {
	struct uv_io *uv;
	struct list link;
	/* A delay of nothing goes by `soon`: a libuv timer of 0 ms that is started anew by its own
	 * callback runs again in the same pass over the timers, and no socket is ever read. */
	struct uv_soon_call soon;
	uv_timer_t timer;
	bool has_timer;
	void (*fire)(void *context);
	void *context;
};

static void on_closed(uv_handle_t *handle)
{
	struct io_timer *timer = handle->data;

	timer->uv->pending--;
	free(timer);
}

static void end(struct io_timer *timer)
{
	list_remove(&timer->link);
	uv_soon_cancel(&timer->soon);
	if (timer->has_timer)
		uv_close((uv_handle_t *)&timer->timer, on_closed);
	else
		free(timer);
}

static void fire(void *context)
{
	struct io_timer *timer = context;
	void (*function)(void *) = timer->fire;
	void *argument = timer->context;

	end(timer);
	function(argument);
}

static void on_timer(uv_timer_t *handle)
{
	fire(handle->data);
}

struct io_timer *uv_alarm_start(struct io *io, int64_t delay_ms, void (*function)(void *context),
				void *context)
{
	struct uv_io *uv = uv_io_of(io);
	struct io_timer *timer = mem_new(1, sizeof(*timer));

	timer->uv = uv;
	timer->fire = function;
	timer->context = context;
	list_push_back(&uv->alarms, &timer->link);
	uv_soon_call_init(&timer->soon, fire, timer);
	if (delay_ms <= 0) {
		uv_soon_ask(&uv->soon, &timer->soon);
		return timer;
	}
	timer->has_timer = true;
	uv->pending++;
	uv_timer_init(uv->loop, &timer->timer);
	timer->timer.data = timer;
	uv_timer_start(&timer->timer, on_timer, (uint64_t)delay_ms, 0);
	return timer;
}

void uv_alarm_cancel(struct io *io, struct io_timer *timer)
{
	(void)io;
	end(timer);
}

void uv_alarm_drop(struct uv_io *uv, struct io_timer **timer)
{
	if (*timer)
		uv_alarm_cancel(&uv->io, *timer);
	*timer = NULL;
}

void uv_alarm_cancel_all(struct uv_io *uv)
{
	while (!list_is_empty(&uv->alarms))
		end(list_item(uv->alarms.next, struct io_timer, link));
}
