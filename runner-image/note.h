/*
 * note: what the runner and the jail's init say to each other, over one SOCK_SEQPACKET pair.
 *
 * The program's end travels as si_code and si_status, never folded into an exit code, so exit 139
 * and a segmentation fault stay apart. The pair is closed before the user's program is exec'd: no
 * user code can write a note. A program may kill its init (the kernel allows it inside gVisor);
 * then the runner sees the end of the pair without NOTE_ENDED, and says that.
 */
#ifndef RUNNER_NOTE_H
#define RUNNER_NOTE_H

#include "report.h"
#include "step.h"

#include <stdbool.h>
#include <stdint.h>

enum note_type {
	/* init to runner */
	NOTE_LAYER,   /* one layer was verified: layer, report */
	NOTE_READY,   /* the jail is built and verified */
	NOTE_FAILED,  /* something failed, for good: failed */
	NOTE_SCRATCH, /* the files are in place; carries a descriptor of the scratch tmpfs */
	NOTE_STARTED, /* the program is exec'd next, or NOTE_FAILED follows */
	NOTE_ENDED,   /* the program ended: end */
	/* runner to init */
	NOTE_START,	/* the launch block is filled: start the program */
	NOTE_TERMINATE, /* SIGTERM to every process in the jail */
};

/* How the program ended, as waitid and wait4 tell it. */
struct note_end {
	int32_t code;		     /* CLD_EXITED, CLD_KILLED, CLD_DUMPED */
	int32_t status;		     /* the exit code, or the signal */
	uint32_t leftovers;	     /* other processes that were still alive in the jail */
	uint64_t user_us, system_us; /* CPU time of the program and the children it waited for */
	uint64_t max_rss_bytes;	     /* of the largest of them */
};

struct note {
	enum note_type type;
	union {
		struct {
			enum layer_id layer;
			struct report report;
		} verified;
		struct failure failed;
		struct note_end end;
	};
};

/* Sends one note, with a descriptor if `descriptor` is not negative. -1 with errno. */
int note_send(int fd, const struct note *note, int descriptor);

/*
 * Receives one note; `*descriptor` is one that came along, else -1. Returns 1, 0 at the end of the
 * pair, -1 with errno (EAGAIN on a non-blocking end without a note; EBADMSG for a wrong size). The
 * last words of a side that ended without reading ours are received, too.
 */
int note_receive(int fd, struct note *note, int *descriptor);

#endif
