/*
 * leader: a controller that leads, for the tests of its parts: a term above a fake io, with an API
 * server that answers by a list of rules.
 *
 *	leader_open(&l);
 *	leader_on(&l, "GET", "/sandboxtasks/answer", 200, OBJECTS_TASK("{}"));
 *	leader_begin(&l);
 *	leader_run(&l, 1000);
 *
 * Of the rules that fit a request the last one answers. Without others there are one class, two
 * namespaces, and nothing else; writes of status are conflicts, and what is not there is 404.
 * Watches are opened and stay open. Bodies have single quotes, as in objects.h.
 */
#ifndef TESTS_LEADER_H
#define TESTS_LEADER_H

#include "manager/election.h"
#include "manager/metrics.h"
#include "manager/term.h"

#include "fake_ws.h"
#include "objects.h"

#define LEADER_RULES_MAX 48
#define LEADER_LOG_BYTES (1 << 20)

struct leader_rule {
	const char *method, *part; /* of the target, anywhere */
	int status;		   /* 0: no answer but `code` */
	const char *body;
	int64_t retry_after_ms;
	enum err_code code;
	bool hangs;	/* no answer at all, until the request's own time is over */
	unsigned asked; /* so often it has answered */
};

struct leader {
	struct fake_io fake;
	struct fake_ws ws;
	struct log log;
	struct buf lines; /* of the log */
	struct client *client;
	struct metrics metrics;
	struct election election;
	struct term *term;		   /* while leading, once it has begun */
	uint64_t version;		   /* of the next object that is made or changed */
	bool is_opened[FAKE_REQUESTS_MAX]; /* of watches */
	int64_t tasks_max;
	bool is_lease_mute; /* nobody answers what is asked about the Lease */
	struct leader_rule rules[LEADER_RULES_MAX];
	size_t rule_count;
};

void leader_open(struct leader *l);
/* Takes the Lease; from there on there is a term, whose first lists have been read. */
void leader_begin(struct leader *l);
/* Both, and a job that the test tells what it knows: no answer comes about its task. */
struct job *leader_open_with_job(struct leader *l);
/* Both, and a task with a Pod that is on its way. */
void leader_open_with_pod(struct leader *l);
/* Marks that task. */
void leader_mark(struct leader *l);
/* Its job; NULL: it is over. */
struct job *leader_job(const struct leader *l);
/* Checks that nothing is left. */
void leader_close(struct leader *l);

struct leader_rule *leader_on(struct leader *l, const char *method, const char *part, int status,
			      const char *body);

/* Lets everything happen within that time. */
void leader_run(struct leader *l, int64_t ms);

/* In place of a rule's body: what was sent, with a uid ("made") and the next version. */
#define LEADER_ECHO "echo"

/*
 * The Pod that was asked for last, as it is with this uid, version and status. Valid until the
 * fourth call after this one; with double quotes.
 */
const char *leader_pod(struct leader *l, const char *uid, const char *version, const char *status);

/* An event on the watch whose target has this part: ADDED, MODIFIED, DELETED. */
void leader_event(struct leader *l, const char *part, const char *type, const char *object);

/* How many requests of this kind there were so far, and the last one's body, or NULL. */
unsigned leader_count(const struct leader *l, const char *method, const char *part);
const char *leader_body(const struct leader *l, const char *method, const char *part);

/* Lists, as answers. */
#define LEADER_LIST(items) "{'metadata':{'resourceVersion':'50'},'items':[" items "]}"
#define LEADER_TABLE(rows)                                                                         \
	"{'kind':'Table','metadata':{'resourceVersion':'50'},'columnDefinitions':[],'rows':[" rows \
	"]}"
#define LEADER_ROW(name, uid, version)                                                       \
	"{'cells':[],'object':{'metadata':{'namespace':'team','name':'" name "','uid':'" uid \
	"','resourceVersion':'" version "'}}}"
/* What a watch on tasks shows of one. */
#define LEADER_ROW_EVENT(row) "{'kind':'Table','metadata':{},'rows':[" row "]}"

#define LEADER_TASK_OF(in_namespace, name, uid, version, status)                                \
	"{'apiVersion':'sandboxtask.io/v1beta1','kind':'SandboxTask','metadata':{'name':'" name \
	"','namespace':'" in_namespace "','uid':'" uid "','resourceVersion':'" version          \
	"','creationTimestamp':'2026-01-02T03:04:05Z','generation':1},"                         \
	"'spec':{'sandboxClassName':'default','code':'print(1) # canary','stdin':'canary'},"    \
	"'status':" status "}"

/* A Pod of LEADER_TASK, with little more than its names. */
#define LEADER_POD_OF(in_namespace, attempt, uid, version, task_uid)                   \
	"{'metadata':{'name':'sbt-11111111222233334444555555555555-" attempt           \
	"','namespace':'" in_namespace "','uid':'" uid "','resourceVersion':'" version \
	"','annotations':{'sandboxtask.io/task':'team/answer'},"                       \
	"'labels':{'sandboxtask.io/task-uid':'" task_uid "'}}}"

#define LEADER_RUNNING \
	"{'containerStatuses':[{'name':'sandbox','state':{'running':{}}}],'phase':'Running'}"

#define LEADER_UID  "11111111-2222-3333-4444-555555555555"
#define LEADER_TASK "/namespaces/team/sandboxtasks/answer"

#endif
