#include "sim_watch.h"

#include "sim_json.h"
#include "sim_selector.h"
#include "sim_table.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

#define SECONDS_DEFAULT 1800

struct sim_watch {
	struct list link;
	struct sim_store *store;
	const struct sim_resource *resource;
	struct buf in_namespace, labels, fields;
	uint64_t version;
	bool as_table, has_columns, has_bookmarks, is_over;
	int64_t seconds;
	struct sim_watch_callbacks callbacks;
	void *context;
	struct sim_event bookmark, end;
};

struct list *sim_watch_link(struct sim_watch *watch)
{
	return &watch->link;
}

struct sim_watch *sim_watch_of_link(struct list *link)
{
	return list_item(link, struct sim_watch, link);
}

/* --- Lines. --- */

static void write_object(struct sim_watch *watch, struct buf *line, struct str json)
{
	if (!watch->as_table) {
		buf_append_str(line, json);
		return;
	}
	buf_append_str(line, STR("{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\","
				 "\"metadata\":{\"resourceVersion\":"));
	buf_append_str(line, sim_json_at(json, "metadata.resourceVersion"));
	buf_append_str(line, STR("},\"columnDefinitions\":"));
	/* Only the first event of a watch has them. */
	if (watch->has_columns)
		buf_append_str(line, STR("null"));
	else
		sim_table_columns(line, watch->resource);
	watch->has_columns = true;
	buf_append_str(line, STR(",\"rows\":["));
	sim_table_row(line, watch->resource, json);
	buf_append_str(line, STR("]}"));
}

static void tell(struct sim_watch *watch, const char *type, struct str json)
{
	struct buf line;

	buf_init(&line, SIM_JSON_BYTES_MAX);
	buf_printf(&line, "{\"type\":\"%s\",\"object\":", type);
	write_object(watch, &line, json);
	buf_append_str(&line, STR("}\n"));
	watch->callbacks.line(watch->context, buf_str(&line));
	buf_free(&line);
}

/* What is gone is told as it was last, with the version of its going. */
static void tell_gone(struct sim_watch *watch, const struct sim_commit *commit)
{
	struct buf last;
	char patch[80];

	snprintf(patch, sizeof(patch), "{\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"}}",
		 commit->version);
	buf_init(&last, SIM_JSON_BYTES_MAX);
	sim_json_merge(&last, commit->before, str_of(patch));
	tell(watch, "DELETED", buf_str(&last));
	buf_free(&last);
}

static bool matches(const struct sim_watch *watch, struct str json)
{
	return json.n > 0 &&
	       sim_selector_matches(json, buf_str(&watch->labels), buf_str(&watch->fields));
}

void sim_watch_hear(struct sim_watch *watch, const struct sim_commit *commit)
{
	bool did_match, does_match;

	if (watch->is_over || commit->resource != watch->resource ||
	    (watch->in_namespace.length > 0 &&
	     !str_equal(buf_str(&watch->in_namespace), str_of(commit->in_namespace))))
		return;
	did_match = matches(watch, commit->before);
	does_match = matches(watch, commit->after);
	if (does_match)
		tell(watch, did_match ? "MODIFIED" : "ADDED", commit->after);
	else if (did_match)
		tell_gone(watch, commit);
}

/* --- Time. --- */

static void on_bookmark(void *context)
{
	struct sim_watch *watch = context;
	char json[200];

	snprintf(json, sizeof(json),
		 "{\"kind\":\"%s\",\"apiVersion\":\"%s%s%s\",\"metadata\":"
		 "{\"resourceVersion\":\"%" PRIu64 "\",\"creationTimestamp\":null}}",
		 watch->resource->kind, watch->resource->path.group,
		 watch->resource->path.group[0] ? "/" : "", watch->resource->path.version,
		 watch->store->version);
	tell(watch, "BOOKMARK", str_of(json));
	sim_clock_in(watch->store->clock, &watch->bookmark, SIM_WATCH_BOOKMARK_MS, on_bookmark,
		     watch);
}

static void on_end(void *context)
{
	struct sim_watch *watch = context;

	watch->is_over = true;
	sim_clock_cancel(watch->store->clock, &watch->bookmark);
	watch->callbacks.end(watch->context);
}

static void refuse_as_too_old(struct sim_watch *watch)
{
	char line[400];

	snprintf(line, sizeof(line),
		 "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
		 "\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old resource version: "
		 "%" PRIu64 " (%" PRIu64 ")\",\"reason\":\"Expired\",\"code\":410}}\n",
		 watch->version, watch->store->version);
	watch->callbacks.line(watch->context, str_of(line));
	on_end(watch);
}

/* --- Birth and death. --- */

static void keep(struct buf *to, struct str text)
{
	buf_init(to, SIM_TARGET_TEXT_SIZE);
	buf_append_str(to, text);
}

struct sim_watch *sim_watch_new(struct sim_store *store, const struct sim_resource *resource,
				const struct sim_target *target, bool as_table, const char **fault)
{
	struct str seconds = sim_target_query(target, "timeoutSeconds");
	uint64_t version, number = SECONDS_DEFAULT;
	struct sim_watch *watch;

	if (!str_to_uint(sim_target_query(target, "resourceVersion"), INT64_MAX, &version) ||
	    (seconds.n > 0 && !str_to_uint(seconds, INT32_MAX, &number))) {
		*fault = "a watch without a resourceVersion, or with a wrong timeoutSeconds";
		return NULL;
	}
	watch = mem_new(1, sizeof(*watch));
	watch->store = store;
	watch->resource = resource;
	watch->version = version;
	watch->as_table = as_table;
	watch->has_bookmarks = sim_target_flag(target, "allowWatchBookmarks");
	watch->seconds = (int64_t)number;
	keep(&watch->in_namespace, target->in_namespace);
	keep(&watch->labels, sim_target_query(target, "labelSelector"));
	keep(&watch->fields, sim_target_query(target, "fieldSelector"));
	return watch;
}

void sim_watch_start(struct sim_watch *watch, const struct sim_watch_callbacks *callbacks,
		     void *context)
{
	struct sim_commit *commit;

	watch->callbacks = *callbacks;
	watch->context = context;
	if (watch->version < watch->store->compacted) {
		refuse_as_too_old(watch);
		return;
	}
	list_for_each (commit, &watch->store->commits, link)
		if (commit->version > watch->version)
			sim_watch_hear(watch, commit);
	if (watch->has_bookmarks)
		sim_clock_in(watch->store->clock, &watch->bookmark, SIM_WATCH_BOOKMARK_MS,
			     on_bookmark, watch);
	sim_clock_in(watch->store->clock, &watch->end, watch->seconds * 1000, on_end, watch);
}

void sim_watch_delete(struct sim_watch *watch)
{
	if (!watch)
		return;
	list_remove(&watch->link);
	sim_clock_cancel(watch->store->clock, &watch->bookmark);
	sim_clock_cancel(watch->store->clock, &watch->end);
	buf_free(&watch->in_namespace);
	buf_free(&watch->labels);
	buf_free(&watch->fields);
	free(watch);
}
