#include "shares.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

struct share {
	int taken;	     /* less than there may be: then nobody waits */
	struct list waiting; /* struct shares_part, who came first first */
};

void shares_init(struct shares *shares, int max, size_t limit)
{
	shares->max = max;
	map_init(&shares->namespaces, limit);
}

void shares_free(struct shares *shares)
{
	map_for_each (entry, &shares->namespaces)
		free(entry->value);
	map_free(&shares->namespaces);
}

static struct map_entry *find_or_make(struct shares *shares, struct str namespace)
{
	struct map_entry *entry = map_find(&shares->namespaces, namespace);
	struct share *share;
	int result;

	if (entry)
		return entry;
	share = mem_new(1, sizeof(*share));
	list_init(&share->waiting);
	/* No more namespaces than parts. */
	result = map_put(&shares->namespaces, namespace, share);
	assert(result == 0);
	return map_find(&shares->namespaces, namespace);
}

bool shares_take(struct shares *shares, struct shares_part *part, struct str namespace)
{
	struct share *share;

	assert(list_is_empty(&part->waiting));
	if (part->namespace)
		return true;
	part->namespace = find_or_make(shares, namespace);
	share = part->namespace->value;
	if (share->taken < shares->max) {
		share->taken++;
		return true;
	}
	list_push_back(&share->waiting, &part->waiting);
	return false;
}

struct shares_part *shares_leave(struct shares *shares, struct shares_part *part)
{
	struct share *share = part->namespace->value;
	struct shares_part *next = list_first(&share->waiting, struct shares_part, waiting);

	assert(list_is_empty(&part->waiting));
	if (next)
		list_remove(&next->waiting);
	else if (--share->taken == 0)
		free(map_remove(&shares->namespaces, map_key(part->namespace)));
	part->namespace = NULL;
	return next;
}
