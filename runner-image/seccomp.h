/*
 * seccomp: the system calls that a program in the jail may not make, as one BPF table per
 * architecture.
 *
 * Inside gVisor the Pod's own filter (RuntimeDefault) is not applied, so this one alone counts. It
 * takes away what a program has no use for and what would give it more of the sentry's surface: new
 * namespaces, mounts, tracing, keyrings, bpf, io_uring, clocks. It answers with an error instead of
 * a signal, since interpreters try such calls and fall back (clone3, which hides its flags behind a
 * pointer, is ENOSYS for that reason: every libc then uses clone).
 *
 * IPv4, IPv6, Unix and netlink sockets are allowed: the network namespace is empty, so servers on
 * 127.0.0.1 work and the outside is ENETUNREACH.
 *
 * prlimit64 is for the caller alone (pid 0, as every libc's setrlimit has it): the limits of the
 * jail's init, which has the same uid, are not the program's to lower.
 *
 * Both tables exist in every build, so that the unit test interprets both. System call numbers are
 * those of the kernel's tables, written here because the headers of one machine know only its own.
 */
#ifndef RUNNER_SECCOMP_H
#define RUNNER_SECCOMP_H

#include <linux/filter.h>
#include <stddef.h>

/* X(name, number on x86_64, number on arm64): EPERM. -1: the architecture has no such call. */
#define SECCOMP_DENIED(X)              \
	X(unshare, 272, 97)            \
	X(setns, 308, 268)             \
	X(mount, 165, 40)              \
	X(umount2, 166, 39)            \
	X(pivot_root, 155, 41)         \
	X(chroot, 161, 51)             \
	X(move_mount, 429, 429)        \
	X(open_tree, 428, 428)         \
	X(fsopen, 430, 430)            \
	X(fsconfig, 431, 431)          \
	X(fsmount, 432, 432)           \
	X(fspick, 433, 433)            \
	X(mount_setattr, 442, 442)     \
	X(ptrace, 101, 117)            \
	X(process_vm_readv, 310, 270)  \
	X(process_vm_writev, 311, 271) \
	X(process_madvise, 440, 440)   \
	X(pidfd_getfd, 438, 438)       \
	X(kcmp, 312, 272)              \
	X(keyctl, 250, 219)            \
	X(add_key, 248, 217)           \
	X(request_key, 249, 218)       \
	X(bpf, 321, 280)               \
	X(perf_event_open, 298, 241)   \
	X(userfaultfd, 323, 282)       \
	X(io_uring_setup, 425, 425)    \
	X(io_uring_enter, 426, 426)    \
	X(io_uring_register, 427, 427) \
	X(personality, 135, 92)        \
	X(syslog, 103, 116)            \
	X(acct, 163, 89)               \
	X(swapon, 167, 224)            \
	X(swapoff, 168, 225)           \
	X(reboot, 169, 142)            \
	X(sethostname, 170, 161)       \
	X(setdomainname, 171, 162)     \
	X(init_module, 175, 105)       \
	X(finit_module, 313, 273)      \
	X(delete_module, 176, 106)     \
	X(kexec_load, 246, 104)        \
	X(kexec_file_load, 320, 294)   \
	X(quotactl, 179, 60)           \
	X(quotactl_fd, 443, 443)       \
	X(settimeofday, 164, 170)      \
	X(clock_settime, 227, 112)     \
	X(clock_adjtime, 305, 266)     \
	X(adjtimex, 159, 171)          \
	X(nfsservctl, 180, 42)         \
	X(lookup_dcookie, 212, 18)     \
	X(name_to_handle_at, 303, 264) \
	X(open_by_handle_at, 304, 265) \
	X(fanotify_init, 300, 262)     \
	X(fanotify_mark, 301, 263)     \
	X(vhangup, 153, 58)            \
	X(memfd_secret, 447, 447)      \
	X(iopl, 172, -1)               \
	X(ioperm, 173, -1)             \
	X(modify_ldt, 154, -1)         \
	X(uselib, 134, -1)             \
	X(_sysctl, 156, -1)

/* The clone flags that make a namespace (CLONE_NEWTIME to CLONE_NEWNET). */
#define SECCOMP_NAMESPACE_FLAGS 0x7E020080u

/* An x86_64 kernel's second ABI has this bit in its numbers: ENOSYS. */
#define SECCOMP_X32_BIT 0x40000000u

struct seccomp_table {
	const struct sock_filter *instructions;
	unsigned short count;
};

extern const struct seccomp_table seccomp_x86_64;
extern const struct seccomp_table seccomp_arm64;

/* Installs the table of this build's architecture for this process, for good; -1 with errno. */
int seccomp_install(void);

#endif
