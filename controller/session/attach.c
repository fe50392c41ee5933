#include "attach.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/json_string.h"

#include <string.h>

#define CLOSE_NORMAL 1000

/* Refused handshakes whose verdict is not that of their hundred. */
static const struct {
	int http_status;
	enum attach_verdict verdict;
} VERDICTS[] = {
	{400, ATTACH_UNREADY}, /* not scheduled yet, or no such container */
	{404, ATTACH_UNREADY}, /* in plain text, the kubelet's; with a Status: Gone */
	{408, ATTACH_LOST},    {429, ATTACH_LOST},
	{500, ATTACH_UNREADY}, /* the container was not created yet, or has exited */
};

static bool is_status(struct str said)
{
	struct str kind;
	struct err err;

	return json_check(said, &err) == 0 && json_find(said, STR("kind"), &kind) &&
	       json_string_equal(kind, STR("Status"));
}

static enum attach_verdict judge_refusal(int http_status, struct str said)
{
	if (http_status == 404 && is_status(said))
		return ATTACH_GONE;
	for (size_t i = 0; i < sizeof(VERDICTS) / sizeof(VERDICTS[0]); i++)
		if (VERDICTS[i].http_status == http_status)
			return VERDICTS[i].verdict;
	return http_status >= 500 ? ATTACH_LOST : ATTACH_REFUSED;
}

enum attach_verdict attach_judge(const struct io_ws_end *end, bool has_status)
{
	if (end->http_status > 0)
		return judge_refusal(end->http_status, end->body);
	if (has_status || end->close_code == CLOSE_NORMAL)
		return ATTACH_ENDED;
	if (end->err->code == ERR_PROTOCOL || end->err->code == ERR_TOO_LARGE)
		return ATTACH_REFUSED;
	return ATTACH_LOST;
}

/* The message of a Status of whatever version, or nothing. */
static bool decode_message(struct str said, struct buf *message)
{
	struct str raw;
	struct err err;
	bool has_nul;

	return json_check(said, &err) == 0 && json_find(said, STR("message"), &raw) &&
	       json_string_decode(raw, message, &has_nul, &err) == 0 && message->length > 0;
}

void attach_text(struct str said, char text[ATTACH_TEXT_SIZE])
{
	struct buf message;
	struct str from;
	size_t n;

	buf_init(&message, said.n);
	from = decode_message(said, &message) ? buf_str(&message) : str_trim(said);
	n = from.n < ATTACH_TEXT_SIZE - 1 ? from.n : ATTACH_TEXT_SIZE - 1;
	for (size_t i = 0; i < n; i++)
		text[i] = from.p[i] >= ' ' && from.p[i] <= '~' ? from.p[i] : '?';
	text[n] = '\0';
	buf_free(&message);
}

void attach_describe(const struct io_ws_end *end, char text[ATTACH_TEXT_SIZE])
{
	char said[ATTACH_TEXT_SIZE];
	struct buf all;
	struct str cut;

	attach_text(end->body, said);
	buf_init(&all, ERR_MESSAGE_SIZE + 2 + ATTACH_TEXT_SIZE);
	buf_printf(&all, "%s%s%s", end->err->message, said[0] ? ": " : "", said);
	cut = str_slice(buf_str(&all), 0, ATTACH_TEXT_SIZE - 1);
	memcpy(text, cut.p, cut.n);
	text[cut.n] = '\0';
	buf_free(&all);
}

int64_t attach_delay_ms(unsigned losses, uint32_t chance)
{
	int64_t step_ms = ATTACH_DELAY_FIRST_MS;

	for (unsigned n = 1; n < losses && step_ms < ATTACH_DELAY_LAST_MS; n++)
		step_ms *= 2;
	if (step_ms > ATTACH_DELAY_LAST_MS)
		step_ms = ATTACH_DELAY_LAST_MS;
	return step_ms + (int64_t)((uint64_t)step_ms * chance >> 32);
}

const char *attach_verdict_name(enum attach_verdict verdict)
{
#define X_NAME(constant, name) [constant] = name,
	static const char *const names[] = {ATTACH_VERDICTS(X_NAME)};
#undef X_NAME

	return names[verdict];
}
