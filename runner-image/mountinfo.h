/*
 * mountinfo: the lines of /proc/self/mountinfo (proc_pid_mountinfo(5)), read without allocation.
 *
 *	struct mountinfo table;
 *	struct mount m;
 *	if (mountinfo_open(&table) < 0) …
 *	while (mountinfo_next(&table, &m) > 0) …
 *	mountinfo_close(&table);
 */
#ifndef RUNNER_MOUNTINFO_H
#define RUNNER_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>

#define MOUNTINFO_LINE_BYTES_MAX 8192

struct mount {
	char *path;	     /* where it is mounted, unescaped; valid until the next call */
	unsigned long flags; /* MS_RDONLY, MS_NOSUID, …: what a remount must repeat */
};

struct mountinfo {
	int fd;
	size_t length, at; /* of what is in `buffer`, and how far it was read */
	char buffer[MOUNTINFO_LINE_BYTES_MAX];
};

/* 0, or -1 with errno. */
int mountinfo_open(struct mountinfo *table);

/* 1 with the next mount, 0 at the end, -1 with errno (E2BIG for a line over the maximum). */
int mountinfo_next(struct mountinfo *table, struct mount *mount);

void mountinfo_close(struct mountinfo *table);

/* Whether `path` is `folder` or inside it. */
bool mountinfo_is_below(const char *path, const char *folder);

#endif
