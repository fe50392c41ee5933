#include "target.h"

#include <string.h>

static const char TOO_LONG[] = "the path and query of the request are too long";

void target_init(struct target *target)
{
	*target = (struct target){0};
	buf_init(&target->text, TARGET_BYTES_MAX);
}

void target_free(struct target *target)
{
	buf_free(&target->text);
}

static void fault(struct target *target, const char *what)
{
	if (!target->fault)
		target->fault = what;
}

static void add_plain(struct target *target, const char *text)
{
	if (buf_append_str(&target->text, str_of(text)) < 0)
		fault(target, TOO_LONG);
}

static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_' || c == '~';
}

static void add_encoded(struct target *target, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		int result = is_unreserved(text.p[i]) ? buf_append_char(&target->text, text.p[i])
						      : buf_printf(&target->text, "%%%02X",
								   (unsigned char)text.p[i]);

		if (result < 0)
			fault(target, TOO_LONG);
	}
}

static void add_segment(struct target *target, struct str segment)
{
	if (segment.n == 0 || str_equal(segment, STR(".")) || str_equal(segment, STR("..")))
		fault(target, "a name in the request's path is empty, \".\" or \"..\"");
	add_plain(target, "/");
	add_encoded(target, segment);
}

void target_object(struct target *target, const char *prefix,
		   const struct target_resource *resource, struct str in_namespace, struct str name,
		   const char *subresource)
{
	add_plain(target, prefix);
	if (resource->group[0] == '\0') {
		add_plain(target, "/api");
	} else {
		add_plain(target, "/apis");
		add_segment(target, str_of(resource->group));
	}
	add_segment(target, str_of(resource->version));
	if (in_namespace.n > 0 && !resource->is_namespaced)
		fault(target, "a namespace for a kind that is in none");
	if (in_namespace.n == 0 && resource->is_namespaced && name.n > 0)
		fault(target, "no namespace for an object that is in one");
	if (in_namespace.n > 0) {
		add_plain(target, "/namespaces");
		add_segment(target, in_namespace);
	}
	add_segment(target, str_of(resource->plural));
	if (name.n > 0)
		add_segment(target, name);
	if (subresource)
		add_segment(target, str_of(subresource));
}

void target_query(struct target *target, const char *key, struct str value)
{
	add_plain(target, target->has_query ? "&" : "?");
	target->has_query = true;
	add_plain(target, key);
	add_plain(target, "=");
	add_encoded(target, value);
}

int target_check(const struct target *target, struct err *err)
{
	if (!target->fault)
		return 0;
	return err_set(err, target->fault == TOO_LONG ? ERR_TOO_LARGE : ERR_INVALID, "%s",
		       target->fault);
}
