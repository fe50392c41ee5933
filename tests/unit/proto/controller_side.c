#include "proto/controller_side.h"

#include "proto_samples.h"
#include "tap.h"

#include <string.h>

#define SESSION 10

static struct controller_side side;
static struct controller_news news;
static struct object bundle;
static char bundle_bytes[100000];
static char outcome_bytes[100000];
static uint8_t outcome_hash[SHA256_BYTES];

/* --- What the runner says */

static void say(int64_t now_ms, uint64_t session, uint8_t type, uint64_t offset, const void *bytes,
		size_t length)
{
	struct frame f = {.type = type, .session = session, .offset = offset};

	f.payload = (struct str){bytes, length};
	controller_side_on_frame(&side, now_ms, &f, &news);
}

static void say_hello(int64_t now_ms, uint64_t session, struct payload_hello p)
{
	static uint8_t payload[payload_hello_bytes + 5]; /* the news borrow from it */

	payload_put_hello(payload, &p);
	memcpy(payload + payload_hello_bytes, "facts", 5);
	say(now_ms, session, FRAME_HELLO, 0, payload, sizeof(payload));
}

static struct payload_hello hello(uint8_t phase)
{
	struct payload_hello p = {.version = 1, .phase = phase, .attempt = 1};

	sample_run_id(p.run_id);
	return p;
}

static void say_state(int64_t now_ms, uint64_t session, struct payload_state p)
{
	uint8_t payload[payload_state_bytes];

	payload_put_state(payload, &p);
	say(now_ms, session, FRAME_STATE, 0, payload, sizeof(payload));
}

static struct payload_state state(uint8_t phase, uint8_t starts, uint64_t received)
{
	struct payload_state p = {.phase = phase, .starts = starts, .received = received};

	if (phase == PHASE_DONE && starts > 0) {
		p.outcome_length = sizeof(outcome_bytes);
		memcpy(p.outcome_sha256, outcome_hash, SHA256_BYTES);
	}
	return p;
}

static void say_error(int64_t now_ms, uint16_t code, uint64_t session)
{
	uint8_t payload[payload_error_bytes];

	payload_put_error(payload, &(struct payload_error){.code = code, .session = session});
	say(now_ms, SESSION, FRAME_ERROR, 0, payload, sizeof(payload));
}

/* --- What the controller says */

static struct frame heard;

/* The next frame's type, 0 for none. */
static int hear(int64_t now_ms)
{
	static uint8_t out[CONTROLLER_FRAME_MAX];
	size_t length = controller_side_next_frame(&side, now_ms, out);
	uint8_t *at = out;

	if (length == 0)
		return 0;
	if (*at == COBS_DELIMITER) {
		at++;
		length--;
	}
	if (frame_decode(at, length - 1, &heard) != PROTO_NO_DROP)
		fail("the controller writes frames");
	return heard.type;
}

static int count(int64_t now_ms, int type)
{
	int frames = 0;

	while (hear(now_ms) == type)
		frames++;
	return frames;
}

/* --- Where tests begin */

static void attaching(void)
{
	uint8_t run_id[PROTO_RUN_ID_BYTES];

	sample_run_id(run_id);
	controller_side_init(&side, run_id, 1, sizeof(outcome_bytes));
	controller_side_attach(&side, 0, SESSION);
}

static void greeted(uint8_t phase, uint8_t starts, uint64_t received)
{
	attaching();
	hear(0);
	say_hello(0, SESSION, hello(phase));
	say_state(0, SESSION, state(phase, starts, received));
}

static void uploaded(void)
{
	greeted(PHASE_READY, 0, 0);
	controller_side_upload(&side, 0, &bundle);
	hear(0);
	say_state(0, SESSION, state(PHASE_RECEIVED, 0, bundle.total));
}

/* --- Attaching */

static void attach_repeats_until_hello_and_state(void)
{
	attaching();
	cmp_ok(hear(0), "==", FRAME_ATTACH, "ATTACH at once");
	cmp_ok(heard.session, "==", SESSION, "with the session");
	cmp_ok(hear(199), "==", 0, "not again");
	cmp_ok(controller_side_deadline(&side), "==", 200, "before 200 ms");
	cmp_ok(hear(200), "==", FRAME_ATTACH, "then again");
	say_hello(300, SESSION, hello(PHASE_READY));
	ok(str_equal(news.facts, STR("facts")), "HELLO brings the facts");
	is(controller_side_state_name(side.state), "Attaching", "HELLO alone does not do");
	cmp_ok(hear(400), "==", FRAME_ATTACH, "a lost STATE is asked for like that too");
	say_state(500, SESSION, state(PHASE_READY, 0, 0));
	is(controller_side_state_name(side.state), "Greeted", "HELLO and STATE do");
	cmp_ok(news.facts.n, "==", 0, "a STATE brings no facts");
	cmp_ok(hear(100000), "==", 0, "then nothing is said without leave");
	cmp_ok(controller_side_deadline(&side) == CONTROLLER_NEVER, "==", 1, "however long");
}

static void who_answers_matters(void)
{
	struct payload_hello p = hello(PHASE_READY);

	attaching();
	say_hello(0, 9, p);
	say_hello(0, 11, p);
	cmp_ok(side.drops[DROP_SESSION], "==", 2, "what answers another session is dropped");
	say_hello(0, 0, p);
	cmp_ok(side.drops[DROP_SESSION], "==", 3, "so is what answers nobody, before the end");
	p.attempt = 2;
	say_hello(0, SESSION, p);
	is(controller_side_failure_text(side.failure),
	   "the runner is bound to another run or attempt", "another attempt fails");
	attaching();
	p = hello(PHASE_READY);
	p.run_id[3] ^= 1;
	say_hello(0, SESSION, p);
	cmp_ok(side.failure, "==", CONTROLLER_WRONG_RUN, "so does another run");
	attaching();
	p = hello(PHASE_READY);
	p.version = PROTO_VERSION_MAX + 1;
	say_hello(0, SESSION, p);
	cmp_ok(side.failure, "==", CONTROLLER_WRONG_VERSION, "so does a version not offered");
	cmp_ok(hear(1000), "==", 0, "a failed side says nothing more");
}

/* --- Where the runner is, decides */

static void a_greeting_leads_anywhere(void)
{
	static const struct {
		uint8_t phase, starts;
		const char *state;
	} rows[] = {
		{PHASE_READY, 0, "Greeted"},	  {PHASE_RECEIVING, 0, "Greeted"},
		{PHASE_RECEIVED, 0, "Greeted"},	  {PHASE_RECEIVED, 1, "Started"},
		{PHASE_INSTALLING, 1, "Started"}, {PHASE_RUNNING, 1, "Started"},
		{PHASE_DONE, 1, "Sealed"},	  {PHASE_DONE, 0, "Cancelled"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		greeted(rows[i].phase, rows[i].starts, 0);
		is(controller_side_state_name(side.state), rows[i].state, "%s with %u starts",
		   proto_phase_name(rows[i].phase), rows[i].starts);
	}
}

static void leave_can_come_early(void)
{
	attaching();
	controller_side_upload(&side, 0, &bundle);
	controller_side_start(&side, 0);
	controller_side_pull(&side, 0);
	is(controller_side_state_name(side.state), "Attaching", "it waits for its turn");
	say_hello(0, SESSION, hello(PHASE_READY));
	say_state(0, SESSION, state(PHASE_READY, 0, 0));
	is(controller_side_state_name(side.state), "Uploading", "then goes at once");
	hear(0);
	say_state(0, SESSION, state(PHASE_RECEIVED, 0, bundle.total));
	is(controller_side_state_name(side.state), "Starting", "from step");
	say_state(0, SESSION, state(PHASE_DONE, 1, bundle.total));
	is(controller_side_state_name(side.state), "Pulling", "to step");
}

/* --- Upload and START */

static void an_upload_ends_with_a_state_after_offer(void)
{
	greeted(PHASE_RECEIVED, 0, bundle.total);
	controller_side_upload(&side, 0, &bundle);
	is(controller_side_state_name(side.state), "Uploading", "one of before proves nothing");
	cmp_ok(controller_side_deadline(&side) == INT64_MIN, "==", 1, "there is something to say");
	cmp_ok(hear(0), "==", FRAME_OFFER, "OFFER asks");
	cmp_ok(hear(0), "==", 0, "and all of it seems to be there");
	say_state(0, SESSION, state(PHASE_RECEIVED, 0, bundle.total));
	is(controller_side_state_name(side.state), "Uploaded", "the answer proves it");
	greeted(PHASE_RECEIVING, 0, 40000);
	controller_side_upload(&side, 0, &bundle);
	hear(0);
	cmp_ok(hear(0), "==", FRAME_UPLOAD, "what was begun");
	cmp_ok(heard.offset, "==", 40000, "goes on where it was");
	say_state(0, SESSION, state(PHASE_RECEIVING, 0, 0));
	cmp_ok(hear(0), "==", FRAME_UPLOAD, "unless it was another bundle");
	cmp_ok(heard.offset, "==", 0, "then from the beginning");
	cmp_ok(1 + count(0, FRAME_UPLOAD), "==", 4, "four frames fill the window");
	cmp_ok(hear(1999), "==", 0, "then it waits");
	cmp_ok(hear(2000), "==", FRAME_OFFER, "for 2 s");
}

static void start_repeats_until_it_is_done(void)
{
	uploaded();
	is(controller_side_state_name(side.state), "Uploaded", "all is there");
	cmp_ok(hear(60000), "==", 0, "START waits for leave, as long as it takes");
	controller_side_start(&side, 60000);
	cmp_ok(hear(60000), "==", FRAME_START, "then goes at once");
	is_bytes(heard.payload.p, heard.payload.n, bundle.sha256, SHA256_BYTES, "with the hash");
	cmp_ok(hear(61999), "==", 0, "not again");
	cmp_ok(hear(62000), "==", FRAME_START, "before 2 s");
	say_state(62000, SESSION, state(PHASE_RUNNING, 1, bundle.total));
	is(controller_side_state_name(side.state), "Started", "until it has started");
	cmp_ok(hear(64000), "==", 0, "then no more");
	say_state(64000, SESSION, state(PHASE_RECEIVED, 0, bundle.total));
	cmp_ok(side.drops[DROP_STALE], "==", 1, "a STATE of before is dropped");
	is(controller_side_state_name(side.state), "Started", "and changes nothing");
}

static void an_upload_can_be_lost_again(void)
{
	uploaded();
	controller_side_start(&side, 0);
	hear(0);
	say_error(0, PROTO_NOT_RECEIVED, SESSION);
	is(controller_side_state_name(side.state), "Uploading", "START too early uploads again");
	cmp_ok(hear(0), "==", FRAME_OFFER, "from OFFER on");
	say_error(0, PROTO_HASH_MISMATCH, SESSION);
	cmp_ok(hear(0), "==", FRAME_OFFER, "so does a wrong hash");
	say_error(0, PROTO_HASH_MISMATCH, SESSION);
	is(controller_side_state_name(side.state), "Failed", "but not for ever");
	cmp_ok(side.refusal, "==", PROTO_HASH_MISMATCH, "and the failure says why");
	uploaded();
	say_state(0, SESSION, state(PHASE_RECEIVING, 0, 0));
	is(controller_side_state_name(side.state), "Uploading", "a STATE can say so as well");
	greeted(PHASE_RUNNING, 1, 0);
	say_error(0, PROTO_NOT_RECEIVED, SESSION);
	is(controller_side_state_name(side.state), "Started", "after START it is an old story");
	cmp_ok(side.drops[DROP_STALE], "==", 1, "which is counted");
}

static void broken_payloads_are_dropped(void)
{
	static const uint8_t types[] = {FRAME_HELLO, FRAME_STATE, FRAME_ERROR};

	uploaded();
	for (size_t i = 0; i < sizeof(types); i++) {
		say(0, SESSION, types[i], 0, bundle_bytes, 9);
		cmp_ok(side.drops[DROP_PAYLOAD], "==", i + 1, "%s", proto_frame_name(types[i]));
	}
	is(controller_side_state_name(side.state), "Uploaded", "and change nothing");
}

static void errors_end_it(void)
{
	static const uint16_t fatal[] = {PROTO_WRONG_RUN,  PROTO_TOO_LARGE,   PROTO_ALREADY_STARTED,
					 PROTO_BAD_BUNDLE, PROTO_UNSUPPORTED, 999};

	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++) {
		uploaded();
		say_error(0, fatal[i], SESSION);
		cmp_ok(side.failure, "==", CONTROLLER_REFUSED, "%s", proto_error_name(fatal[i]));
		cmp_ok(side.refusal, "==", fatal[i], "which is kept");
	}
	uploaded();
	say_error(0, PROTO_LOWER_SESSION, SESSION);
	is(controller_side_state_name(side.state), "Uploaded", "nobody is outranked by himself");
	say_error(0, PROTO_LOWER_SESSION, 77);
	is(controller_side_state_name(side.state), "Outranked",
	   "a higher session holds the runner");
	cmp_ok(side.outranked_by, "==", 77, "and is named");
	controller_side_release(&side);
	cmp_ok(hear(0), "==", 0, "nothing more is said to it");
}

/* --- The outcome */

static void pull_to(uint64_t end)
{
	while (side.got < end) {
		uint64_t left = end - side.got;

		say(0, SESSION, FRAME_DOWNLOAD, side.got, outcome_bytes + side.got,
		    left < FRAME_PAYLOAD_MAX ? (size_t)left : FRAME_PAYLOAD_MAX);
		if (news.outcome.n == 0)
			return;
	}
}

static void an_outcome_is_pulled_piece_by_piece(void)
{
	struct payload_get get;

	greeted(PHASE_DONE, 1, 0);
	is(controller_side_state_name(side.state), "Sealed", "it waits for leave");
	cmp_ok(hear(60000), "==", 0, "as long as it takes");
	controller_side_pull(&side, 0);
	cmp_ok(hear(0), "==", FRAME_GET, "then asks");
	ok(payload_get_get(heard.payload, &get) && get.length == 61440 && heard.offset == 0,
	   "for four whole frames");
	say(0, SESSION, FRAME_DOWNLOAD, 15360, outcome_bytes, 100);
	cmp_ok(news.outcome.n, "==", 0, "bytes out of order are dropped");
	pull_to(15360);
	ok(news.outcome.n == 15360 && news.outcome_offset == 0, "bytes in order are handed on");
	cmp_ok(hear(1999), "==", 0, "the rest is waited for");
	cmp_ok(hear(2000), "==", FRAME_GET, "for 2 s");
	cmp_ok(heard.offset, "==", 15360, "then asked for from there");
	pull_to(15360 + 61440);
	cmp_ok(hear(0), "==", FRAME_GET, "what is complete leads to the next");
	ok(payload_get_get(heard.payload, &get) && get.length == 100000 - 76800, "up to the end");
	pull_to(sizeof(outcome_bytes));
	is(controller_side_state_name(side.state), "Pulled", "all of it, and the hash fits");
	cmp_ok(controller_side_deadline(&side) == CONTROLLER_NEVER, "==", 1, "that is all");
	controller_side_release(&side);
	cmp_ok(controller_side_deadline(&side) == INT64_MIN, "==", 1, "but for the last word");
	cmp_ok(hear(0), "==", FRAME_RELEASE, "RELEASE is said");
	cmp_ok(hear(0), "==", 0, "once");
}

static void a_false_outcome_is_not_believed(void)
{
	struct payload_state lie;

	greeted(PHASE_DONE, 1, 0);
	controller_side_pull(&side, 0);
	outcome_bytes[5] ^= 1;
	pull_to(sizeof(outcome_bytes));
	outcome_bytes[5] ^= 1;
	cmp_ok(side.failure, "==", CONTROLLER_OUTCOME_CORRUPT, "another byte, another hash");

	greeted(PHASE_DONE, 1, 0);
	controller_side_pull(&side, 0);
	pull_to(sizeof(outcome_bytes) - 1);
	say(0, SESSION, FRAME_DOWNLOAD, side.got, outcome_bytes, 2);
	cmp_ok(side.drops[DROP_PAYLOAD], "==", 1, "more bytes than announced are dropped");
	say(0, SESSION, FRAME_DOWNLOAD, side.got, outcome_bytes, 0);
	cmp_ok(side.drops[DROP_PAYLOAD], "==", 2, "so is DATA without bytes");

	greeted(PHASE_DONE, 1, 0);
	lie = state(PHASE_DONE, 1, 0);
	lie.outcome_sha256[0] ^= 1;
	say_state(0, SESSION, lie);
	cmp_ok(side.failure, "==", CONTROLLER_CONTRADICTION, "a sealed outcome never changes");

	greeted(PHASE_RUNNING, 1, 0);
	lie = state(PHASE_DONE, 1, 0);
	lie.outcome_length++;
	say_state(0, SESSION, lie);
	cmp_ok(side.failure, "==", CONTROLLER_OUTCOME_TOO_LARGE, "nor is it larger than allowed");

	greeted(PHASE_RUNNING, 1, 0);
	say(0, SESSION, FRAME_DOWNLOAD, 0, outcome_bytes, 100);
	cmp_ok(side.drops[DROP_STALE], "==", 1, "nor does it come before it is asked for");
	say(0, SESSION, FRAME_START, 0, outcome_bytes, 32);
	cmp_ok(side.drops[DROP_TYPE], "==", 1, "and a runner does not give orders");
}

static void a_broadcast_is_taken(void)
{
	attaching();
	controller_side_pull(&side, 0);
	say_hello(0, 0, hello(PHASE_DONE));
	say_state(0, 0, state(PHASE_DONE, 1, 0));
	is(controller_side_state_name(side.state), "Pulling", "from a runner that is done");
	while (side.state == CONTROLLER_PULLING)
		say(0, 0, FRAME_DOWNLOAD, side.got, outcome_bytes + side.got, 10000);
	is(controller_side_state_name(side.state), "Pulled", "to the end");
}

/* --- Silence, re-attach, CANCEL */

static void silence_is_judged_when_something_is_due(void)
{
	greeted(PHASE_RUNNING, 1, 0);
	cmp_ok(controller_side_deadline(&side), "==", CONTROLLER_SILENCE_MS,
	       "a run says something");
	say_state(10000, SESSION, state(PHASE_RUNNING, 1, 0));
	cmp_ok(hear(39999), "==", 0, "within 30 s");
	is(controller_side_state_name(side.state), "Started", "of the last sign");
	say_state(39999, 9, state(PHASE_RUNNING, 1, 0));
	cmp_ok(hear(40000), "==", 0, "what answers others is no sign");
	is(controller_side_state_name(side.state), "Stalled", "then it has stalled");
	controller_side_attach(&side, 40000, SESSION + 1);
	cmp_ok(hear(40000), "==", FRAME_ATTACH, "a new connection attaches anew");
	cmp_ok(heard.session, "==", SESSION + 1, "with a higher session");
	uploaded();
	cmp_ok(hear(1000000), "==", 0, "whoever waits for leave");
	is(controller_side_state_name(side.state), "Uploaded", "does not wait for the runner");
	attaching();
	while (side.state == CONTROLLER_ATTACHING)
		hear(controller_side_deadline(&side));
	is(controller_side_state_name(side.state), "Stalled", "one who never answers stalls too");
}

static void a_reattach_goes_on_with_the_download(void)
{
	greeted(PHASE_DONE, 1, 0);
	controller_side_pull(&side, 0);
	pull_to(30720);
	controller_side_attach(&side, 0, SESSION + 1);
	say_hello(0, SESSION + 1, hello(PHASE_DONE));
	say_state(0, SESSION + 1, state(PHASE_DONE, 1, 0));
	cmp_ok(hear(0), "==", FRAME_GET, "it asks");
	cmp_ok(heard.offset, "==", 30720, "from where it was");
}

static void cancel_takes_precedence(void)
{
	uploaded();
	controller_side_start(&side, 0);
	controller_side_cancel(&side, 0, 700);
	cmp_ok(hear(0), "==", FRAME_CANCEL, "it goes at once");
	cmp_ok(hear(0), "==", 0, "START does not go any more");
	cmp_ok(hear(2000), "==", FRAME_CANCEL, "it is repeated");
	controller_side_cancel(&side, 2000, 1);
	cmp_ok(hear(2000), "==", 0, "asking twice is asking once");
	say_state(2000, SESSION, state(PHASE_DONE, 0, bundle.total));
	is(controller_side_state_name(side.state), "Cancelled", "nothing ran");
	cmp_ok(hear(9000), "==", 0, "and nothing more is said");
	greeted(PHASE_RUNNING, 1, 0);
	controller_side_cancel(&side, 0, 700);
	cmp_ok(hear(0), "==", FRAME_CANCEL, "a run is stopped");
	say_state(0, SESSION, state(PHASE_DONE, 1, 0));
	is(controller_side_state_name(side.state), "Sealed", "and has an outcome");
	cmp_ok(hear(9000), "==", 0, "it is not cancelled again");
	greeted(PHASE_READY, 0, 0);
	controller_side_cancel(&side, 100000, 0);
	cmp_ok(hear(100000), "==", FRAME_CANCEL, "also before an upload, however late");
	cmp_ok(hear(130000), "==", 0, "and silence");
	is(controller_side_state_name(side.state), "Stalled", "counts from there");
}

int main(void)
{
	memset(bundle_bytes, 'b', sizeof(bundle_bytes));
	memset(outcome_bytes, 'o', sizeof(outcome_bytes));
	object_add(&bundle, (struct str){bundle_bytes, sizeof(bundle_bytes)});
	object_seal(&bundle);
	sha256(outcome_bytes, sizeof(outcome_bytes), outcome_hash);
	attach_repeats_until_hello_and_state();
	who_answers_matters();
	a_greeting_leads_anywhere();
	leave_can_come_early();
	an_upload_ends_with_a_state_after_offer();
	start_repeats_until_it_is_done();
	an_upload_can_be_lost_again();
	broken_payloads_are_dropped();
	errors_end_it();
	an_outcome_is_pulled_piece_by_piece();
	a_false_outcome_is_not_believed();
	a_broadcast_is_taken();
	silence_is_judged_when_something_is_due();
	a_reattach_goes_on_with_the_download();
	cancel_takes_precedence();
	done_testing();
}
