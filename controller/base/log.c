#include "log.h"

#include "buf.h"
#include "mem.h"
#include "rfc3339.h"

#include <assert.h>
#include <string.h>

/* Kept free for the count of fields left out and the newline. */
#define TAIL_BYTES 32

static const char *level_name(enum log_level level)
{
	switch (level) {
	case LOG_DEBUG: return "debug";
	case LOG_INFO: return "info";
	case LOG_WARNING: return "warning";
	case LOG_ERROR: return "error";
	}
	assert(!"a log_level outside the enum");
	return "";
}

void log_init(struct log *log, enum log_level lowest, log_clock *now_us, log_sink *sink,
	      void *context)
{
	*log = (struct log){.lowest = lowest, .now_us = now_us, .sink = sink, .context = context};
	list_init(&log->secrets);
}

void log_free(struct log *log)
{
	while (!list_is_empty(&log->secrets))
		list_remove(log->secrets.next);
}

void log_hide(struct log *log, struct secret *secret)
{
	list_remove(&secret->hidden);
	list_push_back(&log->secrets, &secret->hidden);
}

struct log_field log_make_int(const char *key, int64_t integer)
{
	return (struct log_field){.key = key, .kind = LOG_INT, .number = integer};
}

struct log_field log_make_bool(const char *key, bool boolean)
{
	return (struct log_field){.key = key, .kind = LOG_BOOL, .number = boolean};
}

struct log_field log_make_name(const char *key, struct str name)
{
	return (struct log_field){.key = key, .kind = LOG_NAME, .name = name};
}

struct log_field log_make_object(const char *key, struct str in_namespace, struct str name)
{
	return (struct log_field){
		.key = key, .kind = LOG_OBJECT, .in_namespace = in_namespace, .name = name};
}

struct log_field log_make_err(const char *key, const struct err *err)
{
	return (struct log_field){.key = key, .kind = LOG_ERR, .err = err};
}

struct log_field log_make_secret(const char *key, const struct secret *secret)
{
	return (struct log_field){.key = key, .kind = LOG_SECRET, .secret = secret};
}

/* How much at the front of the text has to be hidden. */
static size_t length_to_hide(const struct log *log, struct str text)
{
	const struct secret *secret;
	size_t longest = 0;

	list_for_each (secret, &log->secrets, hidden) {
		size_t length = secret_length_in(secret, text);

		if (length > longest)
			longest = length;
	}
	return longest;
}

static int append_byte(struct buf *line, char c)
{
	if (c == '"' || c == '\\')
		return buf_append(line, (char[]){'\\', c}, 2);
	if (c >= 0x20 && c <= 0x7e)
		return buf_append_char(line, c);
	return buf_printf(line, "\\x%02x", (unsigned)(unsigned char)c);
}

/*
 * The only way of text into a record. Secrets are looked for here, before anything is escaped: in
 * the finished line a replacement could take half of an escape with it and open the quotes.
 */
static int append_text(const struct log *log, struct buf *line, struct str text)
{
	while (text.n > 0) {
		size_t hidden = length_to_hide(log, text);
		int result = hidden > 0 ? buf_append_str(line, STR("***"))
					: append_byte(line, text.p[0]);

		if (result < 0)
			return -1;
		text = str_slice(text, hidden > 0 ? hidden : 1, text.n);
	}
	return 0;
}

static int append_quoted(const struct log *log, struct buf *line, struct str text)
{
	if (buf_append_char(line, '"') < 0 || append_text(log, line, text) < 0)
		return -1;
	return buf_append_char(line, '"');
}

static bool is_name(struct str text)
{
	static const char marks[] = "._-/:@%+~[]";

	if (text.n == 0 || text.n > LOG_NAME_BYTES_MAX)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    !memchr(marks, c, sizeof(marks) - 1))
			return false;
	}
	return true;
}

/* What is no name may be anything, user code too: of that only the length is shown. */
static int append_name(const struct log *log, struct buf *line, struct str text)
{
	if (text.n == 0)
		return buf_append_char(line, '-');
	if (!is_name(text))
		return buf_printf(line, "<%zu-bytes>", text.n);
	return append_text(log, line, text);
}

static int append_err(const struct log *log, struct buf *line, const struct err *err)
{
	if (buf_printf(line, "%s", err_code_name(err->code)) < 0)
		return -1;
	if (err->http_status != 0 && buf_printf(line, " http=%d", err->http_status) < 0)
		return -1;
	if (buf_append_str(line, STR(" detail=")) < 0)
		return -1;
	return append_quoted(log, line, str_of(err->message));
}

static int append_value(const struct log *log, struct buf *line, const struct log_field *field)
{
	switch (field->kind) {
	case LOG_END: break;
	case LOG_INT: return buf_printf(line, "%lld", (long long)field->number);
	case LOG_BOOL: return buf_append_str(line, field->number ? STR("true") : STR("false"));
	case LOG_NAME: return append_name(log, line, field->name);
	case LOG_OBJECT:
		if (field->in_namespace.n > 0 && (append_name(log, line, field->in_namespace) < 0 ||
						  buf_append_char(line, '/') < 0))
			return -1;
		return append_name(log, line, field->name);
	case LOG_ERR: return append_err(log, line, field->err);
	case LOG_SECRET:
		return buf_append_str(line, secret_is_empty(field->secret) ? STR("-") : STR("***"));
	}
	assert(!"a log_kind outside the enum");
	return -1;
}

/* Appends " key=value", or nothing when it does not fit. */
static bool append_field(const struct log *log, struct buf *line, const struct log_field *field)
{
	size_t before = line->length;

	if (buf_printf(line, " %s=", field->key) == 0 && append_value(log, line, field) == 0 &&
	    line->length <= LOG_RECORD_BYTES_MAX - TAIL_BYTES)
		return true;
	buf_truncate(line, before);
	return false;
}

void log_record(struct log *log, enum log_level level, const char *message,
		const struct log_field *fields)
{
	CLEANUP(buf_free) struct buf line;
	char time[RFC3339_SIZE];
	int left_out = 0;

	buf_init(&line, LOG_RECORD_BYTES_MAX);
	if (level < log->lowest)
		return;
	rfc3339_format(time, log->now_us(log->context), RFC3339_MILLISECONDS);
	buf_printf(&line, "%s %s ", time, level_name(level));
	append_quoted(log, &line, str_of(message));
	for (; fields->kind != LOG_END; fields++)
		left_out += !append_field(log, &line, fields);
	if (left_out > 0)
		buf_printf(&line, " fields_left_out=%d", left_out);
	buf_append_char(&line, '\n');
	log->sink(log->context, level, buf_str(&line));
}
