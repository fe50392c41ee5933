/*
 * options: what an admin can set, from flags, a configuration file and defaults, in this order.
 *
 *	options_init(&options);
 *	if (options_read_flags(&options, argc, argv, &err) < 0)
 *		…
 *	if (options_read_file(&options, io, &err) < 0)
 *		…
 *
 * The table below is the only source of keys, flags, defaults, bounds and explanations: --help
 * prints it, and tests/program.t holds the table in docs/operations.md against it. Each row is a
 * key of the file and a flag. The file (--config FILE) is a YAML mapping of these keys, flat.
 *
 * Strict: an unknown key or flag, one that is there twice, a value of the wrong type or out of its
 * bounds is an error that names its place, the bounds and so the cure. An empty value is as good as
 * none: then the default counts.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "core/lease.h"
#include "kube/io.h"
#include "kube/kubeconfig.h"
#include "manager/manager.h"

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_FILE_BYTES_MAX (64 * 1024)
#define OPTIONS_HELP_BYTES_MAX (16 * 1024)

/*
 * X(kind, member, key, flag, default, min, max, explanation)
 * - kind: how it is read and written, see OPTIONS_TYPE_kind below.
 * - default: as it would stand in a flag; "" when there is none, or when it is found at the start.
 * - min, max: of a number itself, of anything else its bytes.
 * - explanation: one sentence.
 */
/* clang-format off */
#define OPTIONS_TABLE(X) \
	X(PATH, kubeconfig, "kubeconfig", "--kubeconfig", "", 1, KUBECONFIG_PATHS_SIZE - 1, \
	  "How the API server is reached. Without it: the files that the environment names in " \
	  "KUBECONFIG, else the service account of the Pod.") \
	X(NAME, lease_namespace, "leaseNamespace", "--lease-namespace", "", 1, 63, \
	  "Where the Lease of the election is. Without it: the namespace of the Pod, or of the " \
	  "kubeconfig's context.") \
	X(IDENTITY, identity, "identity", "--identity", "", 1, LEASE_HOLDER_SIZE - 1, \
	  "The name of this replica in the Lease, which no other may have. Without it: the " \
	  "host's name and a random part.") \
	X(NUMBER, tasks_max, "maxTasks", "--max-tasks", OPTIONS_TEXT(MANAGER_TASKS_DEFAULT), \
	  1, 10000, \
	  "How many tasks have a Pod at one time, over all classes and namespaces; the others " \
	  "wait.") \
	X(NUMBER, transfers_max, "maxTransfers", "--max-transfers", \
	  OPTIONS_TEXT(MANAGER_TRANSFERS_DEFAULT), 1, 256, \
	  "How many tasks upload their input or hand over their output at one time. Each takes " \
	  "memory for it.") \
	X(ADDRESS, listen_address, "listenAddress", "--listen-address", "0.0.0.0", 1, 45, \
	  "Where /healthz, /readyz and /metrics are answered; :: for IPv6.") \
	X(NUMBER, listen_port, "listenPort", "--listen-port", "8080", 0, 65535, \
	  "The port of these; 0: none is opened.") \
	X(LEVEL, log_level, "logLevel", "--log-level", "info", 1, 7, \
	  "Log lines below this level are not written.")
/* clang-format on */

#define OPTIONS_TEXT(macro)	   OPTIONS_TEXT_OF_IT(macro)
#define OPTIONS_TEXT_OF_IT(number) #number

#define OPTIONS_TYPE_PATH     char *
#define OPTIONS_TYPE_NAME     char *
#define OPTIONS_TYPE_IDENTITY char *
#define OPTIONS_TYPE_ADDRESS  char *
#define OPTIONS_TYPE_NUMBER   int64_t
#define OPTIONS_TYPE_LEVEL    enum log_level

enum options_action { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_VERSION };

#define X_ONE(...) +1
enum { OPTIONS_COUNT = 0 OPTIONS_TABLE(X_ONE) };
#undef X_ONE

struct options {
	enum options_action action;
	char *config_path; /* of --config, or NULL */
#define X_MEMBER(kind, member, ...) OPTIONS_TYPE_##kind member;
	OPTIONS_TABLE(X_MEMBER)
#undef X_MEMBER
	bool is_flagged[OPTIONS_COUNT]; /* set by a flag: the file has no say */
};

/* The defaults. Texts are never NULL, and owned by the options. */
void options_init(struct options *options);
void options_free(struct options *options);

/* --flag VALUE or --flag=VALUE; argv[0] is the program. */
int options_read_flags(struct options *options, int argc, char *const argv[], struct err *err);

/* The file of --config; without one: nothing. */
int options_read_file(struct options *options, struct io *io, struct err *err);

/*
 * What was found at the start for a text that nobody has set, under its key. It is judged like the
 * rest, and that it is empty is an error: the admin has to set it.
 */
int options_set_found(struct options *options, const char *key, struct str value, struct err *err);

/* Appends the answer to --help. */
void options_help(struct buf *text);

#endif
