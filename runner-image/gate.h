/*
 * gate: the runner refuses to live outside gVisor.
 *
 * Two facts of the sentry are asked here: the kernel log's first line, which is hard-wired in
 * gVisor (a real kernel has its own ring buffer, and a container may not read it), and
 * /proc/sentry-meminfo. The third, that an unprivileged process can make all six namespaces in one
 * clone, is asked by building the jail itself, which fails closed (jail.h).
 *
 * uname and /proc/version differ between versions of gVisor and are not asked.
 */
#ifndef RUNNER_GATE_H
#define RUNNER_GATE_H

/* The exit code of a runner that is not isolated: the controller maps it to IsolationUnverified. */
#define GATE_EXIT_CODE 78

/* Kubernetes' default terminationMessagePath. */
#define GATE_TERMINATION_LOG "/dev/termination-log"

/* NULL inside gVisor, else the name of the check that failed. */
const char *gate_check(void);

/*
 * Says "sandboxtask: not isolated: <layer>" in the termination message and on stderr, then ends
 * the process with GATE_EXIT_CODE. Never writes to stdout, which is the protocol's.
 */
void gate_refuse(const char *layer) __attribute__((noreturn));

#endif
