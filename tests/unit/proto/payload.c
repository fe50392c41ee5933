#include "proto/payload.h"

#include "tap.h"

#include <string.h>

#define EXACT(kind, extra)                                                                         \
	do {                                                                                       \
		static char bytes[payload_##kind##_bytes + 1];                                     \
		struct payload_##kind p;                                                           \
                                                                                                   \
		memset(bytes, 1, sizeof(bytes));                                                   \
		ok(payload_get_##kind((struct str){bytes, sizeof(bytes) - 1}, &p),                 \
		   #kind ": its length is read");                                                  \
		ok(!payload_get_##kind((struct str){bytes, sizeof(bytes) - 2}, &p),                \
		   #kind ": one byte less is refused");                                            \
		ok(payload_get_##kind((struct str){bytes, sizeof(bytes)}, &p) == (extra),          \
		   #kind ": one byte more is %s", (extra) ? "the beginning of facts" : "refused"); \
		ok(!payload_get_##kind((struct str){NULL, 0}, &p), #kind ": nothing is refused");  \
	} while (0)

static void lengths_are_exact(void)
{
	EXACT(attach, false);
	EXACT(offer, false);
	EXACT(start, false);
	EXACT(cancel, false);
	EXACT(hello, true);
	EXACT(error, false);
	cmp_ok(payload_state_bytes, "==", 90, "STATE has 90 bytes");
	cmp_ok(payload_get_bytes, "==", 5, "GET has 5 bytes");
}

static bool attach(uint8_t min, uint8_t max)
{
	uint8_t bytes[payload_attach_bytes];
	struct payload_attach p = {.version_min = min, .version_max = max}, read;

	payload_put_attach(bytes, &p);
	return payload_get_attach((struct str){(char *)bytes, sizeof(bytes)}, &read);
}

static bool get(uint32_t length, size_t bytes_given)
{
	uint8_t bytes[payload_get_bytes + 1] = {0};
	struct payload_get p = {.length = length}, read;

	payload_put_get(bytes, &p);
	return payload_get_get((struct str){(char *)bytes, bytes_given}, &read);
}

static void numbers_must_make_sense(void)
{
	uint8_t bytes[payload_offer_bytes];
	struct payload_offer offer = {.total = 0};
	uint8_t error_bytes[payload_error_bytes];
	struct payload_error error = {.code = 0};

	ok(attach(1, 1) && attach(1, 255) && attach(3, 4), "a range of versions");
	ok(!attach(0, 1), "version 0 is none");
	ok(!attach(2, 1), "nor is a range that ends before it begins");
	ok(get(1, payload_get_bytes) && get(65536, payload_get_bytes), "GET of 1 to 64 KiB");
	ok(!get(0, payload_get_bytes), "GET of nothing is refused");
	ok(!get(65537, payload_get_bytes), "GET of more is refused");
	ok(!get(1, payload_get_bytes - 1) && !get(1, payload_get_bytes + 1),
	   "and of other lengths");
	payload_put_offer(bytes, &offer);
	ok(!payload_get_offer((struct str){(char *)bytes, sizeof(bytes)}, &offer),
	   "an empty bundle is refused");
	payload_put_error(error_bytes, &error);
	ok(!payload_get_error((struct str){(char *)error_bytes, sizeof(error_bytes)}, &error),
	   "an ERROR without a code is refused");
}

static bool hello(uint8_t version, uint8_t phase)
{
	uint8_t bytes[payload_hello_bytes];
	struct payload_hello p = {.version = version, .phase = phase}, read;

	payload_put_hello(bytes, &p);
	return payload_get_hello((struct str){(char *)bytes, sizeof(bytes)}, &read);
}

static void a_hello_makes_sense(void)
{
	ok(hello(1, PHASE_DONE) && hello(255, PHASE_BOOTING), "any version, any phase");
	ok(!hello(0, PHASE_READY), "version 0 is none");
	ok(!hello(1, PHASE_DONE + 1), "an unknown phase is none");
}

static bool state(struct payload_state p)
{
	uint8_t bytes[payload_state_bytes];
	struct payload_state read;

	payload_put_state(bytes, &p);
	return payload_get_state((struct str){(char *)bytes, sizeof(bytes)}, &read);
}

static void a_state_does_not_contradict_itself(void)
{
	ok(state((struct payload_state){.phase = PHASE_READY}), "ready");
	ok(state((struct payload_state){.phase = PHASE_RECEIVED, .starts = 1}), "about to run");
	ok(state((struct payload_state){.phase = PHASE_RUNNING, .starts = 1}), "running");
	ok(state((struct payload_state){.phase = PHASE_DONE, .starts = 1, .outcome_length = 1}),
	   "done, with an outcome");
	ok(state((struct payload_state){.phase = PHASE_DONE}), "cancelled before START");
	ok(!state((struct payload_state){.phase = PHASE_DONE + 1}), "an unknown phase is refused");
	ok(!state((struct payload_state){.phase = PHASE_RUNNING}), "running without a start");
	ok(!state((struct payload_state){.phase = PHASE_INSTALLING}), "so is installing");
	ok(!state((struct payload_state){.phase = PHASE_RUNNING, .starts = 2}), "two starts");
	ok(!state((struct payload_state){.phase = PHASE_DONE, .starts = 1}),
	   "done after a start, without an outcome");
	ok(!state((struct payload_state){.phase = PHASE_DONE, .outcome_length = 1}),
	   "an outcome without a start");
	ok(!state((struct payload_state){.phase = PHASE_RUNNING, .starts = 1, .outcome_length = 1}),
	   "an outcome before the end");
}

static void a_state_is_small_on_the_wire(void)
{
	uint8_t out[FRAME_WIRE_MAX];
	struct frame head = {.type = FRAME_STATE, .session = UINT64_MAX};
	struct payload_state p;

	memset(&p, 0xFF, sizeof(p));
	cmp_ok(payload_frame_state(out, &head, &p), "<=", 512, "at most 512 bytes");
}

int main(void)
{
	lengths_are_exact();
	numbers_must_make_sense();
	a_hello_makes_sense();
	a_state_does_not_contradict_itself();
	a_state_is_small_on_the_wire();
	done_testing();
}
