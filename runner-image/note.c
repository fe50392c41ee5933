#include "note.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int note_send(int fd, const struct note *note, int descriptor)
{
	/* sendmsg only reads through this pointer; the structure has no const. */
	struct iovec iov = {(void *)(uintptr_t)note, sizeof(*note)};
	union control control = {0};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (descriptor >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
	}
	do
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -1 : 0;
}

int note_receive(int fd, struct note *note, int *descriptor)
{
	struct iovec iov = {note, sizeof(*note)};
	union control control = {0};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *header;
	int resets = 0;
	ssize_t n;

	*descriptor = -1;
	/* A reset comes once, ahead of the notes that are there. */
	do
		n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || (errno == ECONNRESET && resets++ == 0)));
	if (n <= 0)
		return (int)n;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
		memcpy(descriptor, CMSG_DATA(header), sizeof(int));
	if (n != sizeof(*note)) {
		errno = EBADMSG;
		return -1;
	}
	return 1;
}
