#include "kube_object.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/json_string.h"

#include <string.h>

/* Decodes a raw JSON string into `text`, which has `size` bytes with its NUL. */
static int read_string(struct str raw, char *text, size_t size, const char *what, struct err *err)
{
	struct buf decoded;
	bool has_nul = false;
	int result;

	buf_init(&decoded, size - 1);
	result = json_string_decode(raw, &decoded, &has_nul, err);
	if (result == 0 && (has_nul || decoded.length == 0))
		result = -1;
	if (result == 0)
		memcpy(text, decoded.data, decoded.length + 1);
	buf_free(&decoded);
	if (result < 0)
		return err_set(err, ERR_PROTOCOL, "an object's %s is empty, too long or no text",
			       what);
	return 0;
}

static int read_member(struct str metadata, struct str key, char *text, size_t size,
		       struct err *err)
{
	struct str raw;

	if (!json_find(metadata, key, &raw))
		return err_set(err, ERR_PROTOCOL, "an object has no metadata.%.*s", STR_ARGS(key));
	return read_string(raw, text, size, key.p, err);
}

int kube_object_read(struct str json, struct kube_object *object, struct err *err)
{
	struct kube_object read = {.raw = json};
	struct str metadata, raw;

	if (!json_find(json, STR("metadata"), &metadata))
		return err_set(err, ERR_PROTOCOL, "an object has no metadata");
	if (read_member(metadata, STR("name"), read.name, sizeof(read.name), err) < 0 ||
	    read_member(metadata, STR("uid"), read.uid, sizeof(read.uid), err) < 0 ||
	    read_member(metadata, STR("resourceVersion"), read.resource_version,
			sizeof(read.resource_version), err) < 0)
		return -1;
	if (json_find(metadata, STR("namespace"), &raw) &&
	    read_string(raw, read.in_namespace, sizeof(read.in_namespace), "namespace", err) < 0)
		return -1;
	*object = read;
	return 0;
}

int kube_object_read_row(struct str row, struct kube_object *object, struct err *err)
{
	struct str partial;

	if (!json_find(row, STR("object"), &partial))
		return err_set(err, ERR_PROTOCOL, "a row of a Table has no object");
	if (kube_object_read(partial, object, err) < 0)
		return -1;
	object->raw = row;
	return 0;
}

int kube_object_read_version(struct str json, char version[KUBE_OBJECT_VERSION_SIZE],
			     struct err *err)
{
	struct str metadata, row;

	/* A bookmark of a Table has its version in its one row, or in the Table itself. */
	if (kube_object_table_row(json, &row, NULL) && json_find(row, STR("object"), &row))
		json = row;
	if (!json_find(json, STR("metadata"), &metadata))
		return err_set(err, ERR_PROTOCOL, "an object has no metadata");
	return read_member(metadata, STR("resourceVersion"), version, KUBE_OBJECT_VERSION_SIZE,
			   err);
}

int kube_object_read_list(struct str body, struct kube_object_list *list, struct err *err)
{
	struct kube_object_list read = {0};
	struct str metadata;

	if (json_check(body, err) < 0) {
		err->code = ERR_PROTOCOL;
		return err_wrap(err, "the list");
	}
	if (!json_find(body, STR("metadata"), &metadata) ||
	    read_member(metadata, STR("resourceVersion"), read.resource_version,
			sizeof(read.resource_version), err) < 0)
		return err_set(err, ERR_PROTOCOL, "a list has no metadata.resourceVersion");
	if (json_find(metadata, STR("continue"), &read.continue_token) &&
	    json_string_equal(read.continue_token, STR("")))
		read.continue_token = STR("");
	if (json_find(body, STR("rows"), &read.items))
		json_find(body, STR("columnDefinitions"), &read.columns);
	else if (!json_find(body, STR("items"), &read.items))
		return err_set(err, ERR_PROTOCOL, "a list has neither items nor rows");
	*list = read;
	return 0;
}

static const struct {
	struct str name;
	enum kube_object_event type;
} TYPES[] = {
	{{"ADDED", 5}, KUBE_OBJECT_ADDED},     {{"MODIFIED", 8}, KUBE_OBJECT_MODIFIED},
	{{"DELETED", 7}, KUBE_OBJECT_DELETED}, {{"BOOKMARK", 8}, KUBE_OBJECT_BOOKMARK},
	{{"ERROR", 5}, KUBE_OBJECT_ERROR},
};

int kube_object_read_event(struct str json, enum kube_object_event *type, struct str *value,
			   struct err *err)
{
	struct str name, object;

	if (json_check(json, err) < 0) {
		err->code = ERR_PROTOCOL;
		return err_wrap(err, "the watch");
	}
	if (!json_find(json, STR("type"), &name) || !json_find(json, STR("object"), &object))
		return err_set(err, ERR_PROTOCOL, "an event has no type or no object");
	for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
		if (json_string_equal(name, TYPES[i].name)) {
			*type = TYPES[i].type;
			*value = object;
			return 0;
		}
	}
	return err_set(err, ERR_PROTOCOL, "an event of an unknown type");
}

bool kube_object_table_row(struct str table, struct str *row, struct str *columns)
{
	struct str kind, rows;
	struct json_walk walk;

	if (!json_find(table, STR("kind"), &kind) || !json_string_equal(kind, STR("Table")) ||
	    !json_find(table, STR("rows"), &rows))
		return false;
	walk = json_walk(rows);
	if (!json_next(&walk, NULL, row))
		return false;
	if (columns)
		json_find(table, STR("columnDefinitions"), columns);
	return true;
}

bool kube_object_is_newer(struct str a, struct str b)
{
	uint64_t number_a, number_b;

	if (a.n == 0)
		return false;
	if (str_to_uint(a, UINT64_MAX, &number_a) && str_to_uint(b, UINT64_MAX, &number_b))
		return number_a > number_b;
	return !str_equal(a, b);
}
