#include "manager/shares.h"

#include "tap.h"

#define LIMIT 8 /* parts */
#define MAX   2 /* of one namespace */

static struct shares s;
static struct shares_part parts[LIMIT];

static void begin(void)
{
	shares_init(&s, MAX, LIMIT);
	for (int i = 0; i < LIMIT; i++)
		parts[i] = (struct shares_part){0};
}

static bool take(int n, const char *namespace)
{
	return shares_take(&s, &parts[n], str_of(namespace));
}

/* The number of the part that is taken in its place, or -1. */
static int leave(int n)
{
	struct shares_part *next = shares_leave(&s, &parts[n]);

	return next ? (int)(next - parts) : -1;
}

static void a_namespace_has_its_share(void)
{
	begin();
	ok(take(0, "a"), "one part is taken");
	ok(take(1, "a"), "so is another");
	ok(!take(2, "a"), "then the share is used up");
	ok(take(3, "b"), "but not another namespace's");
	ok(take(4, "b"), "which is as large");
	ok(!take(5, "b"), "and no larger");
	cmp_ok(leave(0), "==", 2, "what is given back goes to who waits for it");
	cmp_ok(leave(3), "==", 5, "in each namespace");
	shares_free(&s);
}

static void who_came_first_is_first(void)
{
	begin();
	take(0, "a");
	take(1, "a");
	take(2, "a");
	take(3, "a");
	cmp_ok(leave(1), "==", 2, "the first of the line gets what is given back");
	ok(!take(1, "a"), "who comes after that is last, though he had it just now");
	ok(take(2, "a"), "the first one has it when he asks again");
	cmp_ok(leave(2), "==", 3, "then it is the second one's turn");
	cmp_ok(leave(3), "==", 1, "and then his who came last");
	cmp_ok(leave(1), "==", -1, "until nobody waits");
	ok(take(4, "a"), "so it is free");
	shares_free(&s);
}

static void nothing_is_kept_of_a_namespace_with_nothing_under_way(void)
{
	begin();
	for (int i = 0; i < 3; i++) {
		take(0, "a");
		take(1, "b");
		cmp_ok(s.namespaces.count, "==", 2, "there are as many as are in use");
		leave(0);
		leave(1);
		cmp_ok(s.namespaces.count, "==", 0, "and none when none is");
	}
	shares_free(&s);
}

/* As when a term ends. */
static void they_may_end_with_parts_taken_and_waited_for(void)
{
	begin();
	take(0, "a");
	take(1, "a");
	take(2, "a");
	shares_free(&s);
	pass("all is freed");
}

int main(void)
{
	a_namespace_has_its_share();
	who_came_first_is_first();
	nothing_is_kept_of_a_namespace_with_nothing_under_way();
	they_may_end_with_parts_taken_and_waited_for();
	done_testing();
}
