/*
 * kubeconfig: a cluster and a user from the files that kubectl uses.
 *
 * Merged as client-go does it (tools/clientcmd/loader.go): of several files the first one that has
 * an entry of a name has all of it, the first current-context counts, files that are not there are
 * skipped, and relative paths belong to the file that they stand in. `…-data` wins over the file of
 * the same meaning, tokenFile over token.
 *
 * What we can't do is refused with its place: exec plugins, auth-provider, user name and password,
 * impersonation, proxy-url.
 */
#ifndef KUBE_KUBECONFIG_H
#define KUBE_KUBECONFIG_H

#include "config.h"

#define KUBECONFIG_FILES_MAX  16
#define KUBECONFIG_BYTES_MAX  (1024 * 1024)
#define KUBECONFIG_PATHS_SIZE 4096

/*
 * `paths`: files separated by ':', as in KUBECONFIG. `must_exist`: a single file that was named by
 * a flag. `context`: NULL for the current one. `config` has to be zeroed; files that it names are
 * read. ERR_NOT_FOUND when no file is there or none has a context.
 */
int kubeconfig_load(struct config *config, struct io *io, const char *paths, bool must_exist,
		    const char *context, struct err *err);

#endif
