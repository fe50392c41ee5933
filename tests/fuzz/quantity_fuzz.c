#include "base/quantity.h"
#include "fuzz.h"

#include <assert.h>

/* An amount that is read is not negative, and its canonical text means the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = {(const char *)data, size};
	int64_t milli, bytes, again;
	char text[QUANTITY_SIZE];
	struct err err;

	if (quantity_to_bytes(input, &bytes, &err) == 0) {
		quantity_from_bytes(text, bytes);
		assert(quantity_to_bytes(str_of(text), &again, &err) == 0 && again == bytes);
	}
	if (quantity_to_milli(input, &milli, &err) == 0) {
		quantity_from_milli(text, milli);
		assert(quantity_to_milli(str_of(text), &again, &err) == 0 && again == milli);
		assert(quantity_to_bytes(input, &bytes, &err) == 0);
		assert(bytes == milli / 1000 + (milli % 1000 > 0));
	}
	return 0;
}
