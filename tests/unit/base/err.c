#include "base/err.h"

#include "tap.h"

#include <errno.h>
#include <string.h>

static int open_that_fails(struct err *err)
{
	return err_set_errno(err, ENOENT, "opening %s", "/etc/none");
}

static int load_that_fails(struct err *err)
{
	if (open_that_fails(err) < 0)
		return err_wrap(err, "loading the configuration");
	return 0;
}

static void a_failure_carries_code_and_message(void)
{
	struct err err = {.http_status = 500, .retry_after_ms = 7};

	cmp_ok(err_set(&err, ERR_NOT_FOUND, "no task %s/%s", "ns", "a"), "==", -1,
	       "set returns -1");
	cmp_ok(err.code, "==", ERR_NOT_FOUND, "the code is kept");
	is(err.message, "no task ns/a", "the message is formatted");
	cmp_ok(err.http_status, "==", 0, "an old HTTP status does not survive");
	cmp_ok(err.retry_after_ms, "==", 0, "an old retry-after does not survive");
}

static void wrapping_adds_what_was_being_done(void)
{
	struct err err;

	cmp_ok(load_that_fails(&err), "==", -1, "wrap returns -1");
	cmp_ok(err.code, "==", ERR_IO, "wrapping keeps the code");
	is(err.message, "loading the configuration: opening /etc/none: No such file or directory",
	   "outermost first, errno's text last");
}

static void a_long_message_is_cut_and_says_so(void)
{
	struct err err;
	char text[2 * ERR_MESSAGE_SIZE];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, ERR_INVALID, "%s", text);
	cmp_ok(strlen(err.message), "==", ERR_MESSAGE_SIZE - 1, "the message fills its room");
	like(err.message, "xxx\\.\\.\\.$", "and ends with three dots");
	text[ERR_MESSAGE_SIZE - 1] = '\0';
	err_set(&err, ERR_INVALID, "%s", text);
	like(err.message, "x$", "a message that just fits is not marked");
	err_wrap(&err, "reading");
	like(err.message, "^reading: x+\\.\\.\\.$", "wrapping cuts at the end, not at the front");
}

static void every_code_has_a_name(void)
{
	is(err_code_name(ERR_INVALID), "Invalid", "the first of the table");
	is(err_code_name(ERR_IO), "IO", "the last of the table");
}

int main(void)
{
	a_failure_carries_code_and_message();
	wrapping_adds_what_was_being_done();
	a_long_message_is_cut_and_says_so();
	every_code_has_a_name();
	done_testing();
}
