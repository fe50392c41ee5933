/*
 * watch: all objects of a kind, and whatever becomes of them (client-go's reflector, in C).
 *
 * Lists (in pages), then watches from the list's resourceVersion on, for ever: a watch that ends is
 * opened again at the last version seen, a version that is too old means to list again, trouble
 * means to wait and try again. After a list the objects that are gone are told as deleted, so that
 * between `changed` and `deleted` nothing is ever missed, whatever happened to the connection.
 *
 *	LISTING -> OPENING -> STREAMING -> OPENING -> …
 *	    \________\___________\______-> WAITING -> LISTING or OPENING
 *
 * It never ends by itself; what goes wrong is told by `trouble`, for logs and metrics.
 *
 * With `as_table` the server sends rows of printed columns with metadata in place of objects: of a
 * task without its code some 1 kB. Absent from a watch with a selector means *unknown*: the
 * selection may only have stopped to match.
 */
#ifndef KUBE_WATCH_H
#define KUBE_WATCH_H

#include "cache.h"
#include "client.h"

/* Shorter than the idle limits of load balancers on the way (Azure: 240 s), and never the same. */
#define WATCH_SECONDS_MIN 180
#define WATCH_SECONDS_MAX 220
/* A watch without one byte: longer than the period of bookmarks (60 s) with a margin. */
#define WATCH_SILENCE_MS 100000
/* What may pass between a watch's own end and its end on our side. */
#define WATCH_GRACE_MS 30000
/* One that ends sooner, without an event, is trouble: else a broken proxy makes a hot loop. */
#define WATCH_SHORT_MS 1000

#define WATCH_PAGE_OBJECTS     500
#define WATCH_OBJECT_BYTES_MAX (8 * 1024 * 1024)
#define WATCH_OBJECTS_MAX      100000
/* So often a version "from the future" is asked for again, before a new list. */
#define WATCH_FUTURE_TRIES 5

struct watch;

struct watch_config {
	const struct target_resource *resource;
	const char *in_namespace;		     /* "": all */
	const char *label_selector, *field_selector; /* "": none */
	bool as_table;
	bool keeps_objects; /* watch_find then gives the texts, too */
};

/* What is passed is borrowed for the callback. watch_delete is legal in each of them. */
struct watch_callbacks {
	/* New, or not the same as before. */
	void (*changed)(void *context, const struct kube_object *object);
	/* Gone. `raw` is its last text; of one that a
	 * list did not have any more, what was kept. */
	void (*deleted)(void *context, const struct kube_object *object);
	/* A list is through: all that is there has been told. */
	void (*synced)(void *context);
	/* It tries again in `retry_ms`. */
	void (*trouble)(void *context, const struct err *err, int64_t retry_ms);
};

/* Starts at once; nothing is called from inside. The strings of `config` are copied. */
struct watch *watch_new(struct io *io, struct client *client, const struct watch_config *config,
			const struct watch_callbacks *callbacks, void *context);
/* In any state, from any callback. Accepts NULL. */
void watch_delete(struct watch *watch);

/* Has the first list been through? */
bool watch_is_synced(const struct watch *watch);

/* The version that everything is known of: of the last list or event; "" before the first. */
struct str watch_version(const struct watch *watch);

/* An object as it was told last, or NULL. Valid until the loop turns. */
const struct kube_object *watch_find(const struct watch *watch, struct str in_namespace,
				     struct str name);

/* The one that follows that name in its namespace, or NULL. Likewise. */
const struct kube_object *watch_after(const struct watch *watch, struct str in_namespace,
				      struct str name);

/* The columnDefinitions of the Table, raw JSON, or empty before the first list. */
struct str watch_columns(const struct watch *watch);

#endif
