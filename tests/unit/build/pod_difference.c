#include "build/pod_difference.h"

#include "base/json.h"

#include "build/pod.h"

#include "golden.h"
#include "plans.h"
#include "tap.h"

#include <string.h>

/* A live Pod is the planned one with a piece of its text replaced. */
static const struct row {
	const char *name, *from, *to;
	const char *path; /* NULL: they are the same */
} rows[] = {
	/* What Kubernetes fills in. */
	{"the Pod as it was sent", "", "", NULL},
	{"what the scheduler fills in", "'dnsPolicy'",
	 "'nodeName':'n1','schedulerName':'default-scheduler','dnsPolicy'", NULL},
	{"what admission fills in", "'dnsPolicy'",
	 "'priority':0,'preemptionPolicy':'PreemptLowerPriority','serviceAccount':'default',"
	 "'imagePullSecrets':[{'name':'x'}],'overhead':{'memory':'1Mi'},'dnsPolicy'",
	 NULL},
	{"the default PriorityClass of the cluster", "'dnsPolicy'",
	 "'priorityClassName':'standard','priority':10,'dnsPolicy'", NULL},
	{"an image that is pulled for each Pod, by AlwaysPullImages",
	 "'imagePullPolicy':'IfNotPresent'", "'imagePullPolicy':'Always'", NULL},
	{"a gate that holds the Pod back from being scheduled", "'dnsPolicy'",
	 "'schedulingGates':[{'name':'kueue.x-k8s.io/admission'}],'dnsPolicy'", NULL},
	{"false, which Kubernetes leaves out", "'stdinOnce':false,", "", NULL},
	{"a node selector of the RuntimeClass", "'dnsPolicy'",
	 "'nodeSelector':{'g':'v'},'dnsPolicy'", NULL},
	{"one beside ours", "'pool':'sandbox'", "'pool':'sandbox','g':'v'", NULL},
	{"default tolerations behind ours", "{'key':'sandbox','operator':'Exists'}",
	 "{'key':'sandbox','operator':'Exists'},{'effect':'NoExecute','key':"
	 "'node.kubernetes.io/not-ready','operator':'Exists','tolerationSeconds':300}",
	 NULL},
	{"tolerations before ours", "{'key':'sandbox','operator':'Exists'}",
	 "{'operator':'Exists','effect':'NoExecute'},{'operator':'Exists','key':'sandbox'}", NULL},
	{"metadata that the API server fills in", "'namespace':'team'",
	 "'namespace':'team','uid':'u','resourceVersion':'1','creationTimestamp':'x',"
	 "'managedFields':[{'manager':'m'}],'finalizers':['f']",
	 NULL},
	{"labels and annotations of others", "'sandboxtask.io/network'",
	 "'topology.kubernetes.io/zone':'z','sandboxtask.io/network'", NULL},
	{"an annotation of a network plugin", "'sandboxtask.io/task'",
	 "'cni.projectcalico.org/podIP':'1','sandboxtask.io/task'", NULL},
	{"an owner that a cascading deletion took away", "'controller':true", "'controller':false",
	 NULL},
	{"keys in another order", "'apiVersion':'v1','kind':'Pod'",
	 "'kind':'Pod','apiVersion':'v1'", NULL},
	{"a character that came escaped", "'name':'sandbox'", "'name':'s\\u0061ndbox'", NULL},
	{"a user that the cluster assigned, and what goes with it", "'runAsNonRoot':true",
	 "'runAsNonRoot':true,'runAsUser':1000680000,'fsGroup':1,'seLinuxOptions':{'level':'s0'}",
	 NULL},
	{"the same on the container", "'privileged':false",
	 "'privileged':false,'runAsUser':1000680000", NULL},

	/* What nobody may change. */
	{"root, where we left the user out", "'runAsNonRoot':true",
	 "'runAsNonRoot':true,'runAsUser':0", "spec.securityContext.runAsUser"},
	{"root on the container", "'privileged':false", "'privileged':false,'runAsUser':0",
	 "spec.containers[0].securityContext.runAsUser"},
	{"another image", "'image':'docker.io/sandboxtask/runner-python:1'", "'image':'evil'",
	 "spec.containers[0].image"},
	{"a second container", "'name':'tmp'}]}]",
	 "'name':'tmp'}]},{'name':'sidecar','image':'x'}]", "spec.containers[1]"},
	{"an init container", "'dnsPolicy'", "'initContainers':[{'name':'x'}],'dnsPolicy'",
	 "spec.initContainers"},
	{"an ephemeral container", "'dnsPolicy'",
	 "'ephemeralContainers':[{'name':'x'}],'dnsPolicy'", "spec.ephemeralContainers"},
	{"another runtime", "'runtimeClassName':'gvisor'", "'runtimeClassName':'runc'",
	 "spec.runtimeClassName"},
	{"no runtime", "'runtimeClassName':'gvisor',", "", "spec.runtimeClassName"},
	{"the host's network", "'dnsPolicy'", "'hostNetwork':true,'dnsPolicy'", "spec.hostNetwork"},
	{"the host's processes", "'dnsPolicy'", "'hostPID':true,'dnsPolicy'", "spec.hostPID"},
	{"shared processes", "'dnsPolicy'", "'shareProcessNamespace':true,'dnsPolicy'",
	 "spec.shareProcessNamespace"},
	{"host aliases", "'dnsPolicy'", "'hostAliases':[],'dnsPolicy'", "spec.hostAliases"},
	{"a token", "'automountServiceAccountToken':false", "'automountServiceAccountToken':true",
	 "spec.automountServiceAccountToken"},
	{"service links", "'enableServiceLinks':false", "'enableServiceLinks':true",
	 "spec.enableServiceLinks"},
	{"another service account", "'serviceAccountName':'default'",
	 "'serviceAccountName':'admin'", "spec.serviceAccountName"},
	{"an image that must not be pulled", "'imagePullPolicy':'IfNotPresent'",
	 "'imagePullPolicy':'Never'", "spec.containers[0].imagePullPolicy"},
	{"a command", "'image'", "'command':['/bin/sh'],'image'", "spec.containers[0].command"},
	{"another argument", "--grace-seconds=30", "--grace-seconds=3",
	 "spec.containers[0].args[2]"},
	{"one argument more", "'--grace-seconds=30'", "'--grace-seconds=30','--x'",
	 "spec.containers[0].args[3]"},
	{"one argument less", ",'--grace-seconds=30'", "", "spec.containers[0].args[2]"},
	{"a variable", "'image'", "'env':[{'name':'LD_PRELOAD','value':'x'}],'image'",
	 "spec.containers[0].env"},
	{"a probe", "'image'", "'livenessProbe':{'exec':{'command':['x']}},'image'",
	 "spec.containers[0].livenessProbe"},
	{"a hook", "'image'", "'lifecycle':{},'image'", "spec.containers[0].lifecycle"},
	{"a port", "'image'", "'ports':[{'containerPort':1}],'image'", "spec.containers[0].ports"},
	{"a device", "'image'", "'volumeDevices':[],'image'", "spec.containers[0].volumeDevices"},
	{"privilege", "'privileged':false", "'privileged':true",
	 "spec.containers[0].securityContext.privileged"},
	{"a writable root", "'readOnlyRootFilesystem':true", "'readOnlyRootFilesystem':false",
	 "spec.containers[0].securityContext.readOnlyRootFilesystem"},
	{"a capability", "'drop':['ALL']", "'drop':['ALL'],'add':['NET_ADMIN']",
	 "spec.containers[0].securityContext.capabilities.add"},
	{"capabilities kept", "'drop':['ALL']", "'drop':[]",
	 "spec.containers[0].securityContext.capabilities.drop[0]"},
	{"no seccomp", "'seccompProfile':{'type':'RuntimeDefault'}",
	 "'seccompProfile':{'type':'Unconfined'}", "spec.securityContext.seccompProfile.type"},
	{"more memory", "'memory':'", "'memory':'9", "spec.containers[0].resources.limits.memory"},
	{"stdin that closes after one attach", "'stdinOnce':false", "'stdinOnce':true",
	 "spec.containers[0].stdinOnce"},
	{"a terminal", "'tty':false", "'tty':true", "spec.containers[0].tty"},
	{"another mount", "'mountPath':'/tmp'", "'mountPath':'/'",
	 "spec.containers[0].volumeMounts[0].mountPath"},
	{"a volume of the host", "{'emptyDir':{'medium':'Memory','sizeLimit':'1Mi'},'name':'tmp'}",
	 "{'hostPath':{'path':'/'},'name':'tmp'}", "spec.volumes[0].emptyDir"},
	{"a volume more", "'name':'tmp'}]}}", "'name':'tmp'},{'name':'x','secret':{}}]}}",
	 "spec.volumes[1]"},
	{"a longer life", "'activeDeadlineSeconds':", "'activeDeadlineSeconds':1",
	 "spec.activeDeadlineSeconds"},
	{"a restart", "'restartPolicy':'Never'", "'restartPolicy':'Always'", "spec.restartPolicy"},
	{"a node selector of ours taken away", "'nodeSelector':{'pool':'sandbox'},", "",
	 "spec.nodeSelector"},
	{"a toleration of ours taken away", "{'key':'sandbox','operator':'Exists'}",
	 "{'operator':'Exists'}", "spec.tolerations[0]"},
	{"another name", "sbt-1111", "sbt-2111", "metadata.name"},
	{"another namespace", "'namespace':'team'", "'namespace':'other'", "metadata.namespace"},
	{"a stripped label", ",'sandboxtask.io/task-uid':'" PLANS_UID "'", "",
	 "metadata.labels.sandboxtask.io/task-uid"},
	{"another network", "'sandboxtask.io/network':'none'", "'sandboxtask.io/network':'run'",
	 "metadata.labels.sandboxtask.io/network"},
	{"a label of ours that we did not set", "'sandboxtask.io/network'",
	 "'sandboxtask.io/new':'x','sandboxtask.io/network'", "metadata.labels.sandboxtask.io/new"},
	{"an annotation that configures gVisor", "'sandboxtask.io/task'",
	 "'dev.gvisor.internal.nvproxy':'true','sandboxtask.io/task'",
	 "metadata.annotations.dev.gvisor.internal.nvproxy"},
	{"one that hides behind an escape", "'sandboxtask.io/task'",
	 "'dev\\u002egvisor.internal.x':'true','sandboxtask.io/task'",
	 "metadata.annotations.dev\\u002egvisor.internal.x"},
	{"another plan", "\\\"runSeconds\\\":60", "\\\"runSeconds\\\":61",
	 "metadata.annotations.sandboxtask.io/plan"},
	{"another type", "'stdin':true", "'stdin':'true'", "spec.containers[0].stdin"},
	{"no spec", "'spec':{'active", "'spec2':{'active", "spec"},
};

static struct buf planned;

static void plan_a_pod(struct buf *text, const char *class_json)
{
	struct pod_request request = {.task_name = STR("answer"),
				      .task_namespace = STR("team"),
				      .task_uid = STR(PLANS_UID),
				      .attempt = 1};
	struct plan plan;
	struct err err;

	plans_make(&plan, "{'code':'x'}", class_json);
	request.plan = &plan;
	buf_init(text, POD_BYTES_MAX);
	if (pod_write(text, &request, &err) < 0)
		fail("%s", err.message);
	plan_free(&plan);
}

static void check_row(const struct buf *ours, const struct row *row)
{
	struct buf live;
	struct str from = json_of(row->from), to = json_of(row->to);
	char path[POD_DIFFERENCE_SIZE];
	const char *at = strstr(ours->data, from.p);
	struct err err;
	bool differs;

	if (!ok(at != NULL, "%s: there is something to replace", row->name))
		return;
	buf_init(&live, POD_BYTES_MAX);
	buf_append(&live, ours->data, (size_t)(at - ours->data));
	buf_append_str(&live, to);
	buf_append_str(&live, str_of(at + from.n));
	ok(json_check(buf_str(&live), &err) == 0, "  what comes of it is JSON");
	differs = pod_difference(buf_str(ours), buf_str(&live), path);
	is(differs ? path : NULL, row->path, "  and is %s", row->path ? "named" : "forgiven");
	buf_free(&live);
}

/* Templates write what their values don't give like that, and it means the same as nothing. */
static void what_a_class_leaves_empty_is_no_difference(void)
{
	static const struct row of_empty[] = {
		{"an empty node selector", "'nodeSelector':{},", "", NULL},
		{"empty tolerations", "'tolerations':[],", "", NULL},
		{"empty pull secrets", "'imagePullSecrets':[],", "", NULL},
	};
	static const struct row of_texts[] = {
		{"a toleration's empty value", ",'value':'','effect':'NoSchedule'",
		 ",'effect':'NoSchedule'", NULL},
		{"one that is not empty any more", "'value':''", "'value':'x'",
		 "spec.tolerations[0]"},
	};
	struct buf ours;

	plan_a_pod(&ours, OBJECTS_CLASS_WITH(OBJECTS_PYTHON,
					     ",'imagePullSecrets':[],"
					     "'scheduling':{'nodeSelector':{},'tolerations':[]}"));
	for (size_t i = 0; i < sizeof(of_empty) / sizeof(of_empty[0]); i++)
		check_row(&ours, &of_empty[i]);
	buf_free(&ours);
	plan_a_pod(&ours, OBJECTS_CLASS_WITH(OBJECTS_PYTHON,
					     ",'scheduling':{'tolerations':["
					     "{'key':'a','value':'','effect':'NoSchedule'}]}"));
	for (size_t i = 0; i < sizeof(of_texts) / sizeof(of_texts[0]); i++)
		check_row(&ours, &of_texts[i]);
	buf_free(&ours);
}

static void a_priority_class_of_ours_stays(void)
{
	static const struct row row = {"another PriorityClass than that of the class",
				       "'priorityClassName':'low'", "'priorityClassName':'high'",
				       "spec.priorityClassName"};
	struct buf ours;

	plan_a_pod(&ours,
		   OBJECTS_CLASS_WITH(OBJECTS_PYTHON, ",'scheduling':{'priorityClassName':'low'}"));
	check_row(&ours, &row);
	buf_free(&ours);
}

/* The Pod of tests/golden/pod-default.json, as Kubernetes 1.36.3 served it once scheduled. */
static void a_real_pod_is_the_planned_one(void)
{
	char path[POD_DIFFERENCE_SIZE] = "";
	struct buf ours, live;

	buf_init(&ours, POD_BYTES_MAX);
	buf_init(&live, POD_BYTES_MAX);
	golden_read(&ours, "tests/golden/pod-default.json");
	golden_read(&live, "tests/golden/live-pod.json");
	ok(live.length > 0 && !pod_difference(buf_str(&ours), buf_str(&live), path),
	   "a Pod that the API server has completed is the planned one%s%s",
	   path[0] ? " but for " : "", path);
	buf_free(&ours);
	buf_free(&live);
}

static void a_shorter_list_is_a_difference_whatever_its_items(void)
{
	char path[POD_DIFFERENCE_SIZE];

	ok(pod_difference(STR("{\"metadata\":{},\"spec\":{\"a\":[1,1]}}"),
			  STR("{\"metadata\":{},\"spec\":{\"a\":[1]}}"), path),
	   "an item less is a difference though it equals the one before");
	is(path, "spec.a[1]", "which is named");
}

/* Under sanitizers: a path that ends anywhere near the end of its room stays inside. */
static void paths_of_any_length_stay_inside(void)
{
	for (int depth = 1; depth < 140; depth++) {
		char path[POD_DIFFERENCE_SIZE];
		struct buf ours;

		buf_init(&ours, 4096);
		buf_append_str(&ours, STR("{\"metadata\":{},\"spec\":"));
		for (int i = 0; i < depth; i++)
			buf_append_str(&ours, i % 2 ? STR("{\"k\":") : STR("["));
		buf_append_char(&ours, '1');
		for (int i = depth; i-- > 0;)
			buf_append_char(&ours, i % 2 ? '}' : ']');
		buf_append_char(&ours, '}');
		if (!pod_difference(buf_str(&ours), STR("{\"metadata\":{},\"spec\":[]}"), path) ||
		    pod_difference(buf_str(&ours), buf_str(&ours), path))
			fail("depth %d", depth);
		buf_free(&ours);
	}
	pass("a path of any length is within its room");
}

static void long_paths_are_cut(void)
{
	static char json[2048];
	char path[POD_DIFFERENCE_SIZE];

	memset(json, 'x', sizeof(json));
	memcpy(json, "{\"metadata\":{},\"spec\":{\"", 24);
	memcpy(json + sizeof(json) - 6, "\":1}}", 6);
	ok(pod_difference(STR("{\"metadata\":{},\"spec\":{}}"), str_of(json), path),
	   "a key of 2 KB is a difference");
	cmp_ok(strlen(path), "==", POD_DIFFERENCE_SIZE - 1, "whose path is cut");
}

int main(void)
{
	plan_a_pod(&planned,
		   OBJECTS_CLASS_WITH(
			   OBJECTS_PYTHON,
			   ",'podNamespace':'','scheduling':{'nodeSelector':{'pool':"
			   "'sandbox'},'tolerations':[{'key':'sandbox','operator':'Exists'}]}"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&planned, &rows[i]);
	what_a_class_leaves_empty_is_no_difference();
	a_priority_class_of_ours_stays();
	a_real_pod_is_the_planned_one();
	a_shorter_list_is_a_difference_whatever_its_items();
	paths_of_any_length_stay_inside();
	long_paths_are_cut();
	buf_free(&planned);
	done_testing();
}
