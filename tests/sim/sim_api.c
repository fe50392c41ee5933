#include "sim_api.h"

#include "sim_admission.h"
#include "sim_json.h"
#include "sim_selector.h"
#include "sim_table.h"

#include "base/json.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a request turned out to be about. */
struct call {
	struct sim_api *api;
	const struct sim_request *request;
	struct sim_answer *answer;
	struct sim_target target;
	const struct sim_resource *resource;
	struct sim_object *object; /* NULL: there is none of that name */
};

static void refuse(struct call *call, int status, const char *reason, const char *message)
{
	sim_answer_refuse(call->answer, status, reason, message);
}

static bool wants_table(const struct call *call)
{
	struct str accept = call->request->accept;

	return accept.n > 0 && memmem(accept.p, accept.n, "as=Table", strlen("as=Table"));
}

/* --- Reading. --- */

static bool is_listed(const struct call *call, const struct sim_object *object)
{
	struct str in_namespace = call->target.in_namespace;

	return (in_namespace.n == 0 || str_equal(in_namespace, str_of(object->in_namespace))) &&
	       sim_selector_matches(buf_str(&object->json),
				    sim_target_query(&call->target, "labelSelector"),
				    sim_target_query(&call->target, "fieldSelector"));
}

/* "version.number": the list's version, and how many objects went before. */
static bool read_continue(const struct call *call, uint64_t *version, uint64_t *skipped)
{
	struct str token = sim_target_query(&call->target, "continue");
	struct sim_commit *commit;

	*version = call->api->store.version;
	*skipped = 0;
	if (token.n == 0)
		return true;
	if (!str_to_uint(str_split(&token, '.'), INT64_MAX, version) ||
	    !str_to_uint(token, INT64_MAX, skipped) || *version < call->api->store.compacted)
		return false;
	list_for_each (commit, &call->api->store.commits, link)
		if (commit->resource == call->resource && commit->version > *version)
			return false;
	return true;
}

static void write_item(struct call *call, struct str json, bool is_first)
{
	struct buf *body = &call->answer->body;

	buf_append_str(body, is_first ? STR("") : STR(","));
	if (wants_table(call))
		sim_table_row(body, call->resource, json);
	else
		buf_append_str(body, json);
}

static void begin_list(struct call *call)
{
	struct buf *body = &call->answer->body;

	if (wants_table(call)) {
		buf_append_str(body, STR("{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\","
					 "\"columnDefinitions\":"));
		sim_table_columns(body, call->resource);
		buf_append_str(body, STR(",\"rows\":["));
		return;
	}
	buf_printf(body, "{\"kind\":\"%sList\",\"apiVersion\":\"%s%s%s\",\"items\":[",
		   call->resource->kind, call->resource->path.group,
		   call->resource->path.group[0] ? "/" : "", call->resource->path.version);
}

static void list(struct call *call)
{
	uint64_t version, skipped, seen = 0, limit = UINT64_MAX;
	struct buf *body = &call->answer->body;
	struct sim_object *object = NULL;
	bool has_more = false;

	if (!read_continue(call, &version, &skipped)) {
		refuse(call, 410, "Expired", "The provided continue parameter is too old");
		return;
	}
	str_to_uint(sim_target_query(&call->target, "limit"), INT32_MAX, &limit);
	call->answer->status = 200;
	begin_list(call);
	while (!has_more && (object = sim_store_next(&call->api->store, call->resource, object))) {
		if (!is_listed(call, object) || seen++ < skipped)
			continue;
		has_more = seen > skipped + limit;
		if (!has_more)
			write_item(call, buf_str(&object->json), seen == skipped + 1);
	}
	buf_printf(body, "],\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"", version);
	if (has_more)
		buf_printf(body, ",\"continue\":\"%" PRIu64 ".%" PRIu64 "\"", version,
			   skipped + limit);
	buf_append_str(body, STR("}}"));
}

static void watch(struct call *call)
{
	const char *fault;

	call->answer->watch = sim_watch_new(&call->api->store, call->resource, &call->target,
					    wants_table(call), &fault);
	if (!call->answer->watch) {
		refuse(call, 400, "BadRequest", fault);
		return;
	}
	call->answer->status = 200;
	list_push_back(&call->api->watches, sim_watch_link(call->answer->watch));
}

static void get(struct call *call)
{
	if (call->target.name.n == 0 && sim_target_flag(&call->target, "watch"))
		watch(call);
	else if (call->target.name.n == 0)
		list(call);
	else if (!call->object)
		refuse(call, 404, "NotFound", "there is no such object");
	else
		sim_answer_object(call->answer, 200, call->object);
}

/* --- Writing. --- */

static void create(struct call *call)
{
	struct sim_api *api = call->api;
	struct str sent = call->request->body;
	struct buf completed;

	if (!sim_admission_may_create(&api->store, call->resource, call->target.in_namespace, sent,
				      call->answer))
		return;
	if (sim_store_find(&api->store, call->resource, call->target.in_namespace,
			   sim_json_word(sent, "metadata.name"))) {
		refuse(call, 409, "AlreadyExists", "the object already exists");
		return;
	}
	buf_init(&completed, SIM_JSON_BYTES_MAX);
	sim_admission_complete(&completed, call->resource, sent);
	call->object = sim_store_create(&api->store, call->request->actor, call->resource,
					call->target.in_namespace, buf_str(&completed));
	buf_free(&completed);
	sim_answer_object(call->answer, 201, call->object);
}

static void change(struct call *call)
{
	bool is_status = str_equal(call->target.subresource, STR("status"));
	struct buf patch;

	if (!sim_admission_may_patch(call->object, call->request->body, call->answer))
		return;
	buf_init(&patch, SIM_JSON_BYTES_MAX);
	sim_admission_cut(&patch, call->resource, is_status, call->request->body);
	sim_store_patch(&call->api->store, call->request->actor, call->object, buf_str(&patch));
	buf_free(&patch);
	sim_answer_object(call->answer, 200, call->object);
}

static void patch(struct call *call)
{
	struct str type = call->request->content_type;
	bool is_apply = str_equal(type, STR("application/apply-patch+yaml"));

	if (!is_apply && !str_equal(type, STR("application/merge-patch+json")))
		refuse(call, 415, "UnsupportedMediaType", "no such kind of patch");
	else if (call->object)
		change(call);
	else if (is_apply && call->target.subresource.n == 0)
		create(call);
	else
		refuse(call, 404, "NotFound", "there is no such object");
}

static void put(struct call *call)
{
	if (!call->object)
		refuse(call, 404, "NotFound", "there is no such object");
	else if (sim_json_word(call->request->body, "metadata.resourceVersion").n == 0)
		refuse(call, 422, "Invalid",
		       "metadata.resourceVersion: must be specified for an update");
	else
		change(call);
}

void sim_api_delete_pod(struct sim_api *api, const char *actor, struct sim_object *pod,
			int64_t grace_seconds)
{
	struct str json = buf_str(&pod->json);
	int64_t now = sim_json_number(json, "metadata.deletionGracePeriodSeconds", INT64_MAX);

	if (grace_seconds == 0 || sim_json_word(json, "spec.nodeName").n == 0)
		sim_store_remove(&api->store, actor, pod);
	else if (grace_seconds < now)
		sim_store_patchf(&api->store, actor, pod,
				 "{'metadata':{'deletionTimestamp':'%s',"
				 "'deletionGracePeriodSeconds':%" PRId64 "}}",
				 sim_clock_text(api->clock), grace_seconds);
}

static bool fits(const struct call *call, const char *condition, const char *path)
{
	struct str wanted = sim_json_word(call->request->body, condition);

	return wanted.n == 0 ||
	       str_equal(wanted, sim_json_word(buf_str(&call->object->json), path));
}

/* In its two steps; the answer is the Pod as it is after the first. */
static void delete_pod(struct call *call)
{
	struct sim_object *pod = call->object;
	int64_t grace_seconds =
		sim_json_number(buf_str(&pod->json), "spec.terminationGracePeriodSeconds", 30);

	sim_api_delete_pod(
		call->api, call->request->actor, pod,
		sim_json_number(call->request->body, "gracePeriodSeconds", grace_seconds));
	pod = sim_store_find(&call->api->store, call->resource, call->target.in_namespace,
			     call->target.name);
	if (pod)
		sim_answer_object(call->answer, 200, pod);
}

static void delete_object(struct call *call)
{
	const struct sim_object *object = call->object;

	if (!object) {
		refuse(call, 404, "NotFound", "there is no such object");
		return;
	}
	if (!fits(call, "preconditions.uid", "metadata.uid") ||
	    !fits(call, "preconditions.resourceVersion", "metadata.resourceVersion")) {
		refuse(call, 409, "Conflict", "the preconditions don't hold");
		return;
	}
	sim_answer_object(call->answer, 200, object);
	if (strcmp(object->resource->kind, "Pod") == 0)
		delete_pod(call);
	else
		sim_store_remove(&call->api->store, call->request->actor, call->object);
}

/* --- All of it. --- */

static const struct {
	const char *method;
	void (*act)(struct call *call);
	bool has_body;
} VERBS[] = {
	{"GET", get, false}, {"POST", create, true},	      {"PATCH", patch, true},
	{"PUT", put, true},  {"DELETE", delete_object, true},
};

static void act(struct call *call)
{
	struct err err;

	for (size_t i = 0; i < sizeof(VERBS) / sizeof(VERBS[0]); i++) {
		if (strcmp(VERBS[i].method, call->request->method) != 0)
			continue;
		if (VERBS[i].has_body && json_check(call->request->body, &err) < 0)
			refuse(call, 400, "BadRequest", "the body is no JSON");
		else
			VERBS[i].act(call);
		return;
	}
	refuse(call, 405, "MethodNotAllowed", "no such method");
}

static bool has_subresource(const struct call *call)
{
	return call->target.subresource.n == 0 ||
	       (call->resource->status && str_equal(call->target.subresource, STR("status")));
}

void sim_api_handle(struct sim_api *api, const struct sim_request *request,
		    struct sim_answer *answer)
{
	struct call *call = mem_new(1, sizeof(*call));

	*call = (struct call){.api = api, .request = request, .answer = answer};
	if (api->token && !str_equal(request->token, str_of(api->token))) {
		refuse(call, 401, "Unauthorized", "Unauthorized");
	} else if (!sim_target_read(&call->target, request->target) ||
		   !(call->resource =
			     sim_store_resource(call->target.group, call->target.plural)) ||
		   !has_subresource(call)) {
		refuse(call, 404, "NotFound", "the server could not find the requested resource");
	} else {
		call->object = sim_store_find(&api->store, call->resource,
					      call->target.in_namespace, call->target.name);
		act(call);
	}
	free(call);
}

/* --- Watches, and what goes with its owner. --- */

struct gone {
	struct list link;
	char uid[37], in_namespace[64];
};

static bool belongs_to(const struct sim_object *object, const struct gone *gone)
{
	struct json_walk walk =
		json_walk(sim_json_at(buf_str(&object->json), "metadata.ownerReferences"));
	struct str owner;

	while (json_next(&walk, NULL, &owner))
		if (sim_json_is(owner, "uid", gone->uid))
			return strcmp(object->in_namespace, gone->in_namespace) == 0;
	return false;
}

static void collect_kind(struct sim_api *api, const struct gone *gone, const char *plural)
{
	const struct sim_resource *resource = sim_store_kind(plural);
	struct sim_object *object = sim_store_next(&api->store, resource, NULL), *next;

	for (; object; object = next) {
		next = sim_store_next(&api->store, resource, object);
		if (!belongs_to(object, gone))
			continue;
		if (strcmp(plural, "pods") == 0)
			sim_api_delete_pod(api, "garbage collector", object, 30);
		else
			sim_store_remove(&api->store, "garbage collector", object);
	}
}

static void on_collecting(void *context)
{
	struct sim_api *api = context;
	struct gone *gone;

	while ((gone = list_first(&api->rubbish, struct gone, link))) {
		list_remove(&gone->link);
		collect_kind(api, gone, "pods");
		collect_kind(api, gone, "sandboxoutputs");
		free(gone);
	}
}

static void note_gone(struct sim_api *api, const struct sim_commit *commit)
{
	struct gone *gone = mem_new(1, sizeof(*gone));

	memcpy(gone->uid, commit->uid, sizeof(gone->uid));
	memcpy(gone->in_namespace, commit->in_namespace, sizeof(gone->in_namespace));
	list_push_back(&api->rubbish, &gone->link);
	sim_clock_in(api->clock, &api->collecting, 500, on_collecting, api);
}

static void on_commit(void *context, const struct sim_commit *commit)
{
	struct sim_api *api = context;

	for (struct list *at = api->watches.next; at != &api->watches; at = at->next)
		sim_watch_hear(sim_watch_of_link(at), commit);
	if (commit->change == SIM_DELETED && commit->resource == sim_store_kind("sandboxtasks"))
		note_gone(api, commit);
}

void sim_api_init(struct sim_api *api, struct sim_clock *clock, struct sim_trace *trace)
{
	*api = (struct sim_api){.clock = clock};
	sim_store_init(&api->store, clock, trace);
	list_init(&api->watches);
	list_init(&api->rubbish);
	sim_store_observe(&api->store, on_commit, api);
}

void sim_api_free(struct sim_api *api)
{
	struct gone *gone;

	while ((gone = list_first(&api->rubbish, struct gone, link))) {
		list_remove(&gone->link);
		free(gone);
	}
	sim_clock_cancel(api->clock, &api->collecting);
	sim_store_free(&api->store);
}
