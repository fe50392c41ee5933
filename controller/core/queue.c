#include "queue.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct queue_namespace {
	struct list turn;  /* in queue.turns */
	struct list tasks; /* the oldest first */
	size_t count;
	struct map_entry *entry;
};

struct queue_task {
	struct list node; /* in queue_namespace.tasks */
	struct queue_namespace *namespace;
	int64_t created_ms;
	struct map_entry *entry;
};

void queue_init(struct queue *q, size_t limit)
{
	map_init(&q->tasks, limit);
	/* No more namespaces than tasks ever wait. */
	map_init(&q->namespaces, limit);
	list_init(&q->turns);
}

void queue_free(struct queue *q)
{
	map_for_each (task, &q->tasks)
		free(task->value);
	map_free(&q->tasks);
	map_for_each (namespace, &q->namespaces)
		free(namespace->value);
	map_free(&q->namespaces);
	list_init(&q->turns);
}

static struct queue_namespace *find_or_make_namespace(struct queue *q, struct str name)
{
	struct queue_namespace *namespace = map_get(&q->namespaces, name);
	int result;

	if (namespace)
		return namespace;
	namespace = mem_new(1, sizeof(*namespace));
	list_init(&namespace->tasks);
	result = map_put(&q->namespaces, name, namespace);
	assert(result == 0);
	namespace->entry = map_find(&q->namespaces, name);
	/* A newcomer waits one round, like everybody. */
	list_push_back(&q->turns, &namespace->turn);
	return namespace;
}

/* Older first; of one age in the order of their UIDs, so that no order depends on arrival. */
static bool is_before(const struct queue_task *a, const struct queue_task *b)
{
	if (a->created_ms != b->created_ms)
		return a->created_ms < b->created_ms;
	return str_compare(map_key(a->entry), map_key(b->entry)) < 0;
}

static void insert_by_age(struct queue_namespace *namespace, struct queue_task *task)
{
	struct list *at = &namespace->tasks;

	/* From the end: tasks come about in the order of their age. */
	while (at->previous != &namespace->tasks &&
	       is_before(task, list_item(at->previous, struct queue_task, node)))
		at = at->previous;
	list_insert_before(at, &task->node);
	namespace->count++;
}

int queue_add(struct queue *q, struct str uid, struct str name, int64_t created_ms)
{
	struct queue_task *task;

	if (map_get(&q->tasks, uid))
		return 0;
	task = mem_new(1, sizeof(*task));
	task->created_ms = created_ms;
	if (map_put(&q->tasks, uid, task) < 0) {
		free(task);
		return -1;
	}
	task->entry = map_find(&q->tasks, uid);
	task->namespace = find_or_make_namespace(q, name);
	insert_by_age(task->namespace, task);
	return 0;
}

void queue_remove(struct queue *q, struct str uid)
{
	struct queue_task *task = map_remove(&q->tasks, uid);
	struct queue_namespace *namespace;

	if (!task)
		return;
	namespace = task->namespace;
	list_remove(&task->node);
	free(task);
	if (--namespace->count > 0)
		return;
	list_remove(&namespace->turn);
	map_remove(&q->namespaces, map_key(namespace->entry));
	free(namespace);
}

bool queue_next(struct queue *q, bool (*may_start)(void *context, struct str namespace),
		void *context, char *uid, size_t size)
{
	struct queue_namespace *namespace;
	struct queue_task *task;
	struct str key;

	list_for_each (namespace, &q->turns, turn) {
		if (may_start && !may_start(context, map_key(namespace->entry)))
			continue;
		task = list_first(&namespace->tasks, struct queue_task, node);
		key = map_key(task->entry);
		assert(key.n < size);
		memcpy(uid, key.p, key.n);
		uid[key.n] = '\0';
		list_remove(&namespace->turn);
		list_push_back(&q->turns, &namespace->turn);
		queue_remove(q, (struct str){uid, key.n});
		return true;
	}
	return false;
}

/*
 * In each round before the task's own, every namespace that still has a task starts one; in its own
 * round those whose turn comes first.
 */
int64_t queue_position(const struct queue *q, struct str uid)
{
	const struct queue_task *task = map_get(&q->tasks, uid), *other;
	const struct queue_namespace *namespace;
	size_t round = 0, before = 0;
	bool its_turn_passed = false;

	if (!task)
		return -1;
	list_for_each (other, &task->namespace->tasks, node) {
		if (other == task)
			break;
		round++;
	}
	list_for_each (namespace, &q->turns, turn) {
		size_t rounds = its_turn_passed ? round : round + 1;

		if (namespace == task->namespace) {
			before += round;
			its_turn_passed = true;
		} else {
			before += namespace->count < rounds ? namespace->count : rounds;
		}
	}
	return (int64_t)before;
}

size_t queue_count(const struct queue *q)
{
	return q->tasks.count;
}
