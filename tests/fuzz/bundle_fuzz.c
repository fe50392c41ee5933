#include "flatten.h"
#include "fuzz.h"
#include "proto/bundle.h"

#include <assert.h>
#include <stdlib.h>

/* What is read can be written, is not longer then, and is read as the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bundle first, second;
	struct object object;
	struct err err;
	uint8_t *once, *manifest, *twice;
	struct str written, again;

	if (bundle_decode((struct str){(const char *)data, size}, &first, &err) < 0)
		return 0;
	once = malloc(size);
	manifest = malloc(size);
	twice = malloc(size);
	assert(bundle_encode(&first, manifest, size, &object, &err) == 0);
	written = flatten(&object, once, size);
	assert(bundle_decode(written, &second, &err) == 0);
	assert(bundle_encode(&second, manifest, size, &object, &err) == 0);
	again = flatten(&object, twice, size);
	assert(str_equal(written, again));
	free(once);
	free(manifest);
	free(twice);
	return 0;
}
