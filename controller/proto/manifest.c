#include "manifest.h"

#include "le.h"

#include <string.h>

int manifest_encode(const struct schema *schema, const void *from, uint8_t *out, size_t size,
		    struct object *o, struct err *err)
{
	struct tlv_writer w = {.out = out, .size = size};

	if (size < MANIFEST_LENGTH_BYTES)
		return err_set(err, ERR_TOO_LARGE, "no room for the %s's length", schema->name);
	w.length = MANIFEST_LENGTH_BYTES;
	if (record_encode(schema, from, &w, err) < 0)
		return -1;
	if (w.full)
		return err_set(err, ERR_TOO_LARGE, "manifest of the %s is over %zu bytes",
			       schema->name, size);
	le_put(out, w.length - MANIFEST_LENGTH_BYTES, MANIFEST_LENGTH_BYTES);
	*o = (struct object){0};
	object_add(o, (struct str){(const char *)out, w.length});
	return 0;
}

int manifest_decode(const struct schema *schema, struct str bytes, size_t max, void *into,
		    struct str *parts, struct err *err)
{
	uint64_t length;
	struct str rest = str_slice(bytes, MANIFEST_LENGTH_BYTES, bytes.n);

	memset(into, 0, schema->size);
	if (bytes.n < MANIFEST_LENGTH_BYTES)
		return err_set(err, ERR_PROTOCOL, "%s has no length", schema->name);
	length = le_get(bytes.p, MANIFEST_LENGTH_BYTES);
	if (length > max)
		return err_set(err, ERR_TOO_LARGE, "manifest of the %s is over %zu bytes",
			       schema->name, max);
	if (length > rest.n)
		return err_set(err, ERR_PROTOCOL, "manifest of the %s is truncated", schema->name);
	if (record_decode(schema, str_slice(rest, 0, (size_t)length), into, err) < 0)
		return -1;
	*parts = str_slice(rest, (size_t)length, rest.n);
	return 0;
}

bool manifest_take(struct str *parts, struct str *part)
{
	if (part->n > parts->n)
		return false;
	part->p = part->n > 0 ? parts->p : NULL;
	*parts = str_slice(*parts, part->n, parts->n);
	return true;
}

bool manifest_path_is_inside(struct str path)
{
	struct str rest = path;

	while (rest.p) {
		struct str element = str_split(&rest, '/');

		if (element.n == 0 || str_equal(element, STR(".")) || str_equal(element, STR("..")))
			return false;
	}
	return path.p != NULL;
}
