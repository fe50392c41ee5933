/*
 * job: one task that is not over yet, or a Pod of ours whose task is: what is known about it, and
 * what is being done for it.
 *
 * Facts come from watches and answers (job_note_…) and are put together for reconcile
 * (job_snapshot). A text that came once is not trusted for ever: what a watch has shown to be newer
 * makes the task unseen, and it is read again.
 */
#ifndef MANAGER_JOB_H
#define MANAGER_JOB_H

#include "base/buf.h"
#include "build/pod.h"
#include "build/pod_difference.h"
#include "core/plan.h"
#include "core/pod.h"
#include "core/reconcile.h"
#include "core/task.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/kube_object.h"
#include "run.h"
#include "shares.h"

#include <stdbool.h>
#include <stdint.h>

#define JOB_NO_TIME (-1) /* of a time that has not come, or was not seen by this controller */

struct term;

/* The Pod that is looked at. Others that somebody made are, when it is gone (job_other_pod). */
struct job_pod {
	enum knowledge known;
	struct pod *pod; /* as it is, or as it was last; NULL: never seen */
	char *json;	 /* which it borrows from */
	int64_t attempt; /* of its name */
	int64_t since_ms, deleting_since_ms;
	int64_t attempts_seen;		      /* the highest that is known to have existed */
	bool is_compared;		      /* `difference` is of this text and this plan */
	char difference[POD_DIFFERENCE_SIZE]; /* "" when there is none */
	char *event_reason, *event_message;   /* of its last Event; NULL: not asked for */
};

struct job {
	struct term *term;
	char uid[TASK_UID_SIZE]; /* the key */
	char in_namespace[KUBE_OBJECT_NAMESPACE_SIZE], name[KUBE_OBJECT_NAME_SIZE];
	int64_t since_ms; /* when this term saw it first */

	enum knowledge task_known;
	struct task *task; /* present: as it was read; NULL while it waits, to save memory */
	char seen_version
		[KUBE_OBJECT_VERSION_SIZE]; /* the newest that the watch has shown, or "" */

	struct refusal refusal;
	struct plan *plan;	  /* NULL: no class, refused, or not known */
	bool plan_is_frozen;	  /* it is that of the mark */
	unsigned judged_version;  /* of the policy that refusal and plan come from; 0: none */
	int64_t class_missing_ms; /* since then; JOB_NO_TIME: it is there, or was not looked for */
	bool are_labels_missing;  /* its namespace is not known yet, so there is no class for it */

	enum admission admission;
	int64_t queued_ms, admitted_ms; /* JOB_NO_TIME before */

	struct job_pod pod;
	struct space *space; /* where it is, or is going to be, as far as is known; NULL: nowhere */

	bool is_create_refused;
	struct podstatus create_refusal;
	struct buf create_refusal_text;
	int64_t create_again_ms;
	struct backoff create_backoff;

	struct run *run; /* with the sandbox; NULL while there is none */
	bool final_too_large;
	int64_t started_ms; /* when this term gave leave to start … */
	int64_t done_ms;    /* … and when it saw the outcome sealed */

	struct shares_part part;  /* of what its namespace may have under way */
	struct client_call *call; /* the effect that is under way … */
	struct decision decision; /* … and what it was decided on */
	struct decision *unsure;  /* a final write that may have landed; NULL: there is none */
	bool had_conflict;	  /* the last write met one */
	struct backoff backoff;	  /* of what failed */
};

struct job *job_new(struct term *term, struct str uid, struct str in_namespace, struct str name);
/* Cancels and closes what is under way. */
void job_delete(struct job *job);

/* --- Facts. --- */

/*
 * The task as it was read or written: absent, when another one has its name; unseen, when the watch
 * has shown a newer version. ERR_INVALID: it can't be decoded.
 */
int job_note_task(struct job *job, struct str json, struct err *err);
void job_note_task_absent(struct job *job);
/* The watch has shown this version; true when that makes the task unseen. */
bool job_note_version(struct job *job, const char *version);
/* The watch of tasks says what its name is; true when a Pod had said another. */
bool job_note_name(struct job *job, struct str in_namespace, struct str name);
/* What is known is not up to date any more. */
void job_doubt_task(struct job *job);
/* Frees the task and what comes from it: it will be read again. */
void job_unload(struct job *job);
void job_forget_plan(struct job *job);

/*
 * A Pod that has the name of one of the task's. Left out is one of an older time; one beside a Pod
 * of ours that is there or in doubt, or of a lower attempt than one that is gone; and, while the
 * task is marked and not over, any but the marked one.
 */
int job_note_pod(struct job *job, struct str json, struct err *err);
/* The one of job_other_pod, which takes the place of the one that was looked at. */
int job_note_other_pod(struct job *job, struct str json, struct err *err);
void job_doubt_pod(struct job *job);
/* It is not there by its name. */
void job_note_pod_absent(struct job *job);
/* Nothing is known of any Pod but what attempts there were. */
void job_forget_pod(struct job *job);
/* There may be a Pod of that attempt. */
void job_note_attempt(struct job *job, int64_t attempt);

/* --- What follows from them. --- */

/* The task is gone, going or at its end, as far as is known for sure. */
bool job_task_is_over(const struct job *job);
/* Everything of the task has been said and done, and nothing of it is left that is ours. */
bool job_is_over(const struct job *job);

/* Where its Pod is, or is going to be; empty while that is not known. */
struct str job_pod_namespace(const struct job *job);
/* The name of the Pod that is looked at, or else of the last attempt's; false: there was none. */
bool job_pod_name(const struct job *job, char name[POD_NAME_SIZE]);
/* Another Pod of the task's that the watches show, if it may be looked at now; else NULL. */
const struct kube_object *job_other_pod(const struct job *job);

/* Judges the task by its class, and asks for a place, as far as that is to be done. */
void job_judge(struct job *job);

/* Facts for one call of reconcile; `view` is filled and pointed at. */
void job_snapshot(struct job *job, struct snapshot *snapshot, struct session_view *view);

#endif
