#include "core/lease.h"

#include "tap.h"

#include <stdio.h>
#include <string.h>

static struct lease_step step(struct lease *l, int64_t now_ms)
{
	struct lease_step s;

	lease_step(l, now_ms, now_ms * 1000, 0, &s);
	return s;
}

static struct lease_record record_of(const char *holder, int64_t renewed_us)
{
	struct lease_record record = {.duration_seconds = 8, .renewed_us = renewed_us};

	snprintf(record.holder, sizeof(record.holder), "%s", holder);
	return record;
}

/* A lease that leads since 1000 ms, by the write of version 100. */
static struct lease leader(void)
{
	struct lease l;

	lease_init(&l, STR("me"));
	step(&l, 1000);
	lease_missing(&l, 1000);
	step(&l, 1000);
	lease_written(&l, 1010, STR("100"));
	return l;
}

static void who_finds_no_lease_makes_one(void)
{
	struct lease l;
	struct lease_step s;

	lease_init(&l, STR("me"));
	ok(!lease_is_leading(&l, 0), "nobody leads by birth");
	s = step(&l, 0);
	cmp_ok(s.action, "==", LEASE_GET, "a candidate reads first");
	lease_missing(&l, 5);
	s = step(&l, 5);
	cmp_ok(s.action, "==", LEASE_CREATE, "and makes the Lease when there is none");
	is(s.record.holder, "me", "in its name");
	ok(s.record.duration_seconds == 8 && s.record.transitions == 0 &&
		   s.record.renewed_us == 5000 && s.record.acquired_us == 5000,
	   "with times and no transition");
	ok(!lease_is_leading(&l, 5), "it does not lead before the answer");
	lease_written(&l, 20, STR("77"));
	ok(lease_is_leading(&l, 20), "it leads when that is written");
	ok(lease_session_base(&l) == UINT64_C(77) << 20, "and numbers sessions by that write");
}

static void the_leader_renews_every_second(void)
{
	struct lease l = leader();
	struct lease_step s = step(&l, 1500);

	ok(s.action == LEASE_NOTHING && s.wake_at_ms == 2000,
	   "it sleeps until a second has passed");
	s = step(&l, 2000);
	ok(s.action == LEASE_UPDATE && strcmp(s.version, "100") == 0,
	   "then it writes on what it knows, without a read");
	ok(s.record.acquired_us == 1000000 && s.record.renewed_us == 2000000 &&
		   s.record.transitions == 0,
	   "keeping when it acquired");
	lease_written(&l, 2010, STR("101"));
	ok(lease_session_base(&l) == UINT64_C(100) << 20, "a renewal does not change the sessions");
	ok(lease_is_leading(&l, 6999) && !lease_is_leading(&l, 7000),
	   "it leads for five seconds from the asking, not from the answer");
}

static void the_leader_stops_by_itself(void)
{
	struct lease l = leader();
	struct lease_step s = step(&l, 2000);

	lease_refused(&l, 2010, 0, false);
	s = step(&l, 2010);
	ok(s.action == LEASE_NOTHING && s.wake_at_ms == 3010,
	   "a failed renewal is repeated after a second");
	s = step(&l, 3010);
	cmp_ok(s.action, "==", LEASE_GET, "by a read, since the write may have landed");
	ok(lease_is_leading(&l, 5999), "it leads meanwhile");
	ok(!lease_is_leading(&l, 6000), "until its deadline");
	lease_read(&l, 6500, &(struct lease_record){.holder = "me", .duration_seconds = 8},
		   STR("103"));
	ok(!lease_is_leading(&l, 6500), "being named as the holder is not leading");
	s = step(&l, 6500);
	ok(s.action == LEASE_UPDATE && strcmp(s.version, "103") == 0, "it acquires again");
	lease_written(&l, 6510, STR("104"));
	ok(lease_is_leading(&l, 6510) && lease_session_base(&l) == UINT64_C(104) << 20,
	   "with new session numbers");
}

static void a_conflict_is_looked_at_at_once(void)
{
	struct lease l = leader();
	struct lease_record other = record_of("other", 1);
	struct lease_step s = step(&l, 2000);

	lease_refused(&l, 2010, 0, true);
	s = step(&l, 2010);
	cmp_ok(s.action, "==", LEASE_GET, "somebody wrote: the leader reads at once");
	lease_read(&l, 2020, &other, STR("105"));
	ok(!lease_is_leading(&l, 2020), "and stops when it is not named");
}

static void conflicts_in_a_row_are_no_hot_loop(void)
{
	struct lease l = leader();
	struct lease_record ours = record_of("me", 1);
	struct lease_step s = step(&l, 2000);

	lease_refused(&l, 2010, 0, true);
	step(&l, 2010);
	lease_read(&l, 2020, &ours, STR("105"));
	s = step(&l, 2020);
	ok(s.action == LEASE_UPDATE && strcmp(s.version, "105") == 0,
	   "after a conflict the leader reads and writes again, at once");
	lease_refused(&l, 2030, 0, true);
	s = step(&l, 2030);
	ok(s.action == LEASE_NOTHING && s.wake_at_ms == 3030, "the next conflict costs a second");
	s = step(&l, 3030);
	lease_read(&l, 3040, &ours, STR("106"));
	s = step(&l, 3040);
	cmp_ok(s.action, "==", LEASE_UPDATE, "then it tries again");
	lease_written(&l, 3050, STR("107"));
	s = step(&l, 4040);
	lease_refused(&l, 4050, 0, true);
	s = step(&l, 4050);
	cmp_ok(s.action, "==", LEASE_GET, "and after a success a conflict is looked at at once");
}

static void a_candidate_trusts_no_clock(void)
{
	struct lease l;
	struct lease_record other = record_of("other", 0); /* renewed in 1970, by its clock */
	struct lease_step s;

	lease_init(&l, STR("me"));
	step(&l, 0);
	lease_read(&l, 0, &other, STR("5"));
	s = step(&l, 0);
	ok(s.action == LEASE_NOTHING && s.wake_at_ms == 1000,
	   "a holder has its time from when we saw it");
	step(&l, 1000);
	other.renewed_us = 1;
	lease_read(&l, 1000, &other, STR("6"));
	for (int64_t now_ms = 1000; now_ms < 9000; now_ms += 1000) {
		s = step(&l, now_ms);
		if (s.action == LEASE_NOTHING)
			s = step(&l, now_ms + 1000);
		if (s.action == LEASE_GET)
			lease_read(&l, now_ms + 1000, &other, STR("6"));
	}
	s = step(&l, 9000);
	ok(s.action == LEASE_UPDATE && strcmp(s.version, "6") == 0,
	   "eight seconds after the last change that we saw it has none");
	cmp_ok(s.record.transitions, "==", 1, "the take-over is counted");
	cmp_ok(s.record.acquired_us, "==", 9000000, "and is a new acquisition");
	lease_refused(&l, 9010, UINT32_MAX, true);
	s = step(&l, 9010);
	ok(s.action == LEASE_NOTHING && s.wake_at_ms == 9010 + 2200,
	   "who loses that race waits like every candidate, up to 2.2 seconds");
}

static void a_released_lease_is_free_at_once(void)
{
	struct lease l = leader(), next;
	struct lease_record released;
	struct lease_step s;

	lease_release(&l);
	ok(!lease_is_leading(&l, 1500), "who releases does not lead any more");
	s = step(&l, 1500);
	ok(s.action == LEASE_UPDATE && s.record.holder[0] == '\0' && s.record.duration_seconds == 1,
	   "and says so in one write");
	released = s.record;
	lease_written(&l, 1510, STR("101"));
	s = step(&l, 1510);
	ok(s.action == LEASE_NOTHING && s.wake_at_ms == INT64_MAX, "after which it does nothing");

	lease_init(&next, STR("next"));
	step(&next, 1520);
	lease_read(&next, 1520, &released, STR("101"));
	s = step(&next, 1520);
	cmp_ok(s.action, "==", LEASE_UPDATE, "the next one does not wait");

	lease_init(&l, STR("me"));
	lease_release(&l);
	s = step(&l, 0);
	cmp_ok(s.action, "==", LEASE_NOTHING, "who never led has nothing to release");
}

static void a_deleted_lease_is_led_anew(void)
{
	struct lease l = leader();
	struct lease_step s = step(&l, 2000);

	lease_refused(&l, 2010, 0, true);
	step(&l, 2010);
	lease_missing(&l, 2020);
	ok(!lease_is_leading(&l, 2020), "a Lease that is gone gives no leadership");
	s = step(&l, 2020);
	cmp_ok(s.action, "==", LEASE_CREATE, "it is made again");
	cmp_ok(s.record.transitions, "==", 0, "with transitions that count from 0");
	lease_written(&l, 2030, STR("200"));
	ok(lease_session_base(&l) == UINT64_C(200) << 20, "but sessions go on growing");
}

static void a_deleted_lease_ends_nobodys_time_early(void)
{
	struct lease_record other = record_of("other", 1);
	struct lease l;
	struct lease_step s;

	lease_init(&l, STR("me"));
	step(&l, 0);
	lease_read(&l, 0, &other, STR("5"));
	step(&l, 0);
	step(&l, 1000);
	lease_missing(&l, 1000);
	s = step(&l, 1000);
	ok(s.action == LEASE_NOTHING && s.wake_at_ms == 2000,
	   "who has seen the holder of a Lease that is gone waits");
	step(&l, 8000);
	lease_missing(&l, 8000);
	s = step(&l, 8000);
	cmp_ok(s.action, "==", LEASE_CREATE, "until the holder's time has passed");
	is(s.version, "", "and then makes it without a version");
}

static void versions_have_to_be_numbers(void)
{
	struct lease l;

	lease_init(&l, STR("me"));
	step(&l, 0);
	lease_missing(&l, 0);
	step(&l, 0);
	lease_written(&l, 0, STR("abc"));
	ok(!lease_is_leading(&l, 0), "nobody leads by a version that can't number sessions");
}

/* --- Three candidates and a server that delays, loses and refuses, for an hour of its time. --- */

#define CANDIDATES 3

static struct server {
	bool exists;
	struct lease_record record;
	uint64_t version;
} server;

static struct candidate {
	struct lease lease;
	struct lease_step step;
	bool pending, paused;
	int64_t arrives_ms, answered_ms, wake_ms;
	enum { LOST, READ, MISSING, WRITTEN, REFUSED } answer;
	struct lease_record read;
	char version[LEASE_VERSION_SIZE];
} candidates[CANDIDATES];

static uint32_t chance(uint32_t below)
{
	static uint64_t state = 42;

	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state >> 33) % below;
}

static void serve(struct candidate *c)
{
	char version[LEASE_VERSION_SIZE];

	snprintf(version, sizeof(version), "%llu", (unsigned long long)server.version);
	c->answer = REFUSED;
	if (c->step.action == LEASE_GET) {
		c->answer = server.exists ? READ : MISSING;
		c->read = server.record;
	} else if (c->step.action == LEASE_CREATE
			   ? !server.exists
			   : server.exists && strcmp(c->step.version, version) == 0) {
		server.exists = true;
		server.record = c->step.record;
		server.version++;
		snprintf(version, sizeof(version), "%llu", (unsigned long long)server.version);
		c->answer = WRITTEN;
	}
	memcpy(c->version, version, sizeof(version));
	if (chance(20) == 0)
		c->answer = LOST;
}

static void deliver(struct candidate *c, int64_t now_ms)
{
	c->pending = false;
	switch (c->answer) {
	case READ: lease_read(&c->lease, now_ms, &c->read, str_of(c->version)); break;
	case MISSING: lease_missing(&c->lease, now_ms); break;
	case WRITTEN: lease_written(&c->lease, now_ms, str_of(c->version)); break;
	case REFUSED: lease_refused(&c->lease, now_ms, chance(UINT32_MAX), true); break;
	case LOST: lease_refused(&c->lease, now_ms, chance(UINT32_MAX), false); break;
	}
}

static void run(struct candidate *c, int64_t now_ms)
{
	/* A process that is stopped for a while, and finds its answers when it wakes. */
	if (chance(20000) == 0)
		c->paused = true;
	else if (c->paused && chance(8000) == 0)
		c->paused = false;
	if (c->pending && now_ms == c->arrives_ms)
		serve(c);
	if (c->paused)
		return;
	if (c->pending && now_ms >= c->answered_ms)
		deliver(c, now_ms);
	if (c->pending || now_ms < c->wake_ms)
		return;
	/* Wall clocks are far apart, and one jumps. */
	lease_step(&c->lease, now_ms, now_ms * 1000 + chance(1000) * INT64_C(1000000000),
		   chance(UINT32_MAX), &c->step);
	c->wake_ms = now_ms;
	if (c->step.action == LEASE_NOTHING) {
		c->wake_ms = c->step.wake_at_ms;
		return;
	}
	c->pending = true;
	c->arrives_ms = now_ms + 1 + chance(chance(50) == 0 ? 2000 : 30);
	c->answered_ms = c->arrives_ms + 1 + chance(30);
}

static void at_most_one_leads(void)
{
	int64_t led_ms = 0;
	uint64_t last_base = 0;
	int together = 0, changes = 0, backwards = 0, last = -1;

	for (int i = 0; i < CANDIDATES; i++) {
		char name[8];

		snprintf(name, sizeof(name), "c%d", i);
		lease_init(&candidates[i].lease, str_of(name));
	}
	for (int64_t now_ms = 0; now_ms < 3600 * 1000; now_ms++) {
		int leaders = 0;

		if (chance(600000) == 0)
			server.exists = false;
		for (int i = 0; i < CANDIDATES; i++)
			run(&candidates[i], now_ms);
		for (int i = 0; i < CANDIDATES; i++) {
			uint64_t base;

			if (!lease_is_leading(&candidates[i].lease, now_ms))
				continue;
			leaders++;
			base = lease_session_base(&candidates[i].lease);
			changes += last >= 0 && i != last;
			backwards += base < last_base || (i != last && base == last_base);
			last = i;
			last_base = base;
		}
		together += leaders > 1;
		led_ms += leaders > 0;
	}
	cmp_ok(together, "==", 0, "never two at a time");
	cmp_ok(backwards, "==", 0, "session numbers grow with every leader");
	cmp_ok(changes, ">", 20, "leadership changed often");
	cmp_ok(led_ms, ">", 1800 * 1000, "and somebody led most of the time");
	note("led %lld of 3600 s, %d changes", (long long)led_ms / 1000, changes);
}

int main(void)
{
	who_finds_no_lease_makes_one();
	the_leader_renews_every_second();
	the_leader_stops_by_itself();
	a_conflict_is_looked_at_at_once();
	conflicts_in_a_row_are_no_hot_loop();
	a_candidate_trusts_no_clock();
	a_released_lease_is_free_at_once();
	a_deleted_lease_is_led_anew();
	a_deleted_lease_ends_nobodys_time_early();
	versions_have_to_be_numbers();
	at_most_one_leads();
	done_testing();
}
