#include "sim_fault.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A request that is answered by the fault, as far as the controller knows. */
struct answer {
	struct list link;
	struct sim_fault *fault;
	struct io *io;
	struct io_http *inner; /* what is carried out; NULL: nothing, or it is through */
	struct io_timer *timer;
	struct io_http_callbacks callbacks;
	void *context;
	bool is_over; /* for him who is being called */
};

static struct sim_fault *fault_of(struct io *io)
{
	return ((struct sim_io *)io)->world->context;
}

static void answer_free(struct answer *a)
{
	if (a->inner)
		a->fault->inner.http_cancel(a->io, a->inner);
	if (a->timer)
		a->io->timer_cancel(a->io, a->timer);
	list_remove(&a->link);
	free(a);
}

/* Head, data and done, of which each may cancel the request. */
static void on_time(void *context)
{
	struct answer *a = context;
	const struct sim_fault_answer *what = a->fault->answer;
	struct io_http_callbacks callbacks = a->callbacks;
	bool *is_over = &a->is_over;
	struct err err;

	a->timer = NULL;
	if (what->status > 0)
		callbacks.head(a->context, what->status, what->retry_after_ms);
	if (!*is_over && what->status > 0 && what->body[0])
		callbacks.data(a->context, str_of(what->body));
	if (*is_over) {
		answer_free(a);
		return;
	}
	context = a->context;
	answer_free(a);
	err_set(&err, what->code, "the fault says so");
	callbacks.done(context, what->status > 0 ? NULL : &err);
}

/* --- What is carried out, and not told. --- */

static void on_inner_head(void *context, int status, int64_t retry_after_ms)
{
	(void)context;
	(void)status;
	(void)retry_after_ms;
}

static void on_inner_data(void *context, struct str bytes)
{
	(void)context;
	(void)bytes;
}

static void on_inner_done(void *context, const struct err *err)
{
	struct answer *a = context;

	(void)err;
	a->inner = NULL;
}

static struct io_http *start_answer(struct sim_fault *fault, struct io *io,
				    const struct io_http_request *request,
				    const struct io_http_callbacks *callbacks, void *context)
{
	static const struct io_http_callbacks INNER = {on_inner_head, on_inner_data, on_inner_done};
	struct answer *a = mem_new(1, sizeof(*a));

	fault->met++;
	a->fault = fault;
	a->io = io;
	a->callbacks = *callbacks;
	a->context = context;
	list_push_back(&fault->answers, &a->link);
	a->timer = io->timer_start(io, fault->answer->after_ms, on_time, a);
	if (fault->answer->is_carried_out)
		a->inner = fault->inner.http_start(io, request, &INNER, a);
	return (struct io_http *)a;
}

/* --- In the place of the io. --- */

static bool is_met(const struct sim_fault *fault, const struct sim_io *sio,
		   const struct io_http_request *request)
{
	struct str body = request->body;

	return fault->met < fault->times && sio->world->clock.now_ms < fault->until_ms &&
	       strcmp(request->method, fault->method) == 0 &&
	       strstr(request->target, fault->part) != NULL &&
	       (!fault->body_part ||
		(body.n > 0 && memmem(body.p, body.n, fault->body_part, strlen(fault->body_part))));
}

static void count(struct sim_fault *fault, const struct sim_io *sio,
		  const struct io_http_request *request)
{
	int64_t minute = sio->world->clock.now_ms / 60000;

	if (!strstr(request->target, "/leases") && minute < SIM_FAULT_MINUTES_MAX)
		fault->requests[minute]++;
}

static struct io_http *http_start(struct io *io, const struct io_http_request *request,
				  const struct io_http_callbacks *callbacks, void *context)
{
	struct sim_io *sio = (struct sim_io *)io;
	struct sim_fault *fault = fault_of(io);

	count(fault, sio, request);
	if (!sio->is_dead && is_met(fault, sio, request))
		return start_answer(fault, io, request, callbacks, context);
	return fault->inner.http_start(io, request, callbacks, context);
}

static void http_cancel(struct io *io, struct io_http *http)
{
	struct sim_fault *fault = fault_of(io);
	struct answer *a;

	list_for_each (a, &fault->answers, link) {
		if ((struct io_http *)a != http)
			continue;
		a->is_over = true;
		/* Else it is being called, and frees itself. */
		if (a->timer)
			answer_free(a);
		return;
	}
	fault->inner.http_cancel(io, http);
}

void sim_fault_install(struct sim_fault *fault, struct sim_io *sio)
{
	list_init(&fault->answers);
	sio->world->context = fault;
	fault->inner = sio->io;
	sio->io.http_start = http_start;
	sio->io.http_cancel = http_cancel;
}
