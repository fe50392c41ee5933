/*
 * facts: snapshots for the tests of reconcile, each made from a handful of small values.
 *
 * Zeroed facts are a fresh task of a good class that may have its Pod now, and has none. What a
 * controller would do with an effect is facts_apply; the snapshot is made by facts_world.h.
 */
#ifndef TESTS_FACTS_H
#define TESTS_FACTS_H

#include "core/reconcile.h"

enum facts_task { TASK_IS_THERE, TASK_OUT_OF_SIGHT, TASK_IS_GONE, TASK_KINDS };

enum facts_pod {
	POD_OUT_OF_SIGHT,
	POD_IS_GONE,
	POD_WAITING,
	POD_RUNNING,
	POD_EVICTED,
	POD_KINDS,
};

enum facts_pod_flaw {
	POD_IS_SOUND,
	POD_HAS_OTHER_PLAN,
	POD_WAS_CHANGED,
	POD_IS_FOREIGN,	   /* neither label nor plan */
	POD_IS_UNLABELLED, /* ours, but the label was stripped */
	POD_HAS_OTHER_UID, /* than the mark says */
	POD_FLAWS,
};

enum facts_creation { CREATION_NOT_TRIED, CREATION_REFUSED, CREATION_HOPELESS, CREATION_KINDS };

struct facts {
	bool not_leading;
	enum facts_task task;
	bool task_deleting;
	enum task_phase phase;
	bool marked;
	int attempt; /* of status */
	int seen;    /* attempts known to have had a Pod */
	bool refused, class_missing;
	enum admission_kind { GRANTED, WAITING, FULL, ADMISSION_KINDS } admission;
	bool just_queued;
	bool network_open;
	enum facts_creation creation;
	enum facts_pod pod;
	enum facts_pod_flaw flaw;
	bool pod_deleting;
	int pod_attempt;
	bool event_read;
	bool other_in_sight; /* a Pod of a lower attempt than the one above */
	bool expired;	     /* every budget */
	enum session_stage stage;
	enum ending_kind ending;
	bool ending_not_whole;
	int exit_code;
	int outputs;
	bool final_too_large;
};

/* Facts for rows that differ in little: what a row adds overrides what stands here. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define MARKED(...)                                                                               \
	{                                                                                         \
		.phase = TASK_Running, .marked = true, .attempt = 1, .seen = 1, .pod_attempt = 1, \
		.pod = POD_RUNNING, __VA_ARGS__                                                   \
	}
#define HAS_POD(...)                                                         \
	{                                                                    \
		.seen = 1, .pod_attempt = 1, .pod = POD_RUNNING, __VA_ARGS__ \
	}
#define ENDED(...) MARKED(.stage = SESSION_PULLED, __VA_ARGS__)

/* What the world looks like once the effect has been carried out. */
static inline void facts_apply(struct facts *f, const struct decision *d)
{
	switch (d->effect) {
	case EFFECT_COUNT:
	case EFFECT_NONE: break;
	case EFFECT_READ_TASK: f->task = TASK_IS_THERE; break;
	case EFFECT_READ_POD: f->pod = POD_IS_GONE; break;
	case EFFECT_READ_EVENT: f->event_read = true; break;
	case EFFECT_READ_OTHER_POD:
		f->pod = POD_WAITING;
		f->flaw = POD_IS_SOUND;
		f->pod_deleting = f->other_in_sight = false;
		f->pod_attempt = 1;
		f->stage = SESSION_NONE;
		break;
	case EFFECT_WRITE_NETWORK_POLICY: f->network_open = false; break;
	case EFFECT_CREATE_POD:
		f->pod = POD_WAITING;
		f->flaw = POD_IS_SOUND;
		f->pod_deleting = false;
		f->pod_attempt = f->seen = (int)d->attempt;
		f->stage = SESSION_NONE;
		break;
	case EFFECT_DELETE_POD: f->pod_deleting = true; break;
	case EFFECT_WRITE_QUEUED: f->phase = TASK_Queued; break;
	case EFFECT_WRITE_ATTEMPT:
		f->phase = TASK_Starting;
		f->attempt = (int)d->attempt;
		break;
	case EFFECT_WRITE_MARK:
		f->phase = TASK_Running;
		f->marked = true;
		f->attempt = (int)d->attempt;
		break;
	case EFFECT_WRITE_OUTPUT: f->outputs--; break;
	case EFFECT_WRITE_FINAL:
		f->phase = d->reason == REASON_Completed ? TASK_Succeeded : TASK_Failed;
		break;
	case EFFECT_ATTACH: f->stage = SESSION_CONNECTING; break;
	case EFFECT_UPLOAD: f->stage = SESSION_UPLOADING; break;
	case EFFECT_START: f->stage = SESSION_STARTING; break;
	case EFFECT_PULL: f->stage = SESSION_PULLING; break;
	case EFFECT_RELEASE: f->stage = SESSION_RELEASED; break;
	}
}

#endif
