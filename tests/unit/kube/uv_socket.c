#include "kube/uv_socket.h"

#include "tap.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static int option(int fd, int level, int name)
{
	int value = -1;
	socklen_t length = sizeof(value);

	getsockopt(fd, level, name, &value, &length);
	return value;
}

static void deaths_are_looked_for(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	uv_socket_keep_alive(fd);
	cmp_ok(option(fd, SOL_SOCKET, SO_KEEPALIVE), "==", 1, "keepalive is on");
	cmp_ok(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), "==", 10, "after 10 s");
	cmp_ok(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), "==", 5, "every 5 s");
	cmp_ok(option(fd, IPPROTO_TCP, TCP_KEEPCNT), "==", 3, "three times");
	cmp_ok(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), "==", 0, "without a limit for data");
	uv_socket_detect_death(fd);
	cmp_ok(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), "==", 20000, "which requests have");
	close(fd);
}

static void a_living_connection_is_not_unanswered(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);

	bind(listener, (struct sockaddr *)&address, length);
	listen(listener, 1);
	getsockname(listener, (struct sockaddr *)&address, &length);
	connect(client, (struct sockaddr *)&address, length);
	ok(!uv_socket_is_unanswered(client, 0), "a fresh connection");
	while (send(client, &address, sizeof(address), MSG_DONTWAIT) > 0)
		;
	cmp_ok(errno, "==", EAGAIN, "filled until the other side's window is closed");
	ok(!uv_socket_is_unanswered(client, 0), "it is still answered by the other kernel");
	ok(!uv_socket_is_unanswered(-1, 0), "no socket proves nothing");
	close(client);
	close(listener);
}

static void ways_are_known_before_a_connect(void)
{
	cmp_ok(uv_socket_find_way("127.0.0.1", 1), "==", 0, "to this machine there is one");
	cmp_ok(uv_socket_find_way("255.255.255.255", 1), "==", EACCES,
	       "to everybody there is none");
}

int main(void)
{
	deaths_are_looked_for();
	a_living_connection_is_not_unanswered();
	ways_are_known_before_a_connect();
	done_testing();
}
