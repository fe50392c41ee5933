#include "rfc3339.h"

#include <assert.h>

#define US_PER_SECOND	   INT64_C(1000000)
#define SECONDS_PER_DAY	   86400
#define DAYS_PER_400_YEARS 146097 /* after which the calendar repeats */
#define DAYS_TO_1970	   719528 /* from 0000-01-01 */

struct date {
	int year, month, day; /* month and day from 1 */
};

static bool is_leap(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 0000-01-01 to the first day of a year. */
static int days_before_year(int year)
{
	int last = year - 1;

	return year == 0 ? 0 : 365 * year + last / 4 - last / 100 + last / 400 + 1;
}

/* Days from 0000-01-01. */
static int days_before(struct date date)
{
	int days = days_before_year(date.year) + date.day - 1;

	for (int month = 1; month < date.month; month++)
		days += days_in_month(date.year, month);
	return days;
}

static struct date date_of(int days)
{
	struct date date = {.month = 1};

	/* By the mean length of a year, less one: a first of January is up to two days off the
	 * mean. */
	date.year = (int)((int64_t)days * 400 / DAYS_PER_400_YEARS) - 1;
	if (date.year < 0)
		date.year = 0;
	while (days_before_year(date.year + 1) <= days)
		date.year++;
	days -= days_before_year(date.year);
	while (days >= days_in_month(date.year, date.month))
		days -= days_in_month(date.year, date.month++);
	date.day = days + 1;
	return date;
}

/* Writes exactly `digits` digits and the character behind them; returns where to go on. */
static char *put_number(char *at, int number, int digits, char behind)
{
	for (int i = digits - 1; i >= 0; i--) {
		at[i] = (char)('0' + number % 10);
		number /= 10;
	}
	at[digits] = behind;
	return at + digits + 1;
}

void rfc3339_format(char text[RFC3339_SIZE], int64_t unix_us, enum rfc3339_precision precision)
{
	int64_t us, seconds;
	struct date date;
	int second;
	char *at = text;

	assert(unix_us >= RFC3339_MIN_US && unix_us <= RFC3339_MAX_US);
	us = unix_us - RFC3339_MIN_US; /* from 0000-01-01, so that nothing is negative */
	seconds = us / US_PER_SECOND;
	date = date_of((int)(seconds / SECONDS_PER_DAY));
	second = (int)(seconds % SECONDS_PER_DAY);
	us %= US_PER_SECOND;
	at = put_number(at, date.year, 4, '-');
	at = put_number(at, date.month, 2, '-');
	at = put_number(at, date.day, 2, 'T');
	at = put_number(at, second / 3600, 2, ':');
	at = put_number(at, second / 60 % 60, 2, ':');
	switch (precision) {
	case RFC3339_SECONDS: at = put_number(at, second % 60, 2, 'Z'); break;
	case RFC3339_MILLISECONDS:
		at = put_number(at, second % 60, 2, '.');
		at = put_number(at, (int)(us / 1000), 3, 'Z');
		break;
	case RFC3339_MICROSECONDS:
		at = put_number(at, second % 60, 2, '.');
		at = put_number(at, (int)us, 6, 'Z');
		break;
	}
	*at = '\0';
}

/* Takes exactly `digits` digits and the character behind them off the text. */
static bool take_number(struct str *text, size_t digits, char behind, int *number)
{
	*number = 0;
	if (text->n <= digits || text->p[digits] != behind)
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (text->p[i] < '0' || text->p[i] > '9')
			return false;
		*number = *number * 10 + (text->p[i] - '0');
	}
	*text = str_slice(*text, digits + 1, text->n);
	return true;
}

/* What follows the seconds: "Z", or up to nine digits and "Z" when there was a point. */
static bool parse_fraction(struct str text, int64_t *us)
{
	int64_t unit = US_PER_SECOND;

	*us = 0;
	if (text.n < 2 || text.n > 10 || text.p[text.n - 1] != 'Z')
		return false;
	for (size_t i = 0; i < text.n - 1; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		unit /= 10;
		*us += unit * (text.p[i] - '0');
	}
	return true;
}

bool rfc3339_parse(struct str text, int64_t *unix_us)
{
	struct date date;
	int hour, minute, second;
	int64_t us = 0, seconds;

	if (!take_number(&text, 4, '-', &date.year) || !take_number(&text, 2, '-', &date.month) ||
	    !take_number(&text, 2, 'T', &date.day) || !take_number(&text, 2, ':', &hour) ||
	    !take_number(&text, 2, ':', &minute))
		return false;
	if (take_number(&text, 2, '.', &second)) {
		if (!parse_fraction(text, &us))
			return false;
	} else if (!take_number(&text, 2, 'Z', &second) || text.n > 0) {
		return false;
	}
	if (date.month < 1 || date.month > 12 || date.day < 1 ||
	    date.day > days_in_month(date.year, date.month) || hour > 23 || minute > 59 ||
	    second > 59)
		return false;
	seconds = (int64_t)(days_before(date) - DAYS_TO_1970) * SECONDS_PER_DAY + hour * 3600 +
		  minute * 60 + second;
	*unix_us = seconds * US_PER_SECOND + us;
	return true;
}
