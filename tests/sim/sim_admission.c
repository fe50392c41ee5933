#include "sim_admission.h"

#include "sim_json.h"

#include "base/json.h"

#include <string.h>

/* As a server with a RuntimeClass of that overhead completes a Pod (tests/golden/live-pod.json). */
#define POD_COMPLETION                                                                        \
	"{\"spec\":{\"serviceAccount\":\"default\",\"schedulerName\":\"default-scheduler\","  \
	"\"priority\":0,\"preemptionPolicy\":\"PreemptLowerPriority\","                       \
	"\"overhead\":{\"memory\":\"32Mi\"},\"nodeSelector\":{\"sandbox\":\"yes\"},"          \
	"\"tolerations\":[{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\"," \
	"\"effect\":\"NoExecute\",\"tolerationSeconds\":300},"                                \
	"{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\","                \
	"\"effect\":\"NoExecute\",\"tolerationSeconds\":300}]}}"

#define TASK_COMPLETION "{\"spec\":{\"sandboxClassName\":\"default\"}}"

static bool is_kind(const struct sim_resource *resource, const char *kind)
{
	return strcmp(resource->kind, kind) == 0;
}

/* What was sent wins over what is filled in. */
void sim_admission_complete(struct buf *out, const struct sim_resource *resource, struct str sent)
{
	struct str completion = is_kind(resource, "Pod")	   ? STR(POD_COMPLETION)
				: is_kind(resource, "SandboxTask") ? STR(TASK_COMPLETION)
								   : STR("{}");

	sim_json_merge(out, completion, sent);
}

bool sim_admission_may_create(const struct sim_store *store, const struct sim_resource *resource,
			      struct str in_namespace, struct str sent, struct sim_answer *answer)
{
	struct str named = sim_json_word(sent, "metadata.namespace");

	if (resource->path.is_namespaced && in_namespace.n == 0)
		sim_answer_refuse(answer, 405, "MethodNotAllowed", "no namespace in the path");
	else if (named.n > 0 && !str_equal(named, in_namespace))
		sim_answer_refuse(answer, 400, "BadRequest",
				  "the namespace of the object is not that of the request");
	else if (resource->path.is_namespaced &&
		 !sim_store_find(store, sim_store_kind("namespaces"), STR(""), in_namespace))
		sim_answer_refuse(answer, 404, "NotFound", "there is no such namespace");
	else if (sim_json_word(sent, "metadata.name").n == 0)
		sim_answer_refuse(answer, 422, "Invalid", "metadata.name is required");
	else if (sim_json_word(sent, "metadata.resourceVersion").n > 0)
		sim_answer_refuse(answer, 400, "BadRequest",
				  "resourceVersion can not be set for objects to be created");
	else
		return true;
	return false;
}

/* /status takes the status alone, and the object all else; neither the server's own metadata. */
void sim_admission_cut(struct buf *out, const struct sim_resource *resource, bool is_status,
		       struct str patch)
{
	struct str status = sim_json_at(patch, "status");

	if (is_status) {
		buf_append_str(out, STR("{\"status\":"));
		buf_append_str(out, status.n > 0 ? status : STR("{}"));
		buf_append_str(out, STR("}"));
		return;
	}
	sim_json_merge(out, patch,
		       resource->status ? STR("{\"status\":null,\"metadata\":null}")
					: STR("{\"metadata\":null}"));
}

static bool is_terminal(struct str task)
{
	return sim_json_is(task, "status.phase", "Succeeded") ||
	       sim_json_is(task, "status.phase", "Failed");
}

/* Whether the patch changes that member of the object. */
static bool changes(const struct sim_object *object, struct str patch, const char *member)
{
	struct str change = sim_json_at(patch, member), now;
	struct buf merged;
	bool is_changed;

	if (change.n == 0)
		return false;
	now = sim_json_at(buf_str(&object->json), member);
	buf_init(&merged, SIM_JSON_BYTES_MAX);
	sim_json_merge(&merged, now, change);
	is_changed = !str_equal(buf_str(&merged), now);
	buf_free(&merged);
	return is_changed;
}

bool sim_admission_may_patch(const struct sim_object *object, struct str patch,
			     struct sim_answer *answer)
{
	struct str version = sim_json_word(patch, "metadata.resourceVersion");
	struct str now = buf_str(&object->json);

	if (version.n > 0 && !str_equal(version, sim_json_word(now, "metadata.resourceVersion")))
		sim_answer_refuse(answer, 409, "Conflict",
				  "the object has been modified; please apply your changes to the "
				  "latest version");
	else if (is_kind(object->resource, "SandboxTask") && is_terminal(now) &&
		 changes(object, patch, "status"))
		sim_answer_refuse(answer, 422, "Invalid",
				  "the task is finished: its status never changes again");
	else if (is_kind(object->resource, "SandboxTask") && changes(object, patch, "spec"))
		sim_answer_refuse(answer, 422, "Invalid", "the spec can't be changed");
	else
		return true;
	return false;
}
