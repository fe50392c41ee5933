#include "session_state.h"

#include <assert.h>

#define BIT(state) (1u << (state))

#define ENDS                                                                             \
	(BIT(SESSION_IS_RELEASED) | BIT(SESSION_IS_DISPLACED) | BIT(SESSION_IS_SILENT) | \
	 BIT(SESSION_IS_FAILED))
#define LOST BIT(SESSION_IS_CONNECTING)
/* From everything before START: somebody else may have started the runner, or say so. */
#define STARTED                                                                        \
	(BIT(SESSION_IS_INSTALLING) | BIT(SESSION_IS_RUNNING) | BIT(SESSION_IS_DONE) | \
	 BIT(SESSION_IS_PULLING))
#define UPLOAD (BIT(SESSION_IS_UPLOADING) | BIT(SESSION_IS_RECEIVED) | BIT(SESSION_IS_STARTING))

/* Before START everything may turn back to the upload, after it nothing turns back; but a new
 * connection finds the runner wherever it is. */
static const unsigned allowed[SESSION_STATE_COUNT] = {
	[SESSION_IS_CONNECTING] =
		BIT(SESSION_IS_READY) | UPLOAD | STARTED | BIT(SESSION_IS_PULLED) | ENDS,
	[SESSION_IS_READY] = UPLOAD | STARTED | ENDS | LOST,
	[SESSION_IS_UPLOADING] = UPLOAD | STARTED | ENDS | LOST,
	[SESSION_IS_RECEIVED] = UPLOAD | STARTED | ENDS | LOST,
	[SESSION_IS_STARTING] = UPLOAD | STARTED | ENDS | LOST,
	[SESSION_IS_INSTALLING] = BIT(SESSION_IS_RUNNING) | BIT(SESSION_IS_DONE) |
				  BIT(SESSION_IS_PULLING) | ENDS | LOST,
	[SESSION_IS_RUNNING] = BIT(SESSION_IS_DONE) | BIT(SESSION_IS_PULLING) | ENDS | LOST,
	[SESSION_IS_DONE] = BIT(SESSION_IS_PULLING) | ENDS | LOST,
	[SESSION_IS_PULLING] = BIT(SESSION_IS_PULLED) | ENDS | LOST,
	[SESSION_IS_PULLED] = BIT(SESSION_IS_RELEASED),
	[SESSION_IS_RELEASED] = 0,
	[SESSION_IS_DISPLACED] = 0,
	[SESSION_IS_SILENT] = 0,
	[SESSION_IS_FAILED] = 0,
};

bool session_state_may_follow(enum session_state state, enum session_state next)
{
	return state != next && (allowed[state] & BIT(next));
}

bool session_state_is_last(enum session_state state)
{
	return allowed[state] == 0;
}

/* A phase that is not Installing is Running here, and Running stays. */
static enum session_state started_state(const struct controller_side *side, enum session_state now)
{
	if (side->seen.phase == PHASE_INSTALLING && now != SESSION_IS_RUNNING)
		return SESSION_IS_INSTALLING;
	return SESSION_IS_RUNNING;
}

enum session_state session_state_of(const struct controller_side *side, enum session_state now,
				    bool wants_upload, bool wants_pull)
{
	switch (side->state) {
	case CONTROLLER_DETACHED:
	case CONTROLLER_ATTACHING:
	case CONTROLLER_STALLED: return SESSION_IS_CONNECTING;
	case CONTROLLER_GREETED: return wants_upload ? SESSION_IS_UPLOADING : SESSION_IS_READY;
	case CONTROLLER_UPLOADING: return SESSION_IS_UPLOADING;
	case CONTROLLER_UPLOADED: return SESSION_IS_RECEIVED;
	case CONTROLLER_STARTING: return SESSION_IS_STARTING;
	case CONTROLLER_STARTED: return started_state(side, now);
	case CONTROLLER_SEALED: return wants_pull ? SESSION_IS_PULLING : SESSION_IS_DONE;
	case CONTROLLER_PULLING: return SESSION_IS_PULLING;
	case CONTROLLER_PULLED:
	case CONTROLLER_CANCELLED:
	case CONTROLLER_OUTRANKED:
	case CONTROLLER_FAILED: break;
	}
	assert(!"a state that is the session's to judge");
	return now;
}

const char *session_state_name(enum session_state state)
{
#define X_NAME(constant, name) [constant] = name,
	static const char *const names[] = {SESSION_STATES(X_NAME)};
#undef X_NAME

	return names[state];
}
