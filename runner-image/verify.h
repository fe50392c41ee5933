/*
 * verify: looks at the jail from inside, with the rights the user's program will have.
 *
 * Runs in a throw-away child of the jail's init, after user_become(), instead of a program. It
 * believes no return value of the building: it tries what must not work and looks whether it fails,
 * and reads back what was set. One note per layer.
 */
#ifndef RUNNER_VERIFY_H
#define RUNNER_VERIFY_H

struct launch;

/* Fills launch->outer_namespaces: the runner's own; what this kernel does not show stays empty. */
void verify_note_outer(struct launch *launch);

/* Reports every layer but LAYER_GVISOR, which is the gate's, on `notes`; -1 if it can't. */
int verify_report(const struct launch *launch, int notes);

#endif
