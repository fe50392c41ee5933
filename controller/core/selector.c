#include "selector.h"

#include "base/json.h"
#include "base/json_string.h"

/* Finds a label by its key as a raw string. Keys are qualified names, which need no escape. */
static bool find_label(struct str labels, struct str raw_key, struct str *value)
{
	return json_find(labels, str_slice(raw_key, 1, raw_key.n - 1), value);
}

static bool labels_hold(struct str labels, struct str raw_key, struct str raw_value)
{
	struct str value;

	return find_label(labels, raw_key, &value) && json_kind(raw_value) == JSON_STRING &&
	       json_string_compare(value, raw_value) == 0;
}

static bool is_among(struct str raw_value, struct str list)
{
	struct json_walk walk = json_walk(list);
	struct str item;

	while (json_next(&walk, NULL, &item))
		if (json_kind(item) == JSON_STRING && json_string_compare(item, raw_value) == 0)
			return true;
	return false;
}

static bool expression_holds(struct str expression, struct str labels)
{
	struct str key, operator, value, values = {NULL, 0};
	bool is_there;

	if (!json_find(expression, STR("key"), &key) || json_kind(key) != JSON_STRING ||
	    !json_find(expression, STR("operator"), &operator))
		return false;
	json_find(expression, STR("values"), &values);
	is_there = find_label(labels, key, &value);
	if (json_string_equal(operator, STR("Exists")))
		return is_there;
	if (json_string_equal(operator, STR("DoesNotExist")))
		return !is_there;
	if (json_string_equal(operator, STR("In")))
		return is_there && is_among(value, values);
	if (json_string_equal(operator, STR("NotIn")))
		return !is_there || !is_among(value, values);
	return false;
}

/* Whether a member is absent (null is the same), or of the kind that it must be. */
static bool find_member(struct str selector, struct str key, enum json_kind kind,
			struct str *member)
{
	*member = (struct str){NULL, 0};
	if (!json_find(selector, key, member) || json_kind(*member) == JSON_NULL)
		return true;
	return json_kind(*member) == kind;
}

bool selector_matches(struct str selector, struct str labels)
{
	struct str match_labels, expressions, key, value;
	struct json_walk walk;

	if (!find_member(selector, STR("matchLabels"), JSON_OBJECT, &match_labels) ||
	    !find_member(selector, STR("matchExpressions"), JSON_ARRAY, &expressions))
		return false;
	walk = json_walk(match_labels);
	while (json_next(&walk, &key, &value))
		if (!labels_hold(labels, key, value))
			return false;
	walk = json_walk(expressions);
	while (json_next(&walk, NULL, &value))
		if (!expression_holds(value, labels))
			return false;
	return true;
}
