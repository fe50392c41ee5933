#include "verify.h"

#include "proto/proto.h"

#include <inttypes.h>
#include <stdio.h>

static const struct layer *find_layer(const struct hello *hello, struct str name)
{
	for (size_t i = 0; i < hello->layers_count; i++)
		if (str_equal(hello->layers[i].name, name))
			return &hello->layers[i];
	return NULL;
}

static const char *state_text(uint8_t state)
{
	return state == LAYER_NOT_SUPPORTED ? "not supported" : "missing";
}

/* False with a text for the first layer that is not held. */
static bool layers_hold_all(const struct verify_demands *demands, const struct hello *hello,
			    char text[VERIFY_TEXT_SIZE])
{
	for (enum layer_id id = 0; id < LAYER_ID_COUNT; id++) {
		struct str name = layer_name(id);
		const struct layer *layer = find_layer(hello, name);

		if (!(demands->layers & 1u << id) || (layer && layer->state == LAYER_HELD))
			continue;
		if (!layer)
			snprintf(text, VERIFY_TEXT_SIZE, "%.*s: not reported", STR_ARGS(name));
		else
			snprintf(text, VERIFY_TEXT_SIZE, "%.*s: %s%s%.*s", STR_ARGS(name),
				 state_text(layer->state), layer->detail.n > 0 ? ", " : "",
				 STR_ARGS(layer->detail));
		return false;
	}
	return true;
}

static bool uid_fits(const struct verify_demands *demands, const struct hello *hello,
		     char text[VERIFY_TEXT_SIZE])
{
	if (demands->uid == VERIFY_ANY_UID || demands->uid == hello->uid)
		return true;
	snprintf(text, VERIFY_TEXT_SIZE, "uid: %" PRIu32 " instead of %" PRId64, hello->uid,
		 demands->uid);
	return false;
}

/* A limit above the Pod's is that of something else, the node's memory for instance. */
static bool memory_limit_is_seen(const struct verify_demands *demands, const struct hello *hello,
				 char text[VERIFY_TEXT_SIZE])
{
	if (demands->memory_limit_bytes == 0 ||
	    (hello->memory_limit_bytes > 0 &&
	     hello->memory_limit_bytes <= demands->memory_limit_bytes))
		return true;
	if (hello->memory_limit_bytes == 0)
		snprintf(text, VERIFY_TEXT_SIZE, "memoryLimit: the sandbox sees none");
	else
		snprintf(text, VERIFY_TEXT_SIZE,
			 "memoryLimit: the sandbox sees %" PRIu64 " bytes, the Pod has %" PRIu64,
			 hello->memory_limit_bytes, demands->memory_limit_bytes);
	return false;
}

static bool is_capable(const struct verify_demands *demands, uint64_t capabilities,
		       char text[VERIFY_TEXT_SIZE])
{
	uint64_t missing = demands->capabilities & ~capabilities;

	if (missing == 0)
		return true;
	snprintf(text, VERIFY_TEXT_SIZE, "%s: the runner does not have it",
		 proto_capability_name((unsigned)__builtin_ctzll(missing)));
	return false;
}

static bool has_room(const char *what, uint64_t needed, uint64_t room, char text[VERIFY_TEXT_SIZE])
{
	if (needed <= room)
		return true;
	snprintf(text, VERIFY_TEXT_SIZE,
		 "%s: the runner has room for %" PRIu64 " bytes of %" PRIu64, what, room, needed);
	return false;
}

enum verify_verdict verify_hello(const struct verify_demands *demands, const struct hello *hello,
				 uint64_t capabilities, char text[VERIFY_TEXT_SIZE])
{
	if (!layers_hold_all(demands, hello, text) || !uid_fits(demands, hello, text) ||
	    !memory_limit_is_seen(demands, hello, text))
		return VERIFY_NOT_ISOLATED;
	if (!is_capable(demands, capabilities, text) ||
	    !has_room("bundle", demands->bundle_bytes, hello->bundle_bytes_max, text) ||
	    !has_room("outcome", demands->outcome_bytes, hello->outcome_bytes_max, text))
		return VERIFY_NOT_CAPABLE;
	return VERIFY_SATISFIED;
}
