/*
 * session_view: what the core knows of the attach session with a task's runner. The session itself
 * (frames, repeats, re-attaches) is none of the core's business: it reports a stage, and the core
 * answers with one command at a time.
 */
#ifndef CORE_SESSION_VIEW_H
#define CORE_SESSION_VIEW_H

#include "base/str.h"
#include "ending.h"
#include "isolation.h"
#include "reason.h"

#include <stdbool.h>

enum session_stage {
	SESSION_NONE,	    /* there is none: attach */
	SESSION_CONNECTING, /* attached or re-attaching; no HELLO of this session yet */
	SESSION_READY,	    /* HELLO satisfies the plan; our bundle is not whole over there */
	SESSION_UPLOADING,  /* our bundle is on its way */
	SESSION_RECEIVED,   /* our bundle is there, whole; START was not sent by this session */
	SESSION_STARTING,   /* START is sent and not answered yet */
	SESSION_INSTALLING,
	SESSION_RUNNING,
	SESSION_DONE,	   /* an outcome is sealed over there */
	SESSION_PULLING,   /* it is on its way */
	SESSION_PULLED,	   /* it is here: `ending` */
	SESSION_RELEASED,  /* the runner was told that it may go */
	SESSION_DISPLACED, /* a higher session is attached, though we hold the Lease */
	SESSION_SILENT,	   /* no answer for longer than a runner may be silent */
	SESSION_FAILED,	   /* it can't go on: `failure` says why */
	SESSION_STAGE_COUNT
};

/* `failure`: IsolationUnverified, CapabilityMissing, RunnerFailed, SourceChanged or Internal. */
struct session_view {
	enum session_stage stage;
	bool hello_seen;
	enum reason failure;
	struct str failure_text;	   /* what was missing or wrong */
	const struct isolation *isolation; /* from SESSION_READY on */
	const struct ending *ending;	   /* in SESSION_PULLED */
};

#endif
