#include "base/rfc3339.h"
#include "fuzz.h"

#include <assert.h>

/* A time that is read, is written and read again as the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = {(const char *)data, size};
	char text[RFC3339_SIZE];
	int64_t us, again;

	if (!rfc3339_parse(input, &us))
		return 0;
	rfc3339_format(text, us, RFC3339_MICROSECONDS);
	assert(rfc3339_parse(str_of(text), &again) && again == us);
	assert(str_equal(str_slice(str_of(text), 0, 19), str_slice(input, 0, 19)));
	return 0;
}
