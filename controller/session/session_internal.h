/* session_internal: what the files of session share: session.c (decides), session_connect.c (turns
 * and connections), session_hear.c (what the runner says). */
#ifndef SESSION_SESSION_INTERNAL_H
#define SESSION_SESSION_INTERNAL_H

#include "session.h"
#include "wire.h"

#define SESSION_NEVER INT64_MAX

struct session {
	struct session_config config;
	char *target;
	enum session_state state;
	bool has_news; /* `changed` is due */

	/* What may be done. */
	const struct object *bundle;
	bool wants_pull, wants_cancel, wants_release;
	bool is_release_said;

	struct controller_side side;
	struct wire wire;
	struct hub_turn turn;
	struct io_timer *timer; /* the next thing to do by itself */

	/* Connecting. */
	uint64_t next_number;
	int64_t attach_due_ms;
	unsigned losses;	  /* since the runner's last answer */
	int64_t refused_since_ms; /* SESSION_NEVER: the last was no refusal */
	enum attach_verdict trouble;
	char trouble_text[ATTACH_TEXT_SIZE];
	unsigned troubles;

	/* Silence, and slowness. */
	int64_t opened_ms;
	bool is_answered; /* this connection was, once */
	bool is_mute;	  /* the last one that opened never was */
	int64_t unanswered_ms;
	int64_t silence_counts_from_ms;
	int64_t turn_since_ms; /* SESSION_NEVER: it is not held */
	unsigned slow_turns;

	/* How much it says: of what was heard up to then, what is more than its due. */
	uint64_t heard_bytes, excess_bytes;
	int64_t heard_ms;

	/* What the runner told. */
	struct buf facts;
	struct hello hello; /* borrows from it */
	bool has_hello;
	bool is_verified; /* on this connection */
	struct buf outcome_bytes;
	struct outcome *outcome; /* borrows from them */
	bool bundle_is_checked;

	enum session_failure failure;
	char text[VERIFY_TEXT_SIZE + ATTACH_TEXT_SIZE];
};

int64_t session_now_ms(const struct session *s);

/* Nothing will happen any more. */
bool session_is_over(const struct session *s);

/* The runner answers on this connection. */
bool session_is_greeted(const struct session *s);

void session_move(struct session *s, enum session_state state);

/* Moves to Failed, with the reason in words. */
void session_fail(struct session *s, enum session_failure failure, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* --- session_connect.c */

/* True: what it is about to do needs no turn, or it has one. Else it waits for one. */
bool session_connect_has_turn(struct session *s);
void session_connect_leave_turn(struct session *s);

/* There is no connection, and it is time for one. */
bool session_connect_is_due(const struct session *s);
void session_connect_start(struct session *s);

/* The connection is no more: the next one comes later, or that was the end. */
void session_connect_lose(struct session *s, enum attach_verdict verdict, const char *text);

/* --- session_hear.c */

void session_hear_facts(struct session *s, struct str facts);
void session_hear_outcome(struct session *s, struct str bytes, uint64_t offset);

/* Counts what was heard since the last call. True: it is more than any runner has to say. */
bool session_hear_flood(struct session *s);

/* Moves to where the side has come. */
void session_hear_progress(struct session *s);

#endif
