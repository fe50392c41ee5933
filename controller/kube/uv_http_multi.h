/*
 * uv_http_multi: one curl multi handle on the loop: its sockets, its timer, its ended transfers.
 *
 * curl forbids adding to, removing from and driving a multi inside its own callbacks. So a transfer
 * is added from the loop only, one that is to go while curl is running is kept in a list of the
 * doomed until curl has returned, and ends are reported after curl has returned.
 */
#ifndef KUBE_UV_HTTP_MULTI_H
#define KUBE_UV_HTTP_MULTI_H

#include "uv_core.h"

#include <curl/curl.h>

struct uv_http_multi;

/* A transfer as uv_http_multi sees it: embedded first in its owner, and its easy handle's private
 * data.
 */
struct uv_http_multi_transfer {
	CURL *easy;
	struct list doomed;
	/* curl has given up the transfer; remove it, then do with it what is to be done. */
	void (*ended)(struct uv_http_multi_transfer *transfer, CURLcode result);
	/* Frees a transfer that was dropped. */
	void (*freed)(struct uv_http_multi_transfer *transfer);
};

/* `connections`: at most so many to one host; 0 for no limit of ours. */
struct uv_http_multi *uv_http_multi_new(struct uv_io *uv, long connections);
/* From the loop only, without transfers. Accepts NULL. */
void uv_http_multi_delete(struct uv_http_multi *multi);

/* From the loop only. */
void uv_http_multi_add(struct uv_http_multi *multi, struct uv_http_multi_transfer *transfer);
/* Takes the transfer out, now or when curl returns, and calls `freed`. `ended` comes no more. */
void uv_http_multi_drop(struct uv_http_multi *multi, struct uv_http_multi_transfer *transfer);

#endif
