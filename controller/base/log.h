/*
 * log: one line for each event, in a form that programs read and nobody can forge.
 *
 *	log_info(log, "task finished", log_object("task", namespace, name), log_name("uid", uid),
 *		 log_word("reason", "Completed"), log_int("run_ms", run_ms));
 *
 *	2026-07-01T12:00:00.123Z info "task finished" task=team-a/primes uid=… reason=Completed
 *	run_ms=412
 *
 * What may be logged is decided by types, so that user code, output and secrets don't get in by
 * accident:
 * - The message and the names of fields are literals; anything else does not compile. There is no
 *   format, so nothing can be pasted into a sentence.
 * - Each value is a field of a kind. There is no kind for text as such: a name may only have the
 *   characters and the length of names, and anything else passed as one shows as <123-bytes>. Of
 *   code and output only sizes are logged, with log_int.
 * - An error shows its code, HTTP status and message, in which err.h allows no user code. The
 *   message is quoted, and whatever in it is not printable ASCII is written as \xHH.
 * - A secret shows as ***. Its text is replaced by *** as well wherever it turns up in a value,
 *   whole or cut, plain or escaped (secret.h), once log_hide has made it known.
 *
 * A record has at most LOG_RECORD_BYTES_MAX bytes; fields that don't fit are left out and counted:
 * fields_left_out=2.
 *
 * The layer that decides what to do logs, once; layers below log at debug or not at all.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "err.h"
#include "list.h"
#include "secret.h"
#include "str.h"

#include <stdint.h>

/* With its newline. So much is written to a pipe in one piece (PIPE_BUF). */
#define LOG_RECORD_BYTES_MAX 4096

/* Enough for namespace/name, a file's path, an image's reference. */
#define LOG_NAME_BYTES_MAX 512

enum log_level {
	LOG_DEBUG,   /* for whoever works on the program */
	LOG_INFO,    /* what happened: one record for each transition of a task */
	LOG_WARNING, /* something went wrong and was dealt with */
	LOG_ERROR,   /* somebody should look */
};

typedef int64_t log_clock(void *context); /* microseconds since 1970 */
typedef void log_sink(void *context, enum log_level level, struct str line);

struct log {
	enum log_level lowest; /* records below it are not made */
	log_clock *now_us;
	log_sink *sink; /* takes one record with its newline, valid during the call */
	void *context;	/* of both, borrowed */
	struct list secrets;
};

void log_init(struct log *log, enum log_level lowest, log_clock *now_us, log_sink *sink,
	      void *context);

/* Forgets the secrets, which stay with their owners. */
void log_free(struct log *log);

/*
 * Replaces the secret in all that is logged from now on, until it is freed. It may be set anew
 * meanwhile; then the new bytes are replaced and the old ones are not, so when a token is renewed,
 * keep the old one in a secret of its own while it is valid. A secret is hidden in one log only.
 */
void log_hide(struct log *log, struct secret *secret);

enum log_kind { LOG_END, LOG_INT, LOG_BOOL, LOG_NAME, LOG_OBJECT, LOG_ERR, LOG_SECRET };

/* A key and its value; which members count, the kind says. */
struct log_field {
	const char *key;
	enum log_kind kind;
	int64_t number;
	struct str name, in_namespace;
	const struct err *err;
	const struct secret *secret;
};

/* Each of these makes one field. `key` is a literal; the functions see to the other types. */
#define log_int(key, integer)  log_make_int("" key, integer)
#define log_bool(key, boolean) log_make_bool("" key, boolean)

/* A name, identifier, version, address or path: letters, digits, and . _ - / : @ % + ~ [ ] */
#define log_name(key, name) log_make_name("" key, name)

/* A C string that is a constant of the program: a reason, a phase, a state. */
#define log_word(key, c_string) log_make_name("" key, str_of(c_string))

/* namespace/name, or the name alone when there is no namespace; both as in log_name. */
#define log_object(key, in_namespace, name) log_make_object("" key, in_namespace, name)

/* error=<code> http=<status, when there is one> detail="<message>" */
#define log_err(err) log_make_err("error", err)

/* ***, or - when it is empty. */
#define log_secret(key, secret) log_make_secret("" key, secret)

struct log_field log_make_int(const char *key, int64_t integer);
struct log_field log_make_bool(const char *key, bool boolean);
struct log_field log_make_name(const char *key, struct str name);
struct log_field log_make_object(const char *key, struct str in_namespace, struct str name);
struct log_field log_make_err(const char *key, const struct err *err);
struct log_field log_make_secret(const char *key, const struct secret *secret);

/* Log one record. `message` is a literal; any number of fields follows it. */
#define log_debug(log, message, ...)   LOG_RECORD(log, LOG_DEBUG, message, __VA_ARGS__)
#define log_info(log, message, ...)    LOG_RECORD(log, LOG_INFO, message, __VA_ARGS__)
#define log_warning(log, message, ...) LOG_RECORD(log, LOG_WARNING, message, __VA_ARGS__)
#define log_error(log, message, ...)   LOG_RECORD(log, LOG_ERROR, message, __VA_ARGS__)

#define LOG_RECORD(log, level, message, ...)   \
	log_record((log), (level), "" message, \
		   (const struct log_field[]){__VA_ARGS__ __VA_OPT__(, ){.kind = LOG_END}})

/* What these macros call; `fields` end with LOG_END. */
void log_record(struct log *log, enum log_level level, const char *message,
		const struct log_field *fields);

#endif
