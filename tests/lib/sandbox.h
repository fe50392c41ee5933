/*
 * sandbox: a Pod as a session meets it: a runner (runner_model.h) behind fake websockets, and an
 * owner of a session that gives leave as the manager does. Time is the fake io's.
 */
#ifndef TESTS_SANDBOX_H
#define TESTS_SANDBOX_H

#include "fake_ws.h"
#include "runner_model.h"
#include "session/session.h"

#define SANDBOX_SPOOL_BYTES (512u << 10)
#define SANDBOX_NUMBER	    (7ull * SESSION_NUMBERS)

struct sandbox;

/* The manager's part. */
struct owner {
	struct sandbox *sandbox;
	struct session_config config;
	struct session *session;
	struct session_report report;
	unsigned changes, seen; /* how often changed; 1 << each state that was reported */
	bool is_passive;	/* gives no leave by itself */
	unsigned delete_at;	/* deletes the session in that change, counted from 1; 0: never */
	unsigned asked;		/* for credentials */
};

struct sandbox {
	struct fake_io fake;
	struct fake_ws ws;
	struct hub hub;

	/* How the attach behaves. */
	struct fake_end refusal; /* of every handshake, while its http_status or code is set */
	bool refuses;
	const char *subprotocol;
	size_t chunk_bytes; /* of stdout in one message at most; 0: a frame each */
	unsigned messages;  /* that went through, both ways */
	unsigned cut_at;    /* the connection breaks instead of that message; 0: never */
	unsigned hook_at;   /* before that message, the hook is called; 0: never */
	void (*hook)(void *context);
	void *hook_context;
	size_t lost_over; /* messages to the runner that are longer get lost; 0: none */

	struct runner_model model;
	bool is_mute; /* it never answers */
	bool is_deaf; /* nothing reaches it */

	struct bundle bundle;
	uint8_t bundle_manifest[4 + BUNDLE_MANIFEST_BYTES_MAX];
	struct object bundle_object;
	char *code; /* of some size, so that the upload takes several frames */
	char *output;
};

/* A sandbox whose every layer holds, with a bundle of 100,000 bytes and an outcome of 150,000. */
struct sandbox *sandbox_new(void);
/* Nothing may be pending any more. */
void sandbox_delete(struct sandbox *s);

/* What HELLO says is `s->model.hello` as it is now. */
void sandbox_ready(struct sandbox *s);

void owner_init(struct owner *o, struct sandbox *s);
void owner_attach(struct owner *o);
void owner_free(struct owner *o);
bool owner_saw(const struct owner *o, enum session_state state);

/* Says a frame to the last connection, as an answer to `session`. */
void sandbox_say(struct sandbox *s, uint64_t session, uint8_t type, uint64_t offset,
		 const void *payload, size_t length);

/* Lets everything happen that happens without time, and then for that long. */
void sandbox_run(struct sandbox *s, int64_t ms);

#endif
