/*
 * config: where the API server is, how it is trusted, and who we are.
 *
 * From a kubeconfig (kubeconfig.h) or from what every Pod has (config_in_cluster). Certificates and
 * tokens are either texts or files; files are read again by the client, since they are renewed
 * under a running program.
 */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include "base/secret.h"
#include "io.h"

#define CONFIG_PEM_BYTES_MAX (1024 * 1024)

/* A text, or a file that holds it; neither: empty. */
struct config_text {
	char *path; /* NULL: `text` is all there is */
	struct secret text;
};

/* Zeroed it is empty and may be freed. */
struct config {
	char *host;
	uint16_t port;
	char *prefix;	   /* path before every request's, "" usually; no slash at its end */
	char *server_name; /* in the certificate; NULL: the host */
	bool insecure_skip_verify;
	struct config_text ca, client_cert, client_key, token;
	char *in_namespace; /* of the Pod, or of the kubeconfig's context; "" when there is none */
};

void config_free(struct config *config);

/* "https://host:port/prefix", as kubeconfigs have it. ERR_INVALID says what is wrong with it. */
int config_set_server(struct config *config, struct str url, struct err *err);

/* Reads the file of `text`, if it has one, into its text. On failure the old text stays. */
int config_read(struct io *io, struct config_text *text, struct err *err);

/* An endpoint from what has been read. NULL with ERR_INVALID. */
struct io_endpoint *config_endpoint(struct io *io, const struct config *config, struct err *err);

/* What a Pod gets; a test has other places. */
struct config_pod {
	const char *host, *port; /* KUBERNETES_SERVICE_HOST and _PORT; NULL: not in a Pod */
	const char *folder;	 /* /var/run/secrets/kubernetes.io/serviceaccount */
};

/* ERR_NOT_FOUND: this is no Pod. The files are read once, so that what is missing shows now. */
int config_in_cluster(struct config *config, struct io *io, const struct config_pod *pod,
		      struct err *err);

#endif
