#include "proto/hello.h"

#include "proto/payload.h"

#include "proto_samples.h"
#include "tap.h"

static uint8_t out[HELLO_FACTS_BYTES_MAX];

static void the_largest_hello_fits_a_frame(void)
{
	static char text[TAGS_DETAIL_BYTES_MAX], names[LAYERS_MAX][64];
	struct hello h, read;
	struct str facts;
	struct err err = {0};

	sample_hello(&h);
	memset(text, 'x', sizeof(text));
	memset(names, 'n', sizeof(names));
	h.build = (struct str){text, 64};
	h.kernel = (struct str){text, 128};
	h.layers_count = LAYERS_MAX;
	for (int i = 0; i < LAYERS_MAX; i++) {
		names[i][0] = (char)('A' + i);
		h.layers[i] = (struct layer){{names[i], 64}, LAYER_HELD, {text, sizeof(text)}};
	}
	ok(hello_encode(&h, out, &facts, &err) == 0, "it is written: %s", err.message);
	ok(hello_decode(facts, &read, &err) == 0, "and read");
	cmp_ok(read.layers_count, "==", LAYERS_MAX, "with all layers");
	cmp_ok(facts.n + payload_hello_bytes, "<=", FRAME_PAYLOAD_MAX, "in one frame");
}

static void a_bad_hello_is_refused(void)
{
	struct hello h, read;
	struct str facts;
	struct err err = {0};

	ok(hello_decode((struct str){NULL, 0}, &read, &err) < 0, "no facts at all");
	is(err.message, "hello.build is missing", "the first that is missing is named");
	sample_hello(&h);
	h.build = (struct str){NULL, 0};
	ok(hello_encode(&h, out, &facts, &err) < 0, "an empty build is not written");
	sample_hello(&h);
	h.layers[0].state = LAYER_STATE_MAX + 1;
	ok(hello_encode(&h, out, &facts, &err) < 0, "nor is a layer in no state");
	is(err.message, "hello: layer.state is 3, not within 0 and 2", "which is named");
	sample_hello(&h);
	h.layers[1].name = h.layers[0].name;
	ok(hello_encode(&h, out, &facts, &err) < 0, "nor is a layer twice");
	cmp_ok(err.code, "==", ERR_INVALID, "the writer's mistake");
}

static void a_layer_twice_is_not_read_either(void)
{
	struct hello h, read;
	struct str facts;
	struct err err = {0};

	sample_hello(&h);
	h.layers[0].name = STR("gvisorA");
	h.layers[1].name = STR("gvisorB");
	ok(hello_encode(&h, out, &facts, &err) == 0, "two names of one length");
	for (size_t i = 0; i + 7 <= facts.n; i++)
		if (memcmp(out + i, "gvisorB", 7) == 0)
			out[i + 6] = 'A';
	ok(hello_decode(facts, &read, &err) < 0, "made equal on the way");
	cmp_ok(err.code, "==", ERR_PROTOCOL, "are the other side's mistake");
	cmp_ok(read.layers_count, "==", 0, "and leave nothing");
}

int main(void)
{
	the_largest_hello_fits_a_frame();
	a_bad_hello_is_refused();
	a_layer_twice_is_not_read_either();
	done_testing();
}
