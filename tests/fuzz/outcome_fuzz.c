#include "flatten.h"
#include "fuzz.h"
#include "proto/outcome.h"

#include <assert.h>
#include <stdlib.h>

/* What is read can be written, is not longer then, and is read as the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct outcome first, second;
	struct object object;
	struct err err;
	uint8_t *once, *manifest, *twice;
	struct str written, again;

	if (outcome_decode((struct str){(const char *)data, size}, &first, &err) < 0)
		return 0;
	once = malloc(size);
	manifest = malloc(size);
	twice = malloc(size);
	assert(outcome_encode(&first, manifest, size, &object, &err) == 0);
	written = flatten(&object, once, size);
	assert(outcome_decode(written, &second, &err) == 0);
	assert(outcome_encode(&second, manifest, size, &object, &err) == 0);
	again = flatten(&object, twice, size);
	assert(str_equal(written, again));
	free(once);
	free(manifest);
	free(twice);
	return 0;
}
