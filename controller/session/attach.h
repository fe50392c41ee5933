/*
 * attach: what it means that a websocket to a Pod ended, or never was, and when to try again. Pure.
 *
 * Nothing here is the end of a session by itself: whether a Pod is gone or its container is over is
 * for the Pod's status to say. The verdict tells the session whether to go on trying, and its owner
 * whether to look at the Pod. It goes by status codes and by who answered (the API server answers
 * with a Status object, what stands behind it with plain text); texts differ between versions and
 * are for people.
 */
#ifndef SESSION_ATTACH_H
#define SESSION_ATTACH_H

#include "base/str.h"
#include "kube/io.h"

#include <stdbool.h>
#include <stdint.h>

#define ATTACH_TEXT_SIZE 512

#define ATTACH_DELAY_FIRST_MS 100
#define ATTACH_DELAY_LAST_MS  5000

/* X(constant, name) */
#define ATTACH_VERDICTS(X)                                                                      \
	X(ATTACH_FINE, "Fine")	     /* nothing ended */                                        \
	X(ATTACH_LOST, "Lost")	     /* the way there broke, or was busy: it may come back */   \
	X(ATTACH_UNREADY, "Unready") /* there is no such container that runs: not yet, or no  \
					longer */ \
	X(ATTACH_ENDED, "Ended")     /* the server ended it: the container may be over */       \
	X(ATTACH_GONE, "Gone")	     /* the API server knows no such Pod */                     \
	X(ATTACH_REFUSED, "Refused") /* we may not, or don't speak the same: waiting rarely   \
					helps */

#define X_CONSTANT(constant, name) constant,
enum attach_verdict { ATTACH_VERDICTS(X_CONSTANT) };
#undef X_CONSTANT

/* `has_status`: the Status of channel 3 had come. */
enum attach_verdict attach_judge(const struct io_ws_end *end, bool has_status);

/* Writes what the server said, cut to the room: the message of a Status, else the text as it is
 * with its control characters and non-ASCII bytes as '?'. */
void attach_text(struct str said, char text[ATTACH_TEXT_SIZE]);

/* Writes why it ended, with what the server said. */
void attach_describe(const struct io_ws_end *end, char text[ATTACH_TEXT_SIZE]);

/* How long to wait after the n-th loss in a row, from 1: doubled each time, stretched by chance up
 * to double. `chance` is any random number. */
int64_t attach_delay_ms(unsigned losses, uint32_t chance);

const char *attach_verdict_name(enum attach_verdict verdict);

#endif
