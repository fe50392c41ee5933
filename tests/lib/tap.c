#include "tap.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks, failures;

/* Prints "ok N - name"; a '#' in a name would start a directive, so it is escaped. */
static bool report(bool passed, const char *file, int line, const char *name, va_list args)
{
	char text[512];

	checks++;
	vsnprintf(text, sizeof(text), name, args);
	printf("%sok %d - ", passed ? "" : "not ", checks);
	for (const char *c = text; *c; c++)
		printf(*c == '#' ? "\\#" : "%c", *c);
	putchar('\n');
	if (!passed) {
		failures++;
		fflush(stdout);
		diag("failed: %s", text);
		diag("at %s:%d", file, line);
	}
	fflush(stdout);
	return passed;
}

#define REPORT(passed)                                    \
	do {                                              \
		va_list args;                             \
		va_start(args, name);                     \
		report((passed), file, line, name, args); \
		va_end(args);                             \
	} while (0)

bool tap_ok(bool condition, const char *file, int line, const char *name, ...)
{
	REPORT(condition);
	return condition;
}

bool tap_is(const char *got, const char *wanted, const char *file, int line, const char *name, ...)
{
	bool same = got && wanted ? strcmp(got, wanted) == 0 : got == wanted;

	REPORT(same);
	if (!same) {
		diag("   got: %s", got ? got : "(null)");
		diag("wanted: %s", wanted ? wanted : "(null)");
	}
	return same;
}

bool tap_like(const char *got, const char *part, const char *file, int line, const char *name, ...)
{
	regex_t regex;
	bool matches;

	if (regcomp(&regex, part, REG_EXTENDED | REG_NOSUB) != 0) {
		REPORT(false);
		diag("not a regular expression: %s", part);
		return false;
	}
	matches = got && regexec(&regex, got, 0, NULL, 0) == 0;
	regfree(&regex);
	REPORT(matches);
	if (!matches) {
		diag("        got: %s", got ? got : "(null)");
		diag("should match: %s", part);
	}
	return matches;
}

static bool compare(long long got, const char *operator, long long wanted)
{
	if (strcmp(operator, "==") == 0)
		return got == wanted;
	if (strcmp(operator, "!=") == 0)
		return got != wanted;
	if (strcmp(operator, "<") == 0)
		return got < wanted;
	if (strcmp(operator, "<=") == 0)
		return got <= wanted;
	if (strcmp(operator, ">") == 0)
		return got > wanted;
	if (strcmp(operator, ">=") == 0)
		return got >= wanted;
	fprintf(stderr, "cmp_ok: no such operator: %s\n", operator);
	abort();
}

bool tap_cmp_ok(long long got, const char *operator, long long wanted, const char *file, int line,
		const char *name, ...)
{
	bool holds = compare(got, operator, wanted);

	REPORT(holds);
	if (!holds)
		diag("%lld %s %lld does not hold", got, operator, wanted);
	return holds;
}

static void diag_bytes(const char *what, const unsigned char *bytes, size_t length, size_t at)
{
	size_t from = at > 8 ? at - 8 : 0;

	fprintf(stderr, "# %s (%zu bytes, from %zu):", what, length, from);
	for (size_t i = from; i < length && i < at + 24; i++)
		fprintf(stderr, " %s%02x", i == at ? ">" : "", bytes[i]);
	fputc('\n', stderr);
}

bool tap_is_bytes(const void *got, size_t got_length, const void *wanted, size_t wanted_length,
		  const char *file, int line, const char *name, ...)
{
	const unsigned char *a = got, *b = wanted;
	size_t at = 0;

	while (at < got_length && at < wanted_length && a[at] == b[at])
		at++;
	if (at == got_length && at == wanted_length) {
		REPORT(true);
		return true;
	}
	REPORT(false);
	diag_bytes("   got", a, got_length, at);
	diag_bytes("wanted", b, wanted_length, at);
	return false;
}

void skip(const char *reason, ...)
{
	va_list args;

	printf("ok %d # SKIP ", ++checks);
	va_start(args, reason);
	vprintf(reason, args);
	va_end(args);
	putchar('\n');
}

static void comment(FILE *to, const char *format, va_list args)
{
	fputs("# ", to);
	vfprintf(to, format, args);
	fputc('\n', to);
}

void diag(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	comment(stderr, format, args);
	va_end(args);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	comment(stdout, format, args);
	va_end(args);
}

void done_testing(void)
{
	printf("1..%d\n", checks);
	exit(failures == 0 && checks > 0 ? 0 : 1);
}
