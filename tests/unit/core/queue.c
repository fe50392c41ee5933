#include "core/queue.h"

#include "tap.h"

#include <stdio.h>
#include <string.h>

static void add(struct queue *q, const char *namespace, const char *uid, int64_t age)
{
	if (queue_add(q, str_of(uid), str_of(namespace), age) < 0)
		fail("%s does not fit", uid);
}

/* The order in which all of them start, as "a1 b1 a2". */
static const char *order(struct queue *q, bool (*may_start)(void *, struct str))
{
	static char text[256];
	char uid[16];

	text[0] = '\0';
	while (queue_next(q, may_start, NULL, uid, sizeof(uid)))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 text[0] ? " " : "", uid);
	return text;
}

static void namespaces_take_turns(void)
{
	struct queue q;

	queue_init(&q, 100);
	is(order(&q, NULL), "", "an empty queue has nobody");
	add(&q, "a", "a1", 1);
	add(&q, "a", "a2", 2);
	add(&q, "a", "a3", 3);
	add(&q, "b", "b1", 9);
	is(order(&q, NULL), "a1 b1 a2 a3", "a namespace with many tasks does not hold up another");
	add(&q, "a", "a1", 1);
	add(&q, "b", "b1", 1);
	add(&q, "b", "b2", 2);
	add(&q, "c", "c1", 1);
	is(order(&q, NULL), "a1 b1 c1 b2", "each has one start in a round");
	queue_free(&q);
}

static void the_oldest_of_a_namespace_is_first(void)
{
	struct queue q;

	queue_init(&q, 100);
	add(&q, "a", "young", 30);
	add(&q, "a", "old", 10);
	add(&q, "a", "middle", 20);
	is(order(&q, NULL), "old middle young", "whatever the order in which they came");
	add(&q, "a", "b", 10);
	add(&q, "a", "a", 10);
	is(order(&q, NULL), "a b", "and by their UIDs when they are of one age");
	add(&q, "a", "a", 10);
	add(&q, "a", "b", 10);
	is(order(&q, NULL), "a b", "in which order they came");
	queue_free(&q);
}

static void a_newcomer_waits_its_round(void)
{
	struct queue q;
	char uid[16];

	queue_init(&q, 100);
	add(&q, "a", "a1", 1);
	add(&q, "a", "a2", 2);
	add(&q, "b", "b1", 1);
	queue_next(&q, NULL, NULL, uid, sizeof(uid));
	add(&q, "c", "c1", 0);
	is(order(&q, NULL), "b1 a2 c1",
	   "a namespace that comes later is behind those in the round");
	queue_free(&q);
}

static bool not_a(void *context, struct str namespace)
{
	(void)context;
	return !str_equal(namespace, STR("a"));
}

static void a_namespace_may_have_all_its_places(void)
{
	struct queue q;

	queue_init(&q, 100);
	add(&q, "a", "a1", 1);
	add(&q, "b", "b1", 2);
	add(&q, "b", "b2", 3);
	is(order(&q, not_a), "b1 b2", "it is passed over while it has");
	is(order(&q, NULL), "a1", "and keeps its turn");
	queue_free(&q);
}

static void tasks_are_there_once_and_can_go(void)
{
	struct queue q;

	queue_init(&q, 2);
	add(&q, "a", "a1", 1);
	add(&q, "a", "a1", 99);
	cmp_ok(queue_count(&q), "==", 1, "a task that waits already is not added again");
	add(&q, "b", "b1", 2);
	ok(queue_add(&q, STR("c1"), STR("c"), 3) < 0, "one over the limit is refused");
	ok(queue_add(&q, STR("a1"), STR("a"), 3) == 0, "one that waits is not one more");
	queue_remove(&q, STR("a1"));
	queue_remove(&q, STR("a1"));
	queue_remove(&q, STR("never"));
	cmp_ok(queue_count(&q), "==", 1, "a task can go, once");
	ok(queue_add(&q, STR("c1"), STR("c"), 3) == 0, "and leaves its place to another");
	is(order(&q, NULL), "b1 c1", "which starts in its turn");
	cmp_ok(queue_count(&q), "==", 0, "those that started wait no more");
	queue_free(&q);
}

static void positions_are_those_of_the_order(void)
{
	static const char *const uids[] = {"a1", "a2", "a3", "b1", "c1", "c2", "c3", "c4"};
	struct queue q;
	int64_t position[8];
	char text[64] = "";
	bool right = true;

	queue_init(&q, 100);
	for (size_t i = 0; i < 8; i++) {
		char namespace[2] = {uids[i][0], '\0'};

		add(&q, namespace, uids[i], (int64_t)i);
	}
	cmp_ok(queue_position(&q, STR("x")), "==", -1, "who does not wait has no position");
	for (size_t i = 0; i < 8; i++)
		position[i] = queue_position(&q, str_of(uids[i]));
	snprintf(text, sizeof(text), "%s", order(&q, NULL));
	is(text, "a1 b1 c1 a2 c2 a3 c3 c4", "three namespaces of different length take turns");
	for (size_t i = 0; i < 8; i++)
		right = right && position[i] == (strstr(text, uids[i]) - text) / 3;
	ok(right, "and each task's position was its place in that order");
	queue_free(&q);
}

int main(void)
{
	namespaces_take_turns();
	the_oldest_of_a_namespace_is_first();
	a_newcomer_waits_its_round();
	a_namespace_may_have_all_its_places();
	tasks_are_there_once_and_can_go();
	positions_are_those_of_the_order();
	done_testing();
}
