#include "session/wire.h"

#include "fake_ws.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static struct fake_io fake;
static struct fake_ws ws;
static struct hub hub;
static struct wire wire;

/* What the wire said. */
static int opens, frames, pauses, downs;
static uint64_t last_offset;
static enum attach_verdict verdict;
static char down_text[ATTACH_TEXT_SIZE];
static bool close_in_callback;

static void on_open(void *context)
{
	opens++;
	if (close_in_callback)
		wire_close(context);
}

static void on_frame(void *context, const struct frame *frame)
{
	(void)context;
	frames++;
	last_offset = frame->offset;
}

static void on_pause(void *context)
{
	pauses++;
	if (close_in_callback)
		wire_close(context);
}

static void on_down(void *context, enum attach_verdict why, const char *text)
{
	(void)context;
	downs++;
	verdict = why;
	snprintf(down_text, sizeof(down_text), "%s", text);
}

static const struct wire_callbacks CALLBACKS = {on_open, on_frame, on_pause, on_down};

static void begin(void)
{
	fake_io_init(&fake);
	fake_ws_init(&ws, &fake);
	hub_init(&hub, 1);
	wire_init(&wire, &fake.io, &hub, &CALLBACKS, &wire);
	opens = frames = pauses = downs = 0;
	close_in_callback = false;
	wire_open(&wire, &(struct wire_request){NULL, "/attach", STR("token")});
}

static void end(void)
{
	wire_close(&wire);
	fake_ws_free(&ws);
	fake_io_free(&fake);
}

/* A frame with delimiters around it. */
static struct str a_frame(uint64_t offset)
{
	static uint8_t bytes[FRAME_WIRE_MAX + 1];
	static char payload[1000];
	struct frame f = {.type = FRAME_DOWNLOAD, .offset = offset};

	f.payload = (struct str){payload, sizeof(payload)};
	bytes[0] = '\n';
	return (struct str){(const char *)bytes, 1 + frame_encode(bytes + 1, &f)};
}

static void test_handshake(void)
{
	struct io_ws *socket;

	begin();
	socket = fake_ws_last(&ws);
	is(socket->target, "/attach", "it asks for the target");
	is(socket->token, "token", "with the token");
	cmp_ok(socket->connect_timeout_ms, "==", WIRE_CONNECT_TIMEOUT_MS,
	       "a handshake that is never answered ends");
	cmp_ok(socket->silence_ms, "==", WIRE_SILENCE_MS, "pings keep an idle one alive");
	ok(wire_is_up(&wire) && !wire_can_send(&wire), "nothing is sent before it is open");
	fake_ws_open(socket, "v4.channel.k8s.io");
	ok(opens == 1 && wire_can_send(&wire), "v4 will do where v5 was offered first");
	end();

	begin();
	fake_ws_open(fake_ws_last(&ws), "base64.channel.k8s.io");
	cmp_ok(downs, "==", 1, "a subprotocol that was not offered ends it");
	is(attach_verdict_name(verdict), "Refused", "as refused");
	ok(opens == 0 && !wire_is_up(&wire), "it was never open");
	end();
}

static void test_frames(void)
{
	struct str bytes = a_frame(7);
	struct io_ws *socket;
	int good = 0;

	begin();
	socket = fake_ws_last(&ws);
	fake_ws_open(socket, "v5.channel.k8s.io");
	fake_ws_message(socket, "\1", 1);
	fake_ws_message(socket, "", 0);
	fake_ws_message(socket, "\2oops\n", 6);
	cmp_ok(frames + pauses, "==", 0, "what means nothing says nothing");
	for (size_t cut = 1; cut < bytes.n; cut++) {
		frames = 0;
		fake_ws_stdout(socket, str_slice(bytes, 0, cut));
		/* Others use the shared buffer meanwhile. */
		memset(hub.in, 0xAA, sizeof(hub.in));
		fake_ws_stdout(socket, str_slice(bytes, cut, bytes.n));
		good += frames == 1 && last_offset == 7 && !wire.mid_frame;
	}
	cmp_ok(good, "==", bytes.n - 1,
	       "a frame cut anywhere is whole again, though idle wires share one buffer");
	end();
}

static void test_status(void)
{
	struct str message, bytes = a_frame(9);
	struct io_ws *socket;

	begin();
	socket = fake_ws_last(&ws);
	fake_ws_open(socket, "v5.channel.k8s.io");
	fake_ws_status(socket, "{\"status\":\"Success\",\"message\":\"done\"}");
	ok(!wire_can_send(&wire), "after a Status nothing is sent");
	fake_ws_stdout(socket, bytes);
	cmp_ok(frames, "==", 1, "but stdout that comes late is read");
	fake_ws_status(socket, "{\"message\":\"another\"}");
	fake_ws_end(socket, (struct fake_end){.close_code = 1000, .code = ERR_TRANSPORT});
	is(attach_verdict_name(verdict), "Ended", "then it has ended");
	is(down_text, "done", "with what the first Status said");
	ok(!fake_ws_take(socket, &message), "and nothing was sent");

	wire_open(&wire, &(struct wire_request){NULL, "/attach", STR("")});
	fake_ws_open(fake_ws_last(&ws), "v5.channel.k8s.io");
	ok(wire_can_send(&wire), "the next connection knows nothing of that Status");
	fake_ws_status(fake_ws_last(&ws), "not JSON");
	fake_io_advance(&fake, WIRE_AFTER_STATUS_MS);
	cmp_ok(downs, "==", 2, "a server that does not close after it is left");
	is(down_text, "not JSON", "with its text as it is");
	ok(!wire_is_up(&wire), "the connection is gone");
	end();
}

static void send(size_t length)
{
	memset(wire_room(&wire), 'f', length);
	wire_send(&wire, length);
}

static void test_blocking(void)
{
	struct io_ws *socket;
	struct str message;

	begin();
	socket = fake_ws_last(&ws);
	fake_ws_open(socket, "v5.channel.k8s.io");
	send(3);
	ok(fake_ws_take(socket, &message), "a frame is sent");
	is_bytes(message.p, message.n, "\0fff", 4, "as one message to stdin");
	free((void *)(uintptr_t)message.p);
	fake_ws_block(socket, true);
	send(5);
	ok(!wire_can_send(&wire), "one that is not taken waits, and no other is taken");
	fake_ws_stdout(socket, a_frame(1));
	cmp_ok(frames, "==", 1, "reading goes on meanwhile");
	pauses = 0;
	fake_ws_block(socket, false);
	ok(fake_ws_take(socket, &message), "it goes when the websocket is writable");
	is_bytes(message.p, message.n, "\0fffff", 6, "whole");
	free((void *)(uintptr_t)message.p);
	ok(pauses == 1 && wire_can_send(&wire), "and the next is asked for");
	fake_ws_block(socket, true);
	send(1);
	fake_io_advance(&fake, WIRE_BLOCKED_MS - 1);
	cmp_ok(downs, "==", 0, "a container may be slow to read");
	fake_io_advance(&fake, 1);
	is(attach_verdict_name(verdict), "Lost", "but not for ever");
	end();
}

static void test_callbacks(void)
{
	struct io_ws *socket;

	begin();
	close_in_callback = true;
	fake_ws_open(fake_ws_last(&ws), "v5.channel.k8s.io");
	ok(!wire_is_up(&wire) && downs == 0, "it can be closed in open, and says nothing more");
	end();

	begin();
	socket = fake_ws_last(&ws);
	fake_ws_open(socket, "v5.channel.k8s.io");
	close_in_callback = true;
	fake_ws_stdout(socket, a_frame(1));
	ok(!wire_is_up(&wire) && downs == 0, "it can be closed in pause");
	end();

	begin();
	fake_ws_open(fake_ws_last(&ws), "v5.channel.k8s.io");
	fake_ws_stdout(fake_ws_last(&ws), str_slice(a_frame(1), 0, 100));
	fake_ws_end(fake_ws_last(&ws), (struct fake_end){.code = ERR_TRANSPORT});
	wire_open(&wire, &(struct wire_request){NULL, "/attach", STR("")});
	fake_ws_open(fake_ws_last(&ws), "v5.channel.k8s.io");
	frames = 0;
	fake_ws_stdout(fake_ws_last(&ws), str_slice(a_frame(1), 100, SIZE_MAX));
	cmp_ok(frames, "==", 0, "a frame is not joined across connections");
	end();
}

int main(void)
{
	test_handshake();
	test_frames();
	test_status();
	test_blocking();
	test_callbacks();
	done_testing();
}
