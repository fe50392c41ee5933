#include "session/result.h"

#include "proto_samples.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static uint8_t manifest[4 + OUTCOME_MANIFEST_BYTES_MAX];
static char bytes[1 << 16];

/* The sample of all fields as it was pulled. */
static struct str pulled(void)
{
	struct outcome sample;
	struct object object = {0};
	size_t length = 0;
	struct err err;

	sample_outcome(&sample);
	if (outcome_encode(&sample, manifest, sizeof(manifest), &object, &err) < 0)
		return (struct str){NULL, 0};
	for (size_t i = 0; i < object.count; i++) {
		memcpy(bytes + length, object.pieces[i].p, object.pieces[i].n);
		length += object.pieces[i].n;
	}
	return (struct str){bytes, length};
}

/* Exactly what the sample kept. */
static struct result_limits limits(void)
{
	return (struct result_limits){.kept_bytes = {9, 4, 10, 9}, .outcome_bytes = sizeof(bytes)};
}

static void test_reading(void)
{
	struct str whole = pulled();
	struct result_limits l = limits();
	struct outcome outcome;
	uint8_t sha256_of_bundle[SHA256_BYTES];
	struct err err;

	for (int i = 0; i < SHA256_BYTES; i++)
		sha256_of_bundle[i] = (uint8_t)i;
	ok(result_read(whole, &l, sha256_of_bundle, &outcome, &err) == 0,
	   "an outcome of our bundle, within the limits, is taken");
	cmp_ok(outcome.signal, "==", 9, "with all that is in it");
	ok(result_read(whole, &l, NULL, &outcome, &err) == 0,
	   "a bundle that is not known here is not compared");
	sha256_of_bundle[31] ^= 1;
	ok(result_read(whole, &l, sha256_of_bundle, &outcome, &err) < 0,
	   "an outcome of another bundle is refused");
	is(err.message, "the outcome is of another bundle", "and that is said");
	cmp_ok(outcome.verdict == 0 && outcome.signal == 0, "==", 1, "nothing of it is left");
}

static void test_limits(void)
{
	static const char *const TEXTS[STREAM_COUNT] = {
		"the outcome has 9 bytes of stdout, at most 8 were asked for",
		"the outcome has 4 bytes of stderr, at most 3 were asked for",
		"the outcome has 10 bytes of install log, at most 9 were asked for",
		"the outcome has 9 bytes of result, at most 8 were asked for",
	};
	struct str whole = pulled();
	struct outcome outcome;
	struct err err;

	for (int i = 0; i < STREAM_COUNT; i++) {
		struct result_limits l = limits();

		l.kept_bytes[i]--;
		ok(result_read(whole, &l, NULL, &outcome, &err) < 0,
		   "one byte more than was asked for is refused");
		is(err.message, TEXTS[i], "and the stream is named");
		cmp_ok(err.code, "==", ERR_PROTOCOL, "as a breach of the protocol");
	}
}

static void test_damage(void)
{
	struct str whole = pulled();
	struct result_limits l = limits();
	struct outcome outcome;
	struct err err;
	size_t refused = 0;

	for (size_t n = 0; n < whole.n; n++) {
		char *copy = malloc(n > 0 ? n : 1);

		memcpy(copy, whole.p, n);
		refused += result_read((struct str){copy, n}, &l, NULL, &outcome, &err) < 0;
		free(copy);
	}
	cmp_ok(refused, "==", whole.n, "an outcome that ends anywhere before its end is refused");
	like(err.message, "^the outcome can't be read: ", "and that is said");
}

int main(void)
{
	test_reading();
	test_limits();
	test_damage();
	done_testing();
}
