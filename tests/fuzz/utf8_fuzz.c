#include "base/utf8.h"
#include "fuzz.h"

#include <assert.h>

/* The first byte says where the text is cut into the pieces that the checker is fed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	size_t cut = size > 0 ? data[0] % size : 0;
	size_t valid = utf8_valid_length(text);
	struct utf8 check = {0};
	size_t below = utf8_floor(text, cut), above = utf8_ceil(text, cut);

	utf8_feed(&check, str_slice(text, 0, cut));
	utf8_feed(&check, str_slice(text, cut, size));
	assert(utf8_is_whole(&check) == utf8_is_valid(text));
	assert(utf8_is_valid(text) == (valid == size));
	assert(utf8_is_valid(str_slice(text, 0, valid)));
	assert(utf8_count(text) <= size);
	assert(below <= cut && cut - below < UTF8_BYTES_MAX);
	assert(above >= cut && above - cut < UTF8_BYTES_MAX);
	if (valid == size) {
		assert(utf8_is_valid(str_slice(text, 0, below)));
		assert(utf8_is_valid(str_slice(text, above, size)));
	}
	return 0;
}
