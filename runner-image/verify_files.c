#include "verify_files.h"

#include "folder.h"
#include "launch.h"
#include "mountinfo.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PROBE_NAME  "/.sandboxtask-probe"
#define TMPFS_MAGIC 0x01021994

/* errno of an attempt to make a file in `folder`, 0 when it was made (and is removed again). */
static int make_file_error(const char *folder)
{
	char path[MOUNTINFO_LINE_BYTES_MAX];
	struct text t = text_in(path, sizeof(path));
	int fd;

	text_add(&t, folder);
	text_add(&t, PROBE_NAME);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	close(fd);
	unlink(path);
	return 0;
}

/* The writable places, and what masks and devices look at more closely. */
static bool is_looked_at_elsewhere(const char *path)
{
	static const char *const elsewhere[] = {"/tmp", LAUNCH_WORK_FOLDER, "/dev", "/proc",
						"/sys"};

	for (unsigned i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (mountinfo_is_below(path, elsewhere[i]))
			return true;
	return false;
}

enum layer_state verify_files_read_only(struct text *detail)
{
	static const char *const folders[] = {"/",     "/etc",	   "/usr", "/usr/bin",
					      "/home", "/var/tmp", "/run"};
	struct mountinfo table;
	struct mount m;
	int more;

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (make_file_error(folders[i]) != 0)
			continue;
		text_add(detail, "writable: ");
		text_add(detail, folders[i]);
		return LAYER_MISSING;
	}
	if (mountinfo_open(&table) < 0)
		return LAYER_NOT_SUPPORTED;
	while ((more = mountinfo_next(&table, &m)) > 0) {
		if ((m.flags & MS_RDONLY) || is_looked_at_elsewhere(m.path))
			continue;
		text_add(detail, "not read-only: ");
		text_add(detail, m.path);
		break;
	}
	mountinfo_close(&table);
	if (more == 0)
		text_add(detail, "root and every mount but scratch");
	return more == 0 ? LAYER_HELD : LAYER_MISSING;
}

enum layer_state verify_files_scratch(const struct launch *launch, struct text *detail)
{
	static const char *const places[] = {"/tmp", LAUNCH_WORK_FOLDER, "/dev/shm"};
	dev_t device = 0;

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct statfs fs;
		struct stat st;

		if (statfs(places[i], &fs) < 0 || stat(places[i], &st) < 0 ||
		    (unsigned long)fs.f_type != TMPFS_MAGIC || (i > 0 && st.st_dev != device) ||
		    fs.f_blocks * (uint64_t)fs.f_bsize != launch->limits.scratch_bytes ||
		    fs.f_files != launch->limits.scratch_inodes ||
		    make_file_error(places[i]) != 0) {
			text_add(detail, "not as planned: ");
			text_add(detail, places[i]);
			return LAYER_MISSING;
		}
		device = st.st_dev;
	}
	text_add(detail, "one tmpfs with a size and a number of inodes");
	return LAYER_HELD;
}

/* True when the path is absent, an empty folder, or a file without content. */
static bool is_blank(const char *path)
{
	struct folder f;
	char text[8];
	bool blank;

	if (folder_open(&f, AT_FDCWD, path) == 0) {
		blank = folder_next(&f) == NULL;
		folder_close(&f);
		return blank;
	}
	if (text_read_file(path, text, sizeof(text)) < 0)
		return errno == ENOENT;
	return text[0] == '\0';
}

enum layer_state verify_files_masks(const struct launch *launch, struct text *detail)
{
	static const char *const paths[] = {"/proc/gvisor", "/proc/sentry-meminfo",
					    "/sys",	    "/proc/kcore",
					    "/proc/keys",   "/dev/termination-log"};
	int fd;

	(void)launch;
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (is_blank(paths[i]))
			continue;
		text_add(detail, "not masked: ");
		text_add(detail, paths[i]);
		return LAYER_MISSING;
	}
	fd = open("/proc/self/comm", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		text_add(detail, "/proc is writable");
		return LAYER_MISSING;
	}
	text_add(detail, "/proc is read-only; sentry, keys, /sys, termination log masked");
	return LAYER_HELD;
}

enum layer_state verify_files_devices(const struct launch *launch, struct text *detail)
{
	static const char *const known[] = {"null", "zero",  "full",   "random", "urandom",
					    "fd",   "stdin", "stdout", "stderr", "shm"};
	const unsigned count = sizeof(known) / sizeof(known[0]);
	struct folder f;
	const char *name;

	(void)launch;
	if (folder_open(&f, AT_FDCWD, "/dev") < 0)
		return LAYER_MISSING;
	while ((name = folder_next(&f))) {
		unsigned i = 0;

		while (i < count && strcmp(known[i], name) != 0)
			i++;
		if (i < count)
			continue;
		text_add(detail, "unexpected: ");
		text_add(detail, name);
		folder_close(&f);
		return LAYER_MISSING;
	}
	folder_close(&f);
	text_add(detail, "null, zero, full, random, urandom, standard streams");
	return make_file_error("/dev") == EROFS ? LAYER_HELD : LAYER_MISSING;
}

int verify_files_count_processes(void)
{
	struct folder f;
	const char *name;
	int count = 0;

	if (folder_open(&f, AT_FDCWD, "/proc") < 0)
		return -1;
	while ((name = folder_next(&f)))
		count += folder_number(name) > 0;
	folder_close(&f);
	return count;
}
