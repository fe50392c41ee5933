#include "lease.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Above this a session number would not fit 64 bits. */
#define VERSION_MAX (UINT64_MAX >> LEASE_SESSION_SHIFT)

static void copy(char *to, size_t size, struct str from)
{
	assert(from.n < size);
	if (from.n > 0)
		memcpy(to, from.p, from.n);
	to[from.n] = '\0';
}

void lease_init(struct lease *l, struct str identity)
{
	*l = (struct lease){0};
	copy(l->identity, sizeof(l->identity), identity);
}

static bool is_ours(const struct lease *l, const struct lease_record *record)
{
	return strcmp(record->holder, l->identity) == 0;
}

bool lease_is_leading(const struct lease *l, int64_t now_ms)
{
	return l->holds && !l->releasing && now_ms < l->held_until_ms;
}

uint64_t lease_session_base(const struct lease *l)
{
	assert(l->holds);
	return l->acquired_version << LEASE_SESSION_SHIFT;
}

/* Somebody holds it, and may still act: we saw a change less than its duration ago. */
static bool is_held_by_another(const struct lease *l, int64_t now_ms)
{
	return l->observed.holder[0] && !is_ours(l, &l->observed) &&
	       now_ms < l->observed_at_ms + l->observed.duration_seconds * 1000;
}

/* Candidates come back after one to 2.2 times the period, so that they don't come together. */
static int64_t candidate_delay_ms(uint32_t random)
{
	return LEASE_RETRY_MS +
	       (int64_t)((uint64_t)random * (LEASE_RETRY_MS * 12 / 10) / UINT32_MAX);
}

static void make_record(const struct lease *l, int64_t wall_us, struct lease_record *record)
{
	bool is_renewal = l->exists && is_ours(l, &l->observed);

	*record = (struct lease_record){
		.duration_seconds = LEASE_DURATION_MS / 1000,
		.acquired_us = is_renewal ? l->observed.acquired_us : wall_us,
		.renewed_us = wall_us,
		.transitions = l->exists ? l->observed.transitions + (is_renewal ? 0 : 1) : 0,
	};
	memcpy(record->holder, l->identity, sizeof(record->holder));
}

/* What client-go writes: no holder, and a duration so short that nobody waits for it. */
static void make_release(const struct lease *l, int64_t wall_us, struct lease_record *record)
{
	*record = l->observed;
	record->holder[0] = '\0';
	record->duration_seconds = 1;
	record->acquired_us = record->renewed_us = wall_us;
}

static void ask(struct lease *l, int64_t now_ms, enum lease_action action, struct lease_step *step)
{
	step->action = action;
	l->in_flight = true;
	l->asked_ms = now_ms;
	if (action == LEASE_GET)
		return;
	l->writing = step->record;
	if (action == LEASE_UPDATE)
		memcpy(step->version, l->observed_version, sizeof(step->version));
}

static void step_release(struct lease *l, int64_t now_ms, int64_t wall_us, struct lease_step *step)
{
	step->wake_at_ms = INT64_MAX;
	/* Held or not by our deadline: the object still names us, and others need not wait. */
	if (!l->holds || !l->knows)
		return;
	make_release(l, wall_us, &step->record);
	ask(l, now_ms, LEASE_UPDATE, step);
}

void lease_step(struct lease *l, int64_t now_ms, int64_t wall_us, uint32_t random,
		struct lease_step *step)
{
	assert(!l->in_flight);
	*step = (struct lease_step){.action = LEASE_NOTHING};
	if (l->releasing)
		return step_release(l, now_ms, wall_us, step);
	if (now_ms < l->next_ms) {
		step->wake_at_ms = l->next_ms;
		return;
	}
	/* A leader writes on what it knows; everybody else looks first. */
	if (!l->knows)
		return ask(l, now_ms, LEASE_GET, step);
	if (is_held_by_another(l, now_ms)) {
		l->knows = false;
		l->next_ms = now_ms + candidate_delay_ms(random);
		step->wake_at_ms = l->next_ms;
		return;
	}
	make_record(l, wall_us, &step->record);
	ask(l, now_ms, l->exists ? LEASE_UPDATE : LEASE_CREATE, step);
}

static bool records_equal(const struct lease_record *a, const struct lease_record *b)
{
	return strcmp(a->holder, b->holder) == 0 && a->duration_seconds == b->duration_seconds &&
	       a->acquired_us == b->acquired_us && a->renewed_us == b->renewed_us &&
	       a->transitions == b->transitions;
}

static void observe(struct lease *l, int64_t now_ms, const struct lease_record *record,
		    struct str version)
{
	if (!l->exists || !records_equal(&l->observed, record))
		l->observed_at_ms = now_ms;
	l->exists = true;
	l->observed = *record;
	copy(l->observed_version, sizeof(l->observed_version), version);
}

void lease_read(struct lease *l, int64_t now_ms, const struct lease_record *record,
		struct str version)
{
	l->in_flight = false;
	l->knows = true;
	observe(l, now_ms, record, version);
	if (!is_ours(l, record))
		l->holds = false;
}

void lease_missing(struct lease *l, int64_t now_ms)
{
	(void)now_ms;
	l->in_flight = false;
	l->knows = true;
	l->exists = false;
	/* Whoever makes it again leads anew: earlier sessions are numbered by what is gone. */
	l->holds = false;
}

void lease_written(struct lease *l, int64_t now_ms, struct str version)
{
	uint64_t number;

	l->in_flight = false;
	observe(l, now_ms, &l->writing, version);
	if (!is_ours(l, &l->writing)) {
		l->holds = false;
		return;
	}
	if (!lease_is_leading(l, now_ms)) {
		/* Sessions can't be numbered by a version that is no number: then nobody leads. */
		l->holds = str_to_uint(version, VERSION_MAX, &number);
		if (l->holds)
			l->acquired_version = number;
	}
	l->knows = true;
	l->was_conflict = false;
	/* From the asking on: others may have seen the change that early. */
	l->held_until_ms = l->asked_ms + LEASE_RENEW_DEADLINE_MS;
	l->next_ms = l->asked_ms + LEASE_RETRY_MS;
}

void lease_refused(struct lease *l, int64_t now_ms, uint32_t random, bool conflict)
{
	bool leads = lease_is_leading(l, now_ms);

	l->in_flight = false;
	l->knows = false;
	if (conflict && leads && !l->was_conflict)
		l->next_ms = now_ms;
	else
		l->next_ms = now_ms + (leads ? LEASE_RETRY_MS : candidate_delay_ms(random));
	l->was_conflict = conflict;
}

void lease_release(struct lease *l)
{
	l->releasing = true;
}
