/* The websocket side of the real io against a server that follows a script to the byte. */
#include "uv_fixture.h"
#include "ws_record.h"

#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define V5     "v5.channel.k8s.io"
#define ACCEPT EXPECT("\r\n\r\n"), WS_ACCEPT(V5)

/* Opcodes of RFC 6455. */
enum { BINARY = 2, CLOSING = 8, PING = 9, PONG = 10 };

#define REFUSE(status, length, body) \
	EXPECT("\r\n\r\n"), SEND("HTTP/1.1 " status "\r\nContent-Length: " length "\r\n\r\n" body)

/* What becomes of a websocket that only listens. */
struct ending {
	const char *rule;
	const struct fake_step *script;
	const char *subprotocol; /* NULL: never opens */
	const char *text;	 /* of all messages */
	size_t length;
	int messages;
	int http_status;
	const char *body;
	int close_code;
	enum err_code code;
	const char *message;
};

#define TEXT(literal) literal, sizeof(literal) - 1

static const struct fake_step FORBIDDEN[] = {REFUSE("403 Forbidden", "0", ""), END};
static const struct fake_step NO_POD[] = {
	REFUSE("404 Not Found", "35", "{\"kind\":\"Status\",\"reason\":\"NotFound\"}"), END};
static const struct fake_step EXITED[] = {
	EXPECT("\r\n\r\n"),
	SEND("HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n"
	     "Content-Length: 30\r\n\r\ncontainer c not found in pod p"),
	END};
static const struct fake_step NO_HOST[] = {
	EXPECT("\r\n\r\n"),
	SEND("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\npod has no host"), CLOSE, END};
static const struct fake_step CHUNKED_REFUSAL[] = {
	EXPECT("\r\n\r\n"),
	SEND("HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n"
	     "4\r\nnope\r\n0\r\n\r\n"),
	END};
static const struct fake_step REFUSED_BYTEWISE[] = {
	EXPECT("\r\n\r\n"), BYTEWISE("HTTP/1.1 429 Too Many\r\nContent-Length: 4\r\n\r\nwait"),
	END};
static const struct fake_step PLAIN_200[] = {REFUSE("200 OK", "2", "hi"), END};
static const struct fake_step REDIRECTED[] = {
	EXPECT("\r\n\r\n"),
	SEND("HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
	END};
static const struct fake_step NO_SUBPROTOCOL[] = {EXPECT("\r\n\r\n"), WS_ACCEPT(NULL), END};
static const struct fake_step OTHER_SUBPROTOCOL[] = {EXPECT("\r\n\r\n"),
						     WS_ACCEPT("v6.channel.k8s.io"), END};
static const struct fake_step WRONG_ACCEPT[] = {
	EXPECT("\r\n\r\n"),
	SEND("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	     "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n"
	     "Sec-WebSocket-Protocol: " V5 "\r\n\r\n"),
	END};
static const struct fake_step CUT_BEFORE[] = {CUT, END};
static const struct fake_step CUT_IN_HANDSHAKE[] = {EXPECT("\r\n\r\n"), SEND("HTTP/1.1 101 Swi"),
						    CUT, END};
static const struct fake_step V4_OF_TWO[] = {EXPECT("\r\n\r\n"), WS_ACCEPT("v4.channel.k8s.io"),
					     SEND("\x88\x02\x03\xe8"), END};
static const struct fake_step STATUS_THEN_CLOSE[] = {ACCEPT,
						     SEND("\x82\x01\x01"),
						     SEND("\x82\x03\x01hi"),
						     SEND("\x82\x03\x03{}"),
						     SEND("\x88\x02\x03\xe8"),
						     END};
static const struct fake_step ALL_IN_ONE[] = {
	ACCEPT, SEND("\x82\x03\x01hi\x82\x03\x03{}\x88\x02\x03\xe8"), END};
static const struct fake_step EACH_BYTE[] = {
	ACCEPT, BYTEWISE("\x82\x03\x01hi\x82\x03\x03{}\x88\x02\x03\xe8"), END};
static const struct fake_step FRAGMENTS[] = {ACCEPT,
					     SEND("\x02\x02\x01h\x89\x01p\x00\x01"
						  "e\x80\x03llo\x82\x01\x03\x88\x02\x03\xe8"),
					     END};
static const struct fake_step EMPTY_MESSAGE[] = {ACCEPT, SEND("\x82\x00"), SEND("\x82\x02\x01x"),
						 SEND("\x88\x02\x03\xe8"), END};
static const struct fake_step CLOSE_1011[] = {ACCEPT, SEND("\x82\x02\x01x"),
					      SEND("\x88\x05\x03\xf3"
						   "bad"),
					      END};
static const struct fake_step CLOSE_EMPTY[] = {ACCEPT, SEND("\x82\x02\x01x"), SEND("\x88\x00"),
					       END};
static const struct fake_step END_OF_TLS[] = {ACCEPT, SEND("\x82\x02\x01x"), CLOSE, END};
static const struct fake_step END_OF_TCP[] = {ACCEPT, SEND("\x82\x02\x01x"), CUT, END};
static const struct fake_step CUT_IN_FRAME[] = {ACCEPT, SEND("\x82\x05\x01x"), CUT, END};
static const struct fake_step TEXT_FRAME[] = {ACCEPT, SEND("\x81\x02hi"), END};
static const struct fake_step RESERVED_OPCODE[] = {ACCEPT, SEND("\x83\x01x"), END};

static const struct ending ENDINGS[] = {
	{"403 without a body", FORBIDDEN, NULL, TEXT(""), 0, 403, "", 0, ERR_FORBIDDEN,
	 "status 403"},
	{"404 with a Status", NO_POD, NULL, TEXT(""), 0, 404,
	 "{\"kind\":\"Status\",\"reason\":\"NotFound", 0, ERR_NOT_FOUND, "status 404"},
	{"500 in plain text", EXITED, NULL, TEXT(""), 0, 500, "container c not found in pod p", 0,
	 ERR_UNAVAILABLE, "status 500"},
	{"400 until the end of the connection", NO_HOST, NULL, TEXT(""), 0, 400, "pod has no host",
	 0, ERR_INVALID, "status 400"},
	{"401 in chunks", CHUNKED_REFUSAL, NULL, TEXT(""), 0, 401, "nope", 0, ERR_UNAUTHORIZED,
	 "status 401"},
	{"a refusal in single bytes keeps its status", REFUSED_BYTEWISE, NULL, TEXT(""), 0, 429,
	 NULL, 0, ERR_THROTTLED, "status 429"},
	{"200 is no websocket", PLAIN_200, NULL, TEXT(""), 0, 200, NULL, 0, ERR_PROTOCOL,
	 "status 200"},
	{"a redirect is a refusal", REDIRECTED, NULL, TEXT(""), 0, 302, NULL, 0, ERR_PROTOCOL,
	 "status 302"},
	{"101 without a subprotocol", NO_SUBPROTOCOL, NULL, TEXT(""), 0, 0, "", 0, ERR_PROTOCOL,
	 "chose no subprotocol"},
	{"101 with a subprotocol that was not offered", OTHER_SUBPROTOCOL, NULL, TEXT(""), 0, 0, "",
	 0, ERR_TRANSPORT, "no websocket"},
	{"101 with a wrong Sec-WebSocket-Accept", WRONG_ACCEPT, NULL, TEXT(""), 0, 0, "", 0,
	 ERR_TRANSPORT, "no websocket"},
	{"no answer but the end", CUT_BEFORE, NULL, TEXT(""), 0, 0, "", 0, ERR_TRANSPORT, ""},
	{"the end in the middle of the handshake", CUT_IN_HANDSHAKE, NULL, TEXT(""), 0, 0, "", 0,
	 ERR_TRANSPORT, ""},
	{"the second subprotocol that was offered", V4_OF_TWO, "v4.channel.k8s.io", TEXT(""), 0, 0,
	 "", 1000, ERR_TRANSPORT, "code 1000"},
	{"output, Status, close", STATUS_THEN_CLOSE, V5, TEXT("\x01\x01hi\x03{}"), 3, 0, "", 1000,
	 ERR_TRANSPORT, "code 1000"},
	{"all in one segment", ALL_IN_ONE, V5, TEXT("\x01hi\x03{}"), 2, 0, "", 1000, ERR_TRANSPORT,
	 "code 1000"},
	{"all in single bytes", EACH_BYTE, V5, TEXT("\x01hi\x03{}"), 2, 0, "", 1000, ERR_TRANSPORT,
	 "code 1000"},
	{"fragments are one message, with a ping in between", FRAGMENTS, V5, TEXT("\x01hello\x03"),
	 2, 0, "", 1000, ERR_TRANSPORT, "code 1000"},
	{"an empty message is one", EMPTY_MESSAGE, V5, TEXT("\x01x"), 2, 0, "", 1000, ERR_TRANSPORT,
	 "code 1000"},
	{"a close code is told", CLOSE_1011, V5, TEXT("\x01x"), 1, 0, "", 1011, ERR_TRANSPORT,
	 "code 1011"},
	{"a close without a code", CLOSE_EMPTY, V5, TEXT("\x01x"), 1, 0, "", 0, ERR_TRANSPORT,
	 "without a close"},
	{"the end of TLS without a close", END_OF_TLS, V5, TEXT("\x01x"), 1, 0, "", 0,
	 ERR_TRANSPORT, "without a close"},
	{"the end of TCP without a close", END_OF_TCP, V5, TEXT("\x01x"), 1, 0, "", 0,
	 ERR_TRANSPORT, "without a close"},
	{"the end inside a frame", CUT_IN_FRAME, V5, TEXT(""), 0, 0, "", 0, ERR_TRANSPORT,
	 "without a close"},
	{"a text message", TEXT_FRAME, V5, TEXT(""), 0, 0, "", 0, ERR_PROTOCOL, "text message"},
	{"an opcode that is reserved", RESERVED_OPCODE, V5, TEXT(""), 0, 0, "", 0, ERR_TRANSPORT,
	 ""},
};

static void each_websocket_ends_as_it_should(void)
{
	for (size_t i = 0; i < sizeof(ENDINGS) / sizeof(ENDINGS[0]); i++) {
		const struct ending *ending = &ENDINGS[i];
		struct ws_record record = {0};
		struct uv_fixture fixture;

		uv_fixture_open(&fixture, ending->script);
		ws_record_start(&record, fixture.io, fixture.endpoint);
		cmp_ok(ws_record_nth(&record), "==", 0,
		       "nothing is called from inside the starter");
		run_until(&fixture.loop, record.ends > 0);
		run_turns(&fixture.loop, 10);
		cmp_ok(record.ends, "==", 1, "%s: ends once", ending->rule);
		cmp_ok(record.opens, "==", ending->subprotocol ? 1 : 0, "%s: opens", ending->rule);
		is(record.subprotocol, ending->subprotocol ? ending->subprotocol : "",
		   "%s: subprotocol", ending->rule);
		is_bytes(record.text.data, record.text.length, ending->text, ending->length,
			 "%s: bytes", ending->rule);
		cmp_ok(record.messages, "==", ending->messages, "%s: messages", ending->rule);
		cmp_ok(record.http_status, "==", ending->http_status, "%s: HTTP status",
		       ending->rule);
		if (ending->body)
			like(record.body.data, ending->body[0] ? "." : "^$", "%s: body",
			     ending->rule);
		if (ending->body && ending->body[0])
			ok(strncmp(record.body.data, ending->body, strlen(ending->body)) == 0,
			   "%s: the body is what the server said: %s", ending->rule,
			   record.body.data);
		cmp_ok(record.close_code, "==", ending->close_code, "%s: close code", ending->rule);
		is(err_code_name(record.err.code), err_code_name(ending->code), "%s: %s",
		   ending->rule, record.err.message);
		like(record.err.message, ending->message, "%s: message", ending->rule);
		ws_record_free(&record);
		uv_fixture_close(&fixture);
	}
}

static void a_handshake_is_sent_as_asked(void)
{
	static const struct fake_step SCRIPT[] = {ACCEPT, SEND("\x88\x02\x03\xe8"), END};
	struct ws_record record = {0};
	struct uv_fixture fixture;
	const char *sent;

	uv_fixture_open(&fixture, SCRIPT);
	ws_record_start(&record, fixture.io, fixture.endpoint);
	run_until(&fixture.loop, record.ends > 0);
	sent = fake_server_seen(fixture.server, 0)->received;
	like(sent, "^GET /api/v1/namespaces/a/pods/b/attach\\?stdin=true HTTP/1.1\r\n",
	     "the target");
	like(sent, "\r\n[Hh]ost: 127.0.0.1:[0-9]+\r\n", "the host with its port");
	like(sent, "\r\n[Ss]ec-[Ww]eb[Ss]ocket-[Vv]ersion: 13\r\n", "the version");
	like(sent,
	     "\r\n[Ss]ec-[Ww]eb[Ss]ocket-[Pp]rotocol: v5.channel.k8s.io, v4.channel.k8s.io\r\n",
	     "the subprotocols in their order");
	like(sent, "\r\nauthorization: Bearer s3cret\r\n", "the token");
	like(sent, "\r\nuser-agent: fixture/1.0\r\n", "the user agent");
	ok(!strcasestr(sent, "sec-websocket-extensions"), "no extension is offered");
	is(fake_server_seen(fixture.server, 0)->alpn_offered, "http/1.1",
	   "HTTP/1.1 alone is offered");
	ws_record_free(&record);
	uv_fixture_close(&fixture);
}

static void send_on_open(struct ws_record *record, int nth)
{
	if (nth == 1) {
		ok(record->io->ws_send(record->io, record->handle, STR("\0hello")),
		   "a message is taken");
		ok(record->io->ws_send(record->io, record->handle, STR("")), "so is an empty one");
		ok(record->io->ws_send(record->io, record->handle, STR("\0bye")), "and the next");
	}
}

static void messages_go_out_whole_and_in_order(void)
{
	static const struct fake_step SCRIPT[] = {ACCEPT,
						  WS_EXPECT(BINARY, "\0hello"),
						  WS_EXPECT(BINARY, ""),
						  WS_EXPECT(BINARY, "\0bye"),
						  SEND("\x88\x02\x03\xe8"),
						  END};
	struct ws_record record = {.hook = send_on_open};
	struct uv_fixture fixture;

	uv_fixture_open(&fixture, SCRIPT);
	ws_record_start(&record, fixture.io, fixture.endpoint);
	run_until(&fixture.loop, record.ends > 0);
	cmp_ok(record.close_code, "==", 1000, "the server met every message");
	ws_record_free(&record);
	uv_fixture_close(&fixture);
}

static void a_ping_of_the_server_is_answered(void)
{
	static const struct fake_step SCRIPT[] = {ACCEPT, SEND("\x89\x04ping"),
						  WS_EXPECT(PONG, "ping"), SEND("\x88\x02\x03\xe8"),
						  END};
	struct ws_record record = {0};
	struct uv_fixture fixture;

	uv_fixture_open(&fixture, SCRIPT);
	ws_record_start(&record, fixture.io, fixture.endpoint);
	run_until(&fixture.loop, record.ends > 0);
	cmp_ok(record.close_code, "==", 1000, "the pong came");
	ws_record_free(&record);
	uv_fixture_close(&fixture);
}

static void large_messages_come_whole(void)
{
	enum { PAYLOAD = 300 * 1024 };
	unsigned char *frame = calloc(1, PAYLOAD + 10);
	struct fake_step script[] = {ACCEPT, SEND_LONG((char *)frame, PAYLOAD + 10),
				     SEND_LONG((char *)frame, PAYLOAD + 10),
				     SEND("\x88\x02\x03\xe8"), END};
	struct ws_record record = {0};
	struct uv_fixture fixture;

	frame[0] = 0x82;
	frame[1] = 127;
	for (int i = 0; i < 4; i++)
		frame[9 - i] = (unsigned char)(PAYLOAD >> 8 * i);
	for (size_t i = 0; i < PAYLOAD; i++)
		frame[10 + i] = (unsigned char)(i * 7);
	uv_fixture_open(&fixture, script);
	ws_record_start(&record, fixture.io, fixture.endpoint);
	run_until(&fixture.loop, record.ends > 0);
	cmp_ok(record.messages, "==", 2, "two frames over the read buffer are two messages");
	cmp_ok(record.lengths[0], "==", PAYLOAD, "each whole");
	is_bytes(record.text.data, PAYLOAD, frame + 10, PAYLOAD, "with every byte");
	ws_record_free(&record);
	uv_fixture_close(&fixture);
	free(frame);
}

static void limit_to_5(struct io_ws_request *request)
{
	request->message_limit = 5;
}

static void a_message_over_the_limit_is_an_end(void)
{
	static const struct fake_step JUST[] = {ACCEPT, SEND("\x82\x05hello\x88\x02\x03\xe8"), END};
	static const struct fake_step OVER[] = {ACCEPT, SEND("\x82\x06hello!"), END};
	static const struct fake_step JOINED[] = {ACCEPT, SEND("\x02\x03hel\x80\x03lo!"), END};
	static char much[100 * 1024];
	const struct fake_step promise[] = {ACCEPT,
					    SEND("\x82\x7f\x00\x00\x00\x00\x7f\xff\xff\xff"),
					    SEND_LONG(much, sizeof(much)), END};
	const struct fake_step *const scripts[] = {JUST, OVER, JOINED, promise};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct ws_record record = {.change = limit_to_5};
		struct uv_fixture fixture;

		uv_fixture_open(&fixture, scripts[i]);
		ws_record_start(&record, fixture.io, fixture.endpoint);
		run_until(&fixture.loop, record.ends > 0);
		is(err_code_name(record.err.code), i == 0 ? "Transport" : "TooLarge",
		   "script %zu: %s", i, record.err.message);
		cmp_ok(record.messages, "==", i == 0 ? 1 : 0, "of which this many messages come");
		ws_record_free(&record);
		uv_fixture_close(&fixture);
	}
}

int main(void)
{
	alarm(300);
	signal(SIGPIPE, SIG_IGN);
	setenv("http_proxy", "127.0.0.1:1", 1);
	each_websocket_ends_as_it_should();
	a_handshake_is_sent_as_asked();
	messages_go_out_whole_and_in_order();
	a_ping_of_the_server_is_answered();
	large_messages_come_whole();
	a_message_over_the_limit_is_an_end();
	done_testing();
}
