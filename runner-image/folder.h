/*
 * folder: the names in a folder, read without allocation (readdir would call malloc, which is not
 * allowed between clone and exec).
 *
 *	struct folder f;
 *	const char *name;
 *	if (folder_open(&f, AT_FDCWD, "/proc") < 0) …
 *	while ((name = folder_next(&f))) …
 *	folder_close(&f);
 */
#ifndef RUNNER_FOLDER_H
#define RUNNER_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

struct folder {
	int fd;
	size_t length, at;
	char buffer[2048] __attribute__((aligned(8)));
};

/* Opens a folder below `at`, without following a link in its last part. 0, or -1 with errno. */
int folder_open(struct folder *f, int at, const char *path);

/* The next name but "." and "..", valid until the next call; NULL at the end or on an error. */
const char *folder_next(struct folder *f);

void folder_close(struct folder *f);

/* The number that this name is, of a process or a descriptor; 0 for every other name. */
int folder_number(const char *name);

#endif
