/*
 * kube_object: what a watch has to know of any Kubernetes object, read from its JSON. Pure.
 *
 * An object is either itself or, in a Table with includeObject=Metadata, a row: cells with the
 * printed columns, and beside them the metadata. Both are told apart by the reader; `raw` is all of
 * it, byte for byte.
 */
#ifndef KUBE_KUBE_OBJECT_H
#define KUBE_KUBE_OBJECT_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

#define KUBE_OBJECT_NAMESPACE_SIZE 64
#define KUBE_OBJECT_NAME_SIZE	   254
#define KUBE_OBJECT_UID_SIZE	   129
/* Opaque; a decimal number so far. */
#define KUBE_OBJECT_VERSION_SIZE 65

struct kube_object {
	char in_namespace[KUBE_OBJECT_NAMESPACE_SIZE]; /* "" when it is in none */
	char name[KUBE_OBJECT_NAME_SIZE];
	char uid[KUBE_OBJECT_UID_SIZE];
	char resource_version[KUBE_OBJECT_VERSION_SIZE];
	struct str raw;
};

/*
 * Whether version `a` is of a later time than `b`: they are numbers, which only grow (KEP-5504); of
 * what is none, any other is later. Nothing is later by an empty one.
 */
bool kube_object_is_newer(struct str a, struct str b);

/* Reads checked JSON (json.h). ERR_PROTOCOL when name, uid or resourceVersion is not there. */
int kube_object_read(struct str json, struct kube_object *object, struct err *err);
int kube_object_read_row(struct str row, struct kube_object *object, struct err *err);

/* The resourceVersion alone, which is all that a bookmark has; of a list, an object or a Table. */
int kube_object_read_version(struct str json, char version[KUBE_OBJECT_VERSION_SIZE],
			     struct err *err);

/* What an answer to a list holds. */
struct kube_object_list {
	char resource_version[KUBE_OBJECT_VERSION_SIZE];
	struct str continue_token; /* raw JSON string; empty on the last page */
	struct str items;	   /* raw array; of rows when it is a Table */
	struct str columns;	   /* raw array of columnDefinitions; empty when it is no Table */
};

/* Checks the JSON, too. ERR_PROTOCOL */
int kube_object_read_list(struct str body, struct kube_object_list *list, struct err *err);

enum kube_object_event {
	KUBE_OBJECT_ADDED,
	KUBE_OBJECT_MODIFIED,
	KUBE_OBJECT_DELETED,
	KUBE_OBJECT_BOOKMARK,
	KUBE_OBJECT_ERROR
};

/*
 * One object of a watch's stream: its type, and the raw `object` in it. Checks the JSON, too.
 * ERR_PROTOCOL
 */
int kube_object_read_event(struct str json, enum kube_object_event *type, struct str *value,
			   struct err *err);

/* The one row of a Table that is an event's object; false when it is no Table. */
bool kube_object_table_row(struct str table, struct str *row, struct str *columns);

#endif
