/*
 * layer: one layer of isolation, as the runner verified it from inside.
 *
 * Names travel as text, so that a newer runner can report a layer that an older controller does not
 * know. A plan demands layers by name: what is not reported is not held.
 */
#ifndef PROTO_LAYER_H
#define PROTO_LAYER_H

#include "base/str.h"
#include "record.h"
#include "tags.h"

#include <stdbool.h>
#include <stddef.h>

#define LAYERS_MAX 32

/* X(constant, name) */
#define LAYER_NAMES(X)                                                                        \
	X(LAYER_GVISOR, "gvisor")		       /* the kernel below is the sentry */   \
	X(LAYER_USER_NAMESPACE, "userNamespace")       /* one uid mapped, setgroups denied */ \
	X(LAYER_PID_NAMESPACE, "pidNamespace")	       /* the runner is out of reach */       \
	X(LAYER_NETWORK_NAMESPACE, "networkNamespace") /* empty: outside is ENETUNREACH */    \
	X(LAYER_MOUNT_NAMESPACE, "mountNamespace")     /* private mounts, read-only root */   \
	X(LAYER_IPC_NAMESPACE, "ipcNamespace")                                                \
	X(LAYER_UTS_NAMESPACE, "utsNamespace")                                                \
	X(LAYER_MASKS, "maskedPaths") /* of /proc, termination log, configuration */          \
	X(LAYER_DEVICES, "minimalDevices")                                                    \
	X(LAYER_TMP, "boundedTmp")		/* bytes and inodes */                        \
	X(LAYER_CAPABILITIES, "noCapabilities") /* all sets empty, the bounding set too */    \
	X(LAYER_NO_NEW_PRIVILEGES, "noNewPrivileges")                                         \
	X(LAYER_SECCOMP, "seccomp")                                                           \
	X(LAYER_RLIMITS, "rlimits")                                                           \
	X(LAYER_DESCRIPTORS, "closedDescriptors")

#define X_CONSTANT(constant, name) constant,
enum layer_id { LAYER_NAMES(X_CONSTANT) LAYER_ID_COUNT };
#undef X_CONSTANT

enum layer_state {
	LAYER_HELD,	     /* tried from inside, and it held */
	LAYER_MISSING,	     /* tried, and it did not */
	LAYER_NOT_SUPPORTED, /* can't be had on this kernel or node */
	LAYER_STATE_MAX = LAYER_NOT_SUPPORTED,
};

struct layer {
	struct str name;
	uint8_t state; /* enum layer_state */
	struct str detail;
};

extern const struct schema layer_schema;

struct str layer_name(enum layer_id id);

/* No name stands twice: else one report could say both held and missing. */
bool layers_are_distinct(const struct layer *layers, size_t count);

/* The layer is reported and held. */
bool layers_hold(const struct layer *layers, size_t count, struct str name);

#endif
