/*
 * runner_talk: a conversation with one runner's side: what a controller may say, what comes back,
 * and the places where a test begins. One per test program, hence the short names.
 */
#ifndef TESTS_RUNNER_TALK_H
#define TESTS_RUNNER_TALK_H

#include "proto/runner_side.h"

#include <stdbool.h>

#define SPOOL 100000 /* bytes that the runner has room for */

extern struct runner_side side;
extern uint8_t spool[SPOOL];
extern struct object outcome; /* of 40,000 bytes; there once sealed() was called */

/* --- Saying something. All but say and data do it at time 0. */

extern uint8_t payload[64]; /* what say sends the beginning of */

enum runner_event say(int64_t now_ms, uint64_t session, uint8_t type, uint64_t offset,
		      size_t length);
/* As the run whose id begins with that byte: 0 is the right one, and 1 the right attempt. */
enum runner_event attach_as(uint64_t session, uint8_t first_byte, uint32_t attempt);
/* With the hash of `bytes`. */
enum runner_event offer(uint64_t session, uint64_t total, const char *bytes);
enum runner_event data(int64_t now_ms, uint64_t session, uint64_t offset, const char *bytes);
enum runner_event start(uint64_t session, const char *bytes);
enum runner_event get(uint64_t session, uint8_t object, uint64_t offset, uint32_t length);
enum runner_event cancel(uint64_t session, uint32_t grace_ms);

/* --- Hearing it */

extern struct frame heard; /* the last frame, and what it said if it was one of these: */
extern struct payload_state state;
extern struct payload_error error;

/* The type of the next frame it sends at that time, 0 when none. */
int hear(int64_t now_ms);
void hear_all(int64_t now_ms);

/* It refuses the session's last frame with that code, and that is all it says. */
bool refuses(uint64_t session, enum proto_error code);
/* It sends one STATE, and that is all. */
bool answers_state(void);

/* --- Where tests begin: session 10 is attached, the bundle is "abc". */

void boot(void);
void attached(void);
void received(void);
void running(void);
void sealed(void);

#endif
