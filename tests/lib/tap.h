/*
 * tap: tests in C that speak the Test Anything Protocol (version 12), run by prove.
 *
 *	int main(void)
 *	{
 *		ok(str_equal(a, b), "equal bytes are equal");
 *		cmp_ok(buf.length, "==", 3, "three bytes are kept");
 *		is(err.message, "no such key", "the message names the problem");
 *		done_testing();
 *	}
 *
 * Each check prints one line, returns whether it passed, and on failure says what it got and what
 * it wanted. A check's name is a sentence that states the rule. There is no plan to count by hand:
 * done_testing() prints it, and a program that dies before is a failure.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdbool.h>
#include <stddef.h>

#define ok(condition, ...)   tap_ok((condition), __FILE__, __LINE__, __VA_ARGS__)
#define is(got, wanted, ...) tap_is((got), (wanted), __FILE__, __LINE__, __VA_ARGS__)
#define like(got, part, ...) tap_like((got), (part), __FILE__, __LINE__, __VA_ARGS__)
#define pass(...)	     ok(true, __VA_ARGS__)
#define fail(...)	     ok(false, __VA_ARGS__)

/* Compares integers; `operator` is one of == != < <= > >=. */
#define cmp_ok(got, operator, wanted, ...)                                                \
	tap_cmp_ok((long long)(got), (operator), (long long)(wanted), __FILE__, __LINE__, \
		   __VA_ARGS__)

/* Compares bytes, which may hold NUL; a failure shows the first place where they differ. */
#define is_bytes(got, got_length, wanted, wanted_length, ...)                            \
	tap_is_bytes((got), (got_length), (wanted), (wanted_length), __FILE__, __LINE__, \
		     __VA_ARGS__)

bool tap_ok(bool condition, const char *file, int line, const char *name, ...)
	__attribute__((format(printf, 4, 5)));
/* Equal strings; NULL equals only NULL. */
bool tap_is(const char *got, const char *wanted, const char *file, int line, const char *name, ...)
	__attribute__((format(printf, 5, 6)));
/* `got` matches `part`, an extended regular expression. */
bool tap_like(const char *got, const char *part, const char *file, int line, const char *name, ...)
	__attribute__((format(printf, 5, 6)));
bool tap_cmp_ok(long long got, const char *operator, long long wanted, const char *file, int line,
		const char *name, ...) __attribute__((format(printf, 6, 7)));
bool tap_is_bytes(const void *got, size_t got_length, const void *wanted, size_t wanted_length,
		  const char *file, int line, const char *name, ...)
	__attribute__((format(printf, 7, 8)));

/* Counts one check as skipped, with the reason. */
void skip(const char *reason, ...) __attribute__((format(printf, 1, 2)));

/* Why a check failed: a comment on stderr, which prove shows as well without -v. */
void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A comment line in the output, for who reads all of it. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the plan and ends the program: 0 when every check passed, else 1. */
void done_testing(void) __attribute__((noreturn));

#endif
