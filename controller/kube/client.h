/*
 * client: calls to the API server, with what every call needs: the token, trust, time limits, and
 * an answer that is either the object or a struct err.
 *
 * - Tokens in files are read again when CLIENT_TOKEN_CACHE_MS have passed, and at once when the
 *   server answers 401; then the call is repeated, once. While the file can't be read, the old
 *   token is used.
 * - CA and client certificate are read again every CLIENT_TRUST_CACHE_MS, and after a failed
 *   connection. When they have changed, calls from then on go over a new endpoint; the old one is
 *   deleted when its last user is done.
 * - Nothing else is repeated here: whether a call may be made twice, its caller knows.
 *
 * Errors are those of status.h and io.h, with "GET /path: " before the message. An ERR_TIMEOUT or
 * ERR_TRANSPORT of a write leaves open whether it happened.
 */
#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include "base/log.h"
#include "config.h"
#include "target.h"

#define CLIENT_TOKEN_CACHE_MS 60000
#define CLIENT_TRUST_CACHE_MS 300000
/* A failed connection makes the trust be read again, but not more often than this. */
#define CLIENT_TRUST_RETRY_MS 5000

/* Above the API server's own 60 s for a request, so that its answer is heard. */
#define CLIENT_TIMEOUT_MS	65000
#define CLIENT_ANSWER_BYTES_MAX (32 * 1024 * 1024)
/* The API server takes 3 MiB, etcd half of that. */
#define CLIENT_BODY_BYTES_MAX (3 * 1024 * 1024)

#define CLIENT_FIELD_MANAGER "sandboxtask"

struct client;
struct client_call;

/*
 * Takes over `config`, which is zeroed. The texts of its files have been read. `log` hears of files
 * that can't be read any more, and hides the token; borrowed. NULL when the endpoint is refused.
 */
struct client *client_new(struct io *io, struct config *config, struct log *log, struct err *err);

/* Nobody may have a call or a route. Accepts NULL. */
void client_delete(struct client *client);

/*
 * Hears of every exchange that ended: its method, its HTTP status, or 0 when no whole answer came,
 * and how long it took. A call that is repeated with a new token is two; one that is cancelled, or
 * whose request could not be built, is none. Called before the call's own end; may call nothing of
 * this client. Watches and attaches, which go their own way, are not exchanges in this sense.
 */
typedef void client_observer(void *context, const char *method, int status, int64_t ms);

/* One observer; NULL: none, as at the beginning. */
void client_observe(struct client *client, client_observer *observer, void *context);

/* The server's path prefix, for targets. */
const char *client_prefix(const struct client *client);

/* --- Any call. --- */

struct client_request {
	const char *method;
	const char *target;		   /* whole, with the prefix: see target.h */
	const char *accept, *content_type; /* or NULL */
	struct str body;		   /* borrowed for the call of the starter */
	int64_t timeout_ms;		   /* 0: CLIENT_TIMEOUT_MS */
	size_t answer_limit;		   /* 0: CLIENT_ANSWER_BYTES_MAX */
};

/* The last callback. `body` is the answer's to a status of 2xx; otherwise `err` is set. */
typedef void client_done(void *context, struct str body, const struct err *err);

struct client_call *client_start(struct client *client, const struct client_request *request,
				 client_done *done, void *context);
void client_cancel(struct client_call *call);

/* --- The verbs. Names are checked and encoded; what is wrong with them comes as an error. --- */

struct client_object {
	const struct target_resource *resource;
	struct str in_namespace, name;
	const char *subresource; /* or NULL */
};

struct client_call *client_get(struct client *client, const struct client_object *object,
			       client_done *done, void *context);

struct client_call *client_create(struct client *client, const struct client_object *collection,
				  struct str body, client_done *done, void *context);

enum client_patch {
	CLIENT_MERGE, /* with metadata.resourceVersion in the body it is an optimistic lock */
	CLIENT_APPLY, /* server-side apply as CLIENT_FIELD_MANAGER, taking over by force */
};

struct client_call *client_patch(struct client *client, const struct client_object *object,
				 enum client_patch kind, struct str body, client_done *done,
				 void *context);

struct client_preconditions {
	struct str uid, resource_version; /* empty: no such condition */
	int grace_seconds;		  /* -1: the object's own */
};

/* 404 and ERR_CONFLICT both mean: not that object any more. */
struct client_call *client_delete_object(struct client *client, const struct client_object *object,
					 const struct client_preconditions *preconditions,
					 client_done *done, void *context);

/* --- For streams and websockets, which go their own way to the server. --- */

/* An endpoint that stays while somebody has it, and the token of this moment. */
struct client_route {
	struct io_endpoint *endpoint;
	struct str token; /* valid until the loop turns: for a starter */
	struct client_line *line;
};

struct client_route client_route_take(struct client *client);
void client_route_release(struct client *client, struct client_route *route);

/* The server did not accept the token: the next route has it read again. */
void client_route_note_unauthorized(struct client *client);
/* A connection failed: maybe the trust has changed. */
void client_route_note_transport_error(struct client *client);

#endif
