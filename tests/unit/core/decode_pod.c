#include "core/decode_pod.h"

#include "objects.h"
#include "tap.h"

#include <stdio.h>

#define IDENTITY "'name':'sbt-1','namespace':'pods','uid':'u-1','resourceVersion':'9'"
#define POD_WITH(more, status) \
	"{'metadata':{" IDENTITY more "},'spec':{'nodeName':'n1'},'status':" status "}"

static bool equals(struct str s, const char *text)
{
	return str_equal(s, str_of(text));
}

static void a_whole_pod_is_read(void)
{
	struct str json = json_of(POD_WITH(
		",'labels':{'sandboxtask.io/task-uid':'t-1','other':'x'},"
		"'annotations':{'sandboxtask.io/task':'team/answer','sandboxtask.io/plan':"
		"'{\\u0022v\\u0022:1}'},"
		"'deletionTimestamp':'2026-01-01T00:00:00Z'",
		"{'phase':'Failed','reason':'Evicted','message':'low on disk','conditions':["
		"{'type':'DisruptionTarget','status':'True','reason':'TerminationByKubelet',"
		"'message':'why'}],"
		"'containerStatuses':[{'name':'stranger','state':{'running':{}}},"
		"{'name':'sandbox','imageID':'sha256:1','state':{'terminated':{"
		"'reason':'OOMKilled',"
		"'exitCode':128,'signal':9,'message':'m'}}}]}"));
	struct pod pod;
	struct err err;

	if (!ok(decode_pod(&pod, json, &err) == 0, "a Pod with everything is read"))
		diag("%s", err.message);
	ok(equals(pod.name, "sbt-1") && equals(pod.namespace, "pods") && equals(pod.uid, "u-1") &&
		   equals(pod.resource_version, "9"),
	   "who it is");
	ok(equals(pod.node_name, "n1") && pod.deleting, "where it is, and that it goes");
	ok(equals(pod.task_uid, "t-1") && equals(pod.task, "team/answer"), "whose it is");
	is_bytes(pod.plan.p, pod.plan.n, "{\"v\":1}", 7, "its plan, unescaped");
	ok(equals(pod.phase, "Failed") && equals(pod.reason, "Evicted") &&
		   equals(pod.message, "low on disk"),
	   "how it stands");
	ok(pod.condition_count == 1 && equals(pod.conditions[0].reason, "TerminationByKubelet") &&
		   equals(pod.conditions[0].message, "why"),
	   "its conditions");
	cmp_ok(pod.container.state, "==", POD_CONTAINER_TERMINATED, "our container's state");
	ok(equals(pod.container.reason, "OOMKilled") && pod.container.exit_code == 128 &&
		   pod.container.signal == 9 && equals(pod.container.message, "m"),
	   "and how it ended");
	ok(equals(pod.container.image_id, "sha256:1"), "and its image");
	ok(pod.json.p == json.p, "the object itself is kept");
	decode_pod_free(&pod);
}

static void states_of_the_container(void)
{
	static const struct {
		const char *status;
		enum pod_container_state state;
		const char *reason;
	} rows[] = {
		{"{}", POD_CONTAINER_UNKNOWN, ""},
		{"{'containerStatuses':[]}", POD_CONTAINER_UNKNOWN, ""},
		{"{'containerStatuses':[{'name':'other','state':{'running':{}}}]}",
		 POD_CONTAINER_UNKNOWN, ""},
		{"{'containerStatuses':[{'name':'sandbox','state':{}}]}", POD_CONTAINER_UNKNOWN,
		 ""},
		{"{'containerStatuses':[{'name':'sandbox','state':{'waiting':{"
		 "'reason':'ErrImagePull'}}}]}",
		 POD_CONTAINER_WAITING, "ErrImagePull"},
		{"{'containerStatuses':[{'name':'sandbox','state':{'running':{'startedAt':'x'}}}]}",
		 POD_CONTAINER_RUNNING, ""},
		{"{'containerStatuses':[{'name':'sandbox','state':{'terminated':{'exitCode':78,"
		 "'reason':'Error'}}}]}",
		 POD_CONTAINER_TERMINATED, "Error"},
		{"{'containerStatuses':[{'name':'sandbox','state':{'terminated':{'exitCode':137,"
		 "'reason':'ContainerStatusUnknown','startedAt':null}}}]}",
		 POD_CONTAINER_TERMINATED, "ContainerStatusUnknown"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char json[1024];
		struct pod pod;
		struct err err;

		snprintf(json, sizeof(json), POD_WITH("", "%s"), rows[i].status);
		decode_pod(&pod, json_of(json), &err);
		cmp_ok(pod.container.state, "==", rows[i].state, "status %s", rows[i].status);
		ok(equals(pod.container.reason, rows[i].reason), "  with its reason");
		decode_pod_free(&pod);
	}
}

static void a_pod_without_identity_is_an_error(void)
{
	static const char *const rows[] = {
		"{}",
		"{'metadata':{'name':'a','namespace':'b'}}",
		"{'metadata':{'name':'a','uid':'b'}}",
		POD_WITH("", "{'containerStatuses':{}}"),
		POD_WITH("", "{'conditions':[1]}"),
		"x",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pod pod;
		struct err err;

		ok(decode_pod(&pod, json_of(rows[i]), &err) < 0, "%s is an error", rows[i]);
		decode_pod_free(&pod);
	}
}

int main(void)
{
	a_whole_pod_is_read();
	states_of_the_container();
	a_pod_without_identity_is_an_error();
	done_testing();
}
