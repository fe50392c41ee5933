/*
 * What comes from an API server, or from whoever stands in for it: objects on a stream, lists,
 * refusals. However it is cut, the same objects come out; whatever they say, nothing breaks.
 */
#include "base/buf.h"
#include "base/json.h"
#include "fuzz.h"
#include "kube/kube_object.h"
#include "kube/splitter.h"
#include "kube/status.h"

#include <assert.h>

#define OBJECT_BYTES_MAX 4096
#define OUT_BYTES_MAX	 (1024 * 1024)

static void read_object(struct str json)
{
	char version[KUBE_OBJECT_VERSION_SIZE];
	struct kube_object object;
	struct kube_object_list list;
	enum kube_object_event type;
	struct str value, row;
	struct err err;

	if (kube_object_read_list(json, &list, &err) == 0)
		assert(list.items.n <= json.n);
	if (kube_object_read_event(json, &type, &value, &err) < 0)
		return;
	if (kube_object_read(value, &object, &err) == 0)
		assert(object.name[0] != '\0' && object.uid[0] != '\0');
	if (kube_object_table_row(value, &row, NULL))
		(void)kube_object_read_row(row, &object, &err);
	(void)kube_object_read_version(value, version, &err);
	status_to_err(0, 0, value, &err);
	assert(err.http_status >= 100);
}

/* Splits in pieces of `step` bytes; the objects, and how it ended, go to `out`. */
static void split(struct str text, size_t step, struct buf *out)
{
	struct splitter splitter;
	struct err err;
	int result = 0;

	splitter_init(&splitter, OBJECT_BYTES_MAX);
	for (size_t at = 0; at < text.n && result >= 0; at += step) {
		struct str bytes = str_slice(text, at, at + step), object;

		while ((result = splitter_next(&splitter, &bytes, &object, &err)) > 0) {
			buf_append_str(out, object);
			buf_append_char(out, '\n');
			if (step == text.n)
				read_object(object);
		}
	}
	buf_append_char(out, result < 0 ? '!' : '.');
	splitter_free(&splitter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	struct buf whole, bytewise;
	struct err err;

	if (size == 0)
		return 0;
	buf_init(&whole, OUT_BYTES_MAX);
	buf_init(&bytewise, OUT_BYTES_MAX);
	split(text, size, &whole);
	split(text, 1, &bytewise);
	assert(str_equal(buf_str(&whole), buf_str(&bytewise)));
	assert(status_to_err(200 + data[0] * 2, 0, str_slice(text, 1, size), &err) == -1);
	buf_free(&whole);
	buf_free(&bytewise);
	return 0;
}
