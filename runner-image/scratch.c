#include "scratch.h"

#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folders that `path` needs below the working folder, which is the current one. */
static int make_parents(const char *path)
{
	char folder[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof(folder)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(folder, path, length + 1);
	for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(folder, 0755) < 0 && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	return 0;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

static int make_file(const struct launch_file *file)
{
	int fd, result, error;

	if (make_parents(file->path) < 0)
		return -1;
	fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file->mode);
	if (fd < 0)
		return -1;
	result = write_all(fd, file->bytes, file->length);
	if (result == 0)
		result = fchmod(fd, file->mode);
	error = errno;
	close(fd);
	errno = error;
	return result;
}

int scratch_fill(const struct launch *launch)
{
	static const char *const folders[] = {
		LAUNCH_HOME,
		LAUNCH_HOME "/.cache",
		LAUNCH_HOME "/.config",
		LAUNCH_HOME "/.config/matplotlib",
	};

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (mkdir(folders[i], 0755) < 0)
			return -1;
	if (chdir(LAUNCH_WORK_FOLDER) < 0)
		return -1;
	for (size_t i = 0; i < launch->file_count; i++)
		if (make_file(&launch->files[i]) < 0)
			return -1;
	return chdir("/");
}
