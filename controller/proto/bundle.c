#include "bundle.h"

#include <string.h>

#define ENV_ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct bundle_env, tag, presence, type, member, minimum, maximum)
#define PART_ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct bundle_part, tag, presence, type, member, minimum, maximum)
#define ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct bundle, tag, presence, type, member, minimum, maximum)

static const struct field env_fields[] = {BUNDLE_ENV_TABLE(ENV_ROW)};
static const struct schema bundle_env_schema = SCHEMA_OF("env", struct bundle_env, env_fields);

static const struct field part_fields[] = {BUNDLE_PART_TABLE(PART_ROW)};
static const struct schema bundle_part_schema = SCHEMA_OF("part", struct bundle_part, part_fields);

static const struct field fields[] = {BUNDLE_TABLE(ROW)};
static const struct schema bundle_schema = SCHEMA_OF("bundle", struct bundle, fields);

static bool command_is_sound(const struct bundle *b)
{
	return b->argv_count > 0 && b->argv[0].n > 0;
}

static bool env_is_sound(const struct bundle *b)
{
	for (size_t i = 0; i < b->env_count; i++)
		if (b->env[i].name.n == 0 || memchr(b->env[i].name.p, '=', b->env[i].name.n))
			return false;
	return true;
}

static bool part_has_sound_path(const struct bundle_part *part)
{
	switch ((enum bundle_role)part->role) {
	case PART_CODE:
		return manifest_path_is_inside(part->path) &&
		       !memchr(part->path.p, '/', part->path.n);
	case PART_FILE: return manifest_path_is_inside(part->path);
	case PART_STDIN:
	case PART_PARAMS: break;
	}
	return part->path.n == 0 && part->mode == 0;
}

static bool paths_are_distinct(const struct bundle *b)
{
	for (size_t i = 0; i < b->parts_count; i++)
		for (size_t j = 0; j < i; j++)
			if (b->parts[i].path.n > 0 && str_equal(b->parts[i].path, b->parts[j].path))
				return false;
	return true;
}

/* The code first, roles ascending, only files more than once. */
static bool parts_are_in_order(const struct bundle *b)
{
	if (b->parts_count == 0 || b->parts[0].role != PART_CODE)
		return false;
	for (size_t i = 1; i < b->parts_count; i++)
		if (b->parts[i].role < b->parts[i - 1].role ||
		    (b->parts[i].role == b->parts[i - 1].role && b->parts[i].role != PART_FILE))
			return false;
	return true;
}

static bool mode_is_sound(const struct bundle *b)
{
	bool has_params = false;

	for (size_t i = 0; i < b->parts_count; i++)
		has_params |= b->parts[i].role == PART_PARAMS;
	if (b->mode == BUNDLE_FUNCTION)
		return b->entrypoint.n > 0;
	return b->entrypoint.n == 0 && !has_params;
}

/* Rules across fields. */
static int check(const struct bundle *b, enum err_code code, struct err *err)
{
	if (!command_is_sound(b))
		return err_set(err, code, "bundle.argv names no program");
	if (!env_is_sound(b))
		return err_set(err, code, "bundle.env has a name that is empty or has '='");
	if (b->tmp_bytes > b->memory_bytes)
		return err_set(err, code, "bundle.tmp_bytes is over memory_bytes");
	if (!parts_are_in_order(b))
		return err_set(err, code, "bundle.parts are not code, stdin, params, files");
	for (size_t i = 0; i < b->parts_count; i++)
		if (!part_has_sound_path(&b->parts[i]))
			return err_set(err, code, "bundle.parts[%zu] has a bad path or mode", i);
	if (!paths_are_distinct(b))
		return err_set(err, code, "bundle.parts have a path twice");
	if (!mode_is_sound(b))
		return err_set(err, code, "bundle.entrypoint or params don't fit its mode");
	return 0;
}

int bundle_encode(const struct bundle *b, uint8_t *manifest, size_t size, struct object *o,
		  struct err *err)
{
	if (check(b, ERR_INVALID, err) < 0 ||
	    manifest_encode(&bundle_schema, b, manifest, size, o, err) < 0)
		return -1;
	for (size_t i = 0; i < b->parts_count; i++)
		object_add(o, b->parts[i].data);
	object_seal(o);
	return 0;
}

static int decode(struct str bytes, struct bundle *b, struct err *err)
{
	struct str parts;

	if (manifest_decode(&bundle_schema, bytes, BUNDLE_MANIFEST_BYTES_MAX, b, &parts, err) < 0)
		return -1;
	for (size_t i = 0; i < b->parts_count; i++)
		if (!manifest_take(&parts, &b->parts[i].data))
			return err_set(err, ERR_PROTOCOL, "bundle.parts[%zu] is truncated", i);
	if (parts.n > 0)
		return err_set(err, ERR_PROTOCOL, "bundle has bytes behind its parts");
	return check(b, ERR_PROTOCOL, err);
}

int bundle_decode(struct str bytes, struct bundle *b, struct err *err)
{
	if (decode(bytes, b, err) == 0)
		return 0;
	memset(b, 0, sizeof(*b));
	return -1;
}
