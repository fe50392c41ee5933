#include "base/quantity.h"

#include "random.h"
#include "tap.h"

#include <string.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

#define TOO_LARGE -1

/* The numbers are what Kubernetes 1.36's resource.Quantity gives with MilliValue() and Value(). */
static const struct {
	const char *name, *text;
	int64_t milli, bytes;
} read_rows[] = {
	{"zero", "0", 0, 0},
	{"zeros", "000", 0, 0},
	{"zero with a suffix", "0Gi", 0, 0},
	{"an integer", "2", 2000, 2},
	{"leading zeros mean nothing", "007", 7000, 7},
	{"a plus sign", "+2", 2000, 2},
	{"thousandths, rounded up to a unit", "500m", 500, 1},
	{"one thousandth", "1m", 1, 1},
	{"a whole number of thousandths", "2000m", 2000, 2},
	{"one over it", "2001m", 2001, 3},
	{"one under it", "1999m", 1999, 2},
	{"millionths", "1500u", 2, 1},
	{"billionths", "1n", 1, 1},
	{"a fraction", "0.5", 500, 1},
	{"a fraction without a digit before the point", ".5", 500, 1},
	{"a point without a digit behind it", "1.", 1000, 1},
	{"a point before a suffix", "1.Gi", 1073741824000, 1073741824},
	{"a fraction of zeros", "1.000", 1000, 1},
	{"a fraction below a thousandth is rounded up", "0.0001", 1, 1},
	{"a fraction right at a thousandth", "1.001", 1001, 2},
	{"a fraction right above one", "1.0010000001", 1002, 2},
	{"k", "1k", 1000000, 1000},
	{"M", "1M", 1000000000, 1000000},
	{"G", "1G", 1000000000000, 1000000000},
	{"T", "1T", 1000000000000000, 1000000000000},
	{"P", "1P", 1000000000000000000, 1000000000000000},
	{"E", "1E", TOO_LARGE, 1000000000000000000},
	{"Ki", "1Ki", 1024000, 1024},
	{"Mi", "1Mi", 1048576000, 1048576},
	{"Gi", "1Gi", 1073741824000, 1073741824},
	{"Ti", "1Ti", 1099511627776000, 1099511627776},
	{"Pi", "1Pi", 1125899906842624000, 1125899906842624},
	{"Ei", "1Ei", TOO_LARGE, 1152921504606846976},
	{"a binary fraction", "1.5Gi", 1610612736000, 1610612736},
	{"a binary fraction that is rounded up", "0.1Ki", 102400, 103},
	{"a small binary fraction", "0.0001Mi", 104858, 105},
	{"an exponent", "1e3", 1000000, 1000},
	{"a capital exponent", "1E3", 1000000, 1000},
	{"a positive exponent", "1e+3", 1000000, 1000},
	{"a negative exponent", "1500e-3", 1500, 2},
	{"a zero exponent", "7e0", 7000, 7},
	{"a fraction with an exponent", "1.25e2", 125000, 125},
	{"an exponent far below the unit", "1e-30", 1, 1},
	{"an exponent that leaves nothing to round", "1e-99", 1, 1},
	{"the same for nothing", "0e-99", 0, 0},
	{"many billionths", "2000000000n", 2000, 2},
	{"nothing with a large exponent", "0e900", 0, 0},
	{"many zeros that are not significant", "0.50000000000000000000000000", 500, 1},
	{"many zeros before a suffix", "100000000000000000000000m", TOO_LARGE, TOO_LARGE},
	{"the largest amount", "9223372036854775807", TOO_LARGE, INT64_MAX},
	{"one over it", "9223372036854775808", TOO_LARGE, TOO_LARGE},
	{"the largest in thousandths", "9223372036854775807m", INT64_MAX, 9223372036854776},
	{"one over it in thousandths", "9223372036854775808m", TOO_LARGE, 9223372036854776},
	{"right under 8Ei", "7.99Ei", TOO_LARGE, 9211842821808707339},
	{"8Ei", "8Ei", TOO_LARGE, TOO_LARGE},
	{"10E", "10E", TOO_LARGE, TOO_LARGE},
	{"an exponent of many digits", "1e99999999999999999999", TOO_LARGE, TOO_LARGE},
};

static void texts_are_read_exactly(void)
{
	for (size_t i = 0; i < LENGTH_OF(read_rows); i++) {
		int64_t milli = TOO_LARGE, bytes = TOO_LARGE;
		struct err milli_err = {.code = ERR_TOO_LARGE}, bytes_err = {.code = ERR_TOO_LARGE};
		struct str text = str_of(read_rows[i].text);
		bool fits_milli = quantity_to_milli(text, &milli, &milli_err) == 0;
		bool fits_bytes = quantity_to_bytes(text, &bytes, &bytes_err) == 0;

		ok(milli == read_rows[i].milli && fits_milli == (milli != TOO_LARGE) &&
			   milli_err.code == ERR_TOO_LARGE,
		   "%s: %s in thousandths", read_rows[i].name, read_rows[i].text);
		ok(bytes == read_rows[i].bytes && fits_bytes == (bytes != TOO_LARGE) &&
			   bytes_err.code == ERR_TOO_LARGE,
		   "%s: %s in units", read_rows[i].name, read_rows[i].text);
	}
}

static void what_is_no_quantity_is_refused(void)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{"nothing", ""},
		{"a sign alone", "+"},
		{"a point alone", "."},
		{"a suffix alone", "Gi"},
		{"a point and a suffix", ".Gi"},
		{"a negative number", "-1"},
		{"negative zero", "-0"},
		{"two signs", "++1"},
		{"two points", "1.2.3"},
		{"a space before", " 1"},
		{"a space behind", "1 "},
		{"a space before the suffix", "1 Gi"},
		{"a comma", "1,5"},
		{"a suffix that Kubernetes does not have", "1K"},
		{"a small binary suffix", "1gi"},
		{"a suffix with a small i only", "1i"},
		{"a suffix in words", "1GB"},
		{"two suffixes", "1kk"},
		{"a suffix behind an exponent", "1e3k"},
		{"an exponent without digits", "1e"},
		{"an exponent with a sign only", "1e+"},
		{"an exponent with a fraction", "1e1.5"},
		{"hexadecimal", "0x10"},
		{"infinity", "inf"},
		{"a letter", "x"},
		{"20 digits", "12345678901234567891"},
		{"the first number of 20 digits but one", "10000000000000000001"},
		{"20 digits in a fraction", "1.2345678901234567891"},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct err err = {.code = ERR_IO};
		int64_t value = 77;

		ok(quantity_to_bytes(str_of(rows[i].text), &value, &err) < 0 &&
			   err.code == ERR_INVALID && value == 77,
		   "refused: %s", rows[i].name);
	}
}

static void messages_name_the_rule(void)
{
	struct err err;
	int64_t value;

	quantity_to_bytes(STR("-1"), &value, &err);
	is(err.message, "a quantity is not negative here", "of sign");
	quantity_to_bytes(STR("8Ei"), &value, &err);
	is(err.message, "a quantity of more than 63 bits", "of size");
	quantity_to_bytes(STR("12345678901234567891"), &value, &err);
	is(err.message, "a quantity of more than 19 digits", "of digits");
	quantity_to_bytes(STR("1GB"), &value, &err);
	like(err.message, "^not a quantity", "of form");
}

/* The texts are what Kubernetes 1.36 makes of them when it reads and writes them again. */
static void amounts_are_written_in_canonical_form(void)
{
	static const struct {
		int64_t amount;
		const char *milli, *bytes;
	} rows[] = {
		{0, "0", "0"},
		{1, "1m", "1"},
		{500, "500m", "500"},
		{999, "999m", "999"},
		{1000, "1", "1k"},
		{1001, "1001m", "1001"},
		{1023, "1023m", "1023"},
		{1024, "1024m", "1Ki"},
		{1025, "1025m", "1025"},
		{1500, "1500m", "1500"},
		{2000, "2", "2k"},
		{1536 * 1024, "1572864m", "1536Ki"},
		{1000000, "1k", "1M"},
		{1500000, "1500", "1500k"},
		{100000000, "100k", "100M"},
		{325585120, "325585120m", "325585120"},
		{1073741824, "1073741824m", "1Gi"},
		{1610612736, "1610612736m", "1536Mi"},
		{1000000000000, "1G", "976562500Ki"},
		{1000000001000, "1000000001", "1000000001k"},
		{1152921504606846976, "1152921504606846976m", "1Ei"},
		{INT64_MAX, "9223372036854775807m", "9223372036854775807"},
	};

	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		char text[QUANTITY_SIZE];

		quantity_from_milli(text, rows[i].amount);
		is(text, rows[i].milli, "%lld thousandths", (long long)rows[i].amount);
		quantity_from_bytes(text, rows[i].amount);
		is(text, rows[i].bytes, "%lld bytes", (long long)rows[i].amount);
	}
}

static void what_is_written_is_read_back(void)
{
	struct random random = {5};
	int wrong = 0;

	for (int i = 0; i < 20000; i++) {
		/* Of every size, and often with zeros at the end. */
		int64_t amount = (int64_t)(random_next(&random) >> 1 >> random_below(&random, 63));
		char text[QUANTITY_SIZE];
		int64_t back = -1;
		struct err err;

		amount = random_below(&random, 2) ? amount : amount / 1024000 * 1024000;
		quantity_from_milli(text, amount);
		wrong += quantity_to_milli(str_of(text), &back, &err) < 0 || back != amount;
		quantity_from_bytes(text, amount);
		wrong += quantity_to_bytes(str_of(text), &back, &err) < 0 || back != amount;
	}
	cmp_ok(wrong, "==", 0, "20,000 amounts in both forms");
}

int main(void)
{
	texts_are_read_exactly();
	what_is_no_quantity_is_refused();
	messages_name_the_rule();
	amounts_are_written_in_canonical_form();
	what_is_written_is_read_back();
	done_testing();
}
