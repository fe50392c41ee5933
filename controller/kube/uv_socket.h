/*
 * uv_socket: what the kernel is told about the sockets of ours.
 *
 * A connection whose other end is gone without a word (a node lost its power, a firewall forgot)
 * looks idle. Keepalive probes find it in 10 + 3 * 5 s; unacknowledged data in 20 s, where the
 * kernel's own limit is some 15 minutes (measured: 22.5 s with both, 57 s with keepalive alone).
 */
#ifndef KUBE_UV_SOCKET_H
#define KUBE_UV_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#define SOCKET_KEEPALIVE_IDLE_SECONDS	  10
#define SOCKET_KEEPALIVE_INTERVAL_SECONDS 5
#define SOCKET_KEEPALIVE_PROBES		  3
#define SOCKET_UNACKNOWLEDGED_MS	  20000

/* For requests: both. */
void uv_socket_detect_death(int fd);

/*
 * For websockets: keepalive only. A limit on unacknowledged data would also end a connection whose
 * other end is well but does not read, which is what a program that ignores its stdin looks like.
 */
void uv_socket_keep_alive(int fd);

/*
 * True when the other kernel has acknowledged nothing for that long although it was sent at least
 * SOCKET_TRIES_UNANSWERED things that it has to acknowledge. One that is well but whose program
 * does not read acknowledges the probes of its closed window, so it does not look like this.
 */
#define SOCKET_TRIES_UNANSWERED 3
bool uv_socket_is_unanswered(int fd, int64_t for_ms);

/*
 * 0 when there is a way to a numeric address, else the errno that a connect would end with. Sends
 * nothing.
 */
int uv_socket_find_way(const char *address, uint16_t port);

#endif
