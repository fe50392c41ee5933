#include "sim_json.h"

#include "base/json.h"

#include <assert.h>
#include <string.h>

static struct str key_text(struct str raw_key)
{
	assert(!memchr(raw_key.p, '\\', raw_key.n));
	return str_slice(raw_key, 1, raw_key.n - 1);
}

static void add(struct buf *out, struct str text)
{
	if (buf_append_str(out, text) < 0)
		assert(!"an object of SIM_JSON_BYTES_MAX bytes");
}

static void begin_member(struct buf *out, struct str raw_key, bool *is_first)
{
	add(out, *is_first ? STR("") : STR(","));
	*is_first = false;
	add(out, raw_key);
	add(out, STR(":"));
}

void sim_json_merge(struct buf *out, struct str target, struct str patch)
{
	struct json_walk walk = json_walk(json_kind(target) == JSON_OBJECT ? target : STR("{}"));
	struct str key, value, change, old;
	bool is_first = true;

	if (json_kind(patch) != JSON_OBJECT) {
		add(out, patch);
		return;
	}
	add(out, STR("{"));
	while (json_next(&walk, &key, &value)) {
		bool is_changed = json_find(patch, key_text(key), &change);

		if (is_changed && json_kind(change) == JSON_NULL)
			continue;
		begin_member(out, key, &is_first);
		if (is_changed)
			sim_json_merge(out, value, change);
		else
			add(out, value);
	}
	walk = json_walk(patch);
	while (json_next(&walk, &key, &value)) {
		if (json_kind(value) == JSON_NULL || json_find(target, key_text(key), &old))
			continue;
		begin_member(out, key, &is_first);
		sim_json_merge(out, STR(""), value);
	}
	add(out, STR("}"));
}

struct str sim_json_at(struct str json, const char *path)
{
	struct str rest = str_of(path), value = json;

	while (rest.p) {
		struct str key = str_split(&rest, '.');

		if (!json_find(value, key, &value))
			return STR("");
	}
	return value;
}

struct str sim_json_word(struct str json, const char *path)
{
	struct str value = sim_json_at(json, path);

	if (json_kind(value) == JSON_NULL)
		return STR("");
	return json_kind(value) == JSON_STRING ? str_slice(value, 1, value.n - 1) : value;
}

bool sim_json_is(struct str json, const char *path, const char *word)
{
	return str_equal(sim_json_word(json, path), str_of(word));
}

int64_t sim_json_number(struct str json, const char *path, int64_t otherwise)
{
	json_to_int(sim_json_at(json, path), INT64_MIN, INT64_MAX, &otherwise);
	return otherwise;
}
