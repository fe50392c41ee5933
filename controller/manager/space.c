#include "space.h"

#include "base/json.h"
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

/* Who has a place here is known now, or will not be for long: then others need not wait for it. */
static void end_waiting(struct space *space)
{
	term_wake_space(space->term, space);
	term_grant(space->term);
}

static void on_pods_synced(void *context)
{
	struct space *space = context;

	space->is_troubled = false;
	term_pod_note_listed(space->term, space->name, space->pods);
	if (space->is_listed)
		return;
	space->is_listed = true;
	end_waiting(space);
}

static void on_pods_trouble(void *context, const struct err *err, int64_t retry_ms)
{
	struct space *space = context;

	term_note_watch_trouble(space->term, &kind_pods, str_of(space->name), err, retry_ms);
	if (space->is_troubled || space->is_listed)
		return;
	space->is_troubled = true;
	end_waiting(space);
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

/* Later, and ever later. */
static int64_t close_later(struct space *space, int64_t at_least_ms)
{
	struct io *io = term_config(space->term)->io;
	int64_t delay_ms = term_backoff_ms(space->term, &space->backoff, at_least_ms);

	if (!space->retry)
		space->retry = io->timer_start(io, delay_ms, on_retry, space);
	return delay_ms;
}

static void note_refusal(struct space *space, const struct err *err)
{
	int64_t delay_ms = close_later(space, err->retry_after_ms);

	buf_clear(&space->refusal_text);
	buf_append_str(&space->refusal_text, str_of(err->message));
	podstatus_of_refusal(err->http_status, buf_str(&space->refusal_text), &space->refusal);
	/* The policy is the controller's own: that it is refused can change. */
	space->refusal.hopeless = false;
	space->refusal.what = "the network of the Pod's namespace could not be closed";
	space->is_refused = true;
	log_warning(term_config(space->term)->log, "the network could not be closed",
		    log_name("namespace", str_of(space->name)), log_int("retry_ms", delay_ms),
		    log_err(err));
}

/* What the API server made of it, unless the watch has told of something newer. */
static int read_answer(struct space *space, struct str body, struct err *err)
{
	struct kube_object policy;

	if (json_check(body, err) < 0 || kube_object_read(body, &policy, err) < 0)
		return -1;
	if (!networkpolicy_is_sound(body))
		return err_set(err, ERR_PROTOCOL, "what came of the NetworkPolicy is not closed");
	if (kube_object_is_newer(str_of(space->policy_version), str_of(policy.resource_version)))
		return space->is_closed ? 0
					: err_set(err, ERR_CONFLICT,
						  "the NetworkPolicy was changed in between");
	memcpy(space->policy_version, policy.resource_version, sizeof(space->policy_version));
	space->is_closed = true;
	return 0;
}

static void on_closed(void *context, struct str body, const struct err *err)
{
	struct space *space = context;
	struct err bad;

	space->closing = NULL;
	if (err) {
		note_refusal(space, err);
	} else if (read_answer(space, body, &bad) < 0) {
		note_refusal(space, &bad);
	} else {
		space->is_refused = false;
		space->closed_ms = term_now_ms(space->term);
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

	if (space->closing || space->retry ||
	    !election_is_leading(term_config(space->term)->election))
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

/* At once, unless somebody takes it away as often as we write it. */
static void restore(struct space *space)
{
	log_warning(term_config(space->term)->log, "the NetworkPolicy is not as it was",
		    log_name("namespace", str_of(space->name)));
	if (!space->is_closing_wanted)
		return;
	if (term_now_ms(space->term) - space->closed_ms < SPACE_CALM_MS)
		close_later(space, 0);
	else
		close_network(space);
}

static void note_policy(struct space *space, bool is_closed)
{
	if (is_closed == space->is_closed)
		return;
	space->is_closed = is_closed;
	if (!is_closed)
		restore(space);
	term_wake_space(space->term, space);
}

/* Older than what an answer has shown: then it says nothing any more. */
static bool is_old_news(struct space *space, const struct kube_object *object)
{
	if (kube_object_is_newer(str_of(space->policy_version), str_of(object->resource_version)))
		return true;
	memcpy(space->policy_version, object->resource_version, sizeof(space->policy_version));
	return false;
}

static void on_policy_changed(void *context, const struct kube_object *object)
{
	struct space *space = context;

	if (!is_old_news(space, object))
		note_policy(space, networkpolicy_is_sound(object->raw));
}

/* Whatever its version, which a list that does not have it any more can't know. */
static void on_policy_deleted(void *context, const struct kube_object *object)
{
	is_old_news(context, object);
	note_policy(context, false);
}

/* One that was made and removed between two lists is told by neither; one made after this list is
 * not in it. */
static void on_policies_synced(void *context)
{
	struct space *space = context;

	if (!watch_find(space->policies, str_of(space->name), STR(NETWORKPOLICY_NAME)) &&
	    !kube_object_is_newer(str_of(space->policy_version), watch_version(space->policies)))
		note_policy(space, false);
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
				    .label_selector = KINDS_PODS_OF_OURS,
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
