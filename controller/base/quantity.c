#include "quantity.h"

#include <assert.h>
#include <stdio.h>

/* Wide enough for 19 digits times 2^60, and for 10^38. */
typedef unsigned __int128 wide;

#define POWER_OF_TEN_MAX 38

#define TEN_TO_DIGITS_MAX UINT64_C(10000000000000000000) /* 10^QUANTITY_DIGITS_MAX */

/* An exponent beyond this gives zero or too much, whatever the number is. */
#define EXPONENT_MAX 1000

/* digits × 2^binary × 10^decimal */
struct amount {
	uint64_t digits;
	int binary, decimal;
};

static const struct suffix {
	const char *text;
	int binary, decimal;
} suffixes[] = {
	{"", 0, 0},    {"n", 0, -9},  {"u", 0, -6},  {"m", 0, -3},  {"k", 0, 3},   {"M", 0, 6},
	{"G", 0, 9},   {"T", 0, 12},  {"P", 0, 15},  {"E", 0, 18},  {"Ki", 10, 0}, {"Mi", 20, 0},
	{"Gi", 30, 0}, {"Ti", 40, 0}, {"Pi", 50, 0}, {"Ei", 60, 0},
};

static int no_quantity(struct err *err)
{
	return err_set(err, ERR_INVALID,
		       "not a quantity: a number and a suffix such as 500m, 0.5 or 1Gi");
}

/* False when the number would have more than QUANTITY_DIGITS_MAX digits. */
static bool append_digit(uint64_t *digits, int digit)
{
	if (*digits >= TEN_TO_DIGITS_MAX / 10)
		return false;
	*digits = *digits * 10 + (uint64_t)digit;
	return true;
}

/* Adds one digit; zeros at the end are not significant and wait in `*zeros`. */
static bool add_digit(struct amount *amount, int digit, int *zeros)
{
	if (digit == 0) {
		*zeros += amount->digits > 0;
		return true;
	}
	for (; *zeros > 0; (*zeros)--)
		if (!append_digit(&amount->digits, 0))
			return false;
	return append_digit(&amount->digits, digit);
}

/* Takes the digits and the point off the text. */
static int take_number(struct str *text, struct amount *amount, struct err *err)
{
	bool has_digits = false, behind_point = false;
	int zeros = 0;

	for (; text->n > 0; *text = str_slice(*text, 1, text->n)) {
		char c = text->p[0];

		if (c == '.' && !behind_point) {
			behind_point = true;
			continue;
		}
		if (c < '0' || c > '9')
			break;
		has_digits = true;
		amount->decimal -= behind_point;
		if (!add_digit(amount, c - '0', &zeros))
			return err_set(err, ERR_INVALID, "a quantity of more than %d digits",
				       QUANTITY_DIGITS_MAX);
	}
	amount->decimal += zeros;
	return has_digits ? 0 : no_quantity(err);
}

/* "e3", "E-3": sign and digits behind the letter. */
static bool read_exponent(struct str text, int *exponent)
{
	struct str digits = str_slice(text, 1, text.n);
	bool negative = str_starts_with(digits, STR("-"));
	int sum = 0;

	if (negative || str_starts_with(digits, STR("+")))
		digits = str_slice(digits, 1, digits.n);
	if (digits.n == 0 || (text.p[0] != 'e' && text.p[0] != 'E'))
		return false;
	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] < '0' || digits.p[i] > '9')
			return false;
		sum = sum * 10 + (digits.p[i] - '0');
		if (sum > EXPONENT_MAX)
			sum = EXPONENT_MAX;
	}
	*exponent = negative ? -sum : sum;
	return true;
}

static int apply_suffix(struct str text, struct amount *amount, struct err *err)
{
	int exponent;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (!str_equal(text, str_of(suffixes[i].text)))
			continue;
		amount->binary = suffixes[i].binary;
		amount->decimal += suffixes[i].decimal;
		return 0;
	}
	if (!read_exponent(text, &exponent))
		return no_quantity(err);
	amount->decimal += exponent;
	return 0;
}

static wide power_of_ten(int exponent)
{
	wide power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

/* The integer at or above the amount; false when it has more than 63 bits. */
static bool round_up(const struct amount *amount, int64_t *value)
{
	wide exact = (wide)amount->digits << amount->binary;
	wide factor;

	if (amount->digits == 0) {
		*value = 0;
		return true;
	}
	if (amount->decimal < -POWER_OF_TEN_MAX) {
		exact = 1;
	} else if (amount->decimal < 0) {
		factor = power_of_ten(-amount->decimal);
		exact = exact / factor + (exact % factor > 0);
	} else if (amount->decimal > POWER_OF_TEN_MAX ||
		   __builtin_mul_overflow(exact, power_of_ten(amount->decimal), &exact)) {
		return false;
	}
	if (exact > INT64_MAX)
		return false;
	*value = (int64_t)exact;
	return true;
}

/* Reads a text in units of 10^-`scale`. */
static int read_amount(struct str text, int scale, int64_t *value, struct err *err)
{
	struct amount amount = {.decimal = scale};

	if (str_starts_with(text, STR("-")))
		return err_set(err, ERR_INVALID, "a quantity is not negative here");
	if (str_starts_with(text, STR("+")))
		text = str_slice(text, 1, text.n);
	if (take_number(&text, &amount, err) < 0 || apply_suffix(text, &amount, err) < 0)
		return -1;
	if (!round_up(&amount, value))
		return err_set(err, ERR_TOO_LARGE, "a quantity of more than 63 bits");
	return 0;
}

int quantity_to_milli(struct str text, int64_t *milli, struct err *err)
{
	return read_amount(text, 3, milli, err);
}

int quantity_to_bytes(struct str text, int64_t *bytes, struct err *err)
{
	return read_amount(text, 0, bytes, err);
}

/* Writes `value` with the largest of the suffixes whose steps divide it. */
static void write_amount(char text[QUANTITY_SIZE], int64_t value, int64_t step,
			 const char *const *steps)
{
	assert(value >= 0);
	while (value > 0 && value % step == 0 && steps[1]) {
		value /= step;
		steps++;
	}
	snprintf(text, QUANTITY_SIZE, "%lld%s", (long long)value, value == 0 ? "" : *steps);
}

void quantity_from_milli(char text[QUANTITY_SIZE], int64_t milli)
{
	static const char *const steps[] = {"m", "", "k", "M", "G", "T", "P", "E", NULL};

	write_amount(text, milli, 1000, steps);
}

void quantity_from_bytes(char text[QUANTITY_SIZE], int64_t bytes)
{
	static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", NULL};
	static const char *const decimal[] = {"", "k", "M", "G", "T", "P", "E", NULL};

	/* Also of a large one: without a suffix the API server would read it as a decimal one. */
	if (bytes < 1024 || bytes % 1024 != 0)
		write_amount(text, bytes, 1000, decimal);
	else
		write_amount(text, bytes, 1024, binary);
}
