/*
 * splitter: JSON objects that follow one another on a stream, whole and one by one.
 *
 * A watch answers with one object a line, but the line's end is a habit and not a promise (an
 * indented answer has many), and the network cuts anywhere. So objects are told apart by their
 * braces, outside of strings. What an object says, and whether it is JSON at all, is not looked at
 * here. Pure.
 */
#ifndef KUBE_SPLITTER_H
#define KUBE_SPLITTER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct splitter {
	struct buf object; /* of which a part has come */
	int depth;
	bool is_in_string, is_escaped;
};

/* One object may have so many bytes. */
void splitter_init(struct splitter *splitter, size_t object_limit);
void splitter_free(struct splitter *splitter);

/* Forgets a part of an object: the next stream begins. */
void splitter_reset(struct splitter *splitter);

/*
 * Takes bytes off `*bytes`. 1: an object is whole and is `*object`, valid until the next call; the
 * rest of the bytes is still in `*bytes`. 0: all were taken, more are needed. -1: ERR_TOO_LARGE, or
 * ERR_PROTOCOL for something else than an object; then only a reset helps.
 */
int splitter_next(struct splitter *splitter, struct str *bytes, struct str *object,
		  struct err *err);

#endif
