#include "build/status.h"

#include "base/json_string.h"

#include "build/excerpt.h"

#include "golden.h"
#include "plans.h"
#include "tap.h"

#include <string.h>

#define NOW_US INT64_C(1767323045123456)

/* A task with its plan and Pod, at the moment of a write. */
static struct world {
	struct task task;
	struct plan plan;
	struct pod pod;
	struct isolation isolation;
	struct ending ending;
	struct status_request request;
	struct decision decision;
} w;

static void make_world(const char *status)
{
	static char json[4096];
	struct err err;

	snprintf(json, sizeof(json), OBJECTS_TASK_WITH("{'code':'print(42)'}", "%s"), status);
	w = (struct world){0};
	if (decode_task(&w.task, json_of(json), &err) < 0)
		fail("%s", err.message);
	plans_make(&w.plan, "{'code':'print(42)'}", OBJECTS_CLASS);
	w.pod = (struct pod){.name = STR("sbt-1-1"),
			     .namespace = STR("sandboxtask-pods"),
			     .uid = STR("pod-uid"),
			     .node_name = STR("node-1"),
			     .container = {.image_id = STR("sha256:abc")}};
	w.isolation = (struct isolation){
		.runtime = STR("gVisor"),
		.uid = 65534,
		.read_only_root = true,
		.no_new_privileges = true,
		.layers = {{STR("seccomp"), STR("x86_64"), ISOLATION_HELD},
			   {STR("cgroup"), STR(""), ISOLATION_NOT_SUPPORTED}},
		.layer_count = 2,
	};
	w.ending = (struct ending){
		.whole = true,
		.kind = ENDING_EXITED,
		.exit_code = 0,
		.stdout_kept = {STR("42\n"), {NULL, 0}, 3},
		.run_ms = 1434,
		.cpu_ms = 60,
		.memory_peak_bytes = 9 << 20,
		.tmp_peak_bytes = STATUS_NOT_KNOWN,
		.limit_hits = {STR("openFiles")},
		.limit_hit_count = 1,
	};
	w.request = (struct status_request){
		.task = &w.task,
		.now_us = NOW_US,
		.plan = &w.plan,
		.pod = &w.pod,
		.attempt = 1,
		.session = STR("104857600"),
		.isolation = &w.isolation,
		.durations = {STATUS_NOT_KNOWN, 800, STATUS_NOT_KNOWN, 30, 2500},
	};
}

static void free_world(void)
{
	decode_task_free(&w.task);
	plan_free(&w.plan);
}

static void decide(enum reason reason, const char *message, bool with_ending)
{
	w.decision = (struct decision){.reason = reason, .with_ending = with_ending, .attempt = 1};
	snprintf(w.decision.message, sizeof(w.decision.message), "%s", message);
	w.request.ending = with_ending ? &w.ending : NULL;
}

#define MARKED_STATUS                                                               \
	"{'phase':'Running','startedAt':'2026-01-02T03:04:04Z','podUID':'pod-uid'," \
	"'conditions':[{'type':'Isolated','status':'True','reason':'Running',"      \
	"'lastTransitionTime':'2026-01-02T03:04:04Z'}]}"

static void write_final(struct buf *text)
{
	struct err err;

	buf_init(text, STATUS_BYTES_MAX);
	if (status_write_final(text, &w.request, &w.decision, &err) < 0)
		fail("%s", err.message);
}

static void the_writes_of_a_life(void)
{
	struct buf text;
	struct err err;

	make_world(OBJECTS_PENDING);
	buf_init(&text, STATUS_BYTES_MAX);
	ok(status_write_queued(&text, &w.request, 7, &err) == 0, "a wait is written");
	golden("status-queued", buf_str(&text));
	buf_clear(&text);
	decide(REASON_Evicted, "the node evicted the sandbox's Pod (Evicted: low on disk)", false);
	ok(status_write_attempt(&text, &w.request, &w.decision, &err) == 0,
	   "a lost Pod is written");
	golden("status-attempt", buf_str(&text));
	buf_clear(&text);
	ok(status_write_mark(&text, &w.request, &err) == 0, "the mark is written");
	golden("status-mark", buf_str(&text));
	buf_free(&text);
	free_world();
}

static void the_ends_of_a_life(void)
{
	struct buf text;

	make_world(MARKED_STATUS);
	decide(REASON_Completed, "the program ended with exit code 0", true);
	write_final(&text);
	golden("status-completed", buf_str(&text));
	buf_free(&text);

	w.ending.exit_code = -1;
	w.ending.kind = ENDING_SIGNALLED;
	w.ending.signal = 11;
	w.ending.stdout_kept = (struct ending_stream){{"\xff\x00", 2}, {NULL, 0}, 2};
	decide(REASON_KilledBySignal, "the program was ended by SIGSEGV, which we did not send",
	       true);
	write_final(&text);
	golden("status-signal", buf_str(&text));
	buf_free(&text);

	decide(REASON_Interrupted, "the sandbox's Pod is gone", false);
	write_final(&text);
	golden("status-interrupted", buf_str(&text));
	buf_free(&text);
	free_world();

	make_world(OBJECTS_PENDING);
	w.request.plan = NULL;
	w.request.pod = NULL;
	w.request.isolation = NULL;
	w.request.attempt = 0;
	decide(REASON_InvalidSpec, "spec.code is empty: give the program's text", false);
	write_final(&text);
	golden("status-invalid", buf_str(&text));
	buf_free(&text);
	free_world();
}

static void long_streams_refer_to_outputs(void)
{
	static char bytes[100 << 10];
	struct output_ref refs[] = {{.name = "sbt-1-1-stdout-0", .bytes = 102400, .sha256 = "abc"}};
	struct buf text;

	memset(bytes, 'x', sizeof(bytes));
	make_world(MARKED_STATUS);
	w.ending.stdout_kept =
		(struct ending_stream){{bytes, sizeof(bytes)}, {NULL, 0}, sizeof(bytes)};
	w.request.stdout_refs = (struct status_refs){refs, 1};
	decide(REASON_Completed, "the program ended with exit code 0", true);
	write_final(&text);
	ok(strstr(text.data, "\"refs\":[{\"sandboxOutput\":{\"name\":\"sbt-1-1-stdout-0\"},"
			     "\"bytes\":102400,\"sha256\":\"abc\"}]"),
	   "the parts are named");
	ok(strstr(text.data, "\"bytes\":102400,\"truncated\":false,\"omittedBytes\":0,\"refs\""),
	   "nothing is omitted");
	ok(strstr(text.data, "{\"type\":\"OutputComplete\",\"status\":\"True\""),
	   "and that is said");
	cmp_ok(text.length, "<", 70 << 10, "64 KiB stand in the status");
	ok(strstr(text.data, "\"headBytes\":49152,\"bytes\":102400"),
	   "with the place where the middle is left out");
	buf_free(&text);
	w.decision.without_texts = true;
	write_final(&text);
	ok(!strstr(text.data, "\"text\"") && !strstr(text.data, "\"headBytes\""),
	   "a status that was too large comes without texts");
	ok(strstr(text.data, "\"truncated\":false,\"omittedBytes\":0,\"refs\""),
	   "of which the outputs still hold all");
	ok(strstr(text.data, "{\"type\":\"OutputComplete\",\"status\":\"False\""),
	   "and says that something is missing here");
	buf_free(&text);
	w.request.stdout_refs = (struct status_refs){0};
	write_final(&text);
	ok(strstr(text.data, "\"truncated\":true,\"omittedBytes\":102400"),
	   "without outputs all of it is omitted, and counted");
	buf_free(&text);
	w.decision.without_texts = false;
	write_final(&text);
	ok(strstr(text.data, "\"truncated\":true,\"omittedBytes\":36864"),
	   "outputs that could not be written are missing: what the text holds is all there is");
	ok(strstr(text.data, "{\"type\":\"OutputComplete\",\"status\":\"False\""),
	   "which is not complete");
	buf_free(&text);
	free_world();
}

static void the_worst_status_is_within_its_bound(void)
{
	static char bytes[64 << 10], detail[256];
	struct buf text;
	struct err err;
	struct str status;

	memset(bytes, '<', sizeof(bytes));
	memset(detail, 'd', sizeof(detail));
	make_world(OBJECTS_PENDING);
	for (size_t i = 0; i < ISOLATION_LAYERS_MAX; i++)
		w.isolation.layers[i] = (struct isolation_layer){
			{detail, 64}, {detail, sizeof(detail)}, ISOLATION_HELD};
	w.isolation.layer_count = ISOLATION_LAYERS_MAX;
	w.ending.stdout_kept =
		(struct ending_stream){{bytes, sizeof(bytes)}, {NULL, 0}, sizeof(bytes)};
	w.ending.stderr_kept = w.ending.stdout_kept;
	decide(REASON_NonZeroExit, "the program ended with exit code 1", true);
	memset(w.decision.message, 'm', sizeof(w.decision.message) - 1);
	write_final(&text);
	json_find(buf_str(&text), STR("status"), &status);
	/* Each '<' takes six bytes in etcd and one here. */
	cmp_ok(status.n + 2 * 5 * EXCERPT_STORED_MAX / 6, "<", STATUS_BYTES_MAX,
	       "the largest status, as it is stored");
	ok(json_check(status, &err) == 0, "and is JSON");
	buf_free(&text);
	free_world();
}

static void messages_are_sentences(void)
{
	static const struct {
		const char *name, *message, *wanted;
		enum reason reason;
	} rows[] = {
		{"a word begins a sentence", "the node is gone",
		 "\"message\":\"The node is gone. Send", REASON_NodeLost},
		{"a field stays as it is", "spec.code is empty",
		 "\"message\":\"spec.code is empty. Correct", REASON_InvalidSpec},
		{"a name stays as it is", "SandboxClass x has none",
		 "\"message\":\"SandboxClass x has none. Use", REASON_LanguageNotSupported},
		{"success needs no cure", "the program ended with exit code 0",
		 "\"message\":\"The program ended with exit code 0.\"", REASON_Completed},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf text;

		make_world(OBJECTS_PENDING);
		decide(rows[i].reason, rows[i].message, false);
		write_final(&text);
		ok(strstr(text.data, rows[i].wanted), "%s", rows[i].name);
		buf_free(&text);
		free_world();
	}
}

static void conditions_of_the_ends(void)
{
	static const struct {
		const char *name, *status;
		enum reason reason;
		bool with_ending;
		const char *isolated, *complete;
	} rows[] = {
		{"completed", MARKED_STATUS, REASON_Completed, true, "True", "True"},
		{"interrupted", MARKED_STATUS, REASON_Interrupted, false, "True", "False"},
		{"never started", OBJECTS_PENDING, REASON_StartTimeout, false, "Unknown",
		 "Unknown"},
		{"not isolated", OBJECTS_PENDING, REASON_IsolationUnverified, false, "False",
		 "Unknown"},
		{"tampered with in mid-run", MARKED_STATUS, REASON_PodTampered, false, "False",
		 "False"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char wanted[128];
		struct buf text;

		make_world(rows[i].status);
		decide(rows[i].reason, "the end", rows[i].with_ending);
		write_final(&text);
		snprintf(wanted, sizeof(wanted), "{\"type\":\"Isolated\",\"status\":\"%s\"",
			 rows[i].isolated);
		ok(strstr(text.data, wanted), "%s: isolated %s", rows[i].name, rows[i].isolated);
		snprintf(wanted, sizeof(wanted), "{\"type\":\"OutputComplete\",\"status\":\"%s\"",
			 rows[i].complete);
		ok(strstr(text.data, wanted), "  output complete %s", rows[i].complete);
		buf_free(&text);
		free_world();
	}
}

static void partial_outcomes_are_not_complete(void)
{
	struct buf text;

	make_world(MARKED_STATUS);
	w.ending.kind = ENDING_STOPPED;
	decide(REASON_Evicted, "the node evicted the sandbox's Pod", true);
	write_final(&text);
	ok(strstr(text.data, "{\"type\":\"OutputComplete\",\"status\":\"False\""),
	   "a stopped run is not complete");
	buf_free(&text);
	w.ending.kind = ENDING_EXITED;
	w.ending.stdout_kept.bytes = 4;
	write_final(&text);
	ok(strstr(text.data, "{\"type\":\"OutputComplete\",\"status\":\"False\""),
	   "nor is a cut stream");
	buf_free(&text);
	free_world();
}

static void durations_are_for_people(void)
{
	static const struct {
		int64_t ms;
		const char *text;
	} rows[] = {{0, "0.00s"},	{9, "0.00s"},	     {10, "0.01s"},	{1434, "1.43s"},
		    {59999, "59.99s"},	{60000, "1m00s"},    {125000, "2m05s"}, {3599999, "59m59s"},
		    {3600000, "1h00m"}, {86399000, "23h59m"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[STATUS_DURATION_SIZE];

		status_duration(text, rows[i].ms);
		is(text, rows[i].text, "%lld ms", (long long)rows[i].ms);
	}
}

int main(void)
{
	the_writes_of_a_life();
	the_ends_of_a_life();
	long_streams_refer_to_outputs();
	the_worst_status_is_within_its_bound();
	messages_are_sentences();
	conditions_of_the_ends();
	partial_outcomes_are_not_complete();
	durations_are_for_people();
	done_testing();
}
