#include "base/list.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

struct item {
	char name;
	struct list node;
};

#define ITEMS 26

/* The names of the items in order, read forwards; "broken" when backwards gives something else. */
static const char *names(struct list *head, char text[ITEMS + 1])
{
	int length = 0;
	struct item *item;

	list_for_each (item, head, node)
		text[length++] = item->name;
	text[length] = '\0';
	for (struct list *node = head->previous; node != head; node = node->previous)
		if (length == 0 || list_item(node, struct item, node)->name != text[--length])
			return "broken";
	return length == 0 ? text : "broken";
}

/*
 * Operations, two characters each: "+x" push back, "<x" push front, "-x" remove, and what the list
 * holds after all of them.
 */
static void operations(void)
{
	static const struct {
		const char *name, *operations, *wanted;
	} rows[] = {
		{"a new list is empty", "", ""},
		{"pushing back keeps the order", "+a+b+c", "abc"},
		{"pushing to the front turns it round", "<a<b<c", "cba"},
		{"both ends work together", "+a<b+c<d", "dbac"},
		{"the only item can be removed", "+a-a", ""},
		{"the first", "+a+b+c-a", "bc"},
		{"one in the middle", "+a+b+c-b", "ac"},
		{"the last", "+a+b+c-c", "ab"},
		{"an item that was never in a list is removed without effect", "+a-b", "a"},
		{"an item can be removed twice", "+a+b-a-a", "b"},
		{"an item can come back", "+a+b-a+a", "ba"},
		{"a list can be emptied and filled again", "+a+b-b-a+c<d", "dc"},
	};
	char text[ITEMS + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct item items[ITEMS] = {0};
		struct list head;

		list_init(&head);
		for (const char *op = rows[i].operations; *op; op += 2) {
			struct item *item = &items[op[1] - 'a'];

			item->name = op[1];
			if (op[0] == '+')
				list_push_back(&head, &item->node);
			else if (op[0] == '<')
				list_push_front(&head, &item->node);
			else
				list_remove(&item->node);
		}
		is(names(&head, text), rows[i].wanted, "%s", rows[i].name);
		ok(list_is_empty(&head) == (rows[i].wanted[0] == '\0'), "empty is told rightly");
	}
}

static void an_item_knows_whether_it_hangs(void)
{
	struct item a = {.name = 'a'}, b = {.name = 'b'};
	struct list head;

	list_init(&head);
	ok(list_first(&head, struct item, node) == NULL, "an empty list has no first item");
	ok(list_is_empty(&a.node), "a zeroed node is in no list");
	list_push_back(&head, &a.node);
	list_push_back(&head, &b.node);
	ok(!list_is_empty(&a.node), "a node that was pushed is in one");
	ok(list_first(&head, struct item, node) == &a, "the first item is the first");
	list_remove(&a.node);
	ok(list_is_empty(&a.node), "a node that was removed is in none");
	ok(list_first(&head, struct item, node) == &b, "the next one is the first then");
}

static void the_item_at_hand_may_be_freed_in_a_safe_loop(void)
{
	struct list head;
	struct item *item;
	char text[ITEMS + 1];

	list_init(&head);
	for (char c = 'a'; c <= 'f'; c++) {
		item = calloc(1, sizeof(*item));
		item->name = c;
		list_push_back(&head, &item->node);
	}
	list_for_each_safe (item, &head, node) {
		if (item->name % 2 == 0)
			continue;
		list_remove(&item->node);
		free(item);
	}
	is(names(&head, text), "bdf", "every other one is gone");
	list_for_each_safe (item, &head, node) {
		list_remove(&item->node);
		free(item);
	}
	ok(list_is_empty(&head), "then all are");
}

int main(void)
{
	operations();
	an_item_knows_whether_it_hangs();
	the_item_at_hand_may_be_freed_in_a_safe_loop();
	done_testing();
}
