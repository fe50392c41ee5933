/*
 * secret: bytes that must not be seen: tokens, keys, passwords.
 *
 * A type of its own, so that the compiler stands between a secret and everything that takes text:
 * log.h has no field for it but log_secret, which shows "***". The way to the bytes is
 * secret_reveal, so that `git grep secret_reveal` lists every place that uses one.
 *
 * A secret may also come back inside of somebody else's text: an error message that quotes a
 * header, for instance. secret_length_in finds it there; the log replaces it in all it writes for
 * the secrets that were made known to it (log_hide).
 *
 * A zeroed struct is an empty secret. It may hang in the list of a log, so it must not be copied or
 * moved. The bytes are wiped before their memory is given back.
 */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include "err.h"
#include "list.h"
#include "str.h"

#include <stdbool.h>
#include <stddef.h>

/* The longest secret: far above a service account token (2 KiB) and a private key (4 KiB). */
#define SECRET_BYTES_MAX 65536

/*
 * So much of the beginning of a longer secret counts as the secret: a text that held all of it may
 * have been cut. Every JWT begins alike for longer than this, so foreign ones lose their beginning
 * in the log too, which does no harm.
 */
#define SECRET_PART_BYTES 8

/* Its members are private to secret.c and log.c. */
struct secret {
	char *bytes;
	size_t length;
	struct list hidden; /* log.h */
};

/* Replaces the bytes by a copy of `bytes`. ERR_TOO_LARGE: more than SECRET_BYTES_MAX. */
int secret_set(struct secret *secret, struct str bytes, struct err *err);

/* Wipes the bytes and takes the secret out of its log. Leaves an empty secret. */
void secret_free(struct secret *secret);

bool secret_is_empty(const struct secret *secret);

/* The bytes, valid until the secret is set or freed. Never for a log, an error or a status. */
struct str secret_reveal(const struct secret *secret);

/*
 * How many bytes at the front of `text` are the secret, or at least SECRET_PART_BYTES of its
 * beginning; 0 when they are not. Each byte of the secret may be spelled in `text` as it is or
 * escaped: \u0041 or \" as in JSON, \x41 as in C, %41 as in URLs. Encodings of the whole, such as
 * base64, are not recognised.
 */
size_t secret_length_in(const struct secret *secret, struct str text);

#endif
