/* term_space: the namespaces with Pods that a term looks at. */
#include "term_internal.h"

#include <stddef.h>

struct space *term_space(struct term *term, struct str name)
{
	struct space *space = map_get(&term->spaces, name);

	if (space || term->spaces.count == TERM_SPACES_MAX)
		return space;
	space = space_new(term, name);
	map_put(&term->spaces, name, space);
	return space;
}

static bool is_needed(const struct term *term, struct str name)
{
	if (policy_names_space(&term->policy, name))
		return true;
	map_for_each (entry, &term->jobs)
		if (str_equal(job_pod_namespace(entry->value), name))
			return true;
	return false;
}

void term_space_sweep(struct term *term)
{
	map_for_each (entry, &term->spaces) {
		struct space *space = entry->value;

		if (is_needed(term, str_of(space->name)))
			continue;
		map_remove(&term->spaces, str_of(space->name));
		space_delete(space);
	}
}
