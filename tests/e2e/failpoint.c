/*
 * Puts failpoint_io between the shipped controller and its io, without a change in either: this
 * file and the controller's own objects, main included, are linked with --wrap, so that the calls
 * of uv_io_new and uv_io_delete come here. The environment variable FAILPOINT says the moment.
 */
#include "failpoint_io.h"

#include "base/mem.h"
#include "kube/uv_io.h"

#include <stdlib.h>

/* The names are the linker's. */
struct io *__real_uv_io_new(uv_loop_t *loop, const char *user_agent);
void __real_uv_io_delete(struct io *io);
struct io *__wrap_uv_io_new(uv_loop_t *loop, const char *user_agent);
void __wrap_uv_io_delete(struct io *io);

struct io *__wrap_uv_io_new(uv_loop_t *loop, const char *user_agent)
{
	struct failpoint_io *failpoint = mem_new(1, sizeof(*failpoint));
	const char *moment = getenv("FAILPOINT");

	failpoint_io_init(failpoint, __real_uv_io_new(loop, user_agent), moment ? moment : "");
	return &failpoint->io;
}

void __wrap_uv_io_delete(struct io *io)
{
	struct failpoint_io *failpoint = (struct failpoint_io *)io;

	if (!failpoint)
		return;
	__real_uv_io_delete(failpoint->real);
	free(failpoint);
}
