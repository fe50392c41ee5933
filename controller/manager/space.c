#include "space.h"

#include "base/mem.h"
#include "build/networkpolicy.h"
#include "kinds.h"
#include "term.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define REFUSAL_BYTES_MAX ERR_MESSAGE_SIZE

/* --- Pods. --- */

static void on_pod_changed(void *context, const struct kube_object *object)
{
	struct space *space = context;

	term_pod_note(space->term, object);
}

static void on_pod_deleted(void *context, const struct kube_object *object)
{
	struct space *space = context;

	term_pod_note_gone(space->term, object);
}

static void on_pods_synced(void *context)
{
	struct space *space = context;

	space->is_troubled = false;
	if (space->is_listed)
		return;
	space->is_listed = true;
	term_wake_space(space->term, space);
}

static void on_pods_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	struct space *space = context;

	term_note_watch_trouble(space->term, &kind_pods, str_of(space->name), err, retry_ms);
	if (space->is_troubled || space->is_listed)
		return;
	space->is_troubled = true;
	term_wake_space(space->term, space);
}

/* --- The policy. --- */

static void close_network(struct space *space);

static void on_retry(void *context)
{
	struct space *space = context;

	space->retry = NULL;
	if (space->is_closing_wanted && !space->is_closed)
		close_network(space);
}

static void note_refusal(struct space *space, const struct err *err)
{
	const struct term_config *config = term_config(space->term);
	uint32_t chance;
	int64_t delay_ms;

	config->io->random(config->io, &chance, sizeof(chance));
	delay_ms = backoff_next(&space->backoff, config->io->now_ms(config->io), chance);
	buf_clear(&space->refusal_text);
	buf_append_str(&space->refusal_text, str_of(err->message));
	podstatus_of_refusal(err->http_status, buf_str(&space->refusal_text), &space->refusal);
	/* The policy is the controller's own: that it is refused can change. */
	space->refusal.hopeless = false;
	space->refusal.what = "the API server refused the NetworkPolicy of the Pod's namespace";
	space->is_refused = true;
	log_warning(config->log, "the NetworkPolicy could not be written",
		    log_name("namespace", str_of(space->name)), log_int("retry_ms", delay_ms),
		    log_err(err));
	if (!space->retry)
		space->retry = config->io->timer_start(config->io, delay_ms, on_retry, space);
}

static void on_closed(void *context, struct str body, const struct err *err)
{
	struct space *space = context;

	space->closing = NULL;
	if (err) {
		note_refusal(space, err);
	} else {
		space->is_refused = false;
		space->is_closed = networkpolicy_is_sound(body);
		log_info(term_config(space->term)->log, "network closed",
			 log_name("namespace", str_of(space->name)));
	}
	term_wake_space(space->term, space);
}

static void close_network(struct space *space)
{
	struct client_object object = {.resource = &kind_network_policies,
				       .in_namespace = str_of(space->name),
				       .name = STR(NETWORKPOLICY_NAME)};
	struct buf body;
	struct err err;
	int result;

	if (space->closing || space->retry)
		return;
	buf_init(&body, NETWORKPOLICY_BYTES_MAX);
	result = networkpolicy_write(&body, str_of(space->name), &err);
	assert(result == 0);
	space->closing = client_patch(term_config(space->term)->client, &object, CLIENT_APPLY,
				      buf_str(&body), on_closed, space);
	buf_free(&body);
}

void space_close_network(struct space *space)
{
	space->is_closing_wanted = true;
	if (!space->is_closed)
		close_network(space);
}

static void note_policy(struct space *space, bool is_closed)
{
	if (is_closed == space->is_closed)
		return;
	space->is_closed = is_closed;
	if (!is_closed)
		log_warning(term_config(space->term)->log, "the NetworkPolicy is not as it was",
			    log_name("namespace", str_of(space->name)));
	if (!is_closed && space->is_closing_wanted)
		close_network(space);
	term_wake_space(space->term, space);
}

static void on_policy_changed(void *context, const struct kube_object *object)
{
	note_policy(context, networkpolicy_is_sound(object->raw));
}

static void on_policy_deleted(void *context, const struct kube_object *object)
{
	(void)object;
	note_policy(context, false);
}

static void on_policies_synced(void *context)
{
	(void)context; /* what is there has been told */
}

static void on_policies_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	struct space *space = context;

	term_note_watch_trouble(space->term, &kind_network_policies, str_of(space->name), err,
				retry_ms);
}

/* --- Its life. --- */

struct space *space_new(struct term *term, struct str name)
{
	static const struct watch_callbacks of_pods = {on_pod_changed, on_pod_deleted,
						       on_pods_synced, on_pods_trouble};
	static const struct watch_callbacks of_policies = {on_policy_changed, on_policy_deleted,
							   on_policies_synced, on_policies_trouble};
	const struct term_config *config = term_config(term);
	struct space *space = mem_new(1, sizeof(*space));
	struct watch_config pods = {.resource = &kind_pods,
				    .in_namespace = space->name,
				    .label_selector = "app.kubernetes.io/managed-by=sandboxtask",
				    .field_selector = ""};
	struct watch_config policies = {.resource = &kind_network_policies,
					.in_namespace = space->name,
					.label_selector = "",
					.field_selector = "metadata.name=" NETWORKPOLICY_NAME};

	assert(name.n < sizeof(space->name));
	memcpy(space->name, name.p, name.n);
	space->term = term;
	buf_init(&space->refusal_text, REFUSAL_BYTES_MAX);
	space->pods = watch_new(config->io, config->client, &pods, &of_pods, space);
	space->policies = watch_new(config->io, config->client, &policies, &of_policies, space);
	return space;
}

void space_delete(struct space *space)
{
	const struct term_config *config = term_config(space->term);

	watch_delete(space->pods);
	watch_delete(space->policies);
	if (space->closing)
		client_cancel(space->closing);
	if (space->retry)
		config->io->timer_cancel(config->io, space->retry);
	buf_free(&space->refusal_text);
	free(space);
}
