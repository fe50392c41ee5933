#include "verify.h"

#include "folder.h"
#include "launch.h"
#include "note.h"
#include "text.h"
#include "user.h"
#include "verify_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Entries of /proc/self/ns, in the order of launch->outer_namespaces. */
static const char *const namespaces[LAUNCH_NAMESPACES] = {"user", "pid", "net",
							  "mnt",  "ipc", "uts"};
enum { USER, PID, NET, MNT, IPC, UTS };

/* "net:[4026531840]", or empty. */
static void read_namespace(const char *name, char *text, size_t size)
{
	char path[32];
	struct text t = text_in(path, sizeof(path));
	ssize_t n;

	text_add(&t, "/proc/self/ns/");
	text_add(&t, name);
	n = readlink(path, text, size - 1);
	text[n > 0 ? n : 0] = '\0';
}

void verify_note_outer(struct launch *launch)
{
	for (unsigned i = 0; i < LAUNCH_NAMESPACES; i++)
		read_namespace(namespaces[i], launch->outer_namespaces[i],
			       sizeof(launch->outer_namespaces[i]));
}

/* Another namespace than the runner's, as far as the kernel tells. */
static enum layer_state namespace_differs(const struct launch *launch, unsigned which,
					  struct text *detail)
{
	char inner[24];

	read_namespace(namespaces[which], inner, sizeof(inner));
	text_add(detail, inner);
	if (!inner[0] || !launch->outer_namespaces[which][0]) {
		text_add(detail, "not shown by this kernel");
		return LAYER_NOT_SUPPORTED;
	}
	return strcmp(inner, launch->outer_namespaces[which]) != 0 ? LAYER_HELD : LAYER_MISSING;
}

static enum layer_state user_namespace(const struct launch *launch, struct text *detail)
{
	char map[128];
	const char *at = map;

	if (namespace_differs(launch, USER, detail) == LAYER_MISSING ||
	    text_read_file("/proc/self/uid_map", map, sizeof(map)) < 0)
		return LAYER_MISSING;
	while (*at == ' ')
		at++;
	text_add(detail, ", uid ");
	text_add_number(detail, getuid());
	return text_read_number(&at) == LAUNCH_UID && getuid() == LAUNCH_UID &&
			       geteuid() == LAUNCH_UID && getgid() == LAUNCH_UID
		       ? LAYER_HELD
		       : LAYER_MISSING;
}

/* Only the jail's init and this process may be seen; nobody else can be signalled or traced. */
static enum layer_state pid_namespace(const struct launch *launch, struct text *detail)
{
	int processes = verify_files_count_processes();

	namespace_differs(launch, PID, detail);
	text_add(detail, ", processes seen: ");
	text_add_number(detail, processes > 0 ? (uint64_t)processes : 0);
	return getppid() == 1 && processes == 2 ? LAYER_HELD : LAYER_MISSING;
}

/* Nothing can be written but in the scratch folders. */
static enum layer_state mount_namespace(const struct launch *launch, struct text *detail)
{
	if (namespace_differs(launch, MNT, detail) == LAYER_MISSING)
		return LAYER_MISSING;
	text_add(detail, ", ");
	return verify_files_read_only(detail);
}

static enum layer_state ipc_namespace(const struct launch *launch, struct text *detail)
{
	return namespace_differs(launch, IPC, detail);
}

static enum layer_state uts_namespace(const struct launch *launch, struct text *detail)
{
	return namespace_differs(launch, UTS, detail);
}

/* errno of an attempt to connect, 0 when it worked or is under way. */
static int connect_error(const struct sockaddr *address, socklen_t length)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, address, length) < 0 && errno != EINPROGRESS)
		error = errno;
	close(fd);
	return error;
}

static bool loopback_works(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool works = fd >= 0 && bind(fd, (struct sockaddr *)&address, length) == 0 &&
		     listen(fd, 1) == 0 &&
		     getsockname(fd, (struct sockaddr *)&address, &length) == 0 &&
		     connect_error((struct sockaddr *)&address, length) == 0;

	if (fd >= 0)
		close(fd);
	return works;
}

/* Addresses that are for documentation only (RFC 5737, RFC 3849): nobody lives there. */
static enum layer_state network_namespace(const struct launch *launch, struct text *detail)
{
	const struct sockaddr_in v4 = {.sin_family = AF_INET,
				       .sin_port = htons(443),
				       .sin_addr.s_addr = htonl(0xC0000201)};
	const struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(443),
		.sin6_addr.s6_addr = {0x20, 0x01, 0x0d, 0xb8, [15] = 1},
	};
	int error4 = connect_error((const struct sockaddr *)&v4, sizeof(v4));
	int error6 = connect_error((const struct sockaddr *)&v6, sizeof(v6));
	/* Without IPv6 in the kernel there is no such socket, or no such address, at all. */
	bool closed6 = error6 == ENETUNREACH || error6 == EAFNOSUPPORT || error6 == EADDRNOTAVAIL;

	if (namespace_differs(launch, NET, detail) == LAYER_MISSING)
		return LAYER_MISSING;
	text_add(detail, ", connect: errno ");
	text_add_number(detail, (uint64_t)error4);
	text_add(detail, " (IPv4) and ");
	text_add_number(detail, (uint64_t)error6);
	text_add(detail, loopback_works() ? " (IPv6), loopback works" : " (IPv6), no loopback");
	return error4 == ENETUNREACH && closed6 ? LAYER_HELD : LAYER_MISSING;
}

/* One of the standard streams, which exec leaves open, or of init's two, which it closes. */
static bool is_wanted_descriptor(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	return fd <= USER_SCRATCH_FD && flags >= 0 && (flags & FD_CLOEXEC) == (fd > STDERR_FILENO);
}

/* Nothing is open but those. Listed, since asking for each of a thousand takes gVisor 50 ms. */
static enum layer_state descriptors(const struct launch *launch, struct text *detail)
{
	struct folder f;
	const char *name;
	int fd = 0, found = 0;

	(void)launch;
	if (folder_open(&f, AT_FDCWD, "/proc/self/fd") < 0)
		return LAYER_MISSING;
	while ((name = folder_next(&f))) {
		fd = folder_number(name);
		if (fd == f.fd)
			continue;
		if (!is_wanted_descriptor(fd))
			break;
		found++;
	}
	folder_close(&f);
	if (!name && found == USER_SCRATCH_FD + 1) {
		text_add(detail, "0, 1 and 2 only");
		return LAYER_HELD;
	}
	text_add(detail, "descriptor ");
	text_add_number(detail, (uint64_t)fd);
	return LAYER_MISSING;
}

static enum layer_state limits(const struct launch *launch, struct text *detail)
{
	const struct launch_limits *l = &launch->limits;
	const struct {
		const char *name;
		int resource;
		uint64_t wanted;
	} all[] = {
		{"processes", RLIMIT_NPROC, l->processes + USER_OTHER_TASKS},
		{"open files", RLIMIT_NOFILE, l->open_files},
		{"file size", RLIMIT_FSIZE, l->file_bytes},
		{"cpu", RLIMIT_CPU, l->cpu_seconds},
		{"core", RLIMIT_CORE, 0},
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct rlimit limit;

		if (getrlimit(all[i].resource, &limit) == 0 && limit.rlim_cur == all[i].wanted)
			continue;
		text_add(detail, "not set: ");
		text_add(detail, all[i].name);
		return LAYER_MISSING;
	}
	text_add(detail, "processes, open files, file size, cpu, core");
	return LAYER_HELD;
}

static enum layer_state capabilities(const struct launch *launch, struct text *detail)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	bool empty = syscall(SYS_capget, &header, sets) == 0;
	uint64_t bounding = 0;

	(void)launch;
	for (unsigned i = 0; empty && i < _LINUX_CAPABILITY_U32S_3; i++)
		empty = !(sets[i].effective | sets[i].permitted | sets[i].inheritable);
	for (unsigned long capability = 0; capability < 64; capability++)
		bounding += prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1;
	text_add(detail, empty ? "sets empty" : "sets not empty");
	text_add(detail, ", in the bounding set: ");
	text_add_number(detail, bounding);
	return empty && bounding == 0 ? LAYER_HELD : LAYER_MISSING;
}

static enum layer_state no_new_privileges(const struct launch *launch, struct text *detail)
{
	(void)launch;
	text_add(detail, "no_new_privs");
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? LAYER_HELD : LAYER_MISSING;
}

/* A clone that is let through makes a child here too: it ends at once. */
static long try_clone(void)
{
	long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

	if (child == 0)
		_exit(0);
	if (child > 0)
		waitpid((pid_t)child, NULL, 0);
	return child;
}

static enum layer_state filter(const struct launch *launch, struct text *detail)
{
	struct attempt {
		const char *name;
		int wanted;
		long result;
		int error;
	} tried[11];
	unsigned count = 0;

	(void)launch;
#define TRY(what, errno_wanted, call)                                                   \
	do {                                                                            \
		errno = 0;                                                              \
		tried[count] = (struct attempt){(what), (errno_wanted), (call), errno}; \
		count++;                                                                \
	} while (0)
	TRY("unshare", EPERM, syscall(SYS_unshare, CLONE_NEWUSER));
	TRY("clone", EPERM, try_clone());
	TRY("clone3", ENOSYS, syscall(SYS_clone3, NULL, 0));
	TRY("mount", EPERM, mount("none", "/tmp", "tmpfs", 0, NULL));
	TRY("ptrace", EPERM, ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	TRY("keyctl", EPERM, syscall(SYS_keyctl, 0, 0, 0, 0, 0));
	TRY("bpf", EPERM, syscall(SYS_bpf, -1, NULL, 0));
	TRY("io_uring", EPERM, syscall(SYS_io_uring_setup, 1, NULL));
	TRY("setns", EPERM, syscall(SYS_setns, 0, 0));
	TRY("limits of init", EPERM, prlimit(1, RLIMIT_NOFILE, NULL, NULL));
	TRY("packet socket", EAFNOSUPPORT, socket(AF_PACKET, SOCK_RAW, 0));
#undef TRY
	for (unsigned i = 0; i < count; i++) {
		if (tried[i].result == -1 && tried[i].error == tried[i].wanted)
			continue;
		text_add(detail, "not refused: ");
		text_add(detail, tried[i].name);
		return LAYER_MISSING;
	}
	text_add_number(detail, count);
	text_add(detail, " forbidden calls tried, all refused");
	return prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER ? LAYER_HELD : LAYER_MISSING;
}

int verify_report(const struct launch *launch, int notes)
{
	static const struct {
		enum layer_id layer;
		enum layer_state (*check)(const struct launch *launch, struct text *detail);
	} checks[] = {
		{LAYER_USER_NAMESPACE, user_namespace},
		{LAYER_PID_NAMESPACE, pid_namespace},
		{LAYER_NETWORK_NAMESPACE, network_namespace},
		{LAYER_MOUNT_NAMESPACE, mount_namespace},
		{LAYER_IPC_NAMESPACE, ipc_namespace},
		{LAYER_UTS_NAMESPACE, uts_namespace},
		{LAYER_MASKS, verify_files_masks},
		{LAYER_DEVICES, verify_files_devices},
		{LAYER_TMP, verify_files_scratch},
		{LAYER_CAPABILITIES, capabilities},
		{LAYER_NO_NEW_PRIVILEGES, no_new_privileges},
		{LAYER_SECCOMP, filter},
		{LAYER_RLIMITS, limits},
		{LAYER_DESCRIPTORS, descriptors},
	};

	for (unsigned i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct note note = {.type = NOTE_LAYER};
		struct report *report = &note.verified.report;
		struct text detail = text_in(report->detail, sizeof(report->detail));

		note.verified.layer = checks[i].layer;
		report->state = checks[i].check(launch, &detail);
		if (note_send(notes, &note, -1) < 0)
			return -1;
	}
	return 0;
}
