#include "folder.h"

#include "text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What getdents64(2) writes; libc has no name for it. */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t length;
	uint8_t type;
	char name[];
};

int folder_open(struct folder *f, int at, const char *path)
{
	f->length = f->at = 0;
	f->fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return f->fd < 0 ? -1 : 0;
}

const char *folder_next(struct folder *f)
{
	for (;;) {
		const struct entry *entry;

		if (f->at == f->length) {
			long n = syscall(SYS_getdents64, f->fd, f->buffer, sizeof(f->buffer));

			if (n <= 0)
				return NULL;
			f->length = (size_t)n;
			f->at = 0;
		}
		entry = (const struct entry *)(const void *)(f->buffer + f->at);
		f->at += entry->length;
		if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
			return entry->name;
	}
}

void folder_close(struct folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

int folder_number(const char *name)
{
	const char *at = name;
	uint64_t number = text_read_number(&at);

	return *at == '\0' ? (int)number : 0;
}
