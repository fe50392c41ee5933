/* A session wherever a run can be disturbed: cut off, blocked, deleted, displaced, crowded. */
#include "session/session.h"

#include "sandbox.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define LONG_ENOUGH_MS 300000
#define CHUNK_BYTES    10000 /* more messages, so more places to fail at */

static struct sandbox *s;
static struct owner o;

static void begin(void)
{
	s = sandbox_new();
	s->chunk_bytes = CHUNK_BYTES;
	owner_init(&o, s);
	sandbox_ready(s);
}

static void end(void)
{
	owner_free(&o);
	sandbox_delete(s);
}

/* How many messages a run without faults takes. */
static unsigned count_messages(void)
{
	unsigned messages;

	begin();
	owner_attach(&o);
	sandbox_run(s, LONG_ENOUGH_MS);
	messages = s->messages;
	end();
	return messages;
}

/* It came to its end, with everything, and ran once. */
static bool is_right(void)
{
	return o.report.state == SESSION_IS_RELEASED && s->model.starts == 1 && s->hub.turns == 0 &&
	       o.report.outcome && o.report.bundle_is_checked &&
	       o.report.outcome->streams[STREAM_STDOUT].total ==
		       s->model.outcome.streams[STREAM_STDOUT].total;
}

static void test_cut_at_every_message(void)
{
	unsigned messages = count_messages(), right = 0;

	for (unsigned at = 1; at <= messages; at++) {
		begin();
		s->cut_at = at;
		owner_attach(&o);
		sandbox_run(s, LONG_ENOUGH_MS);
		right += is_right();
		if (!is_right())
			diag("cut at message %u: %s", at, session_state_name(o.report.state));
		end();
	}
	cmp_ok(right, "==", messages, "cut at any of %u messages, a run goes through", messages);
}

static void test_block_at_every_message(void)
{
	unsigned sends, right = 0;

	begin();
	owner_attach(&o);
	sandbox_run(s, LONG_ENOUGH_MS);
	sends = s->ws.sends;
	end();
	for (unsigned at = 1; at <= sends; at++) {
		begin();
		s->ws.block_at = at;
		owner_attach(&o);
		sandbox_run(s, LONG_ENOUGH_MS);
		right += is_right() && s->ws.count == 1;
		end();
	}
	cmp_ok(right, "==", sends,
	       "with any of %u messages refused for a moment, it goes through on one connection",
	       sends);
}

/* --- Deletion, in every callback and between them. */

static void delete_owner(void *context)
{
	owner_free(context);
}

static void test_delete_everywhere(void)
{
	unsigned messages = count_messages(), changes, quiet = 0;

	begin();
	owner_attach(&o);
	sandbox_run(s, LONG_ENOUGH_MS);
	changes = o.changes;
	end();
	for (unsigned at = 1; at <= changes; at++) {
		begin();
		o.delete_at = at;
		owner_attach(&o);
		sandbox_run(s, LONG_ENOUGH_MS);
		quiet += !o.session && o.changes == at && s->hub.turns == 0;
		end();
	}
	cmp_ok(quiet, "==", changes, "deleted in any of %u changes, it says nothing more", changes);
	quiet = 0;
	for (unsigned at = 1; at <= messages; at++) {
		begin();
		s->hook_at = at;
		s->hook = delete_owner;
		s->hook_context = &o;
		owner_attach(&o);
		sandbox_run(s, LONG_ENOUGH_MS);
		quiet += !o.session && s->hub.turns == 0 && fake_io_next_timer(&s->fake) == -1;
		end();
	}
	cmp_ok(quiet, "==", messages, "deleted before any of %u messages, nothing is left",
	       messages);
	begin();
	owner_attach(&o);
	end();
	pass("deleted at once");
	session_delete(NULL);
	pass("NULL is deleted");
}

/* --- Two that both think they lead. */

static struct owner rival;

static void attach_rival(void *context)
{
	owner_attach(context);
}

static void test_fights(void)
{
	unsigned messages = count_messages() - 1, right = 0, once = 0;

	for (unsigned at = 2; at <= messages; at++) {
		begin();
		owner_init(&rival, s);
		rival.config.number = SANDBOX_NUMBER + SESSION_NUMBERS;
		s->hook_at = at;
		s->hook = attach_rival;
		s->hook_context = &rival;
		owner_attach(&o);
		sandbox_run(s, LONG_ENOUGH_MS);
		right += rival.report.state == SESSION_IS_RELEASED &&
			 (o.report.state == SESSION_IS_DISPLACED ||
			  o.report.state == SESSION_IS_RELEASED ||
			  o.report.state == SESSION_IS_PULLED);
		if (rival.report.state != SESSION_IS_RELEASED)
			diag("at message %u: %s and %s", at, session_state_name(o.report.state),
			     session_state_name(rival.report.state));
		once += s->model.starts == 1;
		owner_free(&rival);
		end();
	}
	cmp_ok(right, "==", messages - 1,
	       "whenever a higher session comes, it wins and the lower stands down");
	cmp_ok(once, "==", messages - 1, "and the run is started once");
}

static void test_lower_rival(void)
{
	unsigned connections;

	begin();
	o.is_passive = true;
	owner_attach(&o);
	sandbox_run(s, 1000);
	owner_init(&rival, s);
	rival.config.number = SANDBOX_NUMBER - SESSION_NUMBERS;
	owner_attach(&rival);
	sandbox_run(s, 5000);
	is(session_state_name(rival.report.state), "Displaced", "a lower session stands down");
	cmp_ok(rival.report.outranked_by, "==", SANDBOX_NUMBER, "and knows for which");
	cmp_ok(rival.report.number, "==", SANDBOX_NUMBER - SESSION_NUMBERS,
	       "it has not raised its number to win");
	is(session_state_name(o.report.state), "Ready", "the higher one has noticed nothing");
	connections = (unsigned)s->ws.count;
	sandbox_run(s, LONG_ENOUGH_MS);
	cmp_ok(s->ws.count, "==", connections, "and it does not come again");
	owner_free(&rival);
	end();
}

/* --- Turns. */

static struct hub_turn others[2];

static void ignore(void *context)
{
	(void)context;
}

static void take_all_turns(void)
{
	for (int i = 0; i < 2; i++) {
		hub_turn_init(&others[i], ignore, NULL);
		hub_ask(&s->hub, &others[i]);
	}
}

static void give_turns_back(void)
{
	for (int i = 0; i < 2; i++)
		hub_leave(&s->hub, &others[i]);
}

static void test_turns(void)
{
	begin();
	take_all_turns();
	owner_attach(&o);
	sandbox_run(s, 100000);
	is(session_state_name(o.report.state), "Uploading", "while others transfer, it waits");
	cmp_ok(s->model.side.total, "==", 0, "and has offered nothing");
	cmp_ok(s->ws.count, "==", 1, "on a connection that is kept");
	give_turns_back();
	sandbox_run(s, 2000);
	is(session_state_name(o.report.state), "Running", "then it is its turn");
	take_all_turns();
	sandbox_run(s, 100000);
	is(session_state_name(o.report.state), "Pulling", "for the way back it waits again");
	fake_ws_end(fake_ws_last(&s->ws), (struct fake_end){.code = ERR_TRANSPORT});
	sandbox_run(s, 100000);
	is(session_state_name(o.report.state), "Connecting",
	   "cut off then, it attaches when it is its turn");
	cmp_ok(s->ws.count, "==", 1, "and not before");
	give_turns_back();
	sandbox_run(s, 2000);
	ok(is_right(), "and goes through");
	end();

	begin();
	take_all_turns();
	owner_attach(&o);
	sandbox_run(s, 1000);
	owner_free(&o);
	give_turns_back();
	cmp_ok(s->hub.turns, "==", 0, "one that is deleted while it waits is passed over");
	end();
}

static void test_turn_without_connection(void)
{
	begin();
	s->lost_over = 1000;
	owner_attach(&o);
	sandbox_run(s, 1000);
	cmp_ok(s->hub.turns, "==", 1, "an upload is under way");
	s->refuses = true;
	s->refusal = (struct fake_end){.code = ERR_TRANSPORT};
	fake_ws_end(fake_ws_last(&s->ws), (struct fake_end){.code = ERR_TRANSPORT});
	cmp_ok(s->hub.turns, "==", 0, "cut off, it is others' turn");
	end();
}

/* It may take as long as the runner's budget: others transfer meanwhile. */
static void test_turn_of_a_mute_runner(void)
{
	int64_t held_ms = 0;

	begin();
	s->lost_over = 1000;
	owner_attach(&o);
	sandbox_run(s, 1000);
	cmp_ok(s->hub.turns, "==", 1, "an upload is under way");
	session_bear_silence(o.session, s->fake.now_ms + LONG_ENOUGH_MS);
	s->is_mute = true;
	for (int64_t ms = 0; ms < LONG_ENOUGH_MS; ms += 1000) {
		sandbox_run(s, 1000);
		held_ms += s->hub.turns > 0 ? 1000 : 0;
	}
	ok(held_ms < 3 * CONTROLLER_SILENCE_MS,
	   "a runner that falls silent in mid-upload has the turn for two connections at most");
	take_all_turns();
	s->is_mute = false;
	s->lost_over = 0;
	sandbox_run(s, 60000);
	is(session_state_name(o.report.state), "Uploading",
	   "when it answers, it waits for another");
	give_turns_back();
	sandbox_run(s, 20000);
	ok(is_right(), "and goes through");
	end();
}

static void test_upload_that_begins_again(void)
{
	uint8_t payload[payload_error_bytes];
	unsigned sends;

	begin();
	o.is_passive = true;
	owner_attach(&o);
	session_upload(o.session, &s->bundle_object);
	sandbox_run(s, 1000);
	is(session_state_name(o.report.state), "Received", "a bundle is received");
	take_all_turns();
	sends = s->ws.sends;
	payload_put_error(payload, &(struct payload_error){.code = PROTO_NOT_RECEIVED});
	sandbox_say(s, SANDBOX_NUMBER, FRAME_ERROR, 0, payload, sizeof(payload));
	sandbox_run(s, 20000);
	is(session_state_name(o.report.state), "Uploading", "then it is not: once more");
	cmp_ok(s->ws.sends, "==", sends, "but not before it is its turn");
	give_turns_back();
	sandbox_run(s, 1000);
	is(session_state_name(o.report.state), "Received", "which then comes");
	end();
}

/* Nobody pulls the outcome yet. */
static void run_to_the_end(void)
{
	begin();
	o.is_passive = true;
	owner_attach(&o);
	session_upload(o.session, &s->bundle_object);
	session_start(o.session);
	sandbox_run(s, 10000);
}

static void test_pull_while_attaching(void)
{
	run_to_the_end();
	s->is_mute = true;
	fake_ws_end(fake_ws_last(&s->ws), (struct fake_end){.code = ERR_TRANSPORT});
	sandbox_run(s, 1000);
	take_all_turns();
	session_pull(o.session);
	sandbox_run(s, 1000);
	s->is_mute = false;
	sandbox_run(s, 1000);
	is(session_state_name(o.report.state), "Pulling", "attaching goes on while it waits");
	ok(!o.report.outcome, "but nothing is pulled");
	give_turns_back();
	sandbox_run(s, 1000);
	is(session_state_name(o.report.state), "Pulled", "until it is its turn");
	end();
}

static void test_slow_transfers(void)
{
	begin();
	s->lost_over = 1000;
	owner_attach(&o);
	sandbox_run(s, 80000);
	is(session_state_name(o.report.state), "Uploading", "an upload may take its time");
	cmp_ok(s->hub.turns, "==", 1, "which is its turn");
	sandbox_run(s, 600000);
	is(session_state_name(o.report.state), "Failed", "but not every turn, again and again");
	is(session_failure_name(o.report.failure), "RunnerFailed", "the runner is to blame");
	is(o.report.text, "the runner was too slow with a transfer, 3 times", "and that is said");
	cmp_ok(s->hub.turns, "==", 0, "others have the turn");
	end();
}

/* --- An end that comes in the moment in which the turn has lasted too long. */

/* Says bytes of the outcome, from `from` to before `to`. */
static void say_outcome(uint64_t from, uint64_t to)
{
	while (from < to) {
		size_t most =
			to - from < FRAME_PAYLOAD_MAX ? (size_t)(to - from) : FRAME_PAYLOAD_MAX;
		struct str bytes = object_at(&s->model.outcome_object, from, most);

		sandbox_say(s, SANDBOX_NUMBER, FRAME_DOWNLOAD, from, bytes.p, bytes.n);
		from += bytes.n;
	}
}

/* A pull in which ten bytes are missing still when its turn is over, before that is noticed. */
static void pull_until_overdue(void)
{
	uint64_t total;

	run_to_the_end();
	total = s->model.outcome_object.total;
	s->is_mute = true;
	session_pull(o.session);
	sandbox_run(s, 0);
	say_outcome(0, total - 20);
	/* A byte now and then, the last one so that nothing is due before the turn is over. */
	for (uint64_t i = 20; i > 10; i--) {
		sandbox_run(s, i > 11 ? SESSION_TURN_MS / 10 : SESSION_TURN_MS / 10 - 1000);
		say_outcome(total - i, total - i + 1);
	}
	sandbox_run(s, 1500);
	session_report(o.session, &o.report);
}

static void say_last_bytes(void)
{
	uint64_t total = s->model.outcome_object.total;

	say_outcome(total - 10, total);
}

static void say_hello_of_another(void)
{
	uint8_t payload[payload_hello_bytes];

	payload_put_hello(payload, &(struct payload_hello){.version = 1, .attempt = 2});
	sandbox_say(s, SANDBOX_NUMBER, FRAME_HELLO, 0, payload, sizeof(payload));
}

static void say_outranked(void)
{
	uint8_t payload[payload_error_bytes];

	payload_put_error(payload, &(struct payload_error){PROTO_LOWER_SESSION, UINT64_MAX});
	sandbox_say(s, SANDBOX_NUMBER, FRAME_ERROR, 0, payload, sizeof(payload));
}

static void test_ends_when_overdue(void)
{
	static const struct {
		const char *name;
		void (*say)(void);
		const char *state;
	} rows[] = {
		{"the last bytes", say_last_bytes, "Pulled"},
		{"word from another run", say_hello_of_another, "Failed"},
		{"a higher session", say_outranked, "Displaced"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pull_until_overdue();
		is(session_state_name(o.report.state), "Pulling",
		   "a pull lasts longer than its turn");
		rows[i].say();
		s->is_mute = false;
		sandbox_run(s, LONG_ENOUGH_MS);
		is(session_state_name(o.report.state), rows[i].state,
		   "%s, come in that moment, are the end", rows[i].name);
		cmp_ok(s->ws.count, "==", 1, "and nobody attaches again");
		end();
	}
}

int main(void)
{
	test_cut_at_every_message();
	test_block_at_every_message();
	test_delete_everywhere();
	test_fights();
	test_lower_rival();
	test_turns();
	test_turn_without_connection();
	test_turn_of_a_mute_runner();
	test_upload_that_begins_again();
	test_pull_while_attaching();
	test_slow_transfers();
	test_ends_when_overdue();
	done_testing();
}
