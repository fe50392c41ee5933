#include "base/heap.h"

#include "random.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

struct item {
	char name;
	struct heap_node node;
};

#define LETTERS 26

/*
 * Operations, three characters each: "+x5" push item x with key 5, "=x5" adjust it, "-x." remove
 * it,
 * "?.." pop. What is popped, then what is left, in order; a pop from an empty heap writes a dot.
 */
static void operations(void)
{
	static const struct {
		const char *name, *operations, *wanted;
	} rows[] = {
		{"a new heap is empty", "?..", "."},
		{"the smallest comes first", "+a3+b1+c2", "bca"},
		{"pushed in order", "+a1+b2+c3+d4", "abcd"},
		{"pushed in reverse", "+a4+b3+c2+d1", "dcba"},
		{"equal keys come out in the order they went in", "+a1+b1+c1+d1+e1", "abcde"},
		{"also behind others", "+x9+a5+b5+y0+c5", "yabcx"},
		{"popping takes one out", "+a1+b2?..+c0", "acb"},
		{"popping more than there is gives nothing", "+a1?..?..", "a."},
		{"the first can be removed", "+a1+b2+c3-a.", "bc"},
		{"one in the middle can be removed", "+a1+b2+c3+d4-b.", "acd"},
		{"the last can be removed", "+a1+b2+c3-c.", "ab"},
		{"the only one can be removed", "+a1-a.?..", "."},
		{"removing what is in no heap does nothing", "+a1-b.", "a"},
		{"removing twice does nothing", "+a1+b2-a.-a.", "b"},
		{"a removed item can come back", "+a1+b2-a.+a3", "ba"},
		{"the hole is filled from another branch, upwards", "+a0+b5+c1+d6+e7+f2+g3-d.",
		 "acfgbe"},
		{"adjusting to earlier", "+a1+b2+c3=c0", "cab"},
		{"adjusting to later", "+a1+b2+c3=a4", "bca"},
		{"adjusting to the same key goes behind its equals", "+a1+b1+c1=a1", "bca"},
		{"adjusting what is in no heap pushes it", "+a2=b1", "ba"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct item items[LETTERS] = {0};
		struct heap_node *node;
		struct heap heap;
		char got[64];
		size_t length = 0;

		heap_init(&heap);
		for (const char *op = rows[i].operations; *op; op += 3) {
			struct item *item = &items[op[1] == '.' ? 0 : op[1] - 'a'];

			switch (op[0]) {
			case '?':
				node = heap_pop(&heap);
				got[length++] =
					node ? heap_item(node, struct item, node)->name : '.';
				break;
			case '-': heap_remove(&heap, &item->node); break;
			case '+':
				item->name = op[1];
				heap_push(&heap, &item->node, op[2]);
				break;
			case '=':
				item->name = op[1];
				heap_adjust(&heap, &item->node, op[2]);
				break;
			}
		}
		while ((node = heap_pop(&heap)))
			got[length++] = heap_item(node, struct item, node)->name;
		got[length] = '\0';
		is(got, rows[i].wanted, "%s", rows[i].name);
		heap_free(&heap);
	}
}

static void an_item_knows_whether_it_is_in(void)
{
	struct heap heap;
	struct heap_node a = {0}, b = {0};

	heap_init(&heap);
	ok(!heap_contains(&a), "a zeroed node is in no heap");
	ok(heap_peek(&heap) == NULL, "an empty heap has no first");
	heap_push(&heap, &a, -5);
	heap_push(&heap, &b, INT64_MIN);
	ok(heap_contains(&a), "a pushed one is in");
	ok(heap_peek(&heap) == &b, "the smallest of all keys comes first");
	ok(heap_contains(&b), "peeking leaves it in");
	heap_pop(&heap);
	ok(!heap_contains(&b), "popping takes it out");
	heap_free(&heap);
	ok(!heap_contains(&a), "a freed heap holds nothing");
}

#define ITEMS 300

/* The one that must come out next, found by looking at all. */
static struct heap_node *smallest(struct heap_node *items, const uint64_t *pushed_at)
{
	struct heap_node *first = NULL;

	for (int i = 0; i < ITEMS; i++) {
		struct heap_node *each = &items[i];

		if (!heap_contains(each))
			continue;
		if (!first || each->key < first->key ||
		    (each->key == first->key && pushed_at[i] < pushed_at[first - items]))
			first = each;
	}
	return first;
}

/* `takes` of eight operations take an item out, so that the heap grows or shrinks. */
static int random_operations(struct heap *heap, struct heap_node *items, uint64_t *pushed_at,
			     struct random *random, uint32_t takes)
{
	int wrong = 0;

	for (uint64_t step = 1; step <= 5000; step++) {
		uint32_t number = random_below(random, ITEMS);
		int64_t key = (int64_t)random_below(random, 40) - 20;

		if (random_below(random, 8) >= takes) {
			heap_adjust(heap, &items[number], key);
			pushed_at[number] = heap->next_sequence;
		} else if (random_below(random, 2)) {
			heap_remove(heap, &items[number]);
			wrong += heap_contains(&items[number]);
		} else {
			struct heap_node *wanted = smallest(items, pushed_at);

			wrong += heap_pop(heap) != wanted;
		}
		wrong += heap_peek(heap) != smallest(items, pushed_at);
	}
	return wrong;
}

static void random_operations_agree_with_looking_at_all(void)
{
	static struct heap_node items[ITEMS];
	static uint64_t pushed_at[ITEMS];
	struct random random = {3};
	struct heap heap;
	size_t left = 0;

	heap_init(&heap);
	cmp_ok(random_operations(&heap, items, pushed_at, &random, 2), "==", 0, "while it grows");
	cmp_ok(random_operations(&heap, items, pushed_at, &random, 4), "==", 0, "while it stays");
	cmp_ok(random_operations(&heap, items, pushed_at, &random, 7), "==", 0, "while it shrinks");
	for (int i = 0; i < ITEMS; i++)
		left += heap_contains(&items[i]);
	cmp_ok(left, "==", heap.count, "its count is that of the items that say they are in");
	heap_free(&heap);
}

int main(void)
{
	operations();
	an_item_knows_whether_it_is_in();
	random_operations_agree_with_looking_at_all();
	done_testing();
}
