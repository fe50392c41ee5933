#include "err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void err_reset(struct err *err, enum err_code code)
{
	err->code = code;
	err->http_status = 0;
	err->retry_after_ms = 0;
}

/* Shows that a message was cut by ending it with three dots. */
static void mark_if_cut(struct err *err, int length_wanted)
{
	if (length_wanted >= ERR_MESSAGE_SIZE)
		memcpy(err->message + ERR_MESSAGE_SIZE - 4, "...", 4);
}

int err_set(struct err *err, enum err_code code, const char *format, ...)
{
	va_list args;
	int length;

	err_reset(err, code);
	va_start(args, format);
	length = vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	mark_if_cut(err, length);
	return -1;
}

int err_set_errno(struct err *err, int errno_value, const char *format, ...)
{
	char what[ERR_MESSAGE_SIZE];
	va_list args;
	int length;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	err_reset(err, ERR_IO);
	length =
		snprintf(err->message, sizeof(err->message), "%s: %s", what, strerror(errno_value));
	mark_if_cut(err, length);
	return -1;
}

int err_wrap(struct err *err, const char *format, ...)
{
	char cause[ERR_MESSAGE_SIZE], what[ERR_MESSAGE_SIZE];
	va_list args;
	int length;

	memcpy(cause, err->message, sizeof(cause));
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	length = snprintf(err->message, sizeof(err->message), "%s: %s", what, cause);
	mark_if_cut(err, length);
	return -1;
}

const char *err_code_name(enum err_code code)
{
	switch (code) {
#define X(constant, name) \
	case constant: return name;
		ERR_CODES(X)
#undef X
	}
	assert(!"an err_code outside the table");
	return "";
}
