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

bool term_space_is_listed(const struct term *term, struct str in_namespace)
{
	const struct space *space = map_get(&term->spaces, in_namespace);

	return space && space->is_listed;
}

static void end_if_unneeded(struct term *term, struct space *space)
{
	if (space->users > 0 || policy_names_space(&term->policy, str_of(space->name)))
		return;
	map_remove(&term->spaces, str_of(space->name));
	space_delete(space);
}

void term_space_leave(struct term *term, struct job *job)
{
	struct space *space = job->space;

	job->space = NULL;
	if (space && --space->users == 0)
		end_if_unneeded(term, space);
}

void term_space_follow(struct term *term, struct job *job)
{
	struct str name = job_pod_namespace(job);

	/* Of one that waits for its place it is not known any more, and will be the same. */
	if (name.n == 0 || (job->space && str_equal(name, str_of(job->space->name))))
		return;
	term_space_leave(term, job);
	job->space = term_space(term, name);
	if (job->space)
		job->space->users++;
}

void term_space_sweep(struct term *term)
{
	map_for_each (entry, &term->spaces)
		end_if_unneeded(term, entry->value);
}
