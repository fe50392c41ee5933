/*
 * run: the conversation with the sandbox of one Pod, seen from the task: the session
 * (session/session.h) with what it needs of the plan, and its report in the words of the core.
 */
#ifndef MANAGER_RUN_H
#define MANAGER_RUN_H

#include "build/output.h"
#include "core/ending.h"
#include "core/isolation.h"
#include "core/session_view.h"
#include "input.h"
#include "kube/client.h"
#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

#define RUN_STREAMS   2 /* STREAM_STDOUT, STREAM_STDERR */
#define RUN_TEXT_SIZE 512
/* Failures in writing SandboxOutputs, some minutes' worth, after which the status is written
 * without the stream: an end that is known is not held back for ever. */
#define RUN_OUTPUT_FAILURES_MAX 10

struct job;

struct run {
	struct job *job;
	struct session *session;
	struct client_route route; /* of its connection */
	bool has_route;
	struct input *input; /* from the upload on */
	bool hello_seen;
	bool is_marked, has_begun; /* the task is; the runner has said that the code runs, or ran */
	int64_t budget_ms;	   /* of the run */
	unsigned troubles;	   /* of the session, that were looked into */
	int64_t displaced_ms;	   /* when a stranger was seen; JOB_NO_TIME: none was */
	/* What stopped it on our side; REASON_NONE: nothing. */
	enum reason failure;
	char failure_text[RUN_TEXT_SIZE];
	/* What the last view points at. */
	struct isolation isolation;
	struct ending ending;
	char detail[RUN_TEXT_SIZE];
	/* Parts of the streams for SandboxOutputs, counted when the outcome is here: as many as are
	 * needed, those that are written, and whether the rest never will be. */
	bool has_counted;
	int parts[RUN_STREAMS];
	struct output_ref *refs[RUN_STREAMS];
	int ref_count[RUN_STREAMS];
	unsigned output_failures;
	bool is_refused[RUN_STREAMS];
};

/* Attaches to the job's Pod, by the job's plan. */
struct run *run_new(struct job *job);
void run_delete(struct run *run); /* closes; accepts NULL */

/* Commands, which the session carries out as soon as it can. */
void run_upload(struct run *run);
void run_start(struct run *run);
void run_pull(struct run *run);
void run_release(struct run *run);

/*
 * The task is marked. From here on a runner that does not answer is not replaced by another, so it
 * has until its run budget must be over, and only then a silent one ends the session. That is
 * counted from the latest moment at which the code may have begun, as far as this controller knows:
 * from when the runner said first that it runs, else from the last answer before that, or from now.
 * Repeating it changes nothing.
 */
void run_note_mark(struct run *run);

/* The report in the core's words. What it points at is valid until the loop turns. */
void run_view(struct run *run, struct session_view *view);

/* The number of the session that is attached, as status.session has it. */
void run_session_text(const struct run *run, char text[24]);

/* The outcome has come, whole. */
bool run_has_outcome(const struct run *run);

/* The kept bytes of a stream. Only when the view has an ending. */
const struct ending_stream *run_stream(const struct run *run, int stream);
/* The stream whose next part has to be written yet, or -1. Likewise. */
int run_stream_to_write(const struct run *run);

#endif
