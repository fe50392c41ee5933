#include "core/workqueue.h"

#include "tap.h"

#include <stdio.h>
#include <string.h>

/* A script of calls, one a row, each with what it has to answer. */
enum op { ADD, TAKE, NONE_DUE, DONE, FAILED, NEXT };

struct step {
	enum op op;
	const char *key;
	int64_t at; /* ADD, FAILED: due; TAKE, NONE_DUE: now; NEXT: what it answers */
};

static void play(const char *name, const struct step *steps, size_t count)
{
	struct workqueue q;
	struct str key;
	bool right = true;

	workqueue_init(&q, 3);
	for (size_t i = 0; i < count; i++) {
		const struct step *s = &steps[i];
		bool as_wanted = true;

		switch (s->op) {
		case ADD: as_wanted = workqueue_add(&q, str_of(s->key), s->at) == 0; break;
		case TAKE:
			as_wanted =
				workqueue_take(&q, s->at, &key) && str_equal(key, str_of(s->key));
			break;
		case NONE_DUE: as_wanted = !workqueue_take(&q, s->at, &key); break;
		case DONE: workqueue_done(&q, str_of(s->key)); break;
		case FAILED: workqueue_failed(&q, str_of(s->key), s->at); break;
		case NEXT: as_wanted = workqueue_next_ms(&q) == s->at; break;
		}
		if (!as_wanted)
			diag("step %zu is not answered as wanted", i);
		right = right && as_wanted;
	}
	ok(right, "%s", name);
	workqueue_free(&q);
}

#define PLAY(name, ...)                                \
	play(name, (const struct step[]){__VA_ARGS__}, \
	     sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

static void scripts(void)
{
	PLAY("an empty queue has nothing", {NONE_DUE, NULL, 100}, {NEXT, NULL, WORKQUEUE_NEVER});
	PLAY("a key is taken when it is due, not before", {ADD, "a", 10}, {NONE_DUE, NULL, 9},
	     {NEXT, NULL, 10}, {TAKE, "a", 10}, {NONE_DUE, NULL, 99});
	PLAY("keys come in the order of their times", {ADD, "a", 30}, {ADD, "b", 10},
	     {ADD, "c", 20}, {TAKE, "b", 50}, {TAKE, "c", 50}, {TAKE, "a", 50});
	PLAY("keys of one time come in the order in which they were added", {ADD, "b", 10},
	     {ADD, "a", 10}, {TAKE, "b", 10}, {TAKE, "a", 10});
	PLAY("a key added twice is there once, at the earlier time", {ADD, "a", 30}, {ADD, "a", 10},
	     {ADD, "a", 20}, {NEXT, NULL, 10}, {TAKE, "a", 10}, {NONE_DUE, NULL, 99});
	PLAY("a key in flight is not handed out again", {ADD, "a", 1}, {TAKE, "a", 1},
	     {ADD, "a", 2}, {NONE_DUE, NULL, 99}, {NEXT, NULL, WORKQUEUE_NEVER});
	PLAY("what was asked for in flight comes after it landed, at the earliest time",
	     {ADD, "a", 1}, {TAKE, "a", 1}, {ADD, "a", 9}, {ADD, "a", 5}, {ADD, "a", 7},
	     {DONE, "a"}, {NEXT, NULL, 5}, {TAKE, "a", 5}, {DONE, "a"}, {NONE_DUE, NULL, 99});
	PLAY("a key that is done is forgotten", {ADD, "a", 1}, {TAKE, "a", 1}, {DONE, "a"},
	     {ADD, "b", 1}, {ADD, "c", 1}, {ADD, "d", 1});
	PLAY("a failure comes back when its owner says", {ADD, "a", 0}, {TAKE, "a", 0},
	     {FAILED, "a", 200}, {NONE_DUE, NULL, 199}, {NEXT, NULL, 200}, {TAKE, "a", 200});
	PLAY("an event may bring a failed key forward", {ADD, "a", 0}, {TAKE, "a", 0},
	     {FAILED, "a", 200}, {ADD, "a", 50}, {TAKE, "a", 50});
	PLAY("what was asked for in flight does not shorten the delay of a failure", {ADD, "a", 0},
	     {TAKE, "a", 0}, {ADD, "a", 1}, {FAILED, "a", 200}, {NEXT, NULL, 200}, {TAKE, "a", 200},
	     {DONE, "a"}, {NEXT, NULL, WORKQUEUE_NEVER});
	PLAY("giving back what was not taken does nothing", {DONE, "a"}, {FAILED, "a", 1},
	     {ADD, "a", 5}, {DONE, "a"}, {FAILED, "a", 1}, {TAKE, "a", 5});
}

static void the_limit_counts_keys_in_flight(void)
{
	struct workqueue q;
	struct str key;

	workqueue_init(&q, 2);
	ok(workqueue_add(&q, STR("a"), 0) == 0 && workqueue_add(&q, STR("b"), 0) == 0,
	   "up to the limit keys are taken");
	ok(workqueue_add(&q, STR("c"), 0) < 0, "one more is refused");
	ok(workqueue_add(&q, STR("a"), 0) == 0, "one that is there is not one more");
	workqueue_take(&q, 0, &key);
	ok(workqueue_add(&q, STR("c"), 0) < 0, "a key in flight still counts");
	workqueue_done(&q, STR("a"));
	ok(workqueue_add(&q, STR("c"), 0) == 0, "until it is done");
	workqueue_free(&q);
}

/* The same calls on the simplest thing that could be right: arrays. */
#define KEYS 8

static struct model {
	int64_t due, again;
	uint64_t sequence;
	bool waits, in_flight;
} model[KEYS];

static int model_first(int64_t now_ms)
{
	int first = -1;

	for (int i = 0; i < KEYS; i++)
		if (model[i].waits && model[i].due <= now_ms &&
		    (first < 0 || model[i].due < model[first].due ||
		     (model[i].due == model[first].due &&
		      model[i].sequence < model[first].sequence)))
			first = i;
	return first;
}

static void model_wait(int key, int64_t due_ms, uint64_t sequence)
{
	if (model[key].waits && due_ms >= model[key].due)
		return;
	model[key].waits = true;
	model[key].due = due_ms;
	model[key].sequence = sequence;
}

static void random_calls_agree_with_a_model(void)
{
	static char names[KEYS][2] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	struct workqueue q;
	uint32_t seed = 1;
	bool agree = true;

	workqueue_init(&q, KEYS);
	for (int i = 0; i < KEYS; i++)
		model[i].again = WORKQUEUE_NEVER;
	for (uint64_t step = 0; step < 200000; step++) {
		struct str key = {NULL, 0};
		int64_t now_ms = (int64_t)(step / 10), due_ms;
		int k, first;

		seed = seed * 1664525 + 1013904223;
		k = (int)(seed >> 8) % KEYS;
		due_ms = now_ms + (int)(seed >> 16) % 7;
		switch ((seed >> 28) % 3) {
		case 0:
			workqueue_add(&q, str_of(names[k]), due_ms);
			if (!model[k].in_flight)
				model_wait(k, due_ms, step);
			else if (due_ms < model[k].again)
				model[k].again = due_ms;
			break;
		case 1:
			first = model_first(now_ms);
			agree = agree && workqueue_take(&q, now_ms, &key) == (first >= 0);
			if (first >= 0) {
				agree = agree && str_equal(key, str_of(names[first]));
				model[first].waits = false;
				model[first].in_flight = true;
			}
			break;
		default:
			workqueue_done(&q, str_of(names[k]));
			if (model[k].in_flight && model[k].again != WORKQUEUE_NEVER)
				model_wait(k, model[k].again, step);
			if (model[k].in_flight)
				model[k].again = WORKQUEUE_NEVER;
			model[k].in_flight = false;
		}
	}
	ok(agree, "200,000 random calls are answered as by a simple model");
	workqueue_free(&q);
}

int main(void)
{
	scripts();
	the_limit_counts_keys_in_flight();
	random_calls_agree_with_a_model();
	done_testing();
}
