/* A session is put together by hand here: how it comes there, tests of session show. */
#include "manager/run.h"

#include "leader.h"
#include "proto_samples.h"
#include "tap.h"

#include "manager/term_internal.h"
#include "session/session_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

static struct leader l;
static struct session session;
static struct outcome outcome;
static struct run run;
static struct session_view view;

static void begin(void)
{
	leader_open(&l);
	leader_begin(&l);
	session = (struct session){.config.number = 7, .next_number = 8};
	sample_plain_outcome(&outcome, "");
	run = (struct run){
		.job = term_add_job(l.term, STR(LEADER_UID), STR("team"), STR("answer")),
		.session = &session,
		.displaced_ms = JOB_NO_TIME,
	};
}

static void finish(void)
{
	leader_close(&l);
}

static void see(enum session_state state)
{
	session.state = state;
	run_view(&run, &view);
}

/* --- Stages. --- */

static void a_state_is_a_stage(void)
{
	static const struct {
		enum session_state state;
		enum session_stage stage;
	} rows[] = {
		{SESSION_IS_CONNECTING, SESSION_CONNECTING},
		{SESSION_IS_READY, SESSION_READY},
		{SESSION_IS_UPLOADING, SESSION_UPLOADING},
		{SESSION_IS_RECEIVED, SESSION_RECEIVED},
		{SESSION_IS_STARTING, SESSION_STARTING},
		{SESSION_IS_INSTALLING, SESSION_INSTALLING},
		{SESSION_IS_RUNNING, SESSION_RUNNING},
		{SESSION_IS_DONE, SESSION_DONE},
		{SESSION_IS_PULLING, SESSION_PULLING},
		{SESSION_IS_PULLED, SESSION_PULLED},
		{SESSION_IS_RELEASED, SESSION_RELEASED},
		{SESSION_IS_SILENT, SESSION_SILENT},
		{SESSION_IS_FAILED, SESSION_FAILED},
	};

	begin();
	cmp_ok(sizeof(rows) / sizeof(rows[0]), "==", SESSION_STATE_COUNT - 1,
	       "every state but Displaced has a row");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		see(rows[i].state);
		cmp_ok(view.stage, "==", rows[i].stage, "state %d is stage %d", rows[i].state,
		       rows[i].stage);
		ok(!view.ending && !view.isolation, "  without what is not there");
	}
	finish();
}

static void a_stranger_is_one_once_the_lease_is_confirmed(void)
{
	begin();
	run.displaced_ms = l.fake.now_ms;
	see(SESSION_IS_DISPLACED);
	cmp_ok(view.stage, "==", SESSION_CONNECTING,
	       "a higher session may be a new leader's: nothing is said before that is known");
	leader_run(&l, LEASE_RETRY_MS);
	see(SESSION_IS_DISPLACED);
	cmp_ok(view.stage, "==", SESSION_DISPLACED,
	       "it is a stranger's when the Lease was renewed after it was seen");
	finish();
}

/* --- Silence. --- */

#define BUDGET_MS 60000 /* of the class */

/* A run of a Pod that is there, whose session says what the test wants. */
static struct session *begin_real(void)
{
	leader_open_with_pod(&l);
	leader_event(&l, "/pods?", "MODIFIED", leader_pod(&l, "made", "400", LEADER_RUNNING));
	leader_run(&l, 0);
	return leader_job(&l)->run->session;
}

static void silence_is_borne_until_the_run_budget_is_over(void)
{
	static const struct {
		const char *sentence;
		enum session_state state;
		bool is_told;
	} rows[] = {
		{"a runner that is ready may run as long from then", SESSION_IS_READY, true},
		{"so may one that has been lost,", SESSION_IS_CONNECTING, false},
		{"one that receives the bundle,", SESSION_IS_UPLOADING, true},
		{"one that has it", SESSION_IS_RECEIVED, true},
		{"and one that is told to start,", SESSION_IS_STARTING, true},
		{"whether or not the answer is lost,", SESSION_IS_CONNECTING, false},
		{"or that installs first", SESSION_IS_INSTALLING, true},
		{"the first word of the code running is the last that counts", SESSION_IS_RUNNING,
		 true},
		{"a loss later gives it no more time,", SESSION_IS_CONNECTING, false},
		{"nor does finding it running again,", SESSION_IS_RUNNING, false},
		{"nor does its end", SESSION_IS_DONE, false},
	};
	struct session *real = begin_real();
	int64_t from_ms = real->silence_counts_from_ms, at_ms;

	real->config.changed(real->config.context);
	cmp_ok(real->silence_counts_from_ms, "==", from_ms,
	       "before the mark nothing is borne: another Pod is as good");
	leader_mark(&l);
	job_judge(leader_job(&l));
	at_ms = l.fake.now_ms + BUDGET_MS;
	cmp_ok(real->silence_counts_from_ms, "==", at_ms, "from the mark on, the run budget");
	l.fake.now_ms += 1000;
	job_judge(leader_job(&l));
	cmp_ok(real->silence_counts_from_ms, "==", at_ms, "which seeing the mark again leaves");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		l.fake.now_ms += 1000;
		real->state = rows[i].state;
		real->config.changed(real->config.context);
		if (rows[i].is_told)
			at_ms = l.fake.now_ms + BUDGET_MS;
		cmp_ok(real->silence_counts_from_ms, "==", at_ms, "%s", rows[i].sentence);
	}
	finish();
}

/* --- Failures. --- */

static void a_failure_has_a_reason(void)
{
	static const struct {
		enum session_failure failure;
		enum reason reason;
	} rows[] = {
		{SESSION_UNVERIFIED, REASON_IsolationUnverified},
		{SESSION_INCAPABLE, REASON_CapabilityMissing},
		{SESSION_TAMPERED, REASON_PodTampered},
		{SESSION_BROKEN, REASON_RunnerFailed},
		{SESSION_CANCELLED, REASON_Cancelled},
		{SESSION_HELPLESS, REASON_Internal},
	};

	begin();
	snprintf(session.text, sizeof(session.text), "why");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		session.failure = rows[i].failure;
		see(SESSION_IS_FAILED);
		is(reason_name(view.failure), reason_name(rows[i].reason), "%s is %s",
		   session_failure_name(rows[i].failure), reason_name(rows[i].reason));
		ok(str_equal(view.failure_text, STR("why")), "  in the session's words");
	}
	run.failure = REASON_SourceChanged;
	snprintf(run.failure_text, sizeof(run.failure_text), "ours");
	see(SESSION_IS_READY);
	cmp_ok(view.stage, "==", SESSION_FAILED, "what fails on our side ends it as well");
	is(reason_name(view.failure), "SourceChanged", "with its reason");
	ok(str_equal(view.failure_text, STR("ours")), "and its words");
	finish();
}

/* --- Endings. --- */

#define HITS(limit) (1u << (limit))

static void an_outcome_is_an_ending(void)
{
	static const struct {
		const char *sentence;
		enum outcome_verdict verdict;
		enum outcome_killed_for killed_for;
		int exit_code, signal;
		uint32_t hits;
		enum outcome_stage stage;
		enum ending_kind kind;
		int32_t shown_exit_code;
	} rows[] = {
		{"exit code 0", VERDICT_EXITED, 0, 0, 0, 0, 0, ENDING_EXITED, 0},
		{"exit code 124 is no time-out", VERDICT_EXITED, 0, 124, 0, 0, 0, ENDING_EXITED,
		 124},
		{"exit code 137 is no lack of memory", VERDICT_EXITED, 0, 137, 0,
		 HITS(LIMIT_MEMORY), 0, ENDING_EXITED, 137},
		{"a signal", VERDICT_SIGNALLED, 0, 0, SIGSEGV, 0, 0, ENDING_SIGNALLED, -1},
		{"SIGKILL from inside is no lack of memory", VERDICT_SIGNALLED, 0, 0, SIGKILL,
		 HITS(LIMIT_MEMORY), 0, ENDING_SIGNALLED, -1},
		{"the kernel's signal for our limit of a file's size", VERDICT_SIGNALLED, 0, 0,
		 SIGXFSZ, HITS(LIMIT_FILE_BYTES), 0, ENDING_FILE_SIZE, -1},
		{"the same signal without that limit", VERDICT_SIGNALLED, 0, 0, SIGXFSZ, 0, 0,
		 ENDING_SIGNALLED, -1},
		{"killed for its run time", VERDICT_KILLED, KILLED_FOR_RUN_TIME, 0, SIGKILL, 0, 0,
		 ENDING_RUN_TIMEOUT, -1},
		{"killed for its install time", VERDICT_KILLED, KILLED_FOR_INSTALL_TIME, 0, SIGKILL,
		 0, 0, ENDING_INSTALL_TIMEOUT, -1},
		{"killed for CPU time", VERDICT_KILLED, KILLED_FOR_CPU_TIME, 0, SIGXCPU, 0, 0,
		 ENDING_CPU_TIMEOUT, -1},
		{"killed for memory", VERDICT_KILLED, KILLED_FOR_MEMORY, 0, SIGKILL, 0, 0,
		 ENDING_OUT_OF_MEMORY, -1},
		{"killed for output", VERDICT_KILLED, KILLED_FOR_OUTPUT, 0, SIGKILL, 0, 0,
		 ENDING_OUTPUT_LIMIT, -1},
		{"cancelled, and exited by itself", VERDICT_KILLED, KILLED_FOR_CANCEL, 3, 0, 0, 0,
		 ENDING_CANCELLED, 3},
		{"stopped with its Pod", VERDICT_KILLED, KILLED_FOR_SHUTDOWN, 0, SIGKILL, 0, 0,
		 ENDING_STOPPED, -1},
		{"killed for nothing that we know", VERDICT_KILLED, KILLED_FOR_NOTHING, 0, SIGKILL,
		 0, 0, ENDING_STOPPED, -1},
		{"vanished", VERDICT_VANISHED, 0, 0, 0, 0, 0, ENDING_VANISHED, -1},
		{"not started in time", VERDICT_NOT_STARTED, 0, 0, 0, 0, STAGE_BUDGET,
		 ENDING_START_TIMEOUT, -1},
		{"not started", VERDICT_NOT_STARTED, 0, 0, 0, 0, STAGE_EXEC, ENDING_NOT_STARTED,
		 -1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		outcome.verdict = (uint8_t)rows[i].verdict;
		outcome.killed_for = (uint8_t)rows[i].killed_for;
		outcome.exit_code = (uint8_t)rows[i].exit_code;
		outcome.signal = (uint8_t)rows[i].signal;
		outcome.limit_hits = rows[i].hits;
		outcome.stage = (uint8_t)rows[i].stage;
		session.outcome = &outcome;
		see(SESSION_IS_PULLED);
		cmp_ok(view.ending->kind, "==", rows[i].kind, "%s", rows[i].sentence);
		cmp_ok(view.ending->exit_code, "==", rows[i].shown_exit_code, "  with exit code %d",
		       (int)rows[i].shown_exit_code);
		cmp_ok(view.ending->signal, "==", rows[i].signal, "  and signal %d",
		       rows[i].signal);
		ok(view.ending->whole, "  whole: the session gives no other");
		finish();
	}
}

static void what_was_measured_is_passed_on(void)
{
	const struct ending *e = &run.ending;

	begin();
	sample_outcome(&outcome);
	session.outcome = &outcome;
	see(SESSION_IS_PULLED);
	ok(run_has_outcome(&run), "the outcome is here");
	cmp_ok(e->run_ms, "==", 30000, "wall time is that of the run, without the install");
	cmp_ok(e->cpu_ms, "==", 29400, "CPU time is that of user and system");
	cmp_ok(e->memory_peak_bytes, "==", 200 << 20, "so is the peak of memory");
	cmp_ok(e->tmp_peak_bytes, "==", -1, "what was not measured says so");
	cmp_ok(e->leftover_processes, "==", 2, "leftovers are counted");
	cmp_ok(e->limit_hit_count, "==", 2, "limits that were met are named");
	ok(str_equal(e->limit_hits[0], STR("tmpInodes")), "as in status.limits");
	ok(str_equal(e->limit_hits[1], STR("processes")), "each of them");
	cmp_ok(run_stream(&run, STREAM_STDOUT)->bytes, "==", 1009, "a stream has all its bytes");
	ok(str_equal(run_stream(&run, STREAM_STDOUT)->tail, STR("end\n")), "and its tail");
	ok(str_equal(run_stream(&run, STREAM_STDERR)->head, STR("err\n")), "each of both");
	cmp_ok(run_stream_to_write(&run), "==", -1, "short streams need no outputs");
	outcome.limit_hits = UINT32_MAX;
	see(SESSION_IS_PULLED);
	cmp_ok(e->limit_hit_count, "==", LIMIT_CPU + 1, "limits of a newer runner are passed over");
	finish();
}

static void a_start_that_failed_says_where(void)
{
	static const struct {
		enum outcome_stage stage;
		int error_number;
		const char *detail, *text;
	} rows[] = {
		{STAGE_JAIL, EPERM, "", "building its jail failed: Operation not permitted"},
		{STAGE_FILES, ENOSPC, "", "writing its files failed: No space left on device"},
		{STAGE_LIMITS, EINVAL, "", "setting its limits failed: Invalid argument"},
		{STAGE_EXEC, ENOENT, "python3",
		 "executing it failed: No such file or directory: python3"},
		{STAGE_NONE, 0, "", "starting it failed: no error number"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		outcome.verdict = VERDICT_NOT_STARTED;
		outcome.stage = (uint8_t)rows[i].stage;
		outcome.error_number = (uint16_t)rows[i].error_number;
		outcome.detail = str_of(rows[i].detail);
		session.outcome = &outcome;
		see(SESSION_IS_PULLED);
		ok(str_equal(view.ending->detail, str_of(rows[i].text)), "%s", rows[i].text);
		finish();
	}
}

static void long_streams_are_counted_in_parts(void)
{
	static char text[2 * OUTPUT_PART_BYTES_MAX + 1];
	struct stream *out = &outcome.streams[STREAM_STDOUT];

	begin();
	memset(text, 'x', sizeof(text));
	out->head = (struct str){text, sizeof(text)};
	out->total = sizeof(text);
	session.outcome = &outcome;
	see(SESSION_IS_PULLED);
	cmp_ok(run.parts[STREAM_STDOUT], "==", 3, "one byte more than two parts is a third");
	cmp_ok(run_stream_to_write(&run), "==", STREAM_STDOUT, "they are to be written");
	run.ref_count[STREAM_STDOUT] = 2;
	cmp_ok(run_stream_to_write(&run), "==", STREAM_STDOUT, "until all are");
	run.ref_count[STREAM_STDOUT] = 3;
	cmp_ok(run_stream_to_write(&run), "==", -1, "then none is left");
	run.ref_count[STREAM_STDOUT] = 0;
	run.is_refused[STREAM_STDOUT] = true;
	cmp_ok(run_stream_to_write(&run), "==", -1, "a stream that is refused needs none either");
	finish();
}

/* --- Isolation. --- */

static void a_report_is_an_isolation(void)
{
	const struct isolation *i = &run.isolation;

	begin();
	sample_hello(&session.hello);
	session.has_hello = true;
	see(SESSION_IS_READY);
	ok(view.isolation == i, "a report is shown");
	ok(str_equal(i->runtime, STR("gVisor")), "gVisor is the layer that was held");
	cmp_ok(i->uid, "==", 65534, "with the uid");
	ok(i->memory_limit_seen, "a memory limit was seen");
	ok(!i->read_only_root && !i->no_new_privileges, "what was not reported is not claimed");
	cmp_ok(i->layer_count, "==", 2, "every layer is told");
	cmp_ok(i->layers[1].state, "==", ISOLATION_MISSING, "also that it is missing");
	session.hello.layers[0].state = LAYER_MISSING;
	session.hello.layers[1] =
		(struct layer){layer_name(LAYER_NO_NEW_PRIVILEGES), LAYER_HELD, {0}};
	session.hello.memory_limit_bytes = 0;
	see(SESSION_IS_READY);
	ok(str_equal(i->runtime, STR("unknown")), "a layer that did not hold is not gVisor");
	ok(i->no_new_privileges && !i->memory_limit_seen, "and the rest is as reported");
	finish();
}

int main(void)
{
	a_state_is_a_stage();
	a_stranger_is_one_once_the_lease_is_confirmed();
	silence_is_borne_until_the_run_budget_is_over();
	a_failure_has_a_reason();
	an_outcome_is_an_ending();
	what_was_measured_is_passed_on();
	a_start_that_failed_says_where();
	long_streams_are_counted_in_parts();
	a_report_is_an_isolation();
	done_testing();
}
