/* uv_alarm: the timers of kube/io.h on libuv. */
#ifndef KUBE_UV_ALARM_H
#define KUBE_UV_ALARM_H

#include "uv_core.h"

/* The members timer_start and timer_cancel of struct io. */
struct io_timer *uv_alarm_start(struct io *io, int64_t delay_ms, void (*fire)(void *context),
				void *context);
void uv_alarm_cancel(struct io *io, struct io_timer *timer);

/* Cancels `*timer` if there is one and sets it to NULL. */
void uv_alarm_drop(struct uv_io *uv, struct io_timer **timer);

void uv_alarm_cancel_all(struct uv_io *uv);

#endif
