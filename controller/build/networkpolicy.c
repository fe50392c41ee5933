#include "networkpolicy.h"

#include "base/json.h"
#include "base/json_string.h"
#include "out.h"

int networkpolicy_write(struct buf *text, struct str namespace, struct err *err)
{
	struct out o;

	out_init(&o, text);
	out_open(&o, NULL);
	out_word(&o, "apiVersion", "networking.k8s.io/v1");
	out_word(&o, "kind", "NetworkPolicy");
	out_open(&o, "metadata");
	out_open(&o, "labels");
	out_word(&o, "app.kubernetes.io/name", "sandboxtask");
	out_close(&o);
	out_word(&o, "name", NETWORKPOLICY_NAME);
	out_text(&o, "namespace", namespace);
	out_close(&o);
	out_open(&o, "spec");
	out_open(&o, "podSelector");
	out_open(&o, "matchLabels");
	out_word(&o, "app.kubernetes.io/managed-by", "sandboxtask");
	out_close(&o);
	out_close(&o);
	out_open_list(&o, "policyTypes");
	out_word(&o, NULL, "Ingress");
	out_word(&o, NULL, "Egress");
	out_close(&o);
	out_close(&o);
	out_close(&o);
	return out_finish(&o, err);
}

static size_t count(struct str value)
{
	struct json_walk walk = json_walk(value);
	size_t n = 0;

	while (json_next(&walk, NULL, NULL))
		n++;
	return n;
}

/* Absent and empty are the same: no rule, so nothing is let through. */
static bool has_rules(struct str spec, const char *direction)
{
	struct str rules;

	return json_find(spec, str_of(direction), &rules) && count(rules) > 0;
}

static bool has_type(struct str spec, const char *type)
{
	struct str types, item;
	struct json_walk walk;

	if (!json_find(spec, STR("policyTypes"), &types))
		return false;
	walk = json_walk(types);
	while (json_next(&walk, NULL, &item))
		if (json_string_equal(item, str_of(type)))
			return true;
	return false;
}

static bool selects_all_of_ours(struct str spec)
{
	struct str selector, labels, expressions, value;

	if (!json_find(spec, STR("podSelector"), &selector) ||
	    (json_find(selector, STR("matchExpressions"), &expressions) && count(expressions) > 0))
		return false;
	if (!json_find(selector, STR("matchLabels"), &labels) || count(labels) == 0)
		return true;
	return count(labels) == 1 &&
	       json_find(labels, STR("app.kubernetes.io/managed-by"), &value) &&
	       json_string_equal(value, STR("sandboxtask"));
}

bool networkpolicy_is_sound(struct str live)
{
	struct str spec;

	return json_find(live, STR("spec"), &spec) && selects_all_of_ours(spec) &&
	       has_type(spec, "Ingress") && has_type(spec, "Egress") &&
	       !has_rules(spec, "ingress") && !has_rules(spec, "egress");
}
