#include "manager/space.h"

#include "manager/term_internal.h"

#include "build/networkpolicy.h"
#include "leader.h"
#include "tap.h"

#define MINUTE_MS 60000

#define POLICY_OF(version, spec)                                                      \
	"{'metadata':{'name':'" NETWORKPOLICY_NAME "','namespace':'pods','uid':'np'," \
	"'resourceVersion':'" version "'},'spec':" spec "}"
#define CLOSED                                                                           \
	"{'podSelector':{'matchLabels':{'app.kubernetes.io/managed-by':'sandboxtask'}}," \
	"'policyTypes':['Ingress','Egress']}"
#define OPEN "{'podSelector':{},'policyTypes':['Ingress','Egress'],'egress':[{}]}"

static struct leader l;
static struct space *space;

/* The answer to a write is this one. */
static struct leader_rule *begin(int status, const char *body)
{
	struct leader_rule *rule;

	leader_open(&l);
	rule = leader_on(&l, "PATCH", "/networkpolicies/", status, body);
	leader_begin(&l);
	space = term_space(l.term, STR("pods"));
	leader_run(&l, 0);
	return rule;
}

static void finish(void)
{
	leader_close(&l);
}

static unsigned writes(void)
{
	return leader_count(&l, "PATCH", "/namespaces/pods/networkpolicies/" NETWORKPOLICY_NAME);
}

static void it_is_closed_when_somebody_needs_it(void)
{
	begin(200, LEADER_ECHO);
	leader_run(&l, MINUTE_MS);
	cmp_ok(writes(), "==", 0, "nobody needs it: nothing is written");
	ok(!space->is_closed, "and it is not closed");
	space_close_network(space);
	space_close_network(space);
	leader_run(&l, 0);
	cmp_ok(writes(), "==", 1, "somebody does: it is written, once");
	like(leader_body(&l, "PATCH", "/networkpolicies/"), "\"policyTypes\"", "whole");
	ok(space->is_closed, "then it is closed");
	space_close_network(space);
	leader_run(&l, MINUTE_MS);
	cmp_ok(writes(), "==", 1, "and not written again");
	finish();
}

static void one_that_is_there_is_taken(void)
{
	leader_open(&l);
	leader_on(&l, "GET", "/pods/networkpolicies?", 200, LEADER_LIST(POLICY_OF("40", CLOSED)));
	leader_begin(&l);
	space = term_space(l.term, STR("pods"));
	leader_run(&l, 0);
	ok(space->is_closed, "a sound policy closes it");
	space_close_network(space);
	leader_run(&l, 0);
	cmp_ok(writes(), "==", 0, "without a write");
	finish();
}

static void an_open_one_is_written_when_somebody_needs_it(void)
{
	leader_open(&l);
	leader_on(&l, "GET", "/pods/networkpolicies?", 200, LEADER_LIST(POLICY_OF("40", OPEN)));
	leader_on(&l, "PATCH", "/networkpolicies/", 200, LEADER_ECHO);
	leader_begin(&l);
	space = term_space(l.term, STR("pods"));
	leader_run(&l, MINUTE_MS);
	ok(!space->is_closed && writes() == 0, "a policy that lets something through does not");
	space_close_network(space);
	leader_run(&l, 0);
	ok(space->is_closed && writes() == 1, "it is written over");
	finish();
}

static void what_was_closed_is_restored(void)
{
	static const struct {
		const char *sentence, *type, *object;
	} rows[] = {
		{"a policy that is changed", "MODIFIED", POLICY_OF("1000", OPEN)},
		{"a policy that is deleted", "DELETED", POLICY_OF("1000", CLOSED)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(200, POLICY_OF("2000", CLOSED));
		leader_event(&l, "/networkpolicies?", "ADDED", POLICY_OF("900", CLOSED));
		space_close_network(space);
		leader_run(&l, SPACE_CALM_MS);
		leader_event(&l, "/networkpolicies?", rows[i].type, rows[i].object);
		ok(!space->is_closed, "%s closes nothing", rows[i].sentence);
		leader_run(&l, 0);
		cmp_ok(writes(), "==", 1, "  and is written again at once");
		ok(space->is_closed, "  which closes it");
		finish();
	}
}

static void nobody_needs_it_nobody_restores_it(void)
{
	begin(200, LEADER_ECHO);
	leader_event(&l, "/networkpolicies?", "ADDED", POLICY_OF("900", CLOSED));
	leader_event(&l, "/networkpolicies?", "DELETED", POLICY_OF("1000", CLOSED));
	leader_run(&l, MINUTE_MS);
	cmp_ok(writes(), "==", 0, "what nobody has asked for is not restored");
	ok(!space->is_closed, "but known to be open");
	finish();
}

static void news_have_versions(void)
{
	begin(200, POLICY_OF("1000", CLOSED));
	space_close_network(space);
	leader_run(&l, 0);
	leader_event(&l, "/networkpolicies?", "MODIFIED", POLICY_OF("999", OPEN));
	ok(space->is_closed, "what was before the answer does not count after it");
	leader_event(&l, "/networkpolicies?", "MODIFIED", POLICY_OF("1001", OPEN));
	ok(!space->is_closed, "what came later does");
	finish();
}

static void an_answer_may_be_older_than_the_watch(void)
{
	struct leader_rule *rule = begin(200, POLICY_OF("1000", CLOSED));

	rule->hangs = true;
	space_close_network(space);
	leader_event(&l, "/networkpolicies?", "MODIFIED", POLICY_OF("1001", OPEN));
	rule->hangs = false;
	leader_run(&l, 0);
	ok(!space->is_closed, "an answer from before does not close what is open now");
	rule->body = POLICY_OF("1002", CLOSED);
	leader_run(&l, 2000);
	ok(space->is_closed, "it is written again");
	finish();
}

static void who_takes_it_away_again_and_again_is_no_hot_loop(void)
{
	unsigned version = 5000;

	begin(200, LEADER_ECHO);
	space_close_network(space);
	leader_run(&l, 0);
	for (int i = 0; i < 600; i++) {
		char policy[512];

		snprintf(policy, sizeof(policy), POLICY_OF("%u", OPEN), version++);
		l.version = version++;
		leader_event(&l, "/networkpolicies?", "MODIFIED", policy);
		leader_run(&l, 100);
	}
	cmp_ok(writes(), "<=", 10, "a minute of quarrel costs a few writes");
	cmp_ok(writes(), ">", 2, "and is not given up");
	finish();
}

/* Whatever an API server says to it: it is tried again, ever later, and never believed. */
static void trouble_is_tried_again(void)
{
	static const struct {
		const char *sentence;
		int status;
		enum err_code code;
		const char *body;
		enum reason reason;
	} rows[] = {
		{"401", 401, 0, "{}", REASON_PodRejected},
		{"403", 403, 0, "{}", REASON_PodRejected},
		{"a namespace that is not there", 404, 0, "{}", REASON_PodRejected},
		{"409", 409, 0, "{}", REASON_PodRejected},
		{"422", 422, 0, "{}", REASON_PodRejected},
		{"500", 500, 0, "", REASON_StartTimeout},
		{"503", 503, 0, "{}", REASON_StartTimeout},
		{"a time-out", 0, ERR_TIMEOUT, "", REASON_StartTimeout},
		{"a refused connection", 0, ERR_TRANSPORT, "", REASON_StartTimeout},
		{"garbage", 200, 0, "{'metadata':", REASON_StartTimeout},
		{"an empty body", 200, 0, " ", REASON_StartTimeout},
		{"something else", 200, 0, "[]", REASON_StartTimeout},
		{"a policy that was opened on the way", 200, 0, POLICY_OF("1000", OPEN),
		 REASON_StartTimeout},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct leader_rule *rule = begin(rows[i].status, rows[i].body);

		rule->code = rows[i].code;
		space_close_network(space);
		leader_run(&l, MINUTE_MS);
		ok(!space->is_closed, "%s closes nothing", rows[i].sentence);
		cmp_ok(writes(), "<=", 8, "  a minute of it costs a few writes");
		ok(space->is_refused && !space->refusal.hopeless, "  it may come right");
		is(reason_name(space->refusal.reason), reason_name(rows[i].reason),
		   "  if not, the reason is %s", reason_name(rows[i].reason));
		rule->status = 200;
		rule->body = LEADER_ECHO;
		leader_run(&l, MINUTE_MS);
		ok(space->is_closed && !space->is_refused, "  and it does come right");
		finish();
	}
}

static void a_busy_server_is_left_alone(void)
{
	begin(429, "{}")->retry_after_ms = 20000;
	space_close_network(space);
	leader_run(&l, 19999);
	cmp_ok(writes(), "==", 1, "before Retry-After nothing is asked");
	leader_run(&l, 1);
	cmp_ok(writes(), "==", 2, "then it is");
	finish();
}

static void pods_are_listed_or_not_waited_for(void)
{
	struct leader_rule *rule;

	begin(200, LEADER_ECHO);
	ok(space->is_listed && !space->is_troubled, "the Pods that are there are told first");
	finish();
	leader_open(&l);
	rule = leader_on(&l, "GET", "/namespaces/pods/pods?", 403, "{}");
	leader_begin(&l);
	space = term_space(l.term, STR("pods"));
	leader_run(&l, 0);
	ok(!space->is_listed && space->is_troubled, "a list that is refused is not waited for");
	leader_run(&l, 3 * MINUTE_MS);
	cmp_ok(rule->asked, "<=", 12, "and asked for ever later");
	rule->status = 200;
	rule->body = LEADER_LIST("");
	leader_run(&l, MINUTE_MS);
	ok(space->is_listed && !space->is_troubled, "until it is there");
	leader_event(&l, "/namespaces/pods/pods?", "ERROR", "{'kind':'Status','code':410}");
	rule->status = 500;
	leader_run(&l, MINUTE_MS);
	ok(space->is_listed && !space->is_troubled, "later trouble takes nothing back");
	finish();
}

static void an_end_is_legal_at_any_time(void)
{
	begin(200, LEADER_ECHO)->hangs = true;
	space_close_network(space);
	ok(space->closing, "with a write under way");
	finish();
	begin(500, "");
	space_close_network(space);
	leader_run(&l, 0);
	ok(space->retry, "and while one waits for the next");
	finish();
}

int main(void)
{
	it_is_closed_when_somebody_needs_it();
	one_that_is_there_is_taken();
	an_open_one_is_written_when_somebody_needs_it();
	what_was_closed_is_restored();
	nobody_needs_it_nobody_restores_it();
	news_have_versions();
	an_answer_may_be_older_than_the_watch();
	who_takes_it_away_again_and_again_is_no_hot_loop();
	trouble_is_tried_again();
	a_busy_server_is_left_alone();
	pods_are_listed_or_not_waited_for();
	an_end_is_legal_at_any_time();
	done_testing();
}
