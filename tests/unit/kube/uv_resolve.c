#include "kube/uv_resolve.h"

#include "kube/uv_io.h"

#include "tap.h"

#include <string.h>

struct asked {
	int answers;
	struct uv_resolve_answer answer;
	bool failed;
	struct err err;
	struct uv_resolve *handle, **cancels;
};

static void on_answer(void *context, const struct uv_resolve_answer *answer, const struct err *err)
{
	struct asked *asked = context;

	asked->answers++;
	asked->handle = NULL;
	asked->failed = !answer;
	if (answer)
		asked->answer = *answer;
	else
		asked->err = *err;
	if (asked->cancels && *asked->cancels)
		uv_resolve_cancel(*asked->cancels);
}

static void ask(struct io *io, struct asked *asked, const char *host)
{
	asked->handle = uv_resolve_start(uv_io_of(io), host, on_answer, asked);
}

static void addresses_are_told_from_names(void)
{
	ok(uv_resolve_is_address("10.0.0.1"), "IPv4");
	ok(uv_resolve_is_address("::1"), "IPv6");
	ok(uv_resolve_is_address("::ffff:10.0.0.1"), "IPv4 in IPv6");
	ok(!uv_resolve_is_address("[::1]"), "brackets belong to URLs");
	ok(!uv_resolve_is_address("10.0.0"), "too short");
	ok(!uv_resolve_is_address("localhost"), "a name");
	ok(!uv_resolve_is_address(""), "nothing");
}

int main(void)
{
	struct asked numeric = {0}, name = {0}, second = {0}, none = {0}, cancelled = {0};
	uv_loop_t loop;
	struct io *io;

	addresses_are_told_from_names();
	uv_loop_init(&loop);
	io = uv_io_new(&loop, "test");
	ask(io, &numeric, "fd00::7");
	cmp_ok(numeric.answers, "==", 0, "nothing is answered from inside uv_resolve_start");
	ask(io, &name, "localhost");
	ask(io, &second, "localhost");
	ask(io, &none, "no-such-host.invalid");
	ask(io, &cancelled, "localhost");
	uv_resolve_cancel(cancelled.handle);
	uv_run(&loop, UV_RUN_DEFAULT);
	is(numeric.answer.address[0], "fd00::7", "an address is its own answer");
	cmp_ok(name.answers, "==", 1, "a name is answered once");
	ok(strcmp(name.answer.address[0], "127.0.0.1") == 0 ||
		   strcmp(name.answer.address[0], "::1") == 0,
	   "with an address: %s", name.answer.address[0]);
	cmp_ok(second.answer.count, "==", name.answer.count, "all who wait get the same answer");
	ok(none.failed, "a name that is none fails: %s", none.err.message);
	cmp_ok(cancelled.answers, "==", 0, "who cancels hears nothing");

	/* Two wait for one answer, and the first cancels the second. */
	memset(&name, 0, sizeof(name));
	memset(&second, 0, sizeof(second));
	name.cancels = &second.handle;
	ask(io, &name, "localhost.");
	ask(io, &second, "localhost.");
	uv_run(&loop, UV_RUN_DEFAULT);
	cmp_ok(second.answers, "==", 0, "one who waits may be cancelled by another's answer");

	for (char host[] = "a.invalid"; host[0] <= 'z'; host[0]++) {
		ask(io, &none, host);
		uv_resolve_cancel(none.handle);
	}
	pass("more names at once than are kept");
	ask(io, &name, "late.invalid");
	name.cancels = NULL;
	uv_resolve_cancel(name.handle);
	uv_io_delete(io);
	cmp_ok(uv_loop_close(&loop), "==", 0, "with look-ups under way the io can go");
	done_testing();
}
