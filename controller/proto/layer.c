#include "layer.h"

#include <assert.h>

#define ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct layer, tag, presence, type, member, minimum, maximum)
static const struct field fields[] = {LAYER_TABLE(ROW)};

const struct schema layer_schema = SCHEMA_OF("layer", struct layer, fields);

#define X_NAME(constant, name) [constant] = name,
static const char *const names[] = {LAYER_NAMES(X_NAME)};

struct str layer_name(enum layer_id id)
{
	assert(id < LAYER_ID_COUNT);
	return str_of(names[id]);
}

bool layers_are_distinct(const struct layer *layers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (str_equal(layers[i].name, layers[j].name))
				return false;
	return true;
}

bool layers_hold(const struct layer *layers, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal(layers[i].name, name))
			return layers[i].state == LAYER_HELD;
	return false;
}
