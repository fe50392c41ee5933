/*
 * sim_check: the invariants of ARCHITECTURE.md, held against everything that happens in a simulated
 * world while it happens, and against what is left of it when nothing happens any more. The first
 * one that breaks is kept; the world should not be run on.
 *
 * 1. Nothing of a bundle is sent on a connection before its HELLO was heard there, and never to a
 *    runner whose jail has a hole.
 * 2. Only who holds the Lease writes, until its own deadline after the last renewal; what it says
 *    to a runner is fenced by the session's number, so no two connections to a Pod have the same.
 *    No Pod is made for a task that has a live one. START once in a Pod and once for a task, and
 *    only when the mark that names this Pod is committed. A mark, and a final status, never change.
 * 3. Succeeded only when the runner sealed the program's own exit with 0, with all of its output;
 *    Interrupted, and what else blames others, only when the Pod was really disturbed.
 * 4. No Pod is deleted by a controller before the final status is written, or the attempt is given
 *    up; at the end the task is final and nothing is left.
 * 5. The code and the input stand in no Pod, Event, Lease, policy or log.
 * 7. The reads and writes of a run are bounded: there is no hot loop.
 */
#ifndef SIM_SIM_CHECK_H
#define SIM_SIM_CHECK_H

#include "sim_api.h"

#include "proto/frame.h"

struct sim_world;
struct sim_pod;

struct sim_check {
	struct sim_world *world;
	bool needs_leader;	 /* whoever writes has to hold the Lease */
	bool takes_failures;	 /* how and why it failed, and how much it asked, another judges */
	char leader[32];	 /* who does */
	int64_t leader_since_ms; /* its last renewal */
	unsigned writes;	 /* that controllers sent for tasks, outputs and Pods */
	unsigned reads;		 /* and all that they asked */
	bool has_failed;
	char text[400];
};

void sim_check_init(struct sim_check *check, struct sim_world *world);
void sim_check_free(struct sim_check *check);

void sim_check_fail(struct sim_check *check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A request arrives at the API server. */
void sim_check_request(struct sim_check *check, const struct sim_request *request);
/* A controller decides to write something else than the Lease. */
void sim_check_writer(struct sim_check *check, const char *controller, const char *target);
/* What went over one attach. */
struct sim_check_connection {
	bool hello_was_heard;
	uint64_t session; /* of its ATTACH, 0 before */
};
/* A controller sends a frame; the Pod is NULL when its container has ended. */
void sim_check_frame(struct sim_check *check, struct sim_pod *pod,
		     struct sim_check_connection *connection, const struct frame *frame);
/* A runner starts the code. */
void sim_check_start(struct sim_check *check, const struct sim_pod *pod);
/* A controller logs a line. */
void sim_check_log(struct sim_check *check, struct str line);

/* Is there anything that has to change by itself: a task that is not final, or a Pod? */
bool sim_check_is_quiet(const struct sim_check *check);
/* What has to hold when it has been quiet for long. */
void sim_check_end(struct sim_check *check);

#endif
