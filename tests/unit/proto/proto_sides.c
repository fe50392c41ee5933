/*
 * Both sides of the protocol together, in worlds of every kind (tests/lib/proto_world.h): whatever
 * is lost, cut, repeated or delayed, an upload arrives whole, START is executed once, and the
 * outcome comes back.
 *
 * SEED=… repeats a history, ROUNDS=… plays more of them.
 */
#include "proto_world.h"
#include "tap.h"

#include <string.h>

/* How many worlds of a kind to play. */
static uint64_t rounds_wanted;

static uint64_t rounds(uint64_t usual)
{
	return rounds_wanted > 0 ? rounds_wanted : usual;
}

static const struct faults none = {.delay_ms = 5};

/* How bad a world is, is a matter of chance too: cut very fine, or with pieces lost, repeated and
 * made up, of which so many that the longest frame still comes through every few times. */
static struct faults some_faults(struct random *random)
{
	unsigned delay_ms = (unsigned)random_below(random, 200);

	if (random_chance(random, 30))
		return (struct faults){.chunk_bytes = 100, .delay_ms = delay_ms};
	return (struct faults){
		.loss_percent = (unsigned)random_below(random, 6),
		.repeat_percent = (unsigned)random_below(random, 4),
		.garbage_percent = (unsigned)random_below(random, 4),
		.chunk_bytes = 4000 + (unsigned)random_below(random, 12000),
		.delay_ms = delay_ms,
	};
}

static bool is_over(const struct client *c)
{
	return c->side.state == CONTROLLER_PULLED || c->side.state == CONTROLLER_OUTRANKED ||
	       c->side.state == CONTROLLER_FAILED || c->side.state == CONTROLLER_CANCELLED;
}

static bool has_the_outcome(const struct world *w, const struct client *c)
{
	return c->side.state == CONTROLLER_PULLED && c->outcome_length == w->outcome.total &&
	       memcmp(c->outcome, w->outcome_bytes, c->outcome_length) == 0;
}

static bool runner_has(const struct world *w, const struct object *bundle, const uint8_t *bytes)
{
	return w->runner.received == bundle->total &&
	       memcmp(w->spool, bytes, (size_t)bundle->total) == 0;
}

static void tell(const struct world *w, uint64_t seed)
{
	const struct client *c = &w->clients[0];

	diag("SEED=%llu: at %lld ms the runner is %s, the controller %s (%s, %s), %u starts",
	     (unsigned long long)seed, (long long)w->now_ms, proto_phase_name(w->runner.phase),
	     controller_side_state_name(c->side.state),
	     controller_side_failure_text(c->side.failure), proto_error_name(c->side.refusal),
	     w->starts);
}

/* --- One controller */

/* Plays one world to its end and says whether all went well. */
static bool play(uint64_t seed, const struct faults *faults, unsigned *frames)
{
	static uint8_t bundle_bytes[WORLD_OBJECT_BYTES];
	struct world *w = world_new(seed, faults);
	struct client *c = &w->clients[0];
	struct object bundle;
	bool good;

	world_object(w, &bundle, bundle_bytes);
	c->mark_ms = (int64_t)random_below(&w->random, 100);
	world_attach(w, c, 1, &bundle);
	while (!is_over(c) && world_step(w))
		continue;
	good = has_the_outcome(w, c) && runner_has(w, &bundle, bundle_bytes) && w->starts == 1;
	if (!good)
		tell(w, seed);
	*frames = c->frames + w->frames;
	world_delete(w);
	return good;
}

static void a_clean_pipe_carries_both_objects_in_few_frames(uint64_t seed)
{
	bool good = true, few = true;

	for (uint64_t i = 0; i < rounds(60); i++) {
		/* Both objects in frames, a GET or STATE for each 32 KiB, a STATE a second for
		 * 20 s, and what an exchange always has. */
		unsigned frames, most = 2 * (WORLD_OBJECT_BYTES / FRAME_PAYLOAD_MAX + 1) +
					2 * (WORLD_OBJECT_BYTES / (32 << 10) + 1) + 20 + 10;

		good &= play(seed + i, &none, &frames);
		few &= frames <= most;
	}
	ok(good, "every world ends with both objects whole and one start");
	ok(few, "and no frame is sent that is not needed");
}

static void a_bad_pipe_delays_and_nothing_else(uint64_t seed)
{
	struct random random = {seed};
	bool good = true, bounded = true;

	for (uint64_t i = 0; i < rounds(80); i++) {
		struct faults faults = some_faults(&random);
		unsigned frames;

		good &= play(seed + i, &faults, &frames);
		bounded &= frames < 5000;
	}
	ok(good, "every world ends with both objects whole and one start");
	ok(bounded, "with a bounded number of frames");
}

/* --- One controller after the other */

/* After `steps` steps the controller dies, with whatever it had half written; another one without
 * its memory comes in its place. True while there were so many steps. */
static bool replace_after(unsigned steps, uint64_t seed, const struct faults *faults, bool *good)
{
	static uint8_t bundle_bytes[WORLD_OBJECT_BYTES];
	struct world *w = world_new(seed, faults);
	struct client *c = &w->clients[0];
	struct object bundle;
	bool was_over;

	world_object(w, &bundle, bundle_bytes);
	w->run_ms = 3000;
	world_attach(w, c, 1, &bundle);
	for (unsigned i = 0; i < steps && !is_over(c); i++)
		world_step(w);
	was_over = is_over(c);
	world_attach(w, c, c->session + 1000, &bundle);
	while (!is_over(c) && world_step(w))
		continue;
	if (!has_the_outcome(w, c) || w->starts != 1) {
		tell(w, seed);
		*good = false;
	}
	world_delete(w);
	return !was_over;
}

static void another_controller_goes_on_from_any_point(uint64_t seed)
{
	static const struct faults cut = {.chunk_bytes = 4000, .delay_ms = 5};
	bool good = true;
	unsigned steps = 0;

	while (replace_after(steps, seed, &cut, &good))
		steps++;
	ok(good, "at each of %u steps: the outcome is there, and START was executed once", steps);
	cmp_ok(steps, ">", 20, "and there were many steps");
}

/* --- Two controllers at once */

static void play_two(uint64_t seed, bool same_bundle, bool *good, unsigned *outranked)
{
	static uint8_t bytes[2][WORLD_OBJECT_BYTES];
	struct random random = {seed};
	struct faults faults = some_faults(&random);
	struct world *w = world_new(seed, &faults);
	struct client *low = &w->clients[1], *high = &w->clients[0];
	struct object bundles[2];
	bool fine;

	world_object(w, &bundles[0], bytes[0]);
	world_object(w, &bundles[1], bytes[1]);
	world_attach(w, low, 1, same_bundle ? &bundles[0] : &bundles[1]);
	for (uint64_t i = random_below(&random, 200); i > 0 && !is_over(low); i--)
		world_step(w);
	world_attach(w, high, 1u << 20, &bundles[0]);
	while (!(is_over(low) && is_over(high)) && world_step(w))
		continue;
	*outranked += low->side.state == CONTROLLER_OUTRANKED;
	/* With one bundle the higher one always gets the outcome. With two, the lower one may have
	 * started its own before, and the higher one is told so. */
	fine = w->starts <= 1 && high->side.state != CONTROLLER_OUTRANKED && is_over(low) &&
	       (has_the_outcome(w, high) ||
		(!same_bundle && high->side.refusal == PROTO_ALREADY_STARTED));
	if (!fine)
		tell(w, seed);
	*good &= fine;
	world_delete(w);
}

static void of_two_controllers_the_lower_loses(uint64_t seed)
{
	unsigned outranked = 0;
	bool good = true;

	for (uint64_t i = 0; i < rounds(30); i++)
		play_two(seed + i, true, &good, &outranked);
	ok(good, "the higher one gets the outcome, and START was executed once");
	cmp_ok(outranked, ">", 0, "the lower one is told so");
	good = true;
	for (uint64_t i = 0; i < rounds(30); i++)
		play_two(seed + i, false, &good, &outranked);
	ok(good, "with different bundles START is executed for one of them at most");
}

/* --- Stdin at its end */

static bool play_deaf(uint64_t seed)
{
	static uint8_t bundle_bytes[WORLD_OBJECT_BYTES];
	struct world *w = world_new(seed, &none);
	struct client *c = &w->clients[0];
	struct object bundle;
	bool good;

	world_object(w, &bundle, bundle_bytes);
	w->run_ms = 5000;
	world_attach(w, c, 1, &bundle);
	while (w->runner.phase != PHASE_RUNNING && world_step(w))
		continue;
	w->stdin_closed = true;
	runner_side_on_end(&w->runner, w->now_ms);
	world_attach(w, c, 100, &bundle);
	while (!is_over(c) && world_step(w))
		continue;
	good = has_the_outcome(w, c) && w->starts == 1;
	/* And it ends: nobody is there any more, ten rounds and silence. */
	c->present = false;
	while (world_step(w))
		continue;
	good &= w->runner.rounds == RUNNER_BROADCAST_ROUNDS && w->now_ms < WORLD_END_MS;
	if (!good)
		tell(w, seed);
	world_delete(w);
	return good;
}

static void the_outcome_comes_even_when_nobody_can_ask(uint64_t seed)
{
	bool good = true;

	for (uint64_t i = 0; i < rounds(10); i++)
		good &= play_deaf(seed + i);
	ok(good, "a new controller gets it from the broadcast, which ends after ten rounds");
}

/* --- CANCEL at any point */

static bool cancel_after(unsigned steps, uint64_t seed, bool *good, unsigned *unstarted)
{
	static uint8_t bundle_bytes[WORLD_OBJECT_BYTES];
	struct world *w = world_new(seed, &none);
	struct client *c = &w->clients[0];
	struct object bundle;
	bool was_over;

	world_object(w, &bundle, bundle_bytes);
	w->run_ms = 3000;
	world_attach(w, c, 1, &bundle);
	for (unsigned i = 0; i < steps && !is_over(c); i++)
		world_step(w);
	was_over = is_over(c);
	controller_side_cancel(&c->side, w->now_ms, 1000);
	while (!is_over(c) && world_step(w))
		continue;
	if (c->side.state == CONTROLLER_CANCELLED) {
		++*unstarted;
		*good &= w->starts == 0 && w->cancels == 1;
	} else {
		*good &= has_the_outcome(w, c) && w->starts == 1 && w->cancels <= 1;
	}
	if (!*good)
		tell(w, seed);
	world_delete(w);
	return !was_over;
}

static void cancel_ends_it_at_any_point(uint64_t seed)
{
	bool good = true;
	unsigned steps = 0, unstarted = 0;

	while (cancel_after(steps, seed, &good, &unstarted))
		steps++;
	ok(good, "at each of %u steps: nothing ran, or its outcome is there", steps);
	cmp_ok(unstarted, ">", 0, "before START nothing ran");
	cmp_ok(steps, ">", unstarted, "after START there is an outcome");
}

int main(void)
{
	uint64_t seed = random_setting("SEED", 20260101);

	rounds_wanted = random_setting("ROUNDS", 0);
	a_clean_pipe_carries_both_objects_in_few_frames(seed);
	a_bad_pipe_delays_and_nothing_else(seed);
	another_controller_goes_on_from_any_point(seed);
	of_two_controllers_the_lower_loses(seed);
	the_outcome_comes_even_when_nobody_can_ask(seed);
	cancel_ends_it_at_any_point(seed);
	done_testing();
}
