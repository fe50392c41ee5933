/*
 * leftovers: Pods that the leader before us did not come to delete, in the namespaces of tasks.
 *
 * Between the final status of a task and the deletion of its Pod a leader may be gone. The watch of
 * tasks doesn't show finished ones, so the next leader knows of such a Pod by a list of Pods alone.
 * The namespaces that classes name are watched from a term's beginning; the others, where classes
 * with an empty podNamespace have their Pods, when a task needs them. So each of those is listed
 * here, once in a term, as soon as the policy is known: of all namespaces those that the
 * namespaceSelector of such a class admits. What is found becomes a job like any Pod in sight.
 * (One list over all namespaces would be a right to read every Pod of the cluster.)
 *
 * Nobody waits for it. So many lists are under way at one time, and what is kept is the name of the
 * last namespace, however many there are. One in which we have no rights is passed by, since
 * nothing could be deleted there. One that is in trouble is tried again a few times: when that is
 * not the namespace's own trouble, but the API server's, then the Lease, and this term with it, is
 * lost before, and the next term begins anew.
 */
#ifndef MANAGER_LEFTOVERS_H
#define MANAGER_LEFTOVERS_H

#include "kube/kube_object.h"
#include "kube/watch.h"

#include <stdbool.h>

#define LEFTOVERS_LISTS_MAX	      4
#define LEFTOVERS_TRIES_MAX	      5
#define LEFTOVERS_NAMESPACES_PER_TURN 32

struct term;
struct leftovers;

struct leftovers_list {
	struct leftovers *leftovers;
	char in_namespace[KUBE_OBJECT_NAME_SIZE];
	struct watch *watch; /* deleted when its list is through; NULL: none is under way */
	int failures;
};

struct leftovers {
	struct term *term;
	bool has_begun;
	char last[KUBE_OBJECT_NAME_SIZE]; /* of the namespaces, in the order of their names */
	struct leftovers_list lists[LEFTOVERS_LISTS_MAX];
	struct io_timer *turn;
};

void leftovers_init(struct leftovers *leftovers, struct term *term);
/* The policy is known, or known anew: only the first time counts. */
void leftovers_begin(struct leftovers *leftovers);
void leftovers_end(struct leftovers *leftovers);

#endif
