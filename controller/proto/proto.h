/*
 * proto: the runner protocol, layout 1: what controller and runner say to each other through a
 * websocket attach, that is, through stdin and stdout of the runner. This header is its
 * specification together with frame.h (bytes on the wire), payload.h (what each frame carries),
 * tags.h (fields of the manifests), and runner_side.h and controller_side.h (who says what when).
 *
 * The stream can be cut and joined anywhere, two controllers may be attached at once, and stdout is
 * copied to every attacher and into the node's log. Hence: a frame is one log line, every request
 * can be repeated, and nothing bulky is sent unasked.
 *
 * What may change, and how. The header and every frame below are frozen for the life of layout 1:
 * their payloads have one exact length (HELLO: a fixed beginning), and a longer one is dropped like
 * any damaged frame, so that no reader ever guesses at bytes it does not know. What grows instead:
 * - fields of HELLO, bundle and outcome: new tags, which an older reader skips;
 * - what a runner can do: a capability bit, and the controller asks before START, not after;
 * - frames: new types, which an older runner answers with ERR_UNSUPPORTED;
 * - meaning of what exists: the protocol version that ATTACH and HELLO agree on.
 */
#ifndef PROTO_PROTO_H
#define PROTO_PROTO_H

#include <stdint.h>

#define PROTO_LAYOUT 0x01

/* Versions this code speaks. The controller speaks a version and the one before it, once there is
 * one: runner images are pinned by administrators and lag behind. */
#define PROTO_VERSION_MIN 1
#define PROTO_VERSION_MAX 1

#define PROTO_RUN_ID_BYTES 16 /* the UID of the task */

/* X(constant, number, name). The upper half is what the runner says. */
#define PROTO_FRAMES(X)                                                                      \
	X(FRAME_ATTACH, 0x01, "ATTACH")	  /* here I am, with this session: answer HELLO */   \
	X(FRAME_OFFER, 0x02, "OFFER")	  /* I have a bundle of this length and hash */      \
	X(FRAME_UPLOAD, 0x03, "DATA")	  /* bytes of it at `offset` */                      \
	X(FRAME_START, 0x04, "START")	  /* run the bundle of this hash */                  \
	X(FRAME_GET, 0x05, "GET")	  /* send bytes of an object from `offset` on */     \
	X(FRAME_CANCEL, 0x06, "CANCEL")	  /* stop the run, or never begin it */              \
	X(FRAME_RELEASE, 0x0A, "RELEASE") /* the final status is written: exit on SIGTERM */ \
	X(FRAME_HELLO, 0x81, "HELLO")	  /* who I am and which jail I hold */               \
	X(FRAME_STATE, 0x82, "STATE")	  /* how far everything is */                        \
	X(FRAME_DOWNLOAD, 0x83, "DATA")	  /* bytes of the outcome at `offset` */             \
	X(FRAME_ERROR, 0x8F, "ERROR")	  /* your frame was refused */
/* Reserved: 07 TOOL_RESULT, 08 FOLLOW, 09 PREPARE, 84 TOOL_CALL, 85 OUTPUT. */

/* X(constant, number, name): where the runner is; it only moves down, and from a refused or
 * replaced upload back up to the upload. */
#define PROTO_PHASES(X)                                                                \
	X(PHASE_BOOTING, 0, "Booting")	     /* building the jail; answers nothing */  \
	X(PHASE_READY, 1, "Ready")	     /* the jail is built and verified */      \
	X(PHASE_RECEIVING, 2, "Receiving")   /* a bundle was offered */                \
	X(PHASE_RECEIVED, 3, "Received")     /* all of it is here and its hash fits */ \
	X(PHASE_INSTALLING, 4, "Installing") /* dependencies are being installed */    \
	X(PHASE_RUNNING, 5, "Running")	     /* the code is running */                 \
	X(PHASE_DONE, 6, "Done") /* outcome sealed; without one: cancelled before START */

/* X(constant, number, name): what ERROR says. */
#define PROTO_ERRORS(X)                                                                         \
	X(PROTO_LOWER_SESSION, 1, "LowerSession")     /* a higher session is attached */        \
	X(PROTO_WRONG_RUN, 2, "WrongRun")	      /* bound to another run or attempt */     \
	X(PROTO_TOO_LARGE, 3, "TooLarge")	      /* over what the runner has room for */   \
	X(PROTO_HASH_MISMATCH, 4, "HashMismatch")     /* of the upload, or of START's bundle */ \
	X(PROTO_NOT_RECEIVED, 5, "NotReceived")	      /* START before all is here */            \
	X(PROTO_ALREADY_STARTED, 6, "AlreadyStarted") /* with another bundle */                 \
	X(PROTO_BAD_BUNDLE, 7, "BadBundle")	      /* its manifest breaks a rule */          \
	X(PROTO_UNSUPPORTED, 8, "Unsupported")	      /* version, frame or object unknown */

/* X(constant, bit, name): what a runner can do beyond running a script. */
#define PROTO_CAPABILITIES(X)                                                      \
	X(CAPABILITY_FUNCTION, 0, "Function")	/* mode Function and its result */ \
	X(CAPABILITY_LINT, 1, "Lint")		/* mode Lint */                    \
	X(CAPABILITY_FILES, 2, "Files")		/* parts beside code and stdin */  \
	X(CAPABILITY_INSTALL, 3, "Install")	/* an install phase */             \
	X(CAPABILITY_ARTIFACTS, 4, "Artifacts") /* files in the outcome */

/* X(constant, name): why a frame or a piece of the stream was dropped without an answer. The first
 * group is counted by the reader, the second by the two sides. */
#define PROTO_DROPS(X)                                                                          \
	X(DROP_HEADLESS, "Headless") /* before the first delimiter of a connection */           \
	X(DROP_OVERLONG, "Overlong") /* no delimiter within the longest frame */                \
	X(DROP_COBS, "Cobs")	     /* its blocks don't end where it ends */                   \
	X(DROP_SHORT, "Short")	     /* less than a header and a CRC */                         \
	X(DROP_LAYOUT, "Layout")     /* a layout byte that is not ours */                       \
	X(DROP_LENGTH, "Length")     /* the header's length is not the payload's */             \
	X(DROP_CRC, "Crc")	     /* damaged */                                              \
	X(DROP_TYPE, "Type")	     /* a type that the other side does not send, or unknown */ \
	X(DROP_PAYLOAD, "Payload")   /* a payload that breaks its table */                      \
	X(DROP_SESSION, "Session")   /* another session's, or nobody is attached */             \
	X(DROP_STALE, "Stale")	     /* overtaken by what is known already */

#define X_NUMBERED(constant, number, name) constant = (number),
#define X_COUNTED(constant, name)	   constant,
enum proto_frame { PROTO_FRAMES(X_NUMBERED) };
enum proto_phase { PROTO_PHASES(X_NUMBERED) };
enum proto_error { PROTO_NO_ERROR = 0, PROTO_ERRORS(X_NUMBERED) };
enum proto_capability { PROTO_CAPABILITIES(X_NUMBERED) };
enum proto_drop { PROTO_DROPS(X_COUNTED) PROTO_DROP_COUNT, PROTO_NO_DROP = PROTO_DROP_COUNT };
#undef X_NUMBERED
#undef X_COUNTED

/* What GET can ask for. */
#define PROTO_OBJECT_OUTCOME 0

/* Names for logs and messages; "unknown" for a number that is in no table. */
const char *proto_frame_name(unsigned frame);
const char *proto_phase_name(unsigned phase);
const char *proto_error_name(unsigned error);
const char *proto_capability_name(unsigned capability);
const char *proto_drop_name(unsigned drop);

#endif
