#include "base/sha256.h"
#include "fuzz.h"
#include "proto/reader.h"

#include <assert.h>
#include <string.h>

/* What came out of a stream: the frames, as they would be written again. */
struct found {
	struct sha256 all;
	unsigned count;
};

static void read_in_chunks(const uint8_t *data, size_t size, size_t chunk_bytes,
			   struct found *found)
{
	static uint8_t buffer[FRAME_WIRE_MAX], again[FRAME_WIRE_MAX];
	struct reader r;
	struct frame f, same;

	*found = (struct found){.count = 0};
	sha256_init(&found->all);
	reader_init(&r, buffer);
	for (size_t at = 0; at < size; at += chunk_bytes) {
		size_t left = size - at;
		struct str chunk = {(const char *)data + at,
				    left < chunk_bytes ? left : chunk_bytes};

		while (reader_next(&r, &chunk, &f)) {
			size_t length = frame_encode(again, &f);

			sha256_update(&found->all, again, length);
			found->count++;
			assert(frame_decode(again, length - 1, &same) == PROTO_NO_DROP);
			assert(same.type == f.type && same.session == f.session);
			assert(same.offset == f.offset && str_equal(same.payload, f.payload));
		}
	}
}

/* The first byte says how long the chunks are. How a stream is cut does not change what is read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t digests[2][SHA256_BYTES];
	struct found whole, cut;

	if (size < 2)
		return 0;
	read_in_chunks(data + 1, size - 1, size, &whole);
	read_in_chunks(data + 1, size - 1, 1u + data[0], &cut);
	sha256_final(&whole.all, digests[0]);
	sha256_final(&cut.all, digests[1]);
	assert(whole.count == cut.count);
	assert(memcmp(digests[0], digests[1], SHA256_BYTES) == 0);
	return 0;
}
