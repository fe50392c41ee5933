#include "watch_internal.h"

#include "base/json.h"
#include "base/json_string.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What may follow what. A page follows a page, so WATCH_LISTING itself. */
static const unsigned MAY_FOLLOW[] = {
	[WATCH_START] = 1u << WATCH_LISTING,
	[WATCH_LISTING] = 1u << WATCH_LISTING | 1u << WATCH_OPENING | 1u << WATCH_WAITING,
	[WATCH_OPENING] = 1u << WATCH_STREAMING | 1u << WATCH_OPENING | 1u << WATCH_WAITING,
	[WATCH_STREAMING] = 1u << WATCH_OPENING | 1u << WATCH_WAITING,
	[WATCH_WAITING] = 1u << WATCH_LISTING | 1u << WATCH_OPENING,
};

/* --- Telling the user, who may delete the watch meanwhile. --- */

static void watch_free(struct watch *watch);

void watch_enter(struct watch *watch)
{
	watch->busy++;
}

/* False when there is no watch any more. */
bool watch_leave(struct watch *watch)
{
	watch->busy--;
	if (!watch->is_deleted)
		return true;
	if (watch->busy == 0)
		watch_free(watch);
	return false;
}

static void tell_changed(struct watch *watch, const struct kube_object *object)
{
	if (!watch->is_deleted)
		watch->callbacks.changed(watch->context, object);
}

void watch_tell_deleted(struct watch *watch, const struct kube_object *object)
{
	if (!watch->is_deleted)
		watch->callbacks.deleted(watch->context, object);
}

static void on_swept(void *context, const struct kube_object *object)
{
	watch_tell_deleted(context, object);
}

/* An object of a list or an event. */
int watch_put(struct watch *watch, const struct kube_object *object, struct err *err)
{
	struct kube_object replaced = *object;
	enum cache_change change;

	if (cache_put(&watch->cache, object, &change, replaced.uid, err) < 0)
		return -1;
	if (change == CACHE_REPLACED) {
		replaced.raw = STR("");
		replaced.resource_version[0] = '\0';
		watch_tell_deleted(watch, &replaced);
	}
	if (change != CACHE_SAME)
		tell_changed(watch, object);
	return 0;
}

/* --- Moving. --- */

void watch_move(struct watch *watch, enum watch_state next)
{
	assert(MAY_FOLLOW[watch->state] & 1u << next);
	watch->state = next;
}

static void start_list(struct watch *watch);

static void start_next(struct watch *watch)
{
	if (watch->version[0] == '\0')
		start_list(watch);
	else
		watch_stream_open(watch);
}

static void on_wait_over(void *context)
{
	struct watch *watch = context;

	watch->timer = NULL;
	start_next(watch);
}

uint32_t watch_chance(struct watch *watch)
{
	uint32_t number;

	watch->io->random(watch->io, &number, sizeof(number));
	return number;
}

/* Waits, then lists (after what only a list can heal) or watches from where it was. */
void watch_wait_after(struct watch *watch, const struct err *err)
{
	int64_t delay_ms =
		backoff_next(&watch->backoff, watch->io->now_ms(watch->io), watch_chance(watch));

	if (delay_ms < err->retry_after_ms)
		delay_ms = err->retry_after_ms;
	watch_move(watch, WATCH_WAITING);
	watch->timer = watch->io->timer_start(watch->io, delay_ms, on_wait_over, watch);
	watch_enter(watch);
	watch->callbacks.trouble(watch->context, err, delay_ms);
	watch_leave(watch);
}

void watch_forget_version(struct watch *watch)
{
	watch->version[0] = '\0';
	buf_clear(&watch->continue_token);
}

/* --- Listing. --- */

void watch_target(struct watch *watch, struct target *target)
{
	target_init(target);
	target_object(target, client_prefix(watch->client), &watch->resource,
		      str_of(watch->in_namespace), STR(""), NULL);
	if (watch->label_selector[0])
		target_query(target, "labelSelector", str_of(watch->label_selector));
	if (watch->field_selector[0])
		target_query(target, "fieldSelector", str_of(watch->field_selector));
	if (watch->as_table)
		target_query(target, "includeObject", STR("Metadata"));
}

static int read_items(struct watch *watch, const struct kube_object_list *list, struct err *err)
{
	struct json_walk walk = json_walk(list->items);
	struct kube_object object;
	struct str item;

	while (!watch->is_deleted && json_next(&walk, NULL, &item)) {
		int result = watch->as_table ? kube_object_read_row(item, &object, err)
					     : kube_object_read(item, &object, err);

		if (result < 0 || watch_put(watch, &object, err) < 0)
			return -1;
	}
	return 0;
}

int watch_keep_columns(struct watch *watch, struct str columns, struct err *err)
{
	if (columns.n == 0)
		return 0;
	buf_clear(&watch->columns);
	if (buf_append_str(&watch->columns, columns) < 0)
		return err_set(err, ERR_TOO_LARGE, "the columns of a Table have more than %d bytes",
			       WATCH_COLUMNS_BYTES_MAX);
	return 0;
}

/* One page. The last one ends the list: what was not in it is gone. */
static int read_page(struct watch *watch, struct str body, struct err *err)
{
	struct kube_object_list list;
	bool has_nul;

	if (kube_object_read_list(body, &list, err) < 0 ||
	    watch_keep_columns(watch, list.columns, err) < 0 || read_items(watch, &list, err) < 0)
		return -1;
	buf_clear(&watch->continue_token);
	if (list.continue_token.n > 0)
		return json_string_decode(list.continue_token, &watch->continue_token, &has_nul,
					  err);
	cache_sweep(&watch->cache, on_swept, watch);
	memcpy(watch->version, list.resource_version, sizeof(watch->version));
	watch->is_synced = true;
	watch->future_tries = 0;
	if (!watch->is_deleted)
		watch->callbacks.synced(watch->context);
	return 0;
}

static void on_page(void *context, struct str body, const struct err *call_err)
{
	struct watch *watch = context;
	struct err err;
	int result = 0;

	watch->call = NULL;
	watch_enter(watch);
	if (call_err)
		err = *call_err;
	else
		result = read_page(watch, body, &err);
	if (!watch_leave(watch))
		return;
	if (!call_err && result == 0) {
		start_next(watch);
		return;
	}
	/* Also a continue token that is too old: the list begins anew. */
	watch_forget_version(watch);
	watch_wait_after(watch, &err);
}

static void start_list(struct watch *watch)
{
	struct client_request request = {.method = "GET"};
	struct target target;
	char limit[16];

	watch_move(watch, WATCH_LISTING);
	if (watch->continue_token.length == 0)
		cache_begin(&watch->cache);
	watch_target(watch, &target);
	snprintf(limit, sizeof(limit), "%d", WATCH_PAGE_OBJECTS);
	target_query(&target, "limit", str_of(limit));
	if (watch->continue_token.length > 0)
		target_query(&target, "continue", buf_str(&watch->continue_token));
	request.target = target.text.data;
	request.accept = watch->as_table ? WATCH_ACCEPT_TABLE : NULL;
	watch->call = client_start(watch->client, &request, on_page, watch);
	target_free(&target);
}

/* --- Birth and death. --- */

static void on_start(void *context)
{
	struct watch *watch = context;

	watch->timer = NULL;
	start_list(watch);
}

static char *copy(const char *text)
{
	return mem_copy_string(text ? text : "", text ? strlen(text) : 0);
}

struct watch *watch_new(struct io *io, struct client *client, const struct watch_config *config,
			const struct watch_callbacks *callbacks, void *context)
{
	struct watch *watch = mem_new(1, sizeof(*watch));

	watch->io = io;
	watch->client = client;
	watch->resource = *config->resource;
	watch->in_namespace = copy(config->in_namespace);
	watch->label_selector = copy(config->label_selector);
	watch->field_selector = copy(config->field_selector);
	watch->as_table = config->as_table;
	watch->callbacks = *callbacks;
	watch->context = context;
	cache_init(&watch->cache, WATCH_OBJECTS_MAX, config->keeps_objects);
	splitter_init(&watch->splitter, WATCH_OBJECT_BYTES_MAX);
	buf_init(&watch->continue_token, WATCH_CONTINUE_BYTES_MAX);
	buf_init(&watch->columns, WATCH_COLUMNS_BYTES_MAX);
	buf_init(&watch->refusal, WATCH_REFUSAL_BYTES_MAX);
	watch->timer = io->timer_start(io, 0, on_start, watch);
	return watch;
}

static void watch_free(struct watch *watch)
{
	cache_free(&watch->cache);
	splitter_free(&watch->splitter);
	buf_free(&watch->continue_token);
	buf_free(&watch->columns);
	buf_free(&watch->refusal);
	free(watch->in_namespace);
	free(watch->label_selector);
	free(watch->field_selector);
	free(watch);
}

void watch_delete(struct watch *watch)
{
	if (!watch)
		return;
	if (watch->call)
		client_cancel(watch->call);
	if (watch->http)
		watch->io->http_cancel(watch->io, watch->http);
	if (watch->timer)
		watch->io->timer_cancel(watch->io, watch->timer);
	client_route_release(watch->client, &watch->route);
	watch->is_deleted = true;
	if (watch->busy == 0)
		watch_free(watch);
}

bool watch_is_synced(const struct watch *watch)
{
	return watch->is_synced;
}

struct str watch_version(const struct watch *watch)
{
	return str_of(watch->version);
}

const struct kube_object *watch_find(const struct watch *watch, struct str in_namespace,
				     struct str name)
{
	return cache_get(&watch->cache, in_namespace, name);
}

const struct kube_object *watch_after(const struct watch *watch, struct str in_namespace,
				      struct str name)
{
	return cache_after(&watch->cache, in_namespace, name);
}

struct str watch_columns(const struct watch *watch)
{
	return buf_str(&watch->columns);
}
