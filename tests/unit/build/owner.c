#include "build/owner.h"

#include "base/buf.h"
#include "build/out.h"

#include "tap.h"

static void a_task_owns_and_controls_without_blocking(void)
{
	struct buf text;
	struct out o;
	struct err err;

	buf_init(&text, 1000);
	out_init(&o, &text);
	out_open(&o, NULL);
	owner_write(&o, STR("mean"), STR("11111111-2222-3333-4444-555555555555"));
	out_close(&o);
	ok(out_finish(&o, &err) == 0, "it is whole");
	is(text.data,
	   "{\"ownerReferences\":[{\"apiVersion\":\"sandboxtask.io/v1beta1\","
	   "\"blockOwnerDeletion\":false,\"controller\":true,\"kind\":\"SandboxTask\","
	   "\"name\":\"mean\",\"uid\":\"11111111-2222-3333-4444-555555555555\"}]}",
	   "the owner is the task, by name and UID");
	buf_free(&text);
}

int main(void)
{
	a_task_owns_and_controls_without_blocking();
	done_testing();
}
