#include "sim_selector.h"

#include "sim_json.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE 256

/* Takes a requirement apart; an operator of '\0' means: the key has to be there. */
static struct str split(struct str requirement, char *operator, struct str * value)
{
	const char *at = requirement.n > 0 ? memchr(requirement.p, '=', requirement.n) : NULL;
	size_t n = at ? (size_t)(at - requirement.p) : requirement.n;

	*operator= at ? '=' : '\0';
	*value = str_slice(requirement, n + 1, requirement.n);
	if (str_starts_with(*value, STR("=")))
		*value = str_slice(*value, 1, value->n);
	if (at && n > 0 && requirement.p[n - 1] == '!') {
		*operator= '!';
		n--;
	}
	return str_trim(str_slice(requirement, 0, n));
}

static struct str label_of(struct str json, struct str key, bool *is_there)
{
	struct str value = STR("");

	*is_there = json_find(sim_json_at(json, "metadata.labels"), key, &value);
	return *is_there ? str_slice(value, 1, value.n - 1) : value;
}

static struct str field_of(struct str json, struct str key, bool *is_there)
{
	char path[PATH_SIZE];
	struct str value;

	snprintf(path, sizeof(path), "%.*s", STR_ARGS(key));
	value = sim_json_word(json, path);
	*is_there = value.n > 0;
	return value;
}

static bool matches(struct str json, struct str selector,
		    struct str (*find)(struct str json, struct str key, bool *is_there))
{
	while (selector.n > 0) {
		struct str wanted, found, requirement = str_split(&selector, ',');
		bool is_there;
		char operator;
		struct str key = split(requirement, &operator, & wanted);

		found = find(json, key, &is_there);
		if (operator== '\0' ? !is_there : str_equal(found, wanted) == (operator== '!'))
			return false;
	}
	return true;
}

bool sim_selector_matches(struct str json, struct str label_selector, struct str field_selector)
{
	return matches(json, label_selector, label_of) && matches(json, field_selector, field_of);
}
