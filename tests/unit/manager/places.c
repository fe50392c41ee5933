#include "manager/places.h"

#include "core/queue.h"

#include "tap.h"

#include <stdio.h>

/* A world of two classes; everything is named by one letter. */
static struct places p;

static void begin(int64_t max)
{
	places_init(&p, max);
	places_set_class(&p, STR("large"), 10, 2);
	places_set_class(&p, STR("small"), 1, 1);
}

static enum admission ask(const char *uid, const char *class, const char *namespace, int64_t age)
{
	return places_ask(&p, str_of(uid), str_of(class), str_of(namespace), age);
}

/* Who gets places now, one after the other. */
static const char *turns(void)
{
	static char text[256];
	char uid[16];
	size_t n = 0;

	text[0] = '\0';
	while (places_next(&p, uid, sizeof(uid)))
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", uid);
	return text;
}

static void test_one(void)
{
	begin(100);
	cmp_ok(ask("a", "large", "n", 1), "==", ADMISSION_WAITING, "a task waits first");
	cmp_ok(ask("a", "large", "n", 1), "==", ADMISSION_WAITING, "asking again changes nothing");
	cmp_ok(places_waiting(&p), "==", 1, "it waits once");
	cmp_ok(places_position(&p, STR("a")), "==", 0, "it is the next");
	is(turns(), "a", "it gets its place");
	cmp_ok(ask("a", "large", "n", 1), "==", ADMISSION_GRANTED, "and has it");
	cmp_ok(places_position(&p, STR("a")), "==", -1, "it waits no more");
	cmp_ok(p.taken, "==", 1, "one place is taken");
	places_leave(&p, STR("a"));
	places_leave(&p, STR("a"));
	cmp_ok(p.taken, "==", 0, "left, it is free again, once");
	cmp_ok(ask("b", "large", "n", 1), "==", ADMISSION_WAITING, "another one waits");
	places_leave(&p, STR("b"));
	is(turns(), "", "who left while waiting gets nothing");
	places_free(&p);
}

static void test_limits(void)
{
	begin(4);
	for (const char *uid = "abcd"; *uid; uid++)
		ask((char[]){*uid, '\0'}, "large", "n", *uid);
	is(turns(), "ab", "a namespace gets so many places of a class");
	ask("e", "small", "n", 1);
	ask("f", "small", "m", 1);
	is(turns(), "e", "another class has its own, and so many in all");
	ask("g", "large", "m", 1);
	ask("h", "large", "k", 1);
	is(turns(), "g", "all classes together have so many");
	places_leave(&p, STR("a"));
	is(turns(), "c", "a free place goes to the namespace whose turn it is");
	places_set_class(&p, STR("large"), 1, 1);
	places_leave(&p, STR("b"));
	is(turns(), "", "a class that allows less takes nothing back, and gives nothing away");
	places_leave(&p, STR("g"));
	places_leave(&p, STR("c"));
	is(turns(), "h", "until what is taken is below its limit");
	places_free(&p);
}

static void test_turns(void)
{
	begin(1);
	ask("a", "large", "n", 1);
	ask("b", "large", "n", 2);
	ask("c", "small", "n", 3);
	is(turns(), "a", "the first class begins");
	places_leave(&p, STR("a"));
	is(turns(), "c", "then it is the turn of the other");
	places_leave(&p, STR("c"));
	is(turns(), "b", "and of the first again");
	places_free(&p);
}

static void test_taking(void)
{
	begin(1);
	places_take(&p, STR("a"), STR("large"), STR("n"));
	places_take(&p, STR("b"), STR("large"), STR("n"));
	places_take(&p, STR("b"), STR("large"), STR("n"));
	cmp_ok(p.taken, "==", 2, "who runs already has a place, whether or not one is free");
	places_take(&p, STR("c"), STR("gone"), STR("n"));
	cmp_ok(p.taken, "==", 3, "also in a class that is gone");
	ask("d", "large", "m", 1);
	is(turns(), "", "the others wait until there are fewer");
	places_take(&p, STR("d"), STR("large"), STR("m"));
	cmp_ok(ask("d", "large", "m", 1), "==", ADMISSION_GRANTED, "one that waited may take one");
	cmp_ok(places_waiting(&p), "==", 0, "and waits no more");
	places_free(&p);
}

static void test_full(void)
{
	char uid[16];
	int refused = 0;

	begin(1);
	for (int i = 0; i < QUEUE_WAITING_MAX; i++) {
		snprintf(uid, sizeof(uid), "t%d", i);
		refused += ask(uid, "large", "n", i) != ADMISSION_WAITING;
	}
	cmp_ok(refused, "==", 0, "so many may wait in a class");
	cmp_ok(ask("more", "large", "n", 0), "==", ADMISSION_FULL, "one more is refused");
	cmp_ok(ask("more", "small", "n", 0), "==", ADMISSION_WAITING, "and may wait in another");
	places_leave(&p, STR("t5"));
	cmp_ok(ask("another", "large", "n", 0), "==", ADMISSION_WAITING, "room is used again");
	places_free(&p);
}

/* Over weeks more classes come and go than there may be at one time. */
static void test_classes_that_come_and_go(void)
{
	char name[16];

	begin(3);
	for (int i = 0; i < 2 * PLACES_CLASSES_MAX; i++) {
		snprintf(name, sizeof(name), "class%d", i);
		places_set_class(&p, str_of(name), 1, 1);
		places_forget_class(&p, str_of(name));
	}
	places_forget_class(&p, STR("never"));
	cmp_ok(p.classes.count, "==", 2, "classes that are gone take no room");
	places_set_class(&p, STR("brief"), 1, 1);
	ask("a", "brief", "n", 1);
	ask("b", "brief", "n", 2);
	is(turns(), "a", "a class has its turn");
	places_forget_class(&p, STR("brief"));
	cmp_ok(p.classes.count, "==", 3, "one that is gone stays while a task has a place in it");
	places_leave(&p, STR("a"));
	is(turns(), "b", "or waits for one, which it gets");
	places_leave(&p, STR("b"));
	cmp_ok(p.classes.count, "==", 2, "with its last task it is forgotten");
	ask("c", "large", "n", 3);
	is(turns(), "c", "and the turn goes to another");
	places_take(&p, STR("d"), STR("gone"), STR("n"));
	places_leave(&p, STR("d"));
	cmp_ok(p.classes.count, "==", 2, "as is one that nobody has described");
	places_free(&p);
}

int main(void)
{
	test_one();
	test_limits();
	test_turns();
	test_taking();
	test_full();
	test_classes_that_come_and_go();
	done_testing();
}
