/*
 * quantity: amounts of CPU and memory as Kubernetes writes them ("500m", "1Gi", "1e3", "0.5"), as
 * exact integers.
 *
 * The text is that of k8s.io/apimachinery's resource.Quantity: a number with an optional point and
 * plus sign, then nothing, a decimal suffix (n u m k M G T P E), a binary one (Ki Mi Gi Ti Pi Ei)
 * or an exponent (e3, E-3). What is finer than the unit asked for is rounded up, as Kubernetes
 * does.
 *
 * Stricter than Kubernetes on purpose, with an error instead of a surprise: an amount is never
 * negative, one that is over the limit is refused and not capped, and a number has a digit.
 */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include "err.h"
#include "str.h"

#include <stdint.h>

/* Significant digits of a number: as many as every amount of 63 bits needs. */
#define QUANTITY_DIGITS_MAX 19

/* Room for the longest text that is written, and its NUL. */
#define QUANTITY_SIZE sizeof("9223372036854775807m")

/*
 * Reads a text in thousandths (CPU) and in units (bytes). ERR_INVALID: it is no quantity, or has
 * too many digits; ERR_TOO_LARGE: it does not fit. The message does not quote the text.
 */
int quantity_to_milli(struct str text, int64_t *milli, struct err *err);
int quantity_to_bytes(struct str text, int64_t *bytes, struct err *err);

/*
 * Writes an amount, not negative, as the API server gives it back: with the largest suffix that
 * leaves an integer. Thousandths have decimal suffixes ("1500m", "2", "3k"); bytes have binary ones
 * ("1536Mi") where one fits, and else decimal ones ("1k" is 1000, "100M").
 */
void quantity_from_milli(char text[QUANTITY_SIZE], int64_t milli);
void quantity_from_bytes(char text[QUANTITY_SIZE], int64_t bytes);

#endif
