/*
 * shares: how much one namespace of tasks may have under way at one time, so that what hangs for
 * the tasks of one (an admission webhook that does not answer, a full quota) holds up no other's.
 *
 * A part of its namespace's share is taken before a job is looked at, and given back when that and
 * the effect that came of it are over. Who finds none waits in line; what is given back belongs to
 * the first of the line at once, so whoever asks later can't get ahead of him. Pure.
 */
#ifndef MANAGER_SHARES_H
#define MANAGER_SHARES_H

#include "base/list.h"
#include "base/map.h"

#include <stdbool.h>

struct shares {
	struct map namespaces; /* by name: struct share, while anything of it is taken */
	int max;	       /* for each of them */
};

/* Embedded in whoever takes a part; zeroed, it has none. */
struct shares_part {
	struct map_entry *namespace; /* of whose share it is, or waits to be one; NULL: neither */
	struct list waiting;	     /* in no list once it is taken */
};

/* No more than `limit` parts are ever taken or waited for. */
void shares_init(struct shares *shares, int max, size_t limit);
/* The parts may be left as they are, and are not looked at. */
void shares_free(struct shares *shares);

/*
 * True: the part is taken, now or by having been first in line. False: it waits, until shares_leave
 * of another returns it; it may not be asked for again before.
 */
bool shares_take(struct shares *shares, struct shares_part *part, struct str namespace);

/* Gives a taken part back. Returns the one that is taken in its place, or NULL: nobody waits. */
struct shares_part *shares_leave(struct shares *shares, struct shares_part *part);

#endif
