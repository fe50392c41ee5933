/*
 * str: a piece of somebody else's bytes. Owns nothing, needs no NUL, may hold any byte.
 *
 * Passed by value. The bytes must outlive the slice; whoever made the slice says how long that is.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	const char *p; /* may be NULL when n is 0 */
	size_t n;
};

/* For a literal: STR("Running"). */
#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})

/* For printf: printf("%.*s", STR_ARGS(name)). */
#define STR_ARGS(s) ((int)(s).n), ((s).p ? (s).p : "")

/* The slice of a C string; NULL gives the empty one. */
struct str str_of(const char *c_string);

bool str_equal(struct str a, struct str b);
bool str_starts_with(struct str s, struct str prefix);
bool str_ends_with(struct str s, struct str suffix);

/* Like memcmp, a shorter string before a longer one that starts with it: <0, 0, >0. */
int str_compare(struct str a, struct str b);

/* `from` to `to` (exclusive); both are cut to the length, so the result is always inside `s`. */
struct str str_slice(struct str s, size_t from, size_t to);

/* Without spaces, tabs, CR and LF at both ends. */
struct str str_trim(struct str s);

/*
 * Takes what stands before the first `separator` off `*rest` and returns it; `*rest` goes on behind
 * the separator. Without one, returns all and sets `*rest` to the empty slice with p == NULL, so a
 * loop ends on `rest.p == NULL`.
 */
struct str str_split(struct str *rest, char separator);

/*
 * Decimal, digits only, no sign, no space, no leading zero but "0" itself. False, and `*value`
 * untouched, when it is anything else or above `max`.
 */
bool str_to_uint(struct str s, uint64_t max, uint64_t *value);

#endif
