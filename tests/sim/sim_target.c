#include "sim_target.h"

#include "base/hex.h"

#include <string.h>

/* Copies `text` behind `*at` without its percent-encoding. False: no room. */
static bool decode(struct sim_target *target, size_t *at, struct str text, struct str *decoded)
{
	size_t start = *at;

	for (size_t i = 0; i < text.n; i++) {
		char byte = text.p[i];

		if (byte == '%' && i + 2 < text.n) {
			byte = (char)(hex_digit(text.p[i + 1]) << 4 | hex_digit(text.p[i + 2]));
			i += 2;
		}
		if (*at == sizeof(target->text))
			return false;
		target->text[(*at)++] = byte;
	}
	*decoded = (struct str){target->text + start, *at - start};
	return true;
}

static bool read_query(struct sim_target *target, size_t *at, struct str rest)
{
	while (rest.n > 0) {
		struct str pair = str_split(&rest, '&'), key = str_split(&pair, '=');

		if (target->query_count == SIM_TARGET_QUERY_MAX ||
		    !decode(target, at, key, &target->query[target->query_count].key) ||
		    !decode(target, at, pair, &target->query[target->query_count].value))
			return false;
		target->query_count++;
	}
	return true;
}

static bool next(struct sim_target *target, size_t *at, struct str *rest, struct str *segment)
{
	return rest->p && decode(target, at, str_split(rest, '/'), segment) && segment->n > 0;
}

static bool read_path(struct sim_target *target, size_t *at, struct str rest)
{
	struct str root;

	str_split(&rest, '/');
	if (!next(target, at, &rest, &root))
		return false;
	if (str_equal(root, STR("apis"))) {
		if (!next(target, at, &rest, &target->group))
			return false;
	} else if (!str_equal(root, STR("api"))) {
		return false;
	}
	if (!next(target, at, &rest, &target->version) || !next(target, at, &rest, &target->plural))
		return false;
	if (str_equal(target->plural, STR("namespaces")) && rest.p) {
		if (!next(target, at, &rest, &target->in_namespace) ||
		    !next(target, at, &rest, &target->plural))
			return false;
	}
	return (!rest.p || next(target, at, &rest, &target->name)) &&
	       (!rest.p || next(target, at, &rest, &target->subresource)) && !rest.p;
}

bool sim_target_read(struct sim_target *target, const char *path_and_query)
{
	struct str query = str_of(path_and_query), path = str_split(&query, '?');
	size_t at = 0;

	memset(target, 0, sizeof(*target));
	return read_path(target, &at, path) && read_query(target, &at, query);
}

struct str sim_target_query(const struct sim_target *target, const char *key)
{
	for (size_t i = 0; i < target->query_count; i++)
		if (str_equal(target->query[i].key, str_of(key)))
			return target->query[i].value;
	return STR("");
}

bool sim_target_flag(const struct sim_target *target, const char *key)
{
	for (size_t i = 0; i < target->query_count; i++)
		if (str_equal(target->query[i].key, str_of(key)))
			return !str_equal(target->query[i].value, STR("0")) &&
			       !str_equal(target->query[i].value, STR("false"));
	return false;
}
