#include "build/output.h"

#include "base/base64.h"
#include "base/hex.h"
#include "base/json_string.h"
#include "base/sha256.h"

#include "golden.h"
#include "tap.h"

#include <string.h>

#define MIB (1 << 20)

static char bytes[2 * MIB];

static struct output_request request_for(const struct ending_stream *stream, int index)
{
	return (struct output_request){
		.task_name = STR("answer"),
		.task_namespace = STR("team"),
		.task_uid = STR("t-1"),
		.pod_name = "sbt-1-1",
		.stream_name = "stdout",
		.stream = stream,
		.index = index,
	};
}

static void a_part_is_a_whole_object(void)
{
	struct ending_stream stream = {{"hello \xff", 7}, {"tail", 4}, 1000};
	struct output_request request = request_for(&stream, 0);
	struct output_ref ref;
	struct buf text;
	struct err err;

	buf_init(&text, OUTPUT_BYTES_MAX);
	cmp_ok(output_count(&stream), "==", 1, "a short stream has one part");
	ok(output_write(&text, &request, &ref, &err) == 0, "which is written");
	golden("output", buf_str(&text));
	is(ref.name, "sbt-1-1-stdout-0", "its name is that of Pod, stream and place");
	cmp_ok(ref.bytes, "==", 11, "its length is that of head and tail");
	ok(output_is(buf_str(&text), &ref, STR("t-1")), "it is what the reference says");
	ok(!output_is(buf_str(&text), &ref, STR("t-2")), "but not of another task");
	ref.sha256[0] ^= 1;
	ok(!output_is(buf_str(&text), &ref, STR("t-1")), "nor with another hash");
	ok(!output_is(STR("{}"), &ref, STR("t-1")), "nor is an empty object");
	buf_free(&text);
}

static void parts_make_the_stream(void)
{
	struct ending_stream stream = {{bytes, MIB}, {bytes + MIB, MIB / 2 + 1}, 99 * MIB};
	struct buf text, whole;
	struct err err;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 + i / 251);
	cmp_ok(output_count(&stream), "==", 3, "1.5 MiB and a byte are three parts of 768 KiB");
	buf_init(&text, OUTPUT_BYTES_MAX);
	buf_init(&whole, sizeof(bytes));
	for (int i = 0; i < output_count(&stream); i++) {
		struct output_request request = request_for(&stream, i);
		struct output_ref ref;
		struct str data;
		size_t before = whole.length;
		char hex[65];
		uint8_t digest[32];

		buf_clear(&text);
		if (output_write(&text, &request, &ref, &err) < 0)
			fail("part %d: %s", i, err.message);
		json_find(buf_str(&text), STR("data"), &data);
		ok(data.n - 2 <= 1048576, "part %d is not longer than the schema allows", i);
		base64_decode(&whole, str_slice(data, 1, data.n - 1), BASE64_REFUSE_BLANKS, &err);
		sha256(whole.data + before, whole.length - before, digest);
		hex_encode(hex, digest, 32);
		is(ref.sha256, hex, "  and its hash is that of its bytes");
		cmp_ok(ref.bytes, "==", whole.length - before, "  as is its length");
	}
	is_bytes(whole.data, whole.length, bytes, MIB + MIB / 2 + 1,
		 "together they are all that was kept");
	buf_free(&whole);
	buf_free(&text);
}

static void counts(void)
{
	static const struct {
		size_t kept;
		int parts;
	} rows[] = {{0, 0}, {1, 1}, {786432, 1}, {786433, 2}, {2 * 786432, 2}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ending_stream stream = {{bytes, rows[i].kept}, {NULL, 0}, rows[i].kept};

		cmp_ok(output_count(&stream), "==", rows[i].parts, "%zu bytes have %d parts",
		       rows[i].kept, rows[i].parts);
	}
}

int main(void)
{
	a_part_is_a_whole_object();
	parts_make_the_stream();
	counts();
	done_testing();
}
