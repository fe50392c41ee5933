/* term_watch: what the watches of a term tell it. */
#include "term_internal.h"

#include "base/json.h"
#include "base/mem.h"
#include "core/decode_class.h"
#include "kinds.h"
#include "metrics.h"

#include <stdlib.h>

void term_note_watch_trouble(struct term *term, const struct target_resource *resource,
			     struct str in_namespace, const struct err *err, int64_t retry_ms)
{
	metrics_note_watch_trouble(term->config.metrics, err->code);
	log_warning(term->config.log, "watch broke off", log_word("kind", resource->plural),
		    log_name("namespace", in_namespace), log_int("retry_ms", retry_ms),
		    log_err(err));
}

bool term_is_informed(const struct term *term)
{
	return watch_is_synced(term->class_watch) && watch_is_synced(term->namespaces);
}

/* --- Tasks. Rows without their code; what matters is that there is one, and its version. --- */

static void on_task_changed(void *context, const struct kube_object *object)
{
	struct term *term = context;
	struct job *job = term_job(term, str_of(object->uid));
	bool is_new = !job;

	if (is_new)
		job = term_add_job(term, str_of(object->uid), str_of(object->in_namespace),
				   str_of(object->name));
	if (job && (job_note_version(job, object->resource_version) || is_new))
		term_wake_now(term, job);
}

/* Gone, or only not unfinished any more: a read will tell, unless it was we who finished it. */
static void on_task_deleted(void *context, const struct kube_object *object)
{
	struct term *term = context;
	struct job *job = term_job(term, str_of(object->uid));

	if (!job)
		return;
	if (job_note_version(job, object->resource_version) || !job->task)
		term_wake_now(term, job);
}

static void on_tasks_synced(void *context)
{
	struct term *term = context;

	term->are_tasks_listed = true;
	term_grant(term);
}

static void on_tasks_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	term_note_watch_trouble(context, &kind_tasks, STR(""), err, retry_ms);
}

/* --- Classes. --- */

static void wake_all(struct term *term)
{
	term->policy_version++;
	/* One that waits for its place is judged when it has it. */
	map_for_each (entry, &term->jobs) {
		struct job *job = entry->value;

		if (job->task)
			term_wake_now(term, job);
	}
}

static void forget_class(struct term *term, struct str name)
{
	struct class *class = map_remove(&term->classes, name);

	if (!class)
		return;
	decode_class_free(class);
	free(class);
}

static void on_class_changed(void *context, const struct kube_object *object)
{
	struct term *term = context;
	struct class *class = mem_new(1, sizeof(*class));
	struct err err;

	forget_class(term, str_of(object->name));
	if (decode_class(class, object->raw, &err) < 0 ||
	    map_put(&term->classes, str_of(object->name), class) < 0) {
		log_error(term->config.log, "a SandboxClass can't be used",
			  log_name("class", str_of(object->name)), log_err(&err));
		decode_class_free(class);
		free(class);
	} else {
		places_set_class(&term->places, class->name, class->max_tasks,
				 class->max_tasks_per_namespace);
		if (class->pod_namespace.n > 0)
			term_space(term, class->pod_namespace);
		term_grant(term);
	}
	wake_all(term);
}

static void on_class_deleted(void *context, const struct kube_object *object)
{
	struct term *term = context;

	forget_class(term, str_of(object->name));
	wake_all(term);
}

static void on_synced(void *context)
{
	term_arm(context);
}

static void on_classes_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	term_note_watch_trouble(context, &kind_classes, STR(""), err, retry_ms);
}

const struct class *term_class(const struct term *term, struct str name)
{
	return map_get(&term->classes, name);
}

/* --- Namespaces: their labels. --- */

static void on_namespace(void *context, const struct kube_object *object)
{
	(void)object;
	wake_all(context);
}

static void on_namespaces_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	term_note_watch_trouble(context, &kind_namespaces, STR(""), err, retry_ms);
}

struct str term_namespace_labels(const struct term *term, struct str name)
{
	const struct kube_object *object = watch_find(term->namespaces, STR(""), name);
	struct str metadata, labels;

	if (object && json_find(object->raw, STR("metadata"), &metadata) &&
	    json_find(metadata, STR("labels"), &labels))
		return labels;
	return STR("");
}

/* --- Pods, from the spaces. --- */

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

void term_note_pod(struct term *term, const struct kube_object *object)
{
	struct job *job = find_or_add_job_of_pod(term, object);

	if (job && note_pod(term, job, object->raw))
		term_wake_now(term, job);
}

/* Its last text is evidence; whether it is gone, or only looks otherwise, a read will tell. */
void term_note_pod_gone(struct term *term, const struct kube_object *object)
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

/* --- Their life. --- */

void term_watch_start(struct term *term)
{
	static const struct watch_config tasks = {
		.resource = &kind_tasks,
		.in_namespace = "",
		.label_selector = "",
		.field_selector = "status.phase!=Succeeded,status.phase!=Failed",
		.as_table = true,
	};
	static const struct watch_config classes = {.resource = &kind_classes,
						    .in_namespace = "",
						    .label_selector = "",
						    .field_selector = ""};
	static const struct watch_config namespaces = {.resource = &kind_namespaces,
						       .in_namespace = "",
						       .label_selector = "",
						       .field_selector = "",
						       .keeps_objects = true};
	static const struct watch_callbacks of_tasks = {on_task_changed, on_task_deleted,
							on_tasks_synced, on_tasks_trouble};
	static const struct watch_callbacks of_classes = {on_class_changed, on_class_deleted,
							  on_synced, on_classes_trouble};
	static const struct watch_callbacks of_namespaces = {on_namespace, on_namespace, on_synced,
							     on_namespaces_trouble};
	struct io *io = term->config.io;
	struct client *client = term->config.client;

	term->tasks = watch_new(io, client, &tasks, &of_tasks, term);
	term->class_watch = watch_new(io, client, &classes, &of_classes, term);
	term->namespaces = watch_new(io, client, &namespaces, &of_namespaces, term);
}

void term_watch_end(struct term *term)
{
	watch_delete(term->tasks);
	watch_delete(term->class_watch);
	watch_delete(term->namespaces);
	map_for_each (entry, &term->classes) {
		decode_class_free(entry->value);
		free(entry->value);
	}
	map_free(&term->classes);
}
