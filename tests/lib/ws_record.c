#include "ws_record.h"

#include <stdio.h>

#define BYTES_MAX (64 * 1024 * 1024)

int ws_record_nth(const struct ws_record *record)
{
	return record->opens + record->messages + record->writables + record->ends;
}

static void call_hook(struct ws_record *record)
{
	if (record->hook)
		record->hook(record, ws_record_nth(record));
}

static void on_open(void *context, struct str subprotocol)
{
	struct ws_record *record = context;

	record->opens++;
	snprintf(record->subprotocol, sizeof(record->subprotocol), "%.*s", STR_ARGS(subprotocol));
	call_hook(record);
}

static void on_message(void *context, struct str bytes)
{
	struct ws_record *record = context;

	if (record->messages < WS_RECORD_MESSAGES_MAX)
		record->lengths[record->messages] = bytes.n;
	record->messages++;
	buf_append_str(&record->text, bytes);
	call_hook(record);
}

static void on_writable(void *context)
{
	struct ws_record *record = context;

	record->writables++;
	call_hook(record);
}

static void on_ended(void *context, const struct io_ws_end *end)
{
	struct ws_record *record = context;

	record->handle = NULL;
	record->ends++;
	record->close_code = end->close_code;
	record->http_status = end->http_status;
	record->err = *end->err;
	buf_clear(&record->body);
	buf_append_str(&record->body, end->body);
	call_hook(record);
}

void ws_record_start(struct ws_record *record, struct io *io, struct io_endpoint *endpoint)
{
	static const struct io_ws_callbacks CALLBACKS = {on_open, on_message, on_writable,
							 on_ended};
	struct io_ws_request request = {
		.endpoint = endpoint,
		.target = "/api/v1/namespaces/a/pods/b/attach?stdin=true",
		.subprotocols = "v5.channel.k8s.io, v4.channel.k8s.io",
		.bearer_token = STR("s3cret"),
		.connect_timeout_ms = 30000,
		.silence_ms = 60000,
		.message_limit = 1024 * 1024,
	};

	record->io = io;
	record->opens = record->messages = record->writables = record->ends = 0;
	buf_free(&record->text);
	buf_free(&record->body);
	buf_init(&record->text, BYTES_MAX);
	buf_init(&record->body, BYTES_MAX);
	if (record->change)
		record->change(&request);
	record->handle = io->ws_start(io, &request, &CALLBACKS, record);
}

void ws_record_free(struct ws_record *record)
{
	buf_free(&record->text);
	buf_free(&record->body);
}
