/*
 * err: how every operation of ours reports a failure.
 *
 * A function that can fail at run time returns 0, or -1 with the reason in a `struct err` that the
 * caller owns (usually on its stack) and passes last:
 *
 *	struct err err;
 *	if (config_load(&config, path, &err) < 0)
 *		return err_wrap(&err, "loading %s", path);
 *
 * Rules:
 * - On success the struct is not touched; on failure the function's other outputs are not touched.
 * - Code switches on `code` (and on http_status where the answer of the API server matters), never
 *   on the message, which is for people.
 * - The layer that decides what to do logs, once. Layers below only return.
 * - A message holds no secret and no user code. It is cut, never overflowed.
 *
 * A programmer's mistake is no failure in this sense: it is an assert, which stays on in releases.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/* Bytes of a message with its NUL. Long enough for a Kubernetes name path and a sentence. */
#define ERR_MESSAGE_SIZE 512

/* X(constant, name in logs): what kind of failure it is, as far as code has to tell them apart. */
#define ERR_CODES(X)                                                                             \
	X(ERR_INVALID, "Invalid")    /* the input breaks a rule: repeating it can't help */      \
	X(ERR_TOO_LARGE, "TooLarge") /* the input or the answer is over a named limit */         \
	X(ERR_NOT_FOUND, "NotFound") /* no such object, file or entry */                         \
	X(ERR_ALREADY_EXISTS, "AlreadyExists") /* a create met an object of that name */         \
	X(ERR_CONFLICT, "Conflict") /* a precondition failed: read again, then decide */         \
	X(ERR_GONE, "Gone")	    /* a resourceVersion or continue token is too old: relist */ \
	X(ERR_UNAUTHORIZED, "Unauthorized") /* the credentials were not accepted */              \
	X(ERR_FORBIDDEN, "Forbidden") /* the credentials don't allow it, or admission refused */ \
	X(ERR_THROTTLED, "Throttled") /* repeat after retry_after_ms */                          \
	X(ERR_UNAVAILABLE,                                                                       \
	  "Unavailable")	      /* the other side can't serve now: repeat with back-off */ \
	X(ERR_TIMEOUT, "Timeout")     /* no answer in time: whether it happened is unknown */    \
	X(ERR_TRANSPORT, "Transport") /* connection refused, reset, TLS: unknown as well */      \
	X(ERR_PROTOCOL, "Protocol")   /* the other side broke the protocol */                    \
	X(ERR_IO, "IO")		      /* a local system call failed; the message has errno's text */

enum err_code {
#define X(constant, name) constant,
	ERR_CODES(X)
#undef X
};

struct err {
	enum err_code code;
	int http_status;    /* of the API server's answer, 0 when there was none */
	int retry_after_ms; /* how long the server asked us to wait, 0 when it did not */
	char message[ERR_MESSAGE_SIZE];
};

/* Fills `err` and returns -1, so that `return err_set(err, …)` is a whole failure path. */
int err_set(struct err *err, enum err_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Like err_set with ERR_IO, followed by ": " and the text of `errno_value`. */
int err_set_errno(struct err *err, int errno_value, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "what: " before the message that is there, keeping everything else; returns -1. */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name of a code as it stands in logs, for instance "NotFound". */
const char *err_code_name(enum err_code code);

#endif
