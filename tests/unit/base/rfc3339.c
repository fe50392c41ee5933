#include "base/rfc3339.h"

#include "random.h"
#include "tap.h"

#include <string.h>
#include <time.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name, *text;
	int64_t unix_us;
	enum rfc3339_precision precision;
} both_ways[] = {
	{"the epoch", "1970-01-01T00:00:00Z", 0, RFC3339_SECONDS},
	{"one second before it", "1969-12-31T23:59:59Z", -1000000, RFC3339_SECONDS},
	{"one microsecond before it", "1969-12-31T23:59:59.999999Z", -1, RFC3339_MICROSECONDS},
	{"Go's layout", "2006-01-02T15:04:05Z", 1136214245000000, RFC3339_SECONDS},
	{"milliseconds", "2006-01-02T15:04:05.007Z", 1136214245007000, RFC3339_MILLISECONDS},
	{"microseconds, as a Lease has them", "2006-01-02T15:04:05.000007Z", 1136214245000007,
	 RFC3339_MICROSECONDS},
	{"a billion seconds", "2001-09-09T01:46:40Z", 1000000000000000, RFC3339_SECONDS},
	{"where 32 bits end", "2038-01-19T03:14:07Z", 2147483647000000, RFC3339_SECONDS},
	{"and one second later", "2038-01-19T03:14:08Z", 2147483648000000, RFC3339_SECONDS},
	{"a leap day", "2024-02-29T00:00:00Z", 1709164800000000, RFC3339_SECONDS},
	{"a leap day of a century", "2000-02-29T12:00:00Z", 951825600000000, RFC3339_SECONDS},
	{"the day after February in a century without one", "1900-03-01T00:00:00Z",
	 -2203891200000000, RFC3339_SECONDS},
	{"the last day of a leap year", "2024-12-31T23:59:59Z", 1735689599000000, RFC3339_SECONDS},
	{"Go's zero time", "0001-01-01T00:00:00Z", -62135596800000000, RFC3339_SECONDS},
	{"the first of all", "0000-01-01T00:00:00Z", RFC3339_MIN_US, RFC3339_SECONDS},
	{"the last of all", "9999-12-31T23:59:59.999999Z", RFC3339_MAX_US, RFC3339_MICROSECONDS},
};

static void times_are_written_and_read(void)
{
	for (size_t i = 0; i < LENGTH_OF(both_ways); i++) {
		char text[RFC3339_SIZE];
		int64_t unix_us = 77;

		rfc3339_format(text, both_ways[i].unix_us, both_ways[i].precision);
		is(text, both_ways[i].text, "%s is written", both_ways[i].name);
		ok(rfc3339_parse(str_of(text), &unix_us) && unix_us == both_ways[i].unix_us,
		   "and read back");
	}
}

static void what_is_not_shown_is_cut_off(void)
{
	char text[RFC3339_SIZE];

	rfc3339_format(text, 1999999, RFC3339_SECONDS);
	is(text, "1970-01-01T00:00:01Z", "not rounded up to the next second");
	rfc3339_format(text, 1999999, RFC3339_MILLISECONDS);
	is(text, "1970-01-01T00:00:01.999Z", "nor to the next millisecond");
	rfc3339_format(text, -1, RFC3339_SECONDS);
	is(text, "1969-12-31T23:59:59Z", "before the epoch neither");
}

static void fractions_of_any_length_are_read(void)
{
	static const struct {
		const char *text;
		int64_t us;
	} rows[] = {
		{"1970-01-01T00:00:00.1Z", 100000},
		{"1970-01-01T00:00:00.12Z", 120000},
		{"1970-01-01T00:00:00.1234567Z", 123456},
		{"1970-01-01T00:00:00.123456789Z", 123456},
		{"1970-01-01T00:00:00.000000999Z", 0},
		{"1970-01-01T00:00:00.000000000Z", 0},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		int64_t unix_us = 77;

		ok(rfc3339_parse(str_of(rows[i].text), &unix_us) && unix_us == rows[i].us, "%s",
		   rows[i].text);
	}
}

static void reading_is_strict(void)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{"nothing", ""},
		{"a date alone", "2006-01-02"},
		{"no zone", "2006-01-02T15:04:05"},
		{"an offset", "2006-01-02T15:04:05+00:00"},
		{"a negative offset", "2006-01-02T15:04:05-07:00"},
		{"a small z", "2006-01-02T15:04:05z"},
		{"a small t", "2006-01-02t15:04:05Z"},
		{"a space for T", "2006-01-02 15:04:05Z"},
		{"something behind", "2006-01-02T15:04:05Zx"},
		{"a space behind", "2006-01-02T15:04:05Z "},
		{"a space before", " 2006-01-02T15:04:05Z"},
		{"month 0", "2006-00-02T15:04:05Z"},
		{"month 13", "2006-13-02T15:04:05Z"},
		{"day 0", "2006-01-00T15:04:05Z"},
		{"day 32", "2006-01-32T15:04:05Z"},
		{"the 31st of a month of 30 days", "2006-04-31T15:04:05Z"},
		{"the 29th of February in a common year", "2006-02-29T15:04:05Z"},
		{"the 29th of February in a common century", "1900-02-29T15:04:05Z"},
		{"the 30th of February", "2024-02-30T15:04:05Z"},
		{"hour 24", "2006-01-02T24:00:00Z"},
		{"minute 60", "2006-01-02T15:60:05Z"},
		{"second 60", "2006-12-31T23:59:60Z"},
		{"a sign", "2006-01-02T15:04:+5Z"},
		{"one digit", "2006-1-02T15:04:05Z"},
		{"a year of five digits", "12006-01-02T15:04:05Z"},
		{"a letter", "2006-01-0aT15:04:05Z"},
		{"a point without digits", "2006-01-02T15:04:05.Z"},
		{"a comma", "2006-01-02T15:04:05,1Z"},
		{"ten digits", "2006-01-02T15:04:05.1234567891Z"},
		{"a letter in the fraction", "2006-01-02T15:04:05.1a3Z"},
		{"a fraction without zone", "2006-01-02T15:04:05.123"},
		{"an offset behind a fraction", "2006-01-02T15:04:05.123+01:00"},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		int64_t unix_us = 77;

		ok(!rfc3339_parse(str_of(rows[i].text), &unix_us) && unix_us == 77, "refused: %s",
		   rows[i].name);
	}
}

static void the_calendar_is_that_of_libc(void)
{
	struct random random = {4};
	int wrong = 0;

	for (int i = 0; i < 100000; i++) {
		int64_t range = RFC3339_MAX_US / 1000000 - RFC3339_MIN_US / 1000000 + 1;
		int64_t seconds = (int64_t)(random_next(&random) % (uint64_t)range) +
				  RFC3339_MIN_US / 1000000;
		char text[RFC3339_SIZE], wanted[64];
		time_t time = (time_t)seconds;
		int64_t back = 0;
		struct tm tm;

		gmtime_r(&time, &tm);
		snprintf(wanted, sizeof(wanted), "%04d-%02d-%02dT%02d:%02d:%02dZ",
			 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
			 tm.tm_sec);
		rfc3339_format(text, seconds * 1000000, RFC3339_SECONDS);
		wrong += strcmp(text, wanted) != 0;
		wrong += !rfc3339_parse(str_of(text), &back) || back != seconds * 1000000;
	}
	cmp_ok(wrong, "==", 0, "100,000 times from all 10,000 years");
}

static void every_day_follows_the_one_before(void)
{
	char text[RFC3339_SIZE], before[RFC3339_SIZE] = "";
	int wrong = 0;

	for (int64_t us = RFC3339_MIN_US; us <= RFC3339_MAX_US; us += INT64_C(86400000000)) {
		int64_t back = 0;

		rfc3339_format(text, us, RFC3339_SECONDS);
		wrong += strcmp(before, text) >= 0;
		wrong += !rfc3339_parse(str_of(text), &back) || back != us;
		memcpy(before, text, sizeof(before));
	}
	cmp_ok(wrong, "==", 0, "all 3,652,425 of them");
}

int main(void)
{
	times_are_written_and_read();
	what_is_not_shown_is_cut_off();
	fractions_of_any_length_are_read();
	reading_is_strict();
	the_calendar_is_that_of_libc();
	every_day_follows_the_one_before();
	done_testing();
}
