/*
 * networkpolicy: what closes the network of the Pods in one namespace.
 *
 * One policy for all Pods of ours, both ways, made long before the first of them: a policy made
 * together with a Pod comes too late. It is the second wall only; the jail around the program has
 * no network whatever the cluster does.
 */
#ifndef BUILD_NETWORKPOLICY_H
#define BUILD_NETWORKPOLICY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

#define NETWORKPOLICY_BYTES_MAX (16u << 10)
#define NETWORKPOLICY_NAME	"sandboxtask-default-deny"

/* Appends the manifest. */
int networkpolicy_write(struct buf *text, struct str namespace, struct err *err);

/*
 * Whether a live policy still does what ours does: it selects all Pods of ours, for both
 * directions, and lets nothing through. Checked JSON.
 */
bool networkpolicy_is_sound(struct str live);

#endif
