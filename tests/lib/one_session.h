/*
 * one_session: what most tests of a session have, a sandbox and the owner of one session with it.
 * Between begin() and end() they are there, and in end() nothing may be pending any more.
 */
#ifndef TESTS_ONE_SESSION_H
#define TESTS_ONE_SESSION_H

#include "sandbox.h"

static struct sandbox *s;
static struct owner o;

static inline void begin(void)
{
	s = sandbox_new();
	owner_init(&o, s);
}

static inline void end(void)
{
	owner_free(&o);
	sandbox_delete(s);
}

static inline const char *state(void)
{
	return session_state_name(o.report.state);
}

/* The last one. */
static inline struct io_ws *socket(void)
{
	return fake_ws_last(&s->ws);
}

#endif
