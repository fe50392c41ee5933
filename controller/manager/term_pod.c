/* term_pod: what the spaces tell a term about Pods: whose they are, and what they look like. */
#include "term_internal.h"

#include "base/json.h"

#include <string.h>

/* The annotation says which task it is of: namespace/name. */
static struct job *add_job_of_pod(struct term *term, struct str uid, struct str pod_json)
{
	struct str metadata, annotations, task, in_namespace;
	struct job *job = NULL;

	if (!json_find(pod_json, STR("metadata"), &metadata) ||
	    !json_find(metadata, STR("annotations"), &annotations) ||
	    !json_find(annotations, STR("sandboxtask.io/task"), &task) || task.n < 2)
		return NULL;
	task = str_slice(task, 1, task.n - 1); /* names need no escapes */
	in_namespace = str_split(&task, '/');
	if (in_namespace.n > 0 && task.n > 0)
		job = term_add_job(term, uid, in_namespace, task);
	return job;
}

static struct job *find_or_add_job_of_pod(struct term *term, const struct kube_object *object)
{
	char uid[TASK_UID_SIZE];
	struct job *job;

	if (!pod_task_uid(str_of(object->name), uid))
		return NULL; /* not ours, whatever its labels say */
	job = term_job(term, str_of(uid));
	return job ? job : add_job_of_pod(term, str_of(uid), object->raw);
}

static bool note_pod(struct term *term, struct job *job, struct str json)
{
	struct err err;

	if (job_note_pod(job, json, &err) == 0)
		return true;
	log_error(term->config.log, "a Pod can't be read", log_name("uid", str_of(job->uid)),
		  log_err(&err));
	return false;
}

void term_pod_note(struct term *term, const struct kube_object *object)
{
	struct job *job = find_or_add_job_of_pod(term, object);

	if (job && note_pod(term, job, object->raw))
		term_wake_now(term, job);
}

/* Its last text is evidence; whether it is gone, or only looks otherwise, a read will tell. */
void term_pod_note_gone(struct term *term, const struct kube_object *object)
{
	char uid[TASK_UID_SIZE];
	struct job *job = NULL;

	if (pod_task_uid(str_of(object->name), uid))
		job = term_job(term, str_of(uid));
	if (!job || !job->pod.pod || !str_equal(job->pod.pod->uid, str_of(object->uid)))
		return;
	if (object->raw.n > 0)
		note_pod(term, job, object->raw);
	job_doubt_pod(job);
	term_wake_now(term, job);
}

/* One that was made and removed between two lists was told to nobody but the one who made it. */
void term_pod_note_listed(struct term *term, const char *in_namespace, const struct watch *pods)
{
	map_for_each (entry, &term->jobs) {
		struct job *job = entry->value;
		const struct pod *pod = job->pod.pod;

		if (job->pod.known != KNOWN_PRESENT ||
		    !str_equal(pod->namespace, str_of(in_namespace)) ||
		    watch_find(pods, pod->namespace, pod->name))
			continue;
		job_doubt_pod(job);
		term_wake_now(term, job);
	}
}

/* The names of a task's Pods lie side by side, with others between them that only look alike. */
static const struct kube_object *other_in(const struct space *space, const struct job *job,
					  struct str prefix, struct str after)
{
	struct str in_namespace = str_of(space->name);
	const struct kube_object *pod = watch_after(space->pods, in_namespace, after);

	for (; pod && str_starts_with(str_of(pod->name), prefix);
	     pod = watch_after(space->pods, in_namespace, str_of(pod->name))) {
		bool is_own = job->pod.pod && str_equal(str_of(pod->uid), job->pod.pod->uid);

		if (!is_own && pod_attempt(str_of(pod->name), str_of(job->uid)) > 0)
			return pod;
	}
	return NULL;
}

/* The Pod that the job looks at, if it is there and the watches show it; else NULL. */
static const struct pod *own_in_sight(const struct term *term, const struct job *job)
{
	const struct pod *own = job->pod.pod;
	const struct space *space;

	if (job->pod.known != KNOWN_PRESENT)
		return NULL;
	space = map_get(&term->spaces, own->namespace);
	return space && watch_find(space->pods, own->namespace, own->name) ? own : NULL;
}

const struct kube_object *term_pod_other(const struct term *term, const struct job *job)
{
	const struct pod *own = own_in_sight(term, job);
	char first[POD_NAME_SIZE];
	struct str prefix;

	if (pod_name(first, str_of(job->uid), 1) < 0)
		return NULL;
	prefix = (struct str){first, strlen(first) - 1};
	map_for_each (entry, &term->spaces) {
		int order = own ? str_compare(map_key(entry), own->namespace) : 1;
		const struct kube_object *pod = NULL;

		if (order >= 0)
			pod = other_in(entry->value, job, prefix, order == 0 ? own->name : prefix);
		if (pod)
			return pod;
	}
	return NULL;
}
