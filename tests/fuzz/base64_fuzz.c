#include "base/base64.h"
#include "fuzz.h"

#include <assert.h>

/* What is accepted strictly is the one text of its bytes, and is accepted with blanks as well. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	struct buf strict, loose, again;
	struct err err;

	buf_init(&strict, size);
	buf_init(&loose, size);
	buf_init(&again, base64_encoded_length(size));
	if (base64_decode(&strict, text, BASE64_REFUSE_BLANKS, &err) == 0) {
		assert(base64_encode(&again, buf_str(&strict)) == 0);
		assert(str_equal(buf_str(&again), text));
		assert(base64_decode(&loose, text, BASE64_SKIP_BLANKS, &err) == 0);
		assert(str_equal(buf_str(&loose), buf_str(&strict)));
	} else {
		base64_decode(&loose, text, BASE64_SKIP_BLANKS, &err);
	}
	buf_free(&strict);
	buf_free(&loose);
	buf_free(&again);
	return 0;
}
