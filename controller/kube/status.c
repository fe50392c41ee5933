#include "status.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/json_string.h"

/* How much of a server's text, and how many of its causes, a message takes. */
#define TEXT_BYTES_MAX 384
#define CAUSES_MAX     4

#define RETRY_AFTER_SECONDS_MAX 3600

static const struct {
	int http_status;
	enum err_code code;
} CODES[] = {
	{401, ERR_UNAUTHORIZED}, {403, ERR_FORBIDDEN}, {404, ERR_NOT_FOUND},
	{408, ERR_TIMEOUT},	 {409, ERR_CONFLICT},  {410, ERR_GONE},
	{413, ERR_TOO_LARGE},	 {429, ERR_THROTTLED}, {504, ERR_TIMEOUT},
};

enum err_code status_code_of_http(int http_status)
{
	for (size_t i = 0; i < sizeof(CODES) / sizeof(CODES[0]); i++)
		if (CODES[i].http_status == http_status)
			return CODES[i].code;
	if (http_status >= 500)
		return ERR_UNAVAILABLE;
	return http_status >= 400 ? ERR_INVALID : ERR_PROTOCOL;
}

static bool is_json_status(struct str body)
{
	struct err err;
	struct str kind;

	return json_check(body, &err) == 0 && json_find(body, STR("kind"), &kind) &&
	       json_string_equal(kind, STR("Status"));
}

/* A member of the Status is this string. */
static bool has(struct str object, struct str key, struct str text)
{
	struct str value;

	return json_find(object, key, &value) && json_string_equal(value, text);
}

static void append_string(struct buf *out, struct str object, struct str key)
{
	char room[TEXT_BYTES_MAX];
	struct str value;
	struct buf text;
	struct err err;
	bool has_nul;

	if (!json_find(object, key, &value))
		return;
	buf_init(&text, sizeof(room) * JSON_ESCAPE_FACTOR_MAX);
	/* One that is longer is cut: escapes and all, since nobody but people read it. */
	if (json_string_decode(value, &text, &has_nul, &err) < 0)
		buf_append_str(&text, str_slice(value, 1, TEXT_BYTES_MAX));
	buf_append_str(out, str_slice(buf_str(&text), 0, out->limit - out->length));
	buf_free(&text);
}

static struct json_walk causes_of(struct str body)
{
	struct str details, causes = {NULL, 0};

	if (json_find(body, STR("details"), &details))
		json_find(details, STR("causes"), &causes);
	return json_walk(causes);
}

bool status_has_cause(struct str body, struct str reason)
{
	struct json_walk walk;
	struct str cause;

	if (!is_json_status(body))
		return false;
	walk = causes_of(body);
	while (json_next(&walk, NULL, &cause))
		if (has(cause, STR("reason"), reason))
			return true;
	return false;
}

/* The fields that a 422 complains about, without their values. */
static void append_fields(struct buf *out, struct str body)
{
	struct json_walk walk = causes_of(body);
	struct str cause;
	int count = 0;

	while (count < CAUSES_MAX && json_next(&walk, NULL, &cause)) {
		buf_append_str(out, count++ > 0 ? STR(", ") : STR("not valid: "));
		append_string(out, cause, STR("field"));
		buf_append_str(out, STR(" ("));
		append_string(out, cause, STR("reason"));
		buf_append_str(out, STR(")"));
	}
	if (count == 0)
		buf_append_str(out, STR("not valid"));
}

static int64_t retry_after_of(struct str body)
{
	struct str details, seconds;
	int64_t value;

	if (json_find(body, STR("details"), &details) &&
	    json_find(details, STR("retryAfterSeconds"), &seconds) &&
	    json_to_int(seconds, 0, RETRY_AFTER_SECONDS_MAX, &value))
		return value * 1000;
	return 0;
}

static int http_status_of(struct str body)
{
	struct str code;
	int64_t value;

	if (json_find(body, STR("code"), &code) && json_to_int(code, 100, 599, &value))
		return (int)value;
	return 500;
}

static bool contains(struct str text, struct str part)
{
	return text.n > 0 && memmem(text.p, text.n, part.p, part.n) != NULL;
}

/* Both are etcd's: of its server, and of its client inside the API server. */
static bool is_too_large_for_etcd(int http_status, struct str body)
{
	return http_status == 500 &&
	       (contains(body, STR("request is too large")) ||
		contains(body, STR("trying to send message larger than max")));
}

static enum err_code code_of(int http_status, struct str body, bool is_status)
{
	if (is_too_large_for_etcd(http_status, body))
		return ERR_TOO_LARGE;
	if (http_status == 409 && has(body, STR("reason"), STR("AlreadyExists")))
		return ERR_ALREADY_EXISTS;
	/* Who says it without a Status knows no such path: a kind that is being set up, a proxy. Of
	 * the object that says nothing. */
	if (http_status == 404 && !is_status)
		return ERR_UNAVAILABLE;
	return status_code_of_http(http_status);
}

int status_to_err(int http_status, int64_t retry_after_ms, struct str body, struct err *err)
{
	bool is_json = is_json_status(body);
	struct str known = is_json ? body : STR("");
	enum err_code code;
	struct buf text;

	if (http_status == 0)
		http_status = http_status_of(known);
	code = code_of(http_status, is_json || http_status == 500 ? body : known, is_json);
	if (retry_after_of(known) > retry_after_ms)
		retry_after_ms = retry_after_of(known);
	if (code == ERR_THROTTLED && retry_after_ms == 0)
		retry_after_ms = STATUS_THROTTLED_DEFAULT_MS;
	if (retry_after_ms > STATUS_RETRY_AFTER_MAX_MS)
		retry_after_ms = STATUS_RETRY_AFTER_MAX_MS;
	buf_init(&text, TEXT_BYTES_MAX);
	if (is_json && http_status == 422)
		append_fields(&text, body);
	else if (is_json)
		append_string(&text, body, STR("message"));
	else
		buf_append_str(&text, str_slice(str_trim(body), 0, TEXT_BYTES_MAX));
	err_set(err, code, "HTTP %d%s%s", http_status, text.length > 0 ? ": " : "", text.data);
	err->http_status = http_status;
	err->retry_after_ms = (int)retry_after_ms;
	buf_free(&text);
	return -1;
}
