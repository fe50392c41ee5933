#include "pod.h"

#include "base/json.h"
#include "base/json_string.h"
#include "out.h"
#include "owner.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UID_DIGITS     32
#define TASK_PATH_SIZE (63 + 1 + 253 + 1) /* namespace/name */
#define TMP_BYTES      (1 << 20)	  /* the runner's own /tmp, outside the jail */

int pod_name(char name[POD_NAME_SIZE], struct str task_uid, int64_t attempt)
{
	char digits[UID_DIGITS + 1];
	size_t n = 0;

	for (size_t i = 0; i < task_uid.n; i++) {
		char c = task_uid.p[i];
		bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');

		if (c == '-')
			continue;
		if (!is_digit || n == UID_DIGITS)
			return -1;
		digits[n++] = c;
	}
	if (n != UID_DIGITS || attempt < 1 || attempt > INT32_MAX)
		return -1;
	digits[n] = '\0';
	snprintf(name, POD_NAME_SIZE, "sbt-%s-%" PRId64, digits, attempt);
	return 0;
}

int64_t pod_attempt(struct str name, struct str task_uid)
{
	char expected[POD_NAME_SIZE];
	uint64_t attempt;
	size_t prefix;

	if (pod_name(expected, task_uid, 1) < 0)
		return 0;
	prefix = strlen(expected) - 1;
	if (!str_starts_with(name, (struct str){expected, prefix}) ||
	    !str_to_uint(str_slice(name, prefix, name.n), INT32_MAX, &attempt))
		return 0;
	return (int64_t)attempt;
}

bool pod_task_uid(struct str name, char uid[TASK_UID_SIZE])
{
	struct str digits = str_slice(name, strlen("sbt-"), strlen("sbt-") + UID_DIGITS);
	char text[TASK_UID_SIZE];

	if (digits.n != UID_DIGITS)
		return false;
	snprintf(text, sizeof(text), "%.8s-%.4s-%.4s-%.4s-%.12s", digits.p, digits.p + 8,
		 digits.p + 12, digits.p + 16, digits.p + 20);
	if (pod_attempt(name, str_of(text)) == 0)
		return false;
	memcpy(uid, text, sizeof(text));
	return true;
}

/*
 * Members of the class for others. Those that are ours are left out: the schema does not let them
 * in, and whatever stood here would have to be compared.
 */
static void write_members(struct out *o, struct str object)
{
	struct json_walk walk = json_walk(object);
	struct str key, value;

	while (json_next(&walk, &key, &value)) {
		struct str inner = str_slice(key, 1, key.n - 1);
		char name[320]; /* of the longest qualified name, and its NUL */

		/* No qualified name needs an escape: with one it may be ours in disguise. */
		if (memchr(inner.p, '\\', inner.n) ||
		    str_starts_with(inner, STR("sandboxtask.io/")) ||
		    str_starts_with(inner, STR("dev.gvisor.")) ||
		    str_equal(inner, STR("app.kubernetes.io/managed-by")) ||
		    inner.n >= sizeof(name))
			continue;
		memcpy(name, inner.p, inner.n);
		name[inner.n] = '\0';
		out_raw(o, name, value);
	}
}

static void write_labels(struct out *o, const struct pod_request *r)
{
	out_open(o, "labels");
	write_members(o, r->labels);
	out_word(o, "app.kubernetes.io/managed-by", "sandboxtask");
	out_text(o, "sandboxtask.io/class", r->plan->class_name);
	out_word(o, "sandboxtask.io/network", "none");
	out_text(o, "sandboxtask.io/task-uid", r->task_uid);
	out_close(o);
}

/* The container's log is protocol frames, of no use to anyone and of some size. */
static void write_log_exclusions(struct out *o)
{
	out_word(o, "ad.datadoghq.com/logs_exclude", "true");
	out_word(o, "co.elastic.logs/enabled", "false");
	out_word(o, "fluentbit.io/exclude", "true");
}

static void write_annotations(struct out *o, const struct pod_request *r)
{
	char task[TASK_PATH_SIZE];

	out_open(o, "annotations");
	write_members(o, r->annotations);
	write_log_exclusions(o);
	out_word(o, "cluster-autoscaler.kubernetes.io/safe-to-evict", "false");
	out_word(o, "karpenter.sh/do-not-disrupt", "true");
	out_text(o, "sandboxtask.io/plan", buf_str(&r->plan->text));
	snprintf(task, sizeof(task), "%.*s/%.*s", STR_ARGS(r->task_namespace),
		 STR_ARGS(r->task_name));
	out_word(o, "sandboxtask.io/task", task);
	out_close(o);
}

/* Only where the Pod lives with its task: an owner in another namespace gets it collected. */
static void write_owner(struct out *o, const struct pod_request *r)
{
	if (!str_equal(r->plan->pod_namespace, r->task_namespace))
		return;
	owner_write(o, r->task_name, r->task_uid);
}

static void write_metadata(struct out *o, const struct pod_request *r)
{
	char name[POD_NAME_SIZE];
	int result = pod_name(name, r->task_uid, r->attempt);

	assert(result == 0);
	(void)result;
	out_open(o, "metadata");
	write_annotations(o, r);
	write_labels(o, r);
	out_word(o, "name", name);
	out_text(o, "namespace", r->plan->pod_namespace);
	write_owner(o, r);
	out_close(o);
}

static void write_number_arg(struct out *o, const char *name, int64_t value)
{
	char arg[64];

	snprintf(arg, sizeof(arg), "--%s=%" PRId64, name, value);
	out_word(o, NULL, arg);
}

static void write_args(struct out *o, const struct plan *plan)
{
	out_open_list(o, "args");
	write_number_arg(o, "bundle-bytes", PLAN_BUNDLE_BYTES);
	write_number_arg(o, "outcome-bytes", plan_outcome_bytes(plan));
	write_number_arg(o, "grace-seconds", POD_GRACE_SECONDS);
	out_close(o);
}

static void write_amounts(struct out *o, const char *key, int64_t cpu_milli,
			  const struct plan *plan)
{
	out_open(o, key);
	out_cpu(o, "cpu", cpu_milli);
	out_bytes(o, "ephemeral-storage", plan_pod_storage_bytes(plan));
	out_bytes(o, "memory", plan_pod_memory_bytes(plan));
	out_close(o);
}

static void write_resources(struct out *o, const struct plan *plan)
{
	out_open(o, "resources");
	write_amounts(o, "limits", plan_pod_cpu_milli(plan), plan);
	write_amounts(o, "requests", plan_pod_cpu_request_milli(plan), plan);
	out_close(o);
}

static void write_container_security(struct out *o)
{
	out_open(o, "securityContext");
	out_flag(o, "allowPrivilegeEscalation", false);
	out_open(o, "capabilities");
	out_open_list(o, "drop");
	out_word(o, NULL, "ALL");
	out_close(o);
	out_close(o);
	out_flag(o, "privileged", false);
	out_flag(o, "readOnlyRootFilesystem", true);
	out_close(o);
}

static void write_mounts(struct out *o)
{
	out_open_list(o, "volumeMounts");
	out_open(o, NULL);
	out_word(o, "mountPath", "/tmp");
	out_word(o, "name", "tmp");
	out_close(o);
	out_close(o);
}

static void write_container(struct out *o, const struct plan *plan)
{
	out_open_list(o, "containers");
	out_open(o, NULL);
	write_args(o, plan);
	out_text(o, "image", plan->image);
	out_word(o, "imagePullPolicy", "IfNotPresent");
	out_word(o, "name", POD_CONTAINER);
	write_resources(o, plan);
	write_container_security(o);
	out_flag(o, "stdin", true);
	/* The runner outlives attaches: a new one has to find stdin open. */
	out_flag(o, "stdinOnce", false);
	out_word(o, "terminationMessagePath", "/dev/termination-log");
	out_word(o, "terminationMessagePolicy", "File");
	out_flag(o, "tty", false);
	write_mounts(o);
	out_close(o);
	out_close(o);
}

static void write_pod_security(struct out *o, const struct plan *plan)
{
	out_open(o, "securityContext");
	out_flag(o, "runAsNonRoot", true);
	out_number_if(o, "runAsUser", plan->run_as_user);
	out_open(o, "seccompProfile");
	out_word(o, "type", "RuntimeDefault");
	out_close(o);
	out_close(o);
}

static void write_volumes(struct out *o)
{
	out_open_list(o, "volumes");
	out_open(o, NULL);
	out_open(o, "emptyDir");
	out_word(o, "medium", "Memory");
	out_bytes(o, "sizeLimit", TMP_BYTES);
	out_close(o);
	out_word(o, "name", "tmp");
	out_close(o);
	out_close(o);
}

static void write_spec(struct out *o, const struct plan *plan)
{
	out_open(o, "spec");
	out_number(o, "activeDeadlineSeconds", plan_deadline_seconds(plan));
	out_flag(o, "automountServiceAccountToken", false);
	write_container(o, plan);
	/* Nothing in it may look up a name; the node's resolver tells less than the cluster's. */
	out_word(o, "dnsPolicy", "Default");
	out_flag(o, "enableServiceLinks", false);
	out_raw_if(o, "imagePullSecrets", plan->image_pull_secrets);
	out_raw_if(o, "nodeSelector", plan->node_selector);
	out_text_if(o, "priorityClassName", plan->priority_class_name);
	out_word(o, "restartPolicy", "Never");
	out_text(o, "runtimeClassName", plan->runtime_class_name);
	write_pod_security(o, plan);
	out_word(o, "serviceAccountName", "default");
	out_number(o, "terminationGracePeriodSeconds", POD_GRACE_SECONDS);
	out_raw_if(o, "tolerations", plan->tolerations);
	write_volumes(o);
	out_close(o);
}

int pod_write(struct buf *text, const struct pod_request *request, struct err *err)
{
	struct out o;

	out_init(&o, text);
	out_open(&o, NULL);
	out_word(&o, "apiVersion", "v1");
	out_word(&o, "kind", "Pod");
	write_metadata(&o, request);
	write_spec(&o, request->plan);
	out_close(&o);
	return out_finish(&o, err);
}
