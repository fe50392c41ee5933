#include "runner_model.h"

#include "proto_samples.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

void runner_model_init(struct runner_model *m)
{
	*m = (struct runner_model){.run_ms = 3000, .seal_ms = RUNNER_NEVER};
	m->spool = mem_new(1, RUNNER_MODEL_SPOOL_BYTES);
	sample_hello(&m->hello);
	m->hello.layers_count = LAYER_ID_COUNT;
	for (enum layer_id id = 0; id < LAYER_ID_COUNT; id++)
		m->hello.layers[id] = (struct layer){layer_name(id), LAYER_HELD, {0}};
	sample_plain_outcome(&m->outcome, "");
	runner_side_init(&m->side);
	reader_init(&m->reader, m->frame);
}

void runner_model_free(struct runner_model *m)
{
	free(m->spool);
	m->spool = NULL;
}

void runner_model_ready(struct runner_model *m, int64_t now_ms)
{
	struct err err;

	assert(m->hello.bundle_bytes_max <= RUNNER_MODEL_SPOOL_BYTES);
	if (hello_encode(&m->hello, m->facts, &m->side.facts, &err) < 0)
		assert(!"a HELLO that can be encoded");
	m->side.spool = m->spool;
	m->side.spool_bytes = m->hello.bundle_bytes_max;
	runner_side_ready(&m->side, now_ms);
}

void runner_model_seal(struct runner_model *m, int64_t now_ms)
{
	struct err err;

	if (m->outcome_object.total == 0 &&
	    outcome_encode(&m->outcome, m->outcome_manifest, sizeof(m->outcome_manifest),
			   &m->outcome_object, &err) < 0)
		assert(!"an outcome that can be encoded");
	m->seal_ms = RUNNER_NEVER;
	runner_side_seal(&m->side, now_ms, &m->outcome_object);
}

/* A bundle that can't be read is refused, as the runner does. */
static void receive(struct runner_model *m, int64_t now_ms)
{
	struct bundle *bundle = mem_new(1, sizeof(*bundle));
	struct err err;

	if (bundle_decode((struct str){(const char *)m->spool, m->side.received}, bundle, &err) < 0)
		runner_side_refuse_bundle(&m->side, now_ms);
	free(bundle);
}

static void act(struct runner_model *m, int64_t now_ms, enum runner_event event)
{
	switch (event) {
	case RUNNER_START:
		m->starts++;
		runner_side_enter(&m->side, now_ms, PHASE_RUNNING);
		m->seal_ms = now_ms + m->run_ms;
		break;
	case RUNNER_CANCEL:
		m->cancels++;
		if (m->seal_ms != RUNNER_NEVER)
			runner_model_seal(m, now_ms);
		break;
	case RUNNER_RECEIVED: receive(m, now_ms); break;
	case RUNNER_RELEASE: m->releases++; break;
	case RUNNER_NOTHING:
	case RUNNER_OFFERED: break;
	}
	if (m->on_event)
		m->on_event(m->context, event);
}

void runner_model_hear(struct runner_model *m, int64_t now_ms, struct str bytes)
{
	struct frame f;

	while (reader_next(&m->reader, &bytes, &f))
		act(m, now_ms, runner_side_on_frame(&m->side, now_ms, &f));
}

size_t runner_model_next_frame(struct runner_model *m, int64_t now_ms, uint8_t *out)
{
	if (now_ms >= m->seal_ms)
		runner_model_seal(m, now_ms);
	return runner_side_next_frame(&m->side, now_ms, out);
}

int64_t runner_model_next_ms(const struct runner_model *m)
{
	int64_t due_ms = runner_side_deadline(&m->side);

	return m->seal_ms < due_ms ? m->seal_ms : due_ms;
}
