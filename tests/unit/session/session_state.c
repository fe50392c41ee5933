#include "session/session_state.h"

#include "tap.h"

#include <string.h>

/* What may follow what, a row for each state in the order of the enum: x may, . may not. */
static const char *const TABLE[SESSION_STATE_COUNT] = {
	/*                       CRURSIRDPPRDSF */
	[SESSION_IS_CONNECTING] = ".xxxxxxxxxxxxx", [SESSION_IS_READY] = "x.xxxxxxx.xxxx",
	[SESSION_IS_UPLOADING] = "x..xxxxxx.xxxx",  [SESSION_IS_RECEIVED] = "x.x.xxxxx.xxxx",
	[SESSION_IS_STARTING] = "x.xx.xxxx.xxxx",   [SESSION_IS_INSTALLING] = "x.....xxx.xxxx",
	[SESSION_IS_RUNNING] = "x......xx.xxxx",    [SESSION_IS_DONE] = "x.......x.xxxx",
	[SESSION_IS_PULLING] = "x........xxxxx",    [SESSION_IS_PULLED] = "..........x...",
	[SESSION_IS_RELEASED] = "..............",   [SESSION_IS_DISPLACED] = "..............",
	[SESSION_IS_SILENT] = "..............",	    [SESSION_IS_FAILED] = "..............",
};

static void test_table(void)
{
	for (enum session_state state = 0; state < SESSION_STATE_COUNT; state++) {
		char row[SESSION_STATE_COUNT + 1] = "";

		for (enum session_state next = 0; next < SESSION_STATE_COUNT; next++)
			row[next] = session_state_may_follow(state, next) ? 'x' : '.';
		is(row, TABLE[state], "after %s", session_state_name(state));
		cmp_ok(session_state_is_last(state), "==", strchr(TABLE[state], 'x') == NULL,
		       "%s is the last where nothing follows", session_state_name(state));
	}
}

static const struct {
	const char *rule;
	enum controller_state side;
	uint8_t phase;
	enum session_state now;
	bool wants_upload, wants_pull;
	enum session_state state;
} ROWS[] = {
	{"before HELLO it is connecting", CONTROLLER_ATTACHING, 0, SESSION_IS_CONNECTING, false,
	 false, SESSION_IS_CONNECTING},
	{"a runner that stopped answering is attached anew", CONTROLLER_STALLED, 0,
	 SESSION_IS_RUNNING, false, false, SESSION_IS_CONNECTING},
	{"greeted without a bundle it is ready", CONTROLLER_GREETED, 1, SESSION_IS_CONNECTING,
	 false, false, SESSION_IS_READY},
	{"with one that waits for its turn it is uploading", CONTROLLER_GREETED, 1,
	 SESSION_IS_READY, true, false, SESSION_IS_UPLOADING},
	{"uploading", CONTROLLER_UPLOADING, 2, SESSION_IS_READY, true, false, SESSION_IS_UPLOADING},
	{"uploaded means received", CONTROLLER_UPLOADED, 3, SESSION_IS_UPLOADING, true, false,
	 SESSION_IS_RECEIVED},
	{"starting", CONTROLLER_STARTING, 3, SESSION_IS_RECEIVED, true, false, SESSION_IS_STARTING},
	{"started in the install phase it is installing", CONTROLLER_STARTED, PHASE_INSTALLING,
	 SESSION_IS_STARTING, true, false, SESSION_IS_INSTALLING},
	{"then it is running", CONTROLLER_STARTED, PHASE_RUNNING, SESSION_IS_INSTALLING, true,
	 false, SESSION_IS_RUNNING},
	{"a runner that says it installs again is still running", CONTROLLER_STARTED,
	 PHASE_INSTALLING, SESSION_IS_RUNNING, true, false, SESSION_IS_RUNNING},
	{"started in a phase that makes no sense it is running", CONTROLLER_STARTED, PHASE_RECEIVED,
	 SESSION_IS_STARTING, true, false, SESSION_IS_RUNNING},
	{"sealed means done", CONTROLLER_SEALED, 6, SESSION_IS_RUNNING, true, false,
	 SESSION_IS_DONE},
	{"with leave to pull that waits for its turn it is pulling", CONTROLLER_SEALED, 6,
	 SESSION_IS_DONE, true, true, SESSION_IS_PULLING},
	{"pulling", CONTROLLER_PULLING, 6, SESSION_IS_DONE, true, true, SESSION_IS_PULLING},
};

static void test_side(void)
{
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		struct controller_side side = {.state = ROWS[i].side};

		side.seen.phase = ROWS[i].phase;
		is(session_state_name(session_state_of(&side, ROWS[i].now, ROWS[i].wants_upload,
						       ROWS[i].wants_pull)),
		   session_state_name(ROWS[i].state), "%s", ROWS[i].rule);
	}
}

int main(void)
{
	test_table();
	test_side();
	done_testing();
}
