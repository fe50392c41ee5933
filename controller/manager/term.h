/*
 * term: one time of leading, from the acquisition of the Lease to its loss. It owns all that a
 * leader knows: the watches, the spaces (namespaces with Pods), the jobs (tasks that are not over),
 * who has a place, and the queue of what is to be looked at.
 *
 *	watch event or answer -> facts of a job -> queue -> pass: snapshot -> reconcile -> effect
 *
 * A pass looks at one job and starts at most one effect; while that is under way the job is not
 * looked at again. So many passes are made in one turn of the loop, and so many effects are under
 * way at one time, and no more; of these one namespace of tasks has its share (shares.h), so that
 * requests that hang for the tasks of one tenant hold up no other tenant's.
 *
 * Deleting a term cancels and closes everything. What was under way may have happened or not: the
 * next term finds out.
 */
#ifndef MANAGER_TERM_H
#define MANAGER_TERM_H

#include "base/log.h"
#include "election.h"
#include "job.h"
#include "kube/client.h"
#include "kube/kube_object.h"
#include "kube/watch.h"
#include "places.h"
#include "policy.h"
#include "session/hub.h"
#include "space.h"

#include <stdbool.h>
#include <stdint.h>

#define TERM_JOBS_MAX	     PLACES_TASKS_MAX
#define TERM_SPACES_MAX	     10000
#define TERM_PASSES_PER_TURN 32
#define TERM_EFFECTS_MAX     64
/* A quarter: enough for one tenant who has all to himself, and it takes four to hold up others. */
#define TERM_EFFECTS_PER_NAMESPACE_MAX 16
/* Of Events, which nobody waits for; more are left out. */
#define TERM_EVENTS_MAX 64

/* All borrowed, for the term's life. */
struct term_config {
	struct io *io;
	struct client *client;
	struct log *log;
	struct metrics *metrics;
	const struct election *election;
	const char *identity; /* in Events */
	int64_t tasks_max, transfers_max;
};

struct term *term_new(const struct term_config *config);
void term_delete(struct term *term); /* accepts NULL */

/* How much there is, for metrics. */
struct term_counts {
	size_t jobs, sessions;
	int64_t waiting, placed;
};
void term_count(const struct term *term, struct term_counts *counts);

/* --- For the parts of a term. --- */

const struct term_config *term_config(const struct term *term);
struct hub *term_hub(struct term *term);
struct places *term_places(struct term *term);

const struct policy *term_policy(const struct term *term);

/* Made when it is not there yet; NULL when there are too many. */
struct space *term_space(struct term *term, struct str name);

int64_t term_now_ms(const struct term *term);

/* How long to wait after a failure, which is noted: ever longer, and no less than that. */
int64_t term_backoff_ms(const struct term *term, struct backoff *backoff, int64_t at_least_ms);

/* Gives free places away, to whose turn it is. */
void term_grant(struct term *term);

/* A look at the job at `due_ms`; now. */
void term_wake(struct term *term, struct job *job, int64_t due_ms);
void term_wake_now(struct term *term, struct job *job);
void term_wake_space(struct term *term, const struct space *space);

/*
 * The look at a job is over: its effect is through, so look again; or it failed, so look again
 * later, ever later, and not before the server wants to be asked; or there is nothing to do until
 * then, RECONCILE_NEVER being for ever.
 */
void term_done(struct term *term, struct job *job);
void term_failed(struct term *term, struct job *job, const struct err *err);
void term_rest(struct term *term, struct job *job, int64_t wake_at_ms);

/* Sends an Event, without waiting for it; none when another one leads by now. */
void term_send_event(struct term *term, struct str in_namespace, struct str body);

/* The Pods of this namespace have been told of, and whatever becomes of them is. */
bool term_space_is_listed(const struct term *term, struct str in_namespace);

/* Looks at what is due, soon. */
void term_arm(struct term *term);

/* From the parts: `class` is new, or not as before; NULL: something else of the policy is. */
void term_note_policy(struct term *term, const struct class *class);
/* All of it has been listed: the first time, or again. */
void term_note_policy_known(struct term *term);
void term_note_watch_trouble(struct term *term, const struct target_resource *resource,
			     struct str in_namespace, const struct err *err, int64_t retry_ms);
void term_pod_note(struct term *term, const struct kube_object *object);
void term_pod_note_gone(struct term *term, const struct kube_object *object);
/*
 * A Pod that has a name of this task's, of those in sight, but the one that the job looks at: the
 * first one, or, while that is there and in sight, the next one behind it, so that none comes round
 * again; NULL: none. In the order of namespaces and names.
 */
const struct kube_object *term_pod_other(const struct term *term, const struct job *job);
/* A list of the Pods of a namespace is through: those that it did not have are in doubt. */
void term_pod_note_listed(struct term *term, const char *in_namespace, const struct watch *pods);

#endif
