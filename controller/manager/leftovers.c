#include "leftovers.h"

#include "base/log.h"
#include "kinds.h"
#include "term.h"

#include <string.h>

/* --- From one namespace to the next. --- */

static void on_turn(void *context);

static void go_on(struct leftovers *leftovers)
{
	struct io *io = term_config(leftovers->term)->io;

	if (!leftovers->turn)
		leftovers->turn = io->timer_start(io, 0, on_turn, leftovers);
}

static void end_list(struct leftovers_list *list)
{
	watch_delete(list->watch);
	list->watch = NULL;
	go_on(list->leftovers);
}

/* --- The list of one namespace. --- */

/* The watch of who is in sight is the newer one; this list may have been answered before it. */
static void on_pod(void *context, const struct kube_object *object)
{
	struct leftovers_list *list = context;
	struct term *term = list->leftovers->term;

	if (!term_space_is_listed(term, str_of(list->in_namespace)))
		term_pod_note(term, object);
}

/* Between two pages, or two tries: what it was told of is a job, which finds out by itself. */
static void on_pod_gone(void *context, const struct kube_object *object)
{
	(void)context;
	(void)object;
}

static void on_listed(void *context)
{
	end_list(context);
}

static void give_up(struct leftovers_list *list, enum log_level level, const struct err *err)
{
	LOG_RECORD(term_config(list->leftovers->term)->log, level,
		   "whether Pods are left in a namespace is not known",
		   log_name("namespace", str_of(list->in_namespace)), log_err(err));
	end_list(list);
}

static void on_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	struct leftovers_list *list = context;

	if (err->code == ERR_FORBIDDEN) {
		give_up(list, LOG_DEBUG, err);
		return;
	}
	term_note_watch_trouble(list->leftovers->term, &kind_pods, str_of(list->in_namespace), err,
				retry_ms);
	if (++list->failures == LEFTOVERS_TRIES_MAX)
		give_up(list, LOG_WARNING, err);
}

static void start_list(struct leftovers_list *list, const struct kube_object *namespace)
{
	static const struct watch_callbacks callbacks = {on_pod, on_pod_gone, on_listed,
							 on_trouble};
	const struct term_config *config = term_config(list->leftovers->term);
	struct watch_config pods = {.resource = &kind_pods,
				    .in_namespace = list->in_namespace,
				    .label_selector = KINDS_PODS_OF_OURS,
				    .field_selector = ""};

	memcpy(list->in_namespace, namespace->name, sizeof(list->in_namespace));
	list->failures = 0;
	list->watch = watch_new(config->io, config->client, &pods, &callbacks, list);
}

/* --- All of them. --- */

static struct leftovers_list *free_list(struct leftovers *leftovers)
{
	for (size_t i = 0; i < LEFTOVERS_LISTS_MAX; i++)
		if (!leftovers->lists[i].watch)
			return &leftovers->lists[i];
	return NULL;
}

/* False: there is no other one, or nobody to look at it now. */
static bool look_at_next(struct leftovers *leftovers)
{
	const struct policy *policy = term_policy(leftovers->term);
	const struct kube_object *next = policy_next_namespace(policy, str_of(leftovers->last));
	struct leftovers_list *list = free_list(leftovers);

	if (!next || !list)
		return false;
	memcpy(leftovers->last, next->name, sizeof(leftovers->last));
	if (policy_lets_pods_into(policy, str_of(next->name)) &&
	    !policy_names_space(policy, str_of(next->name)))
		start_list(list, next);
	return true;
}

static void on_turn(void *context)
{
	struct leftovers *leftovers = context;

	leftovers->turn = NULL;
	for (int i = 0; i < LEFTOVERS_NAMESPACES_PER_TURN; i++)
		if (!look_at_next(leftovers))
			return;
	go_on(leftovers);
}

/* --- Its life. --- */

void leftovers_init(struct leftovers *leftovers, struct term *term)
{
	*leftovers = (struct leftovers){.term = term};
	for (size_t i = 0; i < LEFTOVERS_LISTS_MAX; i++)
		leftovers->lists[i].leftovers = leftovers;
}

void leftovers_begin(struct leftovers *leftovers)
{
	if (leftovers->has_begun)
		return;
	leftovers->has_begun = true;
	go_on(leftovers);
}

void leftovers_end(struct leftovers *leftovers)
{
	struct io *io = term_config(leftovers->term)->io;

	for (size_t i = 0; i < LEFTOVERS_LISTS_MAX; i++)
		watch_delete(leftovers->lists[i].watch);
	if (leftovers->turn)
		io->timer_cancel(io, leftovers->turn);
}
