/*
 * runner_model: a runner whose program does nothing but take time. What speaks is the shipped half
 * (proto/runner_side.h) with the shipped readers behind it; the jail and the processes are what is
 * left out. No I/O, no clock: bytes, frames and times go through these functions.
 *
 *	runner_model_init(&model);
 *	…change model.hello, model.run_ms, model.outcome…
 *	runner_model_ready(&model, now_ms);
 *	runner_model_hear(&model, now_ms, bytes);
 *	while ((length = runner_model_next_frame(&model, now_ms, out)) > 0)
 *		…everyone who is attached hears `out`…
 *	…again at runner_model_next_ms(&model)…
 */
#ifndef TESTS_RUNNER_MODEL_H
#define TESTS_RUNNER_MODEL_H

#include "proto/bundle.h"
#include "proto/hello.h"
#include "proto/outcome.h"
#include "proto/reader.h"
#include "proto/runner_side.h"

#define RUNNER_MODEL_SPOOL_BYTES (2u << 20)

struct runner_model {
	struct runner_side side;
	struct reader reader;
	uint8_t frame[FRAME_WIRE_MAX];
	uint8_t *spool; /* RUNNER_MODEL_SPOOL_BYTES, of which HELLO says how much it takes */
	struct hello hello;
	uint8_t facts[HELLO_FACTS_BYTES_MAX];
	int64_t run_ms;	 /* how long its program takes */
	int64_t seal_ms; /* when it will be over; RUNNER_NEVER: it does not run */
	unsigned starts, cancels, releases;
	struct outcome outcome; /* what will be sealed */
	uint8_t outcome_manifest[4 + OUTCOME_MANIFEST_BYTES_MAX];
	struct object outcome_object;
	/* Hears of every event after the model has dealt with it. May be NULL. */
	void (*on_event)(void *context, enum runner_event event);
	void *context;
};

/* A runner whose every layer holds, booting; its program takes 3 s and exits with 0. */
void runner_model_init(struct runner_model *model);
void runner_model_free(struct runner_model *model);

/* What HELLO says is `model->hello` as it is now. */
void runner_model_ready(struct runner_model *model, int64_t now_ms);

/* Bytes of its stdin. */
void runner_model_hear(struct runner_model *model, int64_t now_ms, struct str bytes);

/* Seals the outcome: the program ends now. */
void runner_model_seal(struct runner_model *model, int64_t now_ms);

/* Seals it if it is time to, then writes the next frame into `out` of RUNNER_FRAME_MAX bytes;
 * its length, 0 for none. */
size_t runner_model_next_frame(struct runner_model *model, int64_t now_ms, uint8_t *out);

/* When next_frame has something by itself, at the latest. */
int64_t runner_model_next_ms(const struct runner_model *model);

#endif
