#include "places.h"

#include "base/mem.h"
#include "core/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed but for its queue: a class that nobody has ever described allows nothing. */
struct places_class {
	struct map_entry *entry;
	bool is_described;
	struct queue queue;
	int64_t max, max_per_namespace, taken;
	struct map namespaces; /* by name: how many places are taken, as intptr_t */
};

struct places_task {
	struct places_class *class;
	bool has_place;
	char namespace[];
};

void places_init(struct places *places, int64_t max)
{
	*places = (struct places){.max = max};
	map_init(&places->tasks, PLACES_TASKS_MAX);
	map_init(&places->classes, PLACES_CLASSES_MAX);
}

void places_free(struct places *places)
{
	map_for_each (task, &places->tasks)
		free(task->value);
	map_free(&places->tasks);
	map_for_each (entry, &places->classes) {
		struct places_class *class = entry->value;

		queue_free(&class->queue);
		map_free(&class->namespaces);
		free(class);
	}
	map_free(&places->classes);
}

/* NULL: there are more classes than anybody has. */
static struct places_class *find_or_make_class(struct places *places, struct str name)
{
	struct places_class *class = map_get(&places->classes, name);

	if (class)
		return class;
	class = mem_new(1, sizeof(*class));
	if (map_put(&places->classes, name, class) < 0) {
		free(class);
		return NULL;
	}
	class->entry = map_find(&places->classes, name);
	queue_init(&class->queue, QUEUE_WAITING_MAX);
	map_init(&class->namespaces, PLACES_TASKS_MAX);
	return class;
}

/* Names come and go for as long as the leader leads. */
static void forget_if_unused(struct places *places, struct places_class *class)
{
	if (class->is_described || class->taken > 0 || queue_count(&class->queue) > 0)
		return;
	if (places->last == class->entry)
		places->last = NULL;
	map_remove(&places->classes, map_key(class->entry));
	queue_free(&class->queue);
	map_free(&class->namespaces);
	free(class);
}

void places_set_class(struct places *places, struct str name, int64_t max,
		      int64_t max_per_namespace)
{
	struct places_class *class = find_or_make_class(places, name);

	if (!class)
		return;
	class->is_described = true;
	class->max = max;
	class->max_per_namespace = max_per_namespace;
}

void places_forget_class(struct places *places, struct str name)
{
	struct places_class *class = map_get(&places->classes, name);

	if (!class)
		return;
	class->is_described = false;
	forget_if_unused(places, class);
}

/* --- Counting. --- */

static int64_t taken_in_namespace(const struct places_class *class, struct str namespace)
{
	return (intptr_t)map_get(&class->namespaces, namespace);
}

static void count(struct places *places, struct places_task *task, int change)
{
	struct places_class *class = task->class;
	struct str namespace = str_of(task->namespace);
	intptr_t taken = (intptr_t)taken_in_namespace(class, namespace) + change;
	int result;

	task->has_place = change > 0;
	places->taken += change;
	class->taken += change;
	if (taken == 0) {
		map_remove(&class->namespaces, namespace);
		return;
	}
	/* No more namespaces than tasks. */
	result = map_put(&class->namespaces, namespace, (void *)taken);
	assert(result == 0);
}

/* --- Tasks. --- */

static struct places_task *note(struct places *places, struct str uid, struct str class_name,
				struct str namespace)
{
	struct places_class *class = find_or_make_class(places, class_name);
	struct places_task *task;

	if (!class)
		return NULL;
	task = mem_new(1, sizeof(*task) + namespace.n + 1);
	task->class = class;
	memcpy(task->namespace, namespace.p, namespace.n);
	if (map_put(&places->tasks, uid, task) == 0)
		return task;
	free(task);
	return NULL;
}

enum admission places_ask(struct places *places, struct str uid, struct str class,
			  struct str namespace, int64_t created_ms)
{
	struct places_task *task = map_get(&places->tasks, uid);

	if (task)
		return task->has_place ? ADMISSION_GRANTED : ADMISSION_WAITING;
	task = note(places, uid, class, namespace);
	if (!task)
		return ADMISSION_FULL;
	if (queue_add(&task->class->queue, uid, namespace, created_ms) == 0)
		return ADMISSION_WAITING;
	free(map_remove(&places->tasks, uid));
	return ADMISSION_FULL;
}

void places_take(struct places *places, struct str uid, struct str class, struct str namespace)
{
	struct places_task *task = map_get(&places->tasks, uid);

	if (!task)
		task = note(places, uid, class, namespace);
	if (!task || task->has_place)
		return;
	queue_remove(&task->class->queue, uid);
	count(places, task, 1);
}

void places_leave(struct places *places, struct str uid)
{
	struct places_task *task = map_remove(&places->tasks, uid);

	if (!task)
		return;
	if (task->has_place)
		count(places, task, -1);
	else
		queue_remove(&task->class->queue, uid);
	forget_if_unused(places, task->class);
	free(task);
}

/* --- Whose turn it is. --- */

static bool namespace_has_room(void *context, struct str namespace)
{
	const struct places_class *class = context;

	return taken_in_namespace(class, namespace) < class->max_per_namespace;
}

static bool class_next(struct places *places, struct places_class *class, char *uid, size_t size)
{
	if (class->taken >= class->max ||
	    !queue_next(&class->queue, namespace_has_room, class, uid, size))
		return false;
	count(places, map_get(&places->tasks, str_of(uid)), 1);
	return true;
}

static struct map_entry *class_after(const struct places *places, const struct map_entry *entry)
{
	struct map_entry *next = entry ? map_next(entry) : NULL;

	return next ? next : map_first(&places->classes);
}

/* Once round the classes, beginning behind the one that had the last turn. */
bool places_next(struct places *places, char *uid, size_t size)
{
	struct map_entry *entry = places->last;

	if (places->taken >= places->max)
		return false;
	for (size_t i = 0; i < places->classes.count; i++) {
		entry = class_after(places, entry);
		if (!class_next(places, entry->value, uid, size))
			continue;
		places->last = entry;
		return true;
	}
	return false;
}

int64_t places_position(const struct places *places, struct str uid)
{
	const struct places_task *task = map_get(&places->tasks, uid);

	return task && !task->has_place ? queue_position(&task->class->queue, uid) : -1;
}

int64_t places_waiting(const struct places *places)
{
	return (int64_t)places->tasks.count - places->taken;
}
