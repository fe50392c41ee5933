#include "fuzz.h"
#include "json_properties.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	assert(json_properties_hold((struct str){(const char *)data, size}));
	return 0;
}
