/*
 * list: a doubly linked list through a node inside of the items. No allocation, removal in constant
 * time, an item knows by itself where it hangs.
 *
 *	struct session { …; struct list node; };
 *	struct list sessions;
 *
 *	list_init(&sessions);
 *	list_push_back(&sessions, &session->node);
 *	list_for_each (session, &sessions, node)
 *		…
 *
 * The head is a `struct list` that is no item: an empty list points at itself. A node that is in no
 * list points at itself too, or is zeroed; removing such a node does nothing. It owns no item.
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *previous, *next;
};

/* An empty list, or a node that is in none. */
static inline void list_init(struct list *list)
{
	list->previous = list->next = list;
}

/* Of a head: it has no items. Of a node: it is in no list. */
static inline bool list_is_empty(const struct list *list)
{
	return !list->next || list->next == list;
}

/* Hangs a node, which must be in no list, before another node; before the head means last. */
static inline void list_insert_before(struct list *at, struct list *node)
{
	assert(list_is_empty(node));
	node->previous = at->previous;
	node->next = at;
	at->previous->next = node;
	at->previous = node;
}

static inline void list_push_back(struct list *head, struct list *node)
{
	list_insert_before(head, node);
}

static inline void list_push_front(struct list *head, struct list *node)
{
	list_insert_before(head->next, node);
}

static inline void list_remove(struct list *node)
{
	if (list_is_empty(node))
		return;
	node->previous->next = node->next;
	node->next->previous = node->previous;
	list_init(node);
}

/* The item that holds this node. */
#define list_item(list_node, type, member) \
	((type *)(void *)((char *)(list_node)-offsetof(type, member)))

/* The first item, or NULL. */
#define list_first(head, type, member) \
	(list_is_empty(head) ? NULL : list_item((head)->next, type, member))

/* `item` is a variable of the items' pointer type. The list must not change meanwhile … */
#define list_for_each(item, head, member)                                        \
	for (struct list *item##_at = (head)->next;                              \
	     item##_at != (head) &&                                              \
	     ((item) = list_item(item##_at, __typeof__(*(item)), member), true); \
	     item##_at = item##_at->next)

/* … but for this one, which lets the loop remove, and free, the item that it is at. */
#define list_for_each_safe(item, head, member)                                       \
	for (struct list *item##_at = (head)->next, *item##_after = item##_at->next; \
	     item##_at != (head) &&                                                  \
	     ((item) = list_item(item##_at, __typeof__(*(item)), member), true);     \
	     item##_at = item##_after, item##_after = item##_at->next)

#endif
