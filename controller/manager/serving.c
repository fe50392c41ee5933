#include "serving.h"

#define LINE_BYTES_MAX 256
#define TEXT_TYPE      "text/plain; charset=utf-8"

static void reply_text(struct serving *s, struct io_reply *reply, int status, struct str text)
{
	s->io->reply(s->io, reply, status, TEXT_TYPE, text);
}

static void reply_late(struct serving *s, struct io_reply *reply, const char *what, int64_t late_ms)
{
	struct buf line;

	buf_init(&line, LINE_BYTES_MAX);
	buf_printf(&line, "%s for %lld s\n", what, (long long)(late_ms / 1000));
	reply_text(s, reply, 503, buf_str(&line));
	buf_free(&line);
}

static struct serving_facts facts_now(const struct serving *s)
{
	struct serving_facts facts = {0};

	s->source.facts(s->source.context, &facts);
	return facts;
}

static void reply_health(struct serving *s, struct io_reply *reply)
{
	struct serving_facts facts = facts_now(s);
	int64_t since_ms = facts.asked_ms > s->started_ms ? facts.asked_ms : s->started_ms;
	int64_t late_ms = s->io->now_ms(s->io) - since_ms;

	if (late_ms > SERVING_STUCK_MS && !facts.is_stopping)
		reply_late(s, reply, "stuck: the election has not asked for the Lease", late_ms);
	else
		reply_text(s, reply, 200, STR("ok\n"));
}

static void reply_readiness(struct serving *s, struct io_reply *reply)
{
	struct serving_facts facts = facts_now(s);
	int64_t late_ms = s->io->now_ms(s->io) - facts.confirmed_ms;

	if (facts.is_stopping)
		reply_text(s, reply, 503, STR("not ready: stopping\n"));
	else if (facts.confirmed_ms == 0)
		reply_text(s, reply, 503,
			   STR("not ready: no request about the Lease has succeeded yet\n"));
	else if (late_ms > SERVING_READY_MS)
		reply_late(s, reply, "not ready: no request about the Lease has succeeded",
			   late_ms);
	else
		reply_text(s, reply, 200, STR("ok\n"));
}

static void reply_metrics(struct serving *s, struct io_reply *reply)
{
	struct buf page;

	buf_init(&page, METRICS_BYTES_MAX);
	metrics_write(s->source.metrics(s->source.context), &page);
	s->io->reply(s->io, reply, 200, METRICS_CONTENT_TYPE, buf_str(&page));
	buf_free(&page);
}

static const struct {
	const char *path;
	void (*reply)(struct serving *s, struct io_reply *reply);
} PATHS[] = {
	{"/healthz", reply_health},
	{"/readyz", reply_readiness},
	{"/metrics", reply_metrics},
};

static void on_request(void *context, struct str path, struct io_reply *reply)
{
	struct serving *s = context;

	for (size_t i = 0; i < sizeof(PATHS) / sizeof(PATHS[0]); i++) {
		if (str_equal(path, str_of(PATHS[i].path))) {
			PATHS[i].reply(s, reply);
			return;
		}
	}
	reply_text(s, reply, 404, STR("here are /healthz, /readyz and /metrics\n"));
}

int serving_start(struct serving *s, struct io *io, const char *address, uint16_t port,
		  const struct serving_source *source, struct err *err)
{
	*s = (struct serving){.io = io, .source = *source, .started_ms = io->now_ms(io)};
	s->server = io->serve(io, address, port, on_request, s, err);
	return s->server ? 0 : -1;
}

void serving_stop(struct serving *s)
{
	if (s->server)
		s->io->serve_stop(s->io, s->server);
	s->server = NULL;
}
