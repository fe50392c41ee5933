/*
 * files: what stands in for a file system below an io that is none. Paths and contents are
 * borrowed; zeroed there are no files.
 */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include "base/buf.h"
#include "base/err.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define FILES_MAX 16

struct files {
	struct {
		const char *path, *content; /* content NULL: it can't be read */
	} all[FILES_MAX];
};

/* Sets or replaces one; content NULL takes it away. */
static inline void files_set(struct files *files, const char *path, const char *content)
{
	size_t i = 0;

	while (i < FILES_MAX && files->all[i].path && strcmp(files->all[i].path, path) != 0)
		i++;
	assert(i < FILES_MAX);
	files->all[i].path = path;
	files->all[i].content = content;
}

/* As io.h's read_file. */
static inline int files_read(const struct files *files, const char *path, struct buf *content,
			     struct err *err)
{
	for (size_t i = 0; i < FILES_MAX && files->all[i].path; i++) {
		if (strcmp(files->all[i].path, path) != 0 || !files->all[i].content)
			continue;
		if (buf_append_str(content, str_of(files->all[i].content)) < 0)
			return err_set(err, ERR_TOO_LARGE, "%s is too large", path);
		return 0;
	}
	return err_set(err, ERR_NOT_FOUND, "opening %s: No such file or directory", path);
}

#endif
