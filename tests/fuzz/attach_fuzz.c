/* What a server says when it refuses or ends an attach, of any shape. */
#include "session/attach.h"
#include "session/channels.h"

#include "fuzz.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int STATUSES[] = {0, 200, 400, 401, 403, 404, 429, 500, 503};
	struct str said = {(const char *)data, size}, bytes;
	struct err err = {.code = ERR_TRANSPORT, .message = "ended"};
	char text[ATTACH_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(STATUSES) / sizeof(STATUSES[0]); i++) {
		struct io_ws_end end = {.http_status = STATUSES[i], .err = &err, .body = said};

		assert(attach_judge(&end, false) != ATTACH_FINE);
		attach_describe(&end, text);
		assert(memchr(text, '\0', sizeof(text)));
	}
	attach_text(said, text);
	for (const char *c = text; *c; c++)
		assert(*c >= ' ' && *c <= '~');
	if (channels_read(said, &bytes) != CHANNELS_NOTHING)
		assert(bytes.n > 0 && bytes.n < size);
	return 0;
}
