/* watch_internal: what watch.c (lists, waiting) and watch_stream.c (one watch) share. */
#ifndef KUBE_WATCH_INTERNAL_H
#define KUBE_WATCH_INTERNAL_H

#include "backoff.h"
#include "splitter.h"
#include "watch.h"

/* Of a refusal, how much is read. */
#define WATCH_REFUSAL_BYTES_MAX	 (64 * 1024)
#define WATCH_CONTINUE_BYTES_MAX (8 * 1024)
#define WATCH_COLUMNS_BYTES_MAX	 (256 * 1024)

#define WATCH_ACCEPT_TABLE "application/json;as=Table;g=meta.k8s.io;v=v1"

enum watch_state {
	WATCH_START,
	WATCH_LISTING,
	WATCH_OPENING,
	WATCH_STREAMING,
	WATCH_WAITING,
};

struct watch {
	struct io *io;
	struct client *client;
	struct target_resource resource;
	char *in_namespace, *label_selector, *field_selector;
	bool as_table;
	struct watch_callbacks callbacks;
	void *context;
	enum watch_state state;

	/* What is pending: one of these. */
	struct client_call *call;
	struct io_http *http;
	struct client_route route; /* of http */
	struct io_timer *timer;

	/* What is known. */
	struct cache cache;
	char version[KUBE_OBJECT_VERSION_SIZE]; /* to watch from; "": a list is needed */
	struct buf continue_token, columns;
	bool is_synced;

	/* Of the watch under way. */
	struct splitter splitter;
	int status;
	int64_t retry_after_ms, opened_at_ms;
	bool has_events;
	struct buf refusal;

	struct backoff backoff;
	int future_tries;
	unsigned busy; /* calls to the user on the stack */
	bool is_deleted;
};

/* The state changes here alone. */
void watch_move(struct watch *watch, enum watch_state next);

/*
 * Around calls to the user, who may delete the watch in them: watch_leave is false when there is no
 * watch any more.
 */
void watch_enter(struct watch *watch);
bool watch_leave(struct watch *watch);

/* Between these two: an object of a list or an event is told, when it is not the same as before. */
int watch_put(struct watch *watch, const struct kube_object *object, struct err *err);
void watch_tell_deleted(struct watch *watch, const struct kube_object *object);

/* Path and selectors, the same for list and watch. */
void watch_target(struct watch *watch, struct target *target);
int watch_keep_columns(struct watch *watch, struct str columns, struct err *err);

/* Nothing is pending; waits, then lists when there is no version, else watches from it. */
void watch_wait_after(struct watch *watch, const struct err *err);
void watch_forget_version(struct watch *watch);

/* A random number. */
uint32_t watch_chance(struct watch *watch);

/* From `version` on. */
void watch_stream_open(struct watch *watch);

#endif
