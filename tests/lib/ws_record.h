/* ws_record: all that became of one websocket. Zeroed it is ready for use. */
#ifndef TESTS_WS_RECORD_H
#define TESTS_WS_RECORD_H

#include "base/buf.h"
#include "kube/io.h"

#define WS_RECORD_MESSAGES_MAX 64

struct ws_record {
	struct io *io;
	struct io_ws *handle; /* NULL when nothing is under way */
	int opens, messages, writables, ends;
	char subprotocol[64];
	struct buf text;			/* of all messages, one after the other */
	size_t lengths[WS_RECORD_MESSAGES_MAX]; /* of the first messages */
	int close_code, http_status;
	struct err err;
	struct buf body;
	/* Changes the request before it is started, when set. */
	void (*change)(struct io_ws_request *request);
	/* Called at the end of each callback, which are counted from 1, when set. */
	void (*hook)(struct ws_record *record, int nth);
	void *hook_context;
};

void ws_record_start(struct ws_record *record, struct io *io, struct io_endpoint *endpoint);
void ws_record_free(struct ws_record *record);
int ws_record_nth(const struct ws_record *record);

#endif
