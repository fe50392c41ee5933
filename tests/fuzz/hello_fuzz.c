#include "fuzz.h"
#include "proto/hello.h"

#include <assert.h>

/* What is read can be written, and is read as the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t once[HELLO_FACTS_BYTES_MAX], twice[HELLO_FACTS_BYTES_MAX];
	static struct hello first, second;
	struct str written, again;
	struct err err;

	if (hello_decode((struct str){(const char *)data, size}, &first, &err) < 0)
		return 0;
	assert(hello_encode(&first, once, &written, &err) == 0);
	assert(hello_decode(written, &second, &err) == 0);
	assert(hello_encode(&second, twice, &again, &err) == 0);
	assert(str_equal(written, again));
	return 0;
}
