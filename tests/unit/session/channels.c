#include "session/channels.h"

#include "proto/proto.h"
#include "proto/reader.h"

#include "tap.h"

#include <string.h>

static void test_subprotocols(void)
{
	ok(channels_speak(STR("v5.channel.k8s.io")), "v5 is spoken");
	ok(channels_speak(STR("v4.channel.k8s.io")), "v4 is, where a server has no v5");
	ok(!channels_speak(STR("channel.k8s.io")), "the first version is not: no Status");
	ok(!channels_speak(STR("v4.base64.channel.k8s.io")), "nor is base64 in text");
	ok(!channels_speak(STR("v5.channel.k8s.io.x")), "nor one that only begins like ours");
	ok(!channels_speak(STR("")), "nor none");
}

static void test_messages(void)
{
	static const struct {
		const char *rule;
		struct str message;
		enum channels_kind kind;
	} ROWS[] = {
		{"an empty message means nothing", STR(""), CHANNELS_NOTHING},
		{"a channel byte alone says connected", STR("\1"), CHANNELS_NOTHING},
		{"on the Status channel too", STR("\3"), CHANNELS_NOTHING},
		{"stdout is taken", STR("\1x"), CHANNELS_STDOUT},
		{"a NUL is a byte of stdout like others", STR("\1\0"), CHANNELS_STDOUT},
		{"a Status is taken", STR("\3{}"), CHANNELS_STATUS},
		{"what looks like stdin is ignored", STR("\0x"), CHANNELS_NOTHING},
		{"stderr is ignored", STR("\2x"), CHANNELS_NOTHING},
		{"a resize is ignored", STR("\4{}"), CHANNELS_NOTHING},
		{"an unknown channel is ignored", STR("\7x"), CHANNELS_NOTHING},
		{"v5's close signal is ignored from a server", STR("\377\1"), CHANNELS_NOTHING},
	};

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		struct str bytes;
		bool is_taken = ROWS[i].kind != CHANNELS_NOTHING;

		cmp_ok(channels_read(ROWS[i].message, &bytes), "==", ROWS[i].kind, "%s",
		       ROWS[i].rule);
		cmp_ok(bytes.n, "==", is_taken ? ROWS[i].message.n - 1 : 0,
		       "%s: with what follows the channel byte", ROWS[i].rule);
	}
}

static void test_stdin(void)
{
	uint8_t message[CHANNELS_HEAD_BYTES + 3] = {9, 'a', 'b', 'c'};
	struct str made = channels_stdin(message, 3);

	is_bytes(made.p, made.n, "\0abc", 4, "stdin's message begins with its channel");
}

/* --- Frames survive however the server cuts and mixes what it read from the pipe. */

#define FRAMES	     5
#define STREAM_BYTES (FRAMES * FRAME_WIRE_MAX + 1)

static size_t write_stream(uint8_t *stream, size_t payload_bytes)
{
	static char payload[FRAME_PAYLOAD_MAX];
	size_t length = 1;

	stream[0] = '\n';
	for (int i = 0; i < FRAMES; i++) {
		struct frame f = {.type = FRAME_DOWNLOAD, .session = 1, .offset = (uint64_t)i};

		memset(payload, 'a' + i, payload_bytes);
		f.payload = (struct str){payload, payload_bytes};
		length += frame_encode(stream + length, &f);
	}
	return length;
}

/* Feeds the stream in messages of `n` bytes with noise between them; how many frames came. */
static int frames_of(const uint8_t *stream, size_t length, size_t n)
{
	static const struct str NOISE[] = {STR(""), STR("\1"), STR("\2err\n"), STR("\7\n")};
	static uint8_t buffer[FRAME_WIRE_MAX];
	static char message[1 + STREAM_BYTES];
	struct str bytes, empty;
	struct reader reader;
	struct frame f;
	int frames = 0, noise = 0;

	reader_init(&reader, buffer);
	for (size_t at = 0; at < length; at += n) {
		size_t part = length - at < n ? length - at : n;

		message[0] = 1;
		memcpy(message + 1, stream + at, part);
		if (channels_read((struct str){message, 1 + part}, &bytes) != CHANNELS_STDOUT)
			return -1;
		while (reader_next(&reader, &bytes, &f))
			frames += f.offset == (uint64_t)frames;
		if (channels_read(NOISE[noise++ % 4], &empty) != CHANNELS_NOTHING)
			return -1;
	}
	return frames;
}

static void test_cuts(void)
{
	static uint8_t stream[STREAM_BYTES];
	size_t length = write_stream(stream, 30);
	int good = 0;

	for (size_t n = 1; n <= length; n++)
		good += frames_of(stream, length, n) == FRAMES;
	cmp_ok(good, "==", length, "frames are found whatever the size of messages");
	length = write_stream(stream, FRAME_PAYLOAD_MAX);
	cmp_ok(frames_of(stream, length, 1), "==", FRAMES, "large ones byte by byte");
	cmp_ok(frames_of(stream, length, 32768), "==", FRAMES, "in messages of 32 KiB");
	cmp_ok(frames_of(stream, length, length), "==", FRAMES, "and all in one message");
}

int main(void)
{
	test_subprotocols();
	test_messages();
	test_stdin();
	test_cuts();
	done_testing();
}
