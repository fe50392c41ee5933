#include "mounts.h"

#include "launch.h"
#include "mountinfo.h"
#include "text.h"
#include "user.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static int private_mounts(const struct launch *launch)
{
	(void)launch;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* Folders that the later steps cover as a whole. */
static bool is_replaced(const char *path)
{
	static const char *const replaced[] = {"/proc", "/dev", "/sys", "/tmp", LAUNCH_WORK_FOLDER};

	for (unsigned i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++)
		if (mountinfo_is_below(path, replaced[i]))
			return true;
	return false;
}

/* Every mount the Pod brought: the image may be read-only while a volume in it is not. */
static int read_only(const struct launch *launch)
{
	struct mountinfo table;
	struct mount m;
	int more;

	(void)launch;
	if (mountinfo_open(&table) < 0)
		return -1;
	while ((more = mountinfo_next(&table, &m)) > 0) {
		if ((m.flags & MS_RDONLY) || is_replaced(m.path))
			continue;
		if (mount(NULL, m.path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | m.flags, NULL) < 0)
			break;
	}
	mountinfo_close(&table);
	return more == 0 ? 0 : -1;
}

static int make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	return fd < 0 ? -1 : close(fd);
}

static int bind_device(const char *name)
{
	char from[32], to[32];
	struct text t = text_in(from, sizeof(from));

	text_add(&t, "/dev/");
	text_add(&t, name);
	t = text_in(to, sizeof(to));
	text_add(&t, "/tmp/");
	text_add(&t, name);
	if (make_file(to) < 0)
		return -1;
	return mount(from, to, NULL, MS_BIND, NULL);
}

/* Put together on /tmp, which gets its real content later, then moved to /dev as a whole. */
static int devices(const struct launch *launch)
{
	static const char *const nodes[] = {"null", "zero", "full", "random", "urandom"};
	static const struct {
		const char *path, *target;
	} links[] = {
		{"/tmp/fd", "/proc/self/fd"},
		{"/tmp/stdin", "/proc/self/fd/0"},
		{"/tmp/stdout", "/proc/self/fd/1"},
		{"/tmp/stderr", "/proc/self/fd/2"},
	};

	(void)launch;
	if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NOEXEC,
		  "size=64k,nr_inodes=32,mode=755") < 0)
		return -1;
	for (unsigned i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		if (bind_device(nodes[i]) < 0)
			return -1;
	for (unsigned i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (symlink(links[i].target, links[i].path) < 0)
			return -1;
	if (mkdir("/tmp/shm", 0755) < 0 || mount("/tmp", "/dev", NULL, MS_MOVE, NULL) < 0)
		return -1;
	return mount(NULL, "/dev", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC,
		     NULL);
}

static int proc(const struct launch *launch)
{
	(void)launch;
	return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* Covers a path with `/dev/null` or an empty folder; one that isn't there needs no mask. */
static int mask(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : -1;
	if (!S_ISDIR(st.st_mode))
		return mount("/dev/null", path, NULL, MS_BIND, NULL);
	return mount("tmpfs", path, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
		     "size=4k,nr_inodes=1,mode=555");
}

/*
 * /proc/gvisor shows the Pod's environment to any process, /proc/sentry-meminfo the sentry's heap.
 * The others tell about the machine, or steer it; gVisor has few of them.
 */
static int masks(const struct launch *launch)
{
	static const char *const paths[] = {
		"/sys",
		"/proc/gvisor",
		"/proc/sentry-meminfo",
		"/proc/sysrq-trigger",
		"/proc/kcore",
		"/proc/keys",
		"/proc/kallsyms",
		"/proc/timer_list",
		"/proc/sched_debug",
		"/proc/acpi",
		"/proc/scsi",
		"/proc/latency_stats",
	};

	(void)launch;
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (mask(paths[i]) < 0)
			return -1;
	return mount(NULL, "/proc", NULL,
		     MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* A tmpfs that is larger or has more inodes than asked for is no limit. */
static int check_size(const char *path, const struct launch_limits *limits)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return -1;
	if (fs.f_blocks * (uint64_t)fs.f_bsize != limits->scratch_bytes ||
	    fs.f_files != limits->scratch_inodes) {
		errno = EDOM;
		return -1;
	}
	return 0;
}

/* Opened before it is covered: for usage, and for the files that a program leaves. */
static int keep_root_open(void)
{
	int root = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;

	if (root < 0 || root == USER_SCRATCH_FD)
		return root < 0 ? -1 : 0;
	result = dup3(root, USER_SCRATCH_FD, O_CLOEXEC);
	close(root);
	return result < 0 ? -1 : 0;
}

int mounts_scratch(const struct launch *launch)
{
	static const struct {
		const char *folder;
		mode_t mode;
		const char *place; /* where it is seen; /tmp last, since it covers the whole */
	} parts[] = {
		{"/tmp/work", 0755, LAUNCH_WORK_FOLDER},
		{"/tmp/shm", 01777, "/dev/shm"},
		{"/tmp/tmp", 01777, "/tmp"},
	};
	char options[96];
	struct text t = text_in(options, sizeof(options));

	text_add(&t, "mode=755,size=");
	text_add_number(&t, launch->limits.scratch_bytes);
	text_add(&t, ",nr_inodes=");
	text_add_number(&t, launch->limits.scratch_inodes);
	if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, options) < 0 ||
	    check_size("/tmp", &launch->limits) < 0 || keep_root_open() < 0)
		return -1;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (mkdir(parts[i].folder, parts[i].mode) < 0 ||
		    chmod(parts[i].folder, parts[i].mode) < 0 ||
		    mount(parts[i].folder, parts[i].place, NULL, MS_BIND, NULL) < 0)
			return -1;
	return 0;
}

const struct step mounts_steps[] = {
	{STAGE_JAIL, "private mounts", private_mounts},
	{STAGE_JAIL, "read-only mounts", read_only},
	{STAGE_JAIL, "devices", devices},
	{STAGE_JAIL, "proc", proc},
	{STAGE_JAIL, "masks", masks},
	{STAGE_JAIL, "tmp", mounts_scratch},
};
const unsigned mounts_step_count = sizeof(mounts_steps) / sizeof(mounts_steps[0]);
