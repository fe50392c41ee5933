/* curl's callbacks forbid what ours allow: cancelling, starting, deleting, from inside any of them.
 */
#include "uv_fixture.h"

#include "tap.h"

#include <signal.h>
#include <unistd.h>

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

static const struct fake_step BYTE_BY_BYTE[] = {EXPECT("\r\n\r\n"), BYTEWISE(OK_HEAD "hello"), END};

static struct io_http_request get(const struct uv_fixture *fixture)
{
	return (struct io_http_request){
		.endpoint = fixture->endpoint, .method = "GET", .target = "/version"};
}

static void cancel_self(struct http_record *record, int nth)
{
	const int *wanted = record->hook_context;

	if (nth != *wanted || !record->handle)
		return;
	record->io->http_cancel(record->io, record->handle);
	record->handle = NULL;
}

static void cancelling_in_any_callback_is_the_end(void)
{
	for (int nth = 1; nth <= 6; nth++) {
		struct http_record record = {.hook = cancel_self, .hook_context = &nth};
		struct uv_fixture fixture;
		struct io_http_request request;

		uv_fixture_open(&fixture, BYTE_BY_BYTE);
		request = get(&fixture);
		http_record_start(&record, fixture.io, &request);
		run_until(&fixture.loop, record.heads + record.datas == nth);
		run_turns(&fixture.loop, 20);
		cmp_ok(record.heads + record.datas, "==", nth,
		       "after a cancel in callback %d nothing comes", nth);
		cmp_ok(record.dones, "==", 0, "done neither");
		http_record_free(&record);
		uv_fixture_close(&fixture);
	}
}

struct pair {
	struct http_record *other;
	int nth;
};

static void cancel_other(struct http_record *record, int nth)
{
	struct pair *pair = record->hook_context;

	if (nth < pair->nth || !pair->other->handle)
		return;
	record->io->http_cancel(record->io, pair->other->handle);
	pair->other->handle = NULL;
	pair->other->heads = pair->other->datas = 0;
}

static void cancelling_another_in_any_callback_is_its_end(void)
{
	for (int nth = 1; nth <= 7; nth++) {
		struct http_record victim = {0}, actor = {.hook = cancel_other};
		struct pair pair = {&victim, nth};
		struct uv_fixture fixture;
		struct io_http_request request;

		uv_fixture_open(&fixture, BYTE_BY_BYTE);
		request = get(&fixture);
		actor.hook_context = &pair;
		http_record_start(&actor, fixture.io, &request);
		http_record_start(&victim, fixture.io, &request);
		run_until(&fixture.loop, actor.dones > 0);
		if (victim.handle)
			cancel_other(&actor, 99);
		run_turns(&fixture.loop, 20);
		is(actor.body.data, "hello", "who cancels another in callback %d goes on", nth);
		cmp_ok(victim.heads + victim.datas, "==", 0, "the other hears nothing more");
		http_record_free(&actor);
		http_record_free(&victim);
		uv_fixture_close(&fixture);
	}
}

struct follower {
	struct http_record record;
	const struct io_http_request *request;
	int nth;
};

static void start_follower(struct http_record *record, int nth)
{
	struct follower *follower = record->hook_context;

	if (nth != follower->nth)
		return;
	http_record_start(&follower->record, record->io, follower->request);
	cmp_ok(follower->record.heads + follower->record.dones, "==", 0,
	       "a start in callback %d calls nothing back", nth);
}

static void starting_in_any_callback_is_fine(void)
{
	for (int nth = 1; nth <= 7; nth++) {
		struct uv_fixture fixture;
		struct io_http_request request;
		struct follower follower = {.request = &request, .nth = nth};
		struct http_record record = {.hook = start_follower, .hook_context = &follower};

		uv_fixture_open(&fixture, BYTE_BY_BYTE);
		fake_server_script(fixture.server, BYTE_BY_BYTE);
		request = get(&fixture);
		request.kind = nth % 2 ? IO_HTTP_CALL : IO_HTTP_WATCH;
		http_record_start(&record, fixture.io, &request);
		run_until(&fixture.loop, record.dones > 0);
		if (follower.record.handle)
			fixture.io->http_cancel(fixture.io, follower.record.handle);
		is(record.body.data, "hello", "the first ends as if nothing were");
		http_record_free(&record);
		http_record_free(&follower.record);
		uv_fixture_close(&fixture);
	}
}

/* Cancels itself and deletes its endpoint, which is then used by nobody. */
static void leave_for_good(struct http_record *record, int nth)
{
	struct follower *follower = record->hook_context;

	if (nth != follower->nth)
		return;
	if (record->handle)
		record->io->http_cancel(record->io, record->handle);
	record->handle = NULL;
	record->io->endpoint_delete(record->io, follower->request->endpoint);
	follower->nth = 0;
}

static void an_endpoint_may_go_in_any_callback(void)
{
	for (int nth = 1; nth <= 7; nth++) {
		struct uv_fixture fixture;
		struct io_http_request request;
		struct follower follower = {.request = &request, .nth = nth};
		struct http_record record = {.hook = leave_for_good, .hook_context = &follower};

		uv_fixture_open(&fixture, BYTE_BY_BYTE);
		request = get(&fixture);
		http_record_start(&record, fixture.io, &request);
		run_until(&fixture.loop, follower.nth == 0);
		run_until(&fixture.loop, !fake_server_seen(fixture.server, 0)->is_open);
		pass("deleted in callback %d: its connections are closed", nth);
		fixture.endpoint = NULL;
		http_record_free(&record);
		uv_fixture_close(&fixture);
	}
}

/* --- The io goes at every turn of an exchange. --- */

static bool are_done(const struct http_record records[3])
{
	return records[0].dones + records[1].dones + records[2].dones == 3;
}

static void an_io_may_be_deleted_at_any_moment(void)
{
	bool was_done = false;
	int turns;

	for (turns = 0; !was_done; turns++) {
		struct http_record records[3] = {0};
		struct uv_fixture fixture;
		struct io_http_request request;
		int calls;

		uv_fixture_open(&fixture, BYTE_BY_BYTE);
		request = get(&fixture);
		for (int i = 0; i < 3; i++) {
			request.kind = i == 2 ? IO_HTTP_WATCH : IO_HTTP_CALL;
			http_record_start(&records[i], fixture.io, &request);
		}
		for (int i = 0; i < turns && !are_done(records); i++)
			uv_run(&fixture.loop, UV_RUN_ONCE);
		was_done = are_done(records);
		calls = records[0].dones + records[0].datas;
		uv_fixture_delete_io(&fixture);
		run_turns(&fixture.loop, 5);
		if (records[0].dones + records[0].datas != calls)
			fail("deleting the io calls something back");
		for (int i = 0; i < 3; i++)
			http_record_free(&records[i]);
		uv_fixture_close(&fixture);
	}
	note("an exchange took %d turns of the loop", turns);
}

int main(void)
{
	alarm(300);
	signal(SIGPIPE, SIG_IGN);
	cancelling_in_any_callback_is_the_end();
	cancelling_another_in_any_callback_is_its_end();
	starting_in_any_callback_is_fine();
	an_endpoint_may_go_in_any_callback();
	an_io_may_be_deleted_at_any_moment();
	done_testing();
}
