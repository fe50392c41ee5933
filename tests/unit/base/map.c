#include "base/map.h"

#include "base/buf.h"
#include "random.h"
#include "tap.h"

#include <string.h>

#define LIMIT 1000

/* Writes the keys in the order of a walk. */
static const char *keys_of(const struct map *map, struct buf *b)
{
	buf_clear(b);
	map_for_each (entry, map)
		buf_append_str(b, map_key(entry));
	return b->data;
}

/* Operations, two characters each: "+x" put key x, "-x" remove it; and the keys after all of them.
 */
static void operations(void)
{
	static const struct {
		const char *name, *operations, *wanted;
	} rows[] = {
		{"a new map is empty", "", ""},
		{"keys put in order", "+a+b+c+d+e+f+g", "abcdefg"},
		{"keys put in reverse", "+g+f+e+d+c+b+a", "abcdefg"},
		{"keys put from the outside to the middle", "+a+g+b+f+c+e+d", "abcdefg"},
		{"a key put twice is there once", "+a+b+a", "ab"},
		{"removing a leaf", "+b+a+c-a", "bc"},
		{"removing an entry with a smaller child", "+c+b+d+a-b", "acd"},
		{"removing an entry with a greater child", "+b+a+c+d-c", "abd"},
		{"removing an entry whose successor is its child", "+b+a+c-b", "ac"},
		{"removing an entry whose successor is deeper", "+b+a+d+c+e-b", "acde"},
		{"removing the root until nothing is left", "+b+a+c-b-c-a", ""},
		{"removing what is not there", "+a-b", "a"},
		{"removing from an empty map", "-a", ""},
		{"removing twice", "+a+b-a-a", "b"},
		{"a key can come back", "+a-a+a", "a"},
	};
	struct buf b;

	buf_init(&b, 1000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct map map;

		map_init(&map, LIMIT);
		for (const char *op = rows[i].operations; *op; op += 2) {
			if (op[0] == '+')
				map_put(&map, (struct str){op + 1, 1}, NULL);
			else
				map_remove(&map, (struct str){op + 1, 1});
		}
		is(keys_of(&map, &b), rows[i].wanted, "%s", rows[i].name);
		cmp_ok(map.count, "==", strlen(rows[i].wanted), "and the count is right");
		map_free(&map);
	}
	buf_free(&b);
}

static void values_are_found_by_key(void)
{
	struct map map;
	int one = 1, two = 2;

	map_init(&map, LIMIT);
	ok(map_get(&map, STR("a")) == NULL, "nothing is in an empty map");
	map_put(&map, STR("a"), &one);
	map_put(&map, STR("a\0b"), &two);
	map_put(&map, STR(""), NULL);
	ok(map_get(&map, STR("a")) == &one, "a key finds its value");
	ok(map_get(&map, STR("a\0b")) == &two, "bytes behind a NUL are part of the key");
	ok(map_get(&map, STR("A")) == NULL, "case matters");
	ok(map_find(&map, STR("")) != NULL, "the empty key is a key, and NULL a value");
	ok(map_find(&map, STR("b")) == NULL, "another key is not there");
	map_put(&map, STR("a"), &two);
	ok(map_get(&map, STR("a")) == &two, "putting again sets the value");
	cmp_ok(map.count, "==", 3, "of the entry that is there");
	ok(map_remove(&map, STR("a")) == &two, "removing returns the value");
	ok(map_remove(&map, STR("a")) == NULL, "once");
	map_free(&map);
	cmp_ok(map.count, "==", 0, "a freed map is empty");
}

static void the_key_is_a_copy(void)
{
	struct map map;
	char key[] = "key";

	map_init(&map, LIMIT);
	map_put(&map, str_of(key), &map);
	memcpy(key, "xxx", 3);
	ok(map_get(&map, STR("key")) == &map, "changing the caller's bytes changes nothing");
	map_free(&map);
}

static void the_limit_is_exact(void)
{
	struct map map;

	map_init(&map, 2);
	ok(map_put(&map, STR("a"), NULL) == 0 && map_put(&map, STR("b"), NULL) == 0,
	   "exactly the limit fits");
	ok(map_put(&map, STR("c"), NULL) < 0, "one more is refused");
	ok(map_put(&map, STR("b"), &map) == 0, "a key that is there can still be set");
	map_remove(&map, STR("a"));
	ok(map_put(&map, STR("c"), NULL) == 0, "a removed key makes room");
	map_free(&map);
	map_init(&map, 0);
	ok(map_put(&map, STR("a"), NULL) < 0, "a map of limit zero takes nothing");
	map_free(&map);
}

static void a_walk_can_go_on_at_a_key(void)
{
	struct map map;

	map_init(&map, LIMIT);
	ok(map_at_or_after(&map, STR("a")) == NULL, "there is nothing in an empty map");
	map_put(&map, STR("b"), NULL);
	map_put(&map, STR("d"), NULL);
	map_put(&map, STR("f"), NULL);
	ok(str_equal(map_key(map_at_or_after(&map, STR(""))), STR("b")), "before the first");
	ok(str_equal(map_key(map_at_or_after(&map, STR("d"))), STR("d")), "at a key");
	ok(str_equal(map_key(map_at_or_after(&map, STR("d\0"))), STR("f")), "right behind a key");
	ok(str_equal(map_key(map_at_or_after(&map, STR("c"))), STR("d")), "between two");
	ok(map_at_or_after(&map, STR("g")) == NULL, "behind the last there is nothing");
	map_free(&map);
}

static void the_entry_at_hand_may_be_removed_in_a_walk(void)
{
	struct map map;
	struct buf b;

	buf_init(&b, 1000);
	map_init(&map, LIMIT);
	for (char c = 'a'; c <= 'z'; c++)
		map_put(&map, (struct str){&c, 1}, NULL);
	map_for_each (entry, &map) {
		buf_append_str(&b, map_key(entry));
		if (entry->key[0] % 3 != 0)
			map_remove(&map, map_key(entry));
	}
	is(b.data, "abcdefghijklmnopqrstuvwxyz", "every entry is visited once");
	is(keys_of(&map, &b), "cfilorux", "and those not removed are left");
	map_for_each (entry, &map)
		map_remove(&map, map_key(entry));
	ok(map_first(&map) == NULL, "all can be removed");
	buf_free(&b);
	map_free(&map);
}

/* The height of a sound tree, else -1: keys in order, parents right, sides balanced, heights true.
 */
static int sound_height(const struct map_entry *entry, const struct map_entry *parent)
{
	int smaller, greater;

	if (!entry)
		return 0;
	smaller = sound_height(entry->child[0], entry);
	greater = sound_height(entry->child[1], entry);
	if (smaller < 0 || greater < 0 || entry->parent != parent)
		return -1;
	if (entry->child[0] && str_compare(map_key(entry->child[0]), map_key(entry)) >= 0)
		return -1;
	if (entry->child[1] && str_compare(map_key(entry->child[1]), map_key(entry)) <= 0)
		return -1;
	if (smaller - greater > 1 || greater - smaller > 1)
		return -1;
	if (entry->height != (smaller > greater ? smaller : greater) + 1)
		return -1;
	return entry->height;
}

#define KEYS 200

/* Present or not, by number: what a map must agree with. */
struct reference {
	void *value[KEYS];
	bool present[KEYS];
};

static bool agree(const struct map *map, const struct reference *reference)
{
	struct map_entry *entry = map_first(map);

	for (int number = 0; number < KEYS; number++) {
		char key[8];

		if (!reference->present[number])
			continue;
		snprintf(key, sizeof(key), "%03d", number);
		if (!entry || !str_equal(map_key(entry), str_of(key)) ||
		    entry->value != reference->value[number])
			return false;
		entry = map_next(entry);
	}
	return entry == NULL;
}

/* `removals` of eight operations are removals, so that the map grows, stays, or shrinks. */
static int random_operations(struct map *map, struct reference *reference, struct random *random,
			     uint32_t removals, int count)
{
	int wrong = 0;

	while (count-- > 0) {
		uint32_t number = random_below(random, KEYS);
		char key[8];

		snprintf(key, sizeof(key), "%03u", number);
		if (random_below(random, 8) < removals) {
			void *value = map_remove(map, str_of(key));

			wrong += value !=
				 (reference->present[number] ? reference->value[number] : NULL);
			reference->present[number] = false;
		} else {
			reference->value[number] = &reference->value[random_below(random, KEYS)];
			reference->present[number] = true;
			wrong += map_put(map, str_of(key), reference->value[number]) < 0;
		}
		wrong += sound_height(map->root, NULL) < 0 || !agree(map, reference);
	}
	return wrong;
}

static void random_operations_agree_with_an_array(void)
{
	struct random random = {2};
	struct reference reference = {.present = {false}};
	struct map map;

	map_init(&map, KEYS);
	cmp_ok(random_operations(&map, &reference, &random, 2, 1000), "==", 0, "while it grows");
	cmp_ok(random_operations(&map, &reference, &random, 4, 1000), "==", 0, "while it stays");
	cmp_ok(random_operations(&map, &reference, &random, 7, 2000), "==", 0, "while it shrinks");
	map_free(&map);
}

static void hostile_orders_keep_the_tree_flat(void)
{
	struct map map;

	map_init(&map, 100000);
	for (int i = 0; i < 100000; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%08d", i);
		map_put(&map, str_of(key), NULL);
	}
	cmp_ok(map.root->height, "<=", 17, "100,000 sorted keys stand 17 high");
	map_free(&map);
}

int main(void)
{
	operations();
	values_are_found_by_key();
	the_key_is_a_copy();
	the_limit_is_exact();
	a_walk_can_go_on_at_a_key();
	the_entry_at_hand_may_be_removed_in_a_walk();
	random_operations_agree_with_an_array();
	hostile_orders_keep_the_tree_flat();
	done_testing();
}
