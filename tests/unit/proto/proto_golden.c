/*
 * The golden vectors: what layout 1 looks like, byte by byte. A change here is a change of the
 * protocol, and old runners in old images would not understand it.
 *
 * With a folder as argument the program writes the vectors there instead, as seeds for the fuzzers
 * (`build/tests/unit/proto/proto_golden.t tests/fuzz/corpus`).
 */
#include "proto/controller_side.h"
#include "proto/reader.h"
#include "proto/runner_side.h"

#include "base/hex.h"
#include "flatten.h"
#include "proto_samples.h"
#include "proto_vectors.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

#define VECTOR_BYTES_MAX 4096

struct bytes {
	uint8_t data[VECTOR_BYTES_MAX];
	size_t length;
};

static void from_hex(const char *hex, struct bytes *b)
{
	b->length = strlen(hex) / 2;
	if (!hex_decode(str_of(hex), b->data, b->length))
		fail("a vector is hexadecimal");
}

static struct str slice(const struct bytes *b)
{
	return (struct str){(const char *)b->data, b->length};
}

static void frames_are_the_golden_ones(void)
{
	for (size_t i = 0; i < frame_vectors_count; i++) {
		const struct vector *v = &frame_vectors[i];
		struct bytes body, wire;
		struct frame f;
		uint8_t out[FRAME_WIRE_MAX], copy[VECTOR_BYTES_MAX];
		size_t length;

		from_hex(v->body, &body);
		from_hex(v->wire, &wire);
		memcpy(copy, wire.data, wire.length);
		length = wire.length - 1;
		ok(cobs_decode(copy, &length), "%s: the wire is COBS", v->name);
		is_bytes(copy, length, body.data, body.length, "%s: of the body", v->name);
		memcpy(copy, wire.data, wire.length);
		cmp_ok(frame_decode(copy, wire.length - 1, &f), "==", PROTO_NO_DROP,
		       "%s: the wire is a frame", v->name);
		cmp_ok(f.type, "==", body.data[1], "%s: of that type", v->name);
		cmp_ok(f.session, "==", SAMPLE_SESSION, "%s: of that session", v->name);
		is_bytes(f.payload.p, f.payload.n, body.data + 24, body.length - 28,
			 "%s: with that payload", v->name);
		length = frame_encode(out, &f);
		is_bytes(out, length, wire.data, wire.length, "%s: written like that", v->name);
	}
}

/* The payload of the vector of that name. */
static struct str payload_of(const char *name, struct bytes *body)
{
	for (size_t i = 0; i < frame_vectors_count; i++)
		if (strcmp(frame_vectors[i].name, name) == 0) {
			from_hex(frame_vectors[i].body, body);
			return str_slice(slice(body), 24, body->length - 4);
		}
	fail("there is a vector %s", name);
	return (struct str){NULL, 0};
}

/* The struct gives the payload that it was read from. */
#define IS_PUT(kind)                                                                      \
	do {                                                                              \
		uint8_t put[payload_##kind##_bytes];                                      \
                                                                                          \
		payload_put_##kind(put, &kind);                                           \
		is_bytes(put, sizeof(put), payload.p, sizeof(put), #kind ": is written"); \
	} while (0)

static void requests_say_what_the_vectors_say(void)
{
	struct bytes body;
	struct str payload;
	struct payload_attach attach;
	struct payload_offer offer;
	struct payload_start start;
	struct payload_get get;
	struct payload_cancel cancel;
	uint8_t run_id[PROTO_RUN_ID_BYTES];

	sample_run_id(run_id);
	payload = payload_of("ATTACH", &body);
	ok(payload_get_attach(payload, &attach), "ATTACH: is read");
	is_bytes(attach.run_id, sizeof(run_id), run_id, sizeof(run_id), "ATTACH: run id");
	cmp_ok(attach.attempt, "==", 3, "ATTACH: attempt");
	IS_PUT(attach);
	payload = payload_of("OFFER", &body);
	ok(payload_get_offer(payload, &offer), "OFFER: is read");
	cmp_ok(offer.total, "==", 70000, "OFFER: total");
	IS_PUT(offer);
	payload = payload_of("START", &body);
	ok(payload_get_start(payload, &start), "START: is read");
	cmp_ok(start.sha256[31], "==", 31, "START: hash");
	IS_PUT(start);
	payload = payload_of("GET", &body);
	ok(payload_get_get(payload, &get), "GET: is read");
	cmp_ok(get.object, "==", PROTO_OBJECT_OUTCOME, "GET: object");
	cmp_ok(get.length, "==", 61440, "GET: length");
	IS_PUT(get);
	payload = payload_of("CANCEL", &body);
	ok(payload_get_cancel(payload, &cancel), "CANCEL: is read");
	cmp_ok(cancel.grace_ms, "==", 2000, "CANCEL: grace");
	IS_PUT(cancel);
}

static void answers_say_what_the_vectors_say(void)
{
	struct bytes body;
	struct str payload;
	struct payload_hello hello;
	struct payload_state state;
	struct payload_error error;

	payload = payload_of("HELLO", &body);
	ok(payload_get_hello(payload, &hello), "HELLO: is read");
	cmp_ok(hello.version, "==", 1, "HELLO: version");
	cmp_ok(hello.phase, "==", PHASE_READY, "HELLO: phase");
	cmp_ok(hello.attempt, "==", 3, "HELLO: attempt");
	cmp_ok(hello.capabilities, "==", 1 << CAPABILITY_FUNCTION | 1 << CAPABILITY_LINT,
	       "HELLO: capabilities");
	IS_PUT(hello);
	payload = payload_of("STATE", &body);
	ok(payload_get_state(payload, &state), "STATE: is read");
	cmp_ok(state.phase, "==", PHASE_DONE, "STATE: phase");
	cmp_ok(state.starts, "==", 1, "STATE: starts");
	cmp_ok(state.received, "==", 70000, "STATE: received");
	cmp_ok(state.outcome_length, "==", 1234, "STATE: outcome length");
	cmp_ok(state.budget_left_ms, "==", 15000, "STATE: budget left");
	cmp_ok(state.memory_now, "==", 1 << 20, "STATE: memory now");
	cmp_ok(state.memory_peak, "==", 2 << 20, "STATE: memory peak");
	cmp_ok(state.cpu_ms, "==", 420, "STATE: CPU time");
	cmp_ok(state.stdout_bytes, "==", 1000, "STATE: stdout bytes");
	cmp_ok(state.stderr_bytes, "==", 7, "STATE: stderr bytes");
	IS_PUT(state);
	payload = payload_of("ERROR", &body);
	ok(payload_get_error(payload, &error), "ERROR: is read");
	cmp_ok(error.code, "==", PROTO_LOWER_SESSION, "ERROR: code");
	cmp_ok(error.session, "==", SAMPLE_SESSION + 1, "ERROR: current session");
	IS_PUT(error);
}

static void the_facts_of_hello_are_the_golden_ones(void)
{
	static uint8_t out[HELLO_FACTS_BYTES_MAX];
	struct bytes golden;
	struct hello sample, read;
	struct str facts = {NULL, 0};
	struct err err = {0};

	from_hex(hello_vector, &golden);
	sample_hello(&sample);
	ok(hello_encode(&sample, out, &facts, &err) == 0, "the sample is written");
	is_bytes(facts.p, facts.n, golden.data, golden.length, "as the golden facts");
	ok(hello_decode(slice(&golden), &read, &err) == 0, "which are read");
	is_bytes(read.build.p, read.build.n, sample.build.p, sample.build.n, "with their build");
	cmp_ok(read.uid, "==", 65534, "and their uid");
	cmp_ok(read.layers_count, "==", 2, "and both layers");
	cmp_ok(read.layers[1].state, "==", LAYER_MISSING, "in their states");
}

static void the_bundle_is_the_golden_one(void)
{
	static uint8_t manifest[VECTOR_BYTES_MAX];
	static struct bundle sample, read;
	static uint8_t whole[VECTOR_BYTES_MAX];
	struct bytes golden;
	struct str written;
	struct object object;
	struct err err = {0};

	from_hex(bundle_vector, &golden);
	sample_bundle(&sample);
	ok(bundle_encode(&sample, manifest, sizeof(manifest), &object, &err) == 0,
	   "the sample is written");
	written = flatten(&object, whole, sizeof(whole));
	is_bytes(written.p, written.n, golden.data, golden.length, "as the golden bundle");
	ok(bundle_decode(slice(&golden), &read, &err) == 0, "which is read: %s", err.message);
	cmp_ok(read.run_ms, "==", 30000, "with its budgets");
	cmp_ok(read.parts_count, "==", 4, "and its parts");
	ok(str_equal(read.parts[3].data, STR("1,2\n")), "with their bytes");
}

static void the_outcome_is_the_golden_one(void)
{
	static uint8_t manifest[VECTOR_BYTES_MAX];
	static struct outcome sample, read;
	static uint8_t whole[VECTOR_BYTES_MAX];
	struct bytes golden;
	struct str written;
	struct object object;
	struct err err = {0};

	from_hex(outcome_vector, &golden);
	sample_outcome(&sample);
	ok(outcome_encode(&sample, manifest, sizeof(manifest), &object, &err) == 0,
	   "the sample is written: %s", err.message);
	written = flatten(&object, whole, sizeof(whole));
	is_bytes(written.p, written.n, golden.data, golden.length, "as the golden outcome");
	ok(outcome_decode(slice(&golden), &read, &err) == 0, "which is read: %s", err.message);
	cmp_ok(read.killed_for, "==", KILLED_FOR_RUN_TIME, "with its reason");
	cmp_ok(outcome_omitted(&read.streams[STREAM_STDOUT]), "==", 1000, "and what is omitted");
	ok(str_equal(read.streams[STREAM_STDOUT].tail, STR("end\n")), "and its streams");
}

/* --- Seeds */

static int write_seed(const char *folder, const char *target, const char *name, struct str bytes)
{
	char path[512];
	FILE *file;
	size_t written;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, target, name);
	for (char *c = path; *c; c++)
		if (*c == ' ')
			*c = '-';
	file = fopen(path, "wb");
	if (!file) {
		perror(path);
		return -1;
	}
	written = fwrite(bytes.p, 1, bytes.n, file);
	return fclose(file) == 0 && written == bytes.n ? 0 : -1;
}

/* Behind the byte that the fuzzer cuts chunks by, and the delimiter that begins a connection. */
static int write_frame_seed(const char *folder, const char *name, const char *hex)
{
	struct bytes wire, seed = {.data = "\x20\n", .length = 2};

	from_hex(hex, &wire);
	memcpy(seed.data + seed.length, wire.data, wire.length);
	seed.length += wire.length;
	return write_seed(folder, "frame", name, slice(&seed));
}

static int write_hex_seed(const char *folder, const char *target, const char *hex)
{
	struct bytes bytes;

	from_hex(hex, &bytes);
	return write_seed(folder, target, "sample", slice(&bytes));
}

static int write_seeds(const char *folder)
{
	static uint8_t manifest[VECTOR_BYTES_MAX], whole[VECTOR_BYTES_MAX];
	struct outcome plain;
	struct object object;
	struct err err;
	int result = 0;

	for (size_t i = 0; i < frame_vectors_count; i++)
		result |= write_frame_seed(folder, frame_vectors[i].name, frame_vectors[i].wire);
	result |= write_hex_seed(folder, "hello", hello_vector);
	result |= write_hex_seed(folder, "bundle", bundle_vector);
	result |= write_hex_seed(folder, "outcome", outcome_vector);
	sample_plain_outcome(&plain, "hello\n");
	result |= outcome_encode(&plain, manifest, sizeof(manifest), &object, &err);
	result |= write_seed(folder, "outcome", "plain", flatten(&object, whole, sizeof(whole)));
	return result;
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return write_seeds(argv[1]) == 0 ? 0 : 1;
	frames_are_the_golden_ones();
	requests_say_what_the_vectors_say();
	answers_say_what_the_vectors_say();
	the_facts_of_hello_are_the_golden_ones();
	the_bundle_is_the_golden_one();
	the_outcome_is_the_golden_one();
	done_testing();
}
