#include "session/attach.h"

#include "tap.h"

#include <string.h>

#define STATUS_404                                                                           \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\"," \
	"\"message\":\"pods \\\"sbt-1\\\" not found\",\"reason\":\"NotFound\",\"code\":404}"
#define STATUS_400                                                                             \
	"{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"pod sbt-1 does not have a " \
	"host assigned\",\"reason\":\"BadRequest\",\"code\":400}"
#define STATUS_403 "{\"kind\":\"Status\",\"message\":\"forbidden\",\"code\":403}"

/* The cases of facts that a server or what stands between was seen to produce. */
static const struct {
	const char *rule;
	int http_status, close_code;
	enum err_code code;
	const char *body;
	bool has_status;
	enum attach_verdict verdict;
} ROWS[] = {
	{"a Pod that the API server does not know is gone", 404, 0, ERR_NOT_FOUND, STATUS_404,
	 false, ATTACH_GONE},
	{"a 404 of the kubelet, in plain text, is a Pod that it does not have yet", 404, 0,
	 ERR_NOT_FOUND, "pod does not exist", false, ATTACH_UNREADY},
	{"a 404 without a word may be a proxy's: no Pod is gone by it", 404, 0, ERR_NOT_FOUND, "",
	 false, ATTACH_UNREADY},
	{"a Pod without a node is not ready", 400, 0, ERR_INVALID, STATUS_400, false,
	 ATTACH_UNREADY},
	{"a container that has exited, or was not created, is not ready", 500, 0, ERR_UNAVAILABLE,
	 "container sandbox not found in pod sbt-1", false, ATTACH_UNREADY},
	{"a 403 without a body is no common subprotocol", 403, 0, ERR_FORBIDDEN, "", false,
	 ATTACH_REFUSED},
	{"a 403 with a Status is a missing right", 403, 0, ERR_FORBIDDEN, STATUS_403, false,
	 ATTACH_REFUSED},
	{"a bad token is refused", 401, 0, ERR_UNAUTHORIZED, "Unauthorized", false, ATTACH_REFUSED},
	{"a redirect is refused", 302, 0, ERR_PROTOCOL, "", false, ATTACH_REFUSED},
	{"a plain 200 is refused", 200, 0, ERR_PROTOCOL, "ok", false, ATTACH_REFUSED},
	{"too many attaches at once pass", 429, 0, ERR_THROTTLED, "", false, ATTACH_LOST},
	{"a proxy's 502 passes", 502, 0, ERR_UNAVAILABLE, "<html>", false, ATTACH_LOST},
	{"a 503 passes", 503, 0, ERR_UNAVAILABLE, "", false, ATTACH_LOST},
	{"a 504 passes", 504, 0, ERR_TIMEOUT, "", false, ATTACH_LOST},
	{"a handshake that is never answered is lost", 0, 0, ERR_TIMEOUT, "", false, ATTACH_LOST},
	{"a connection that is refused is lost", 0, 0, ERR_TRANSPORT, "", false, ATTACH_LOST},
	{"a reset is lost", 0, 0, ERR_TRANSPORT, "", false, ATTACH_LOST},
	{"a close with code 1011 is lost", 0, 1011, ERR_TRANSPORT, "", false, ATTACH_LOST},
	{"a close with code 1000 but no Status is an end, of which nothing is known", 0, 1000,
	 ERR_TRANSPORT, "", false, ATTACH_ENDED},
	{"a Status and then a close is an end", 0, 1000, ERR_TRANSPORT, "", true, ATTACH_ENDED},
	{"a Status and then a reset is an end", 0, 0, ERR_TRANSPORT, "", true, ATTACH_ENDED},
	{"a 101 without a subprotocol is refused", 0, 0, ERR_PROTOCOL, "", false, ATTACH_REFUSED},
	{"a text message is refused", 0, 0, ERR_PROTOCOL, "", false, ATTACH_REFUSED},
	{"a message over the limit is refused", 0, 0, ERR_TOO_LARGE, "", false, ATTACH_REFUSED},
};

static void test_verdicts(void)
{
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		struct err err;
		struct io_ws_end end = {
			.close_code = ROWS[i].close_code,
			.http_status = ROWS[i].http_status,
			.err = &err,
			.body = str_of(ROWS[i].body),
		};

		err_set(&err, ROWS[i].code, "what happened");
		is(attach_verdict_name(attach_judge(&end, ROWS[i].has_status)),
		   attach_verdict_name(ROWS[i].verdict), "%s", ROWS[i].rule);
	}
}

static void test_texts(void)
{
	char text[ATTACH_TEXT_SIZE], large[3000];

	attach_text(STR(STATUS_404), text);
	is(text, "pods \"sbt-1\" not found", "a Status says its message");
	attach_text(STR("{\"status\":\"Success\"}"), text);
	is(text, "{\"status\":\"Success\"}", "one without a message says itself");
	attach_text(STR(" container\tc\x1b[31m not found\n"), text);
	is(text, "container?c?[31m not found", "plain text is cleaned");
	attach_text(STR("{\"message\":\"a\\u001bb\\u00e9\"}"), text);
	is(text, "a?b??", "a message as well");
	attach_text(STR(""), text);
	is(text, "", "nothing says nothing");
	memset(large, 'x', sizeof(large));
	attach_text((struct str){large, sizeof(large)}, text);
	cmp_ok(strlen(text), "==", ATTACH_TEXT_SIZE - 1, "what is long is cut");
}

static void test_descriptions(void)
{
	char text[ATTACH_TEXT_SIZE], large[3000];
	struct err err;
	struct io_ws_end end = {.http_status = 404, .err = &err, .body = STR("no such pod")};

	err_set(&err, ERR_NOT_FOUND, "refused with status 404");
	attach_describe(&end, text);
	is(text, "refused with status 404: no such pod",
	   "an end says why, and what the server said");
	end.body = STR("");
	attach_describe(&end, text);
	is(text, "refused with status 404", "or only why");
	memset(large, 'x', sizeof(large));
	end.body = (struct str){large, sizeof(large)};
	attach_describe(&end, text);
	cmp_ok(strlen(text), "==", ATTACH_TEXT_SIZE - 1, "what is long is cut");
}

static void test_delays(void)
{
	static const int64_t STEPS[] = {100, 200, 400, 800, 1600, 3200, 5000, 5000};

	for (unsigned i = 0; i < 8; i++)
		cmp_ok(attach_delay_ms(i + 1, 0), "==", STEPS[i], "loss %u in a row", i + 1);
	cmp_ok(attach_delay_ms(1, UINT32_MAX), "==", 199, "chance stretches, up to double");
	cmp_ok(attach_delay_ms(1000000, UINT32_MAX), "==", 9999, "however many there were");
}

int main(void)
{
	test_verdicts();
	test_texts();
	test_descriptions();
	test_delays();
	done_testing();
}
