#include "kube/status.h"

#include "tap.h"

#include <string.h>

#define STATUS(members) \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\"," members "}"

static const struct {
	const char *rule;
	int http_status;
	int64_t retry_after_ms;
	const char *body;
	const char *code;
	int wanted_status;
	int64_t wanted_retry_ms;
	const char *message;
} ROWS[] = {
	{"not found", 404, 0,
	 STATUS("\"message\":\"pods \\\"a\\\" not found\",\"reason\":\"NotFound\",\"code\":404"),
	 "NotFound", 404, 0, "HTTP 404: pods \"a\" not found"},
	{"a create that met an object", 409, 0, STATUS("\"reason\":\"AlreadyExists\",\"code\":409"),
	 "AlreadyExists", 409, 0, "HTTP 409"},
	{"a precondition that failed", 409, 0, STATUS("\"reason\":\"Conflict\",\"code\":409"),
	 "Conflict", 409, 0, "HTTP 409"},
	{"the reason may be spelled with escapes", 409, 0,
	 STATUS("\"reason\":\"\\u0041lreadyExists\",\"code\":409"), "AlreadyExists", 409, 0,
	 "HTTP 409"},
	{"too old", 410, 0, STATUS("\"reason\":\"Expired\",\"code\":410"), "Gone", 410, 0,
	 "HTTP 410"},
	{"too old, as an event", 0, 0, STATUS("\"reason\":\"Expired\",\"code\":410"), "Gone", 410,
	 0, "HTTP 410"},
	{"an event without a code", 0, 0, STATUS("\"reason\":\"InternalError\""), "Unavailable",
	 500, 0, "HTTP 500"},
	{"forbidden by quota", 403, 0,
	 STATUS("\"message\":\"exceeded quota: q\",\"reason\":\"Forbidden\""), "Forbidden", 403, 0,
	 "HTTP 403: exceeded quota: q"},
	{"the token was not accepted", 401, 0, "", "Unauthorized", 401, 0, "HTTP 401"},
	{"invalid: its fields are named, values are not", 422, 0,
	 STATUS("\"message\":\"secret code\",\"reason\":\"Invalid\",\"details\":{\"causes\":["
		"{\"reason\":\"FieldValueInvalid\",\"message\":\"secret code\","
		"\"field\":\"status.phase\"},"
		"{\"reason\":\"FieldValueRequired\",\"field\":\"status.uid\"}]}"),
	 "Invalid", 422, 0,
	 "HTTP 422: not valid: status.phase (FieldValueInvalid), "
	 "status.uid (FieldValueRequired)"},
	{"invalid without causes", 422, 0,
	 STATUS("\"message\":\"secret code\",\"reason\":\"Invalid\""), "Invalid", 422, 0,
	 "HTTP 422: not valid"},
	{"throttled with the header", 429, 7000, STATUS("\"reason\":\"TooManyRequests\""),
	 "Throttled", 429, 7000, "HTTP 429"},
	{"throttled with the details", 429, 0,
	 STATUS("\"message\":\"being (re)initialized\",\"details\":{\"retryAfterSeconds\":3}"),
	 "Throttled", 429, 3000, "HTTP 429: being (re)initialized"},
	{"the longer of both", 429, 1000, STATUS("\"details\":{\"retryAfterSeconds\":5}"),
	 "Throttled", 429, 5000, "HTTP 429"},
	{"throttled with neither", 429, 0, "slow down\n", "Throttled", 429, 1000,
	 "HTTP 429: slow down"},
	{"an hour in a header is cut to a minute", 503, 3600000, "under repair", "Unavailable", 503,
	 60000, "HTTP 503: under repair"},
	{"an hour in a body is cut to a minute", 503, 0,
	 STATUS("\"details\":{\"retryAfterSeconds\":3600}"), "Unavailable", 503, 60000, "HTTP 503"},
	{"a mad retryAfterSeconds is none", 503, 0,
	 STATUS("\"details\":{\"retryAfterSeconds\":1e9}"), "Unavailable", 503, 0, "HTTP 503"},
	{"too large for the API server", 413, 0, STATUS("\"reason\":\"RequestEntityTooLarge\""),
	 "TooLarge", 413, 0, "HTTP 413"},
	{"too large for etcd", 500, 0, STATUS("\"message\":\"etcdserver: request is too large\""),
	 "TooLarge", 500, 0, "HTTP 500: etcdserver: request is too large"},
	{"too large for etcd's client, as text", 500, 0,
	 "rpc error: trying to send message larger than max (3 vs. 2)", "TooLarge", 500, 0,
	 "HTTP 500"},
	{"the words of etcd in another answer mean nothing", 404, 0,
	 STATUS("\"message\":\"request is too large\""), "NotFound", 404, 0, "HTTP 404"},
	{"a webhook that fails", 500, 0, STATUS("\"message\":\"failed calling webhook\""),
	 "Unavailable", 500, 0, "HTTP 500"},
	{"no answer in time", 504, 0,
	 STATUS("\"reason\":\"Timeout\",\"details\":{\"retryAfterSeconds\":1}"), "Timeout", 504,
	 1000, "HTTP 504"},
	{"a proxy's page", 502, 0, "<html>Bad Gateway</html>", "Unavailable", 502, 0,
	 "HTTP 502: <html>Bad Gateway"},
	{"another object than a Status", 410, 0, "{\"kind\":\"Pod\",\"reason\":\"AlreadyExists\"}",
	 "Gone", 410, 0, "HTTP 410"},
	{"a path that is not there, which says nothing of an object", 404, 0,
	 "404 page not found\n", "Unavailable", 404, 0, "HTTP 404: 404 page not found"},
	{"JSON that breaks off", 409, 0, "{\"kind\":\"Status\",\"reason\":\"AlreadyExists\"",
	 "Conflict", 409, 0, "HTTP 409"},
	{"an unknown status of the client's fault", 418, 0, "", "Invalid", 418, 0, "HTTP 418"},
	{"a success that is none", 204, 0, "", "Protocol", 204, 0, "HTTP 204"},
	{"members of other types", 500, 0,
	 STATUS("\"message\":[1],\"reason\":{},\"details\":\"x\",\"code\":\"y\""), "Unavailable",
	 500, 0, "HTTP 500"},
};

static void refusals_are_told_apart(void)
{
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		struct err err;

		cmp_ok(status_to_err(ROWS[i].http_status, ROWS[i].retry_after_ms,
				     str_of(ROWS[i].body), &err),
		       "==", -1, "it is a failure");
		is(err_code_name(err.code), ROWS[i].code, "%s", ROWS[i].rule);
		cmp_ok(err.http_status, "==", ROWS[i].wanted_status, "%s: HTTP status",
		       ROWS[i].rule);
		cmp_ok(err.retry_after_ms, "==", ROWS[i].wanted_retry_ms, "%s: retry after",
		       ROWS[i].rule);
		ok(strncmp(err.message, ROWS[i].message, strlen(ROWS[i].message)) == 0, "%s: %s",
		   ROWS[i].rule, err.message);
		ok(!strstr(err.message, "secret code"), "%s: quotes no value", ROWS[i].rule);
	}
}

static void a_long_text_is_cut(void)
{
	char body[2000];
	struct err err;

	memset(body, 'x', sizeof(body));
	status_to_err(500, 0, (struct str){body, sizeof(body)}, &err);
	cmp_ok(strlen(err.message), "<", ERR_MESSAGE_SIZE, "plain text");
	memcpy(body, "{\"kind\":\"Status\",\"message\":\"", 28);
	memcpy(body + sizeof(body) - 2, "\"}", 2);
	status_to_err(500, 0, (struct str){body, sizeof(body)}, &err);
	like(err.message, "^HTTP 500: xxx", "a Status' message");
}

static void causes_are_found(void)
{
	struct str body =
		STR(STATUS("\"details\":{\"causes\":[{\"reason\":\"A\"},{\"reason\":\"B\"}]}"));

	ok(status_has_cause(body, STR("B")), "one of several");
	ok(!status_has_cause(body, STR("C")), "not one that is not there");
	ok(!status_has_cause(STR("text"), STR("A")), "nor in what is no Status");
	ok(!status_has_cause(STR(STATUS("\"code\":1")), STR("A")), "nor without details");
}

int main(void)
{
	refusals_are_told_apart();
	a_long_text_is_cut();
	causes_are_found();
	done_testing();
}
