/*
 * rfc3339: points in time as Kubernetes writes them, always in UTC.
 *
 * metav1.Time has whole seconds (2006-01-02T15:04:05Z), MicroTime (Lease, Event) six digits behind
 * them. A time is a number of microseconds since 1970-01-01T00:00:00Z, in which every day has
 * 86,400 seconds. Pure: no clock, no time zone, no locale.
 */
#ifndef BASE_RFC3339_H
#define BASE_RFC3339_H

#include "str.h"

#include <stdbool.h>
#include <stdint.h>

/* Room for the longest text and its NUL. */
#define RFC3339_SIZE sizeof("2006-01-02T15:04:05.000000Z")

/* The years 0000 to 9999, first and last microsecond. Go's zero time, year 1, is among them. */
#define RFC3339_MIN_US INT64_C(-62167219200000000)
#define RFC3339_MAX_US INT64_C(253402300799999999)

enum rfc3339_precision {
	RFC3339_SECONDS,      /* metav1.Time */
	RFC3339_MILLISECONDS, /* log records */
	RFC3339_MICROSECONDS, /* metav1.MicroTime */
};

/* What a precision does not show is cut off, never rounded up: no time is shown before it comes. */
void rfc3339_format(char text[RFC3339_SIZE], int64_t unix_us, enum rfc3339_precision precision);

/*
 * Reads YYYY-MM-DDTHH:MM:SS, then nothing or a point with one to nine digits (what is below a
 * microsecond is cut off), then Z. The API server writes no other offset, and none is read. False,
 * and `*unix_us` untouched, for all else, days that the month does not have and second 60 included.
 */
bool rfc3339_parse(struct str text, int64_t *unix_us);

#endif
