#include "uv_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

/* None of these may fail a connection: an option that the kernel lacks only delays detection. */
static void set(int fd, int level, int option, int value)
{
	(void)setsockopt(fd, level, option, &value, sizeof(value));
}

void uv_socket_keep_alive(int fd)
{
	set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set(fd, IPPROTO_TCP, TCP_KEEPIDLE, SOCKET_KEEPALIVE_IDLE_SECONDS);
	set(fd, IPPROTO_TCP, TCP_KEEPINTVL, SOCKET_KEEPALIVE_INTERVAL_SECONDS);
	set(fd, IPPROTO_TCP, TCP_KEEPCNT, SOCKET_KEEPALIVE_PROBES);
}

void uv_socket_detect_death(int fd)
{
	uv_socket_keep_alive(fd);
	set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, SOCKET_UNACKNOWLEDGED_MS);
}

bool uv_socket_is_unanswered(int fd, int64_t for_ms)
{
	struct tcp_info info = {0};
	socklen_t length = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) < 0)
		return false;
	return info.tcpi_last_ack_recv >= for_ms &&
	       info.tcpi_retransmits + info.tcpi_probes >= SOCKET_TRIES_UNANSWERED;
}

static socklen_t address_of(const char *text, uint16_t port, struct sockaddr_storage *address)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)address;

	*address = (struct sockaddr_storage){0};
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		return sizeof(*v4);
	}
	inet_pton(AF_INET6, text, &v6->sin6_addr);
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	return sizeof(*v6);
}

int uv_socket_find_way(const char *text, uint16_t port)
{
	struct sockaddr_storage address;
	socklen_t length = address_of(text, port, &address);
	int fd = socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int trouble = 0;

	/* Connecting a datagram socket asks the routing table and nobody else. */
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, length) < 0)
		trouble = errno;
	if (fd >= 0)
		close(fd);
	return trouble;
}
