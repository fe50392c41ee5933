#include "event.h"

#include "base/utf8.h"
#include "out.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_BYTES_MAX	 253
#define SUFFIX_BYTES	 17 /* a point and 16 hex digits */
#define TASK_API_VERSION "sandboxtask.io/v1beta1"

static void write_reference(struct out *o, const char *key, const char *api_version,
			    const char *kind, struct str namespace, struct str name, struct str uid)
{
	out_open(o, key);
	out_word(o, "apiVersion", api_version);
	out_word(o, "kind", kind);
	out_text(o, "namespace", namespace);
	out_text(o, "name", name);
	out_text(o, "uid", uid);
	out_close(o);
}

static void write_metadata(struct out *o, const struct event *e)
{
	char name[NAME_BYTES_MAX + 1];
	struct str task = str_slice(e->task_name, 0, NAME_BYTES_MAX - SUFFIX_BYTES);

	snprintf(name, sizeof(name), "%.*s.%016" PRIx64, STR_ARGS(task), e->random);
	out_open(o, "metadata");
	out_word(o, "name", name);
	/* The API demands the namespace of what it is about. */
	out_text(o, "namespace", e->task_namespace);
	out_close(o);
}

int event_write(struct buf *text, const struct event *e, struct err *err)
{
	struct out o;

	out_init(&o, text);
	out_open(&o, NULL);
	out_word(&o, "apiVersion", "events.k8s.io/v1");
	out_word(&o, "kind", "Event");
	write_metadata(&o, e);
	out_micro_time(&o, "eventTime", e->now_us);
	out_word(&o, "reportingController", EVENT_CONTROLLER);
	out_word(&o, "reportingInstance", e->instance);
	out_word(&o, "action", e->action);
	out_word(&o, "reason", e->reason);
	out_word(&o, "type", e->is_warning ? "Warning" : "Normal");
	out_text(&o, "note", str_slice(e->note, 0, utf8_floor(e->note, EVENT_NOTE_MAX)));
	write_reference(&o, "regarding", TASK_API_VERSION, "SandboxTask", e->task_namespace,
			e->task_name, e->task_uid);
	if (e->pod_name.n > 0)
		write_reference(&o, "related", "v1", "Pod", e->pod_namespace, e->pod_name,
				e->pod_uid);
	out_close(&o);
	return out_finish(&o, err);
}
