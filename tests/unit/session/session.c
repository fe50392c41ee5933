#include "session/session.h"

#include "sandbox.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void test_whole_run(void)
{
	struct sandbox *s = sandbox_new();
	struct owner o;

	sandbox_ready(s);
	owner_init(&o, s);
	owner_attach(&o);
	sandbox_run(s, 10000);
	is(session_state_name(o.report.state), "Released", "a run goes through to its end");
	cmp_ok(s->starts, "==", 1, "it is started once");
	cmp_ok(s->releases, "==", 1, "and released once");
	owner_free(&o);
	sandbox_delete(s);
}

int main(void)
{
	test_whole_run();
	done_testing();
}
