/* What does not find room in a status: objects of their own, before the status that names them. */
#include "manager/effect.h"

#include "base/mem.h"

#include "leader.h"
#include "proto_samples.h"
#include "tap.h"

#include "session/session_internal.h"

#include <stdlib.h>
#include <string.h>

#define MINUTE_MS 60000
#define POD_NAME  "sbt-11111111222233334444555555555555-1"

static struct leader l;
static struct session session;
static struct outcome outcome;
static char text[OUTPUT_PART_BYTES_MAX + 1];

/* A marked task whose long outcome is here: its outputs are to be written, and nothing else. */
static void begin_output(int status, const char *body)
{
	struct job *j;

	leader_open_with_pod(&l);
	leader_on(&l, "POST", "/sandboxoutputs?", status, body)->code = ERR_TRANSPORT;
	memset(text, 'x', sizeof(text));
	sample_plain_outcome(&outcome, "");
	outcome.streams[STREAM_STDOUT].head = (struct str){text, sizeof(text)};
	outcome.streams[STREAM_STDOUT].total = sizeof(text);
	session = (struct session){.config.number = 7, .next_number = 8, .outcome = &outcome};
	session.state = SESSION_IS_PULLED;
	j = leader_job(&l);
	j->run = mem_new(1, sizeof(*j->run));
	*j->run = (struct run){.job = j, .session = &session, .displaced_ms = JOB_NO_TIME};
	leader_mark(&l);
}

/* The session is not on the heap. */
static void finish_output(void)
{
	struct run *run = leader_job(&l) ? leader_job(&l)->run : NULL;

	for (int i = 0; run && i < RUN_STREAMS; i++)
		free(run->refs[i]);
	free(run);
	if (leader_job(&l))
		leader_job(&l)->run = NULL;
	leader_close(&l);
}

static void outputs_come_before_the_status_that_names_them(void)
{
	begin_output(201, LEADER_ECHO);
	leader_run(&l, 0);
	cmp_ok(leader_count(&l, "POST", "/namespaces/team/sandboxoutputs?"), "==", 2,
	       "each part is an object");
	like(leader_body(&l, "PATCH", "/status?"), POD_NAME "-stdout-1",
	     "the status names the last");
	finish_output();
}

static void an_output_that_is_refused_holds_nothing_back(void)
{
	static const struct {
		const char *sentence;
		int status;
		const char *body;
		int64_t by_ms;
	} rows[] = {
		{"403", 403, "{'kind':'Status'}", 0},
		{"422", 422, "{'kind':'Status'}", 0},
		{"413", 413, "", 0},
		{"one of the name with another content", 409,
		 "{'kind':'Status','reason':'AlreadyExists'}", 0},
		{"a server that stays in trouble", 500, "oops", 10 * MINUTE_MS},
		{"a quota's conflict that stays", 409, "{'kind':'Status','reason':'Conflict'}",
		 10 * MINUTE_MS},
		{"a connection that stays cut", 0, "", 10 * MINUTE_MS},
		{"an answer that is none, and no object", 201, "{}", 10 * MINUTE_MS},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_output(rows[i].status, rows[i].body);
		if (rows[i].status == 409)
			leader_on(&l, "GET", "/sandboxoutputs/", 200, "{'sha256':'other'}");
		leader_run(&l, rows[i].by_ms);
		like(leader_body(&l, "PATCH", "/status?"), "\"omittedBytes\":[1-9]",
		     "%s: the status says how much is missing", rows[i].sentence);
		ok(!strstr(leader_body(&l, "PATCH", "/status?"), "sandboxOutput"),
		   "  and names no part of it");
		cmp_ok(leader_count(&l, "POST", "/sandboxoutputs?"), "<=", RUN_OUTPUT_FAILURES_MAX,
		       "  with few tries");
		finish_output();
	}
}

static void an_output_that_is_there_is_ours(void)
{
	static char live[512];
	struct leader_rule *rule;

	begin_output(409, "{'kind':'Status','reason':'AlreadyExists'}");
	outcome.streams[STREAM_STDOUT].head.n = outcome.streams[STREAM_STDOUT].total = 100000;
	rule = leader_on(&l, "GET", "/sandboxoutputs/", 200, "");
	rule->hangs = true;
	leader_run(&l, 0);
	snprintf(live, sizeof(live), "{'sha256':'%s','task':{'uid':'" LEADER_UID "'}}",
		 leader_job(&l)->run->refs[STREAM_STDOUT][0].sha256);
	rule->body = live;
	rule->hangs = false;
	leader_run(&l, 0);
	like(leader_body(&l, "PATCH", "/status?"), POD_NAME "-stdout-0",
	     "one with the same content is taken for it");
	finish_output();
}

/* Whoever makes a Pod of that name does not take away what is here. */
static void an_outcome_outlives_its_pod(void)
{
	struct leader_rule *rule;

	begin_output(201, LEADER_ECHO);
	rule = &l.rules[l.rule_count - 2];
	rule->hangs = true;
	leader_run(&l, 0);
	leader_event(&l, "/pods?", "DELETED", leader_pod(&l, "made", "9000", "{}"));
	leader_event(&l, "/pods?", "ADDED", leader_pod(&l, "another", "9001", "{}"));
	ok(leader_job(&l)->run, "the outcome is still here, with a write of it under way");
	rule->hangs = false;
	leader_run(&l, 0);
	like(leader_body(&l, "PATCH", "/status?"), "\"reason\":\"Completed\"",
	     "and becomes the end");
	finish_output();
}

int main(void)
{
	outputs_come_before_the_status_that_names_them();
	an_output_that_is_refused_holds_nothing_back();
	an_output_that_is_there_is_ours();
	an_outcome_outlives_its_pod();
	done_testing();
}
