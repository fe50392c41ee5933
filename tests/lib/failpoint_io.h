/*
 * failpoint_io: an io that hands everything to another one, and kills its own process by SIGKILL at
 * one chosen moment. It stands between the shipped code and the shipped io, so that neither knows.
 *
 *	struct failpoint_io failpoint;
 *	failpoint_io_init(&failpoint, real, "after POST *pods*");
 *	…everything with &failpoint.io…
 *
 * The moments:
 *	""                               never
 *	"before METHOD TARGET [MARKER]"  such a request is about to be sent
 *	"after METHOD TARGET [MARKER]"   its answer, a success, has come, unheard
 *	"sent START"                     START is on its way: the runner's next words have come
 *	"heard running", "heard done"    a runner says that it is in this phase, unheard
 * TARGET is a pattern of fnmatch(3) for path and query, in which * matches slashes too; MARKER, the
 * rest of the line, has to be found in the request's body.
 *
 * Each change of the runner's count of STARTs is told on standard error, as "starts N".
 */
#ifndef TESTS_FAILPOINT_IO_H
#define TESTS_FAILPOINT_IO_H

#include "kube/io.h"

enum failpoint_moment {
	FAILPOINT_NEVER,
	FAILPOINT_BEFORE_REQUEST,
	FAILPOINT_AFTER_REQUEST,
	FAILPOINT_START_SENT,
	FAILPOINT_RUNNING_HEARD,
	FAILPOINT_DONE_HEARD,
};

struct failpoint_io {
	struct io io;	 /* first */
	struct io *real; /* borrowed */
	enum failpoint_moment moment;
	char method[16], target[256], marker[256]; /* of a request */
};

/* A text that names no moment ends the program with a message. */
void failpoint_io_init(struct failpoint_io *failpoint, struct io *real, const char *text);

#endif
