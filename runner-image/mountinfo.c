#include "mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

int mountinfo_open(struct mountinfo *table)
{
	table->length = table->at = 0;
	table->fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	return table->fd < 0 ? -1 : 0;
}

void mountinfo_close(struct mountinfo *table)
{
	if (table->fd >= 0)
		close(table->fd);
	table->fd = -1;
}

/* Moves what was not read to the front and reads more behind it: bytes read, 0 at the end, -1. */
static ssize_t refill(struct mountinfo *table)
{
	ssize_t n;

	memmove(table->buffer, table->buffer + table->at, table->length - table->at);
	table->length -= table->at;
	table->at = 0;
	if (table->length == sizeof(table->buffer)) {
		errno = E2BIG;
		return -1;
	}
	do
		n = read(table->fd, table->buffer + table->length,
			 sizeof(table->buffer) - table->length);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		table->length += (size_t)n;
	return n;
}

/* Cuts the next field off `*rest`, which goes on behind the space; NULL when the line is over. */
static char *field(char **rest)
{
	char *start = *rest, *space = start ? strchr(start, ' ') : NULL;

	*rest = space ? space + 1 : NULL;
	if (space)
		*space = '\0';
	return start;
}

/* The kernel writes space, tab, newline and backslash in a path as \ooo. */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] && from[3]) {
			*to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static unsigned long flags_of(char *options)
{
	static const struct {
		const char *name;
		unsigned long flag;
	} known[] = {
		{"ro", MS_RDONLY},	   {"nosuid", MS_NOSUID},   {"nodev", MS_NODEV},
		{"noexec", MS_NOEXEC},	   {"noatime", MS_NOATIME}, {"nodiratime", MS_NODIRATIME},
		{"relatime", MS_RELATIME},
	};
	unsigned long flags = 0;

	for (char *end; options; options = end) {
		end = strchr(options, ',');
		if (end)
			*end++ = '\0';
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (strcmp(options, known[i].name) == 0)
				flags |= known[i].flag;
	}
	return flags;
}

int mountinfo_next(struct mountinfo *table, struct mount *mount)
{
	char *rest, *newline, *options;

	for (;;) {
		ssize_t n;

		newline = memchr(table->buffer + table->at, '\n', table->length - table->at);
		if (newline)
			break;
		n = refill(table);
		if (n <= 0)
			return (int)n;
	}
	*newline = '\0';
	rest = table->buffer + table->at;
	table->at = (size_t)(newline + 1 - table->buffer);
	/* mount id, parent id, device, root within it; then what is wanted here */
	for (int i = 0; i < 4; i++)
		field(&rest);
	mount->path = field(&rest);
	options = field(&rest);
	if (!mount->path || !options) {
		errno = EBADMSG;
		return -1;
	}
	unescape(mount->path);
	mount->flags = flags_of(options);
	return 1;
}

bool mountinfo_is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}
