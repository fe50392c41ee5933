#include "seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/*
 * Each rule is whole in itself (a test and its answer, or a skip over both), so that rules can be
 * read, added and taken out one by one. A linear walk over sixty of them costs nothing that could
 * be measured in gVisor.
 */
#define OFFSET(field) ((unsigned)offsetof(struct seccomp_data, field))
#define LOAD(field)   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET(field))
/* Arguments are 64 bits wide, little-endian on both architectures: this is the low half. */
#define LOAD_ARG(n)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET(args) + 8 * (n))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define FAIL_WITH(e)   RETURN(SECCOMP_RET_ERRNO | (e))

#define IF_EQUAL(k, skip)     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, (skip))
#define IF_NOT_EQUAL(k, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), (skip), 0)
#define IF_ANY_BIT(k, skip)   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (k), 0, (skip))
#define IF_AT_LEAST(k, skip)  BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (k), 0, (skip))

/* A call of another architecture has other numbers: nothing that follows would hold. */
#define ONLY_ARCHITECTURE(audit_arch) \
	LOAD(arch), IF_NOT_EQUAL((audit_arch), 1), RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(nr)

#define DENY(number)   IF_EQUAL((unsigned)(number), 1), FAIL_WITH(EPERM)
#define ABSENT(number) IF_EQUAL((unsigned)(number), 1), FAIL_WITH(ENOSYS)

#define NO_NEW_NAMESPACES(clone_number)                                                   \
	IF_EQUAL((clone_number), 4), LOAD_ARG(0), IF_ANY_BIT(SECCOMP_NAMESPACE_FLAGS, 1), \
		FAIL_WITH(EPERM), RETURN(SECCOMP_RET_ALLOW)

#define ONLY_KNOWN_FAMILIES(number)                                                              \
	IF_EQUAL((number), 7), LOAD_ARG(0), IF_NOT_EQUAL(AF_UNIX, 4), IF_NOT_EQUAL(AF_INET, 3),  \
		IF_NOT_EQUAL(AF_INET6, 2), IF_NOT_EQUAL(AF_NETLINK, 1), FAIL_WITH(EAFNOSUPPORT), \
		RETURN(SECCOMP_RET_ALLOW)

/* Else a program could take descriptors or CPU time from the jail's init, which has its uid. */
#define ONLY_ITSELF(number)                                                       \
	IF_EQUAL((number), 4), LOAD_ARG(0), IF_NOT_EQUAL(0, 1), FAIL_WITH(EPERM), \
		RETURN(SECCOMP_RET_ALLOW)

/* A call that an architecture lacks is number -1, which no program can make: the rule is idle. */
#define DENY_X86_64(name, x86_64, arm64) DENY(x86_64),
#define DENY_ARM64(name, x86_64, arm64)	 DENY(arm64),

static const struct sock_filter x86_64[] = {
	ONLY_ARCHITECTURE(AUDIT_ARCH_X86_64),
	IF_AT_LEAST(SECCOMP_X32_BIT, 1),
	FAIL_WITH(ENOSYS),
	ABSENT(435), /* clone3 */
	SECCOMP_DENIED(DENY_X86_64) NO_NEW_NAMESPACES(56),
	ONLY_KNOWN_FAMILIES(41), /* socket */
	ONLY_KNOWN_FAMILIES(53), /* socketpair */
	ONLY_ITSELF(302),	 /* prlimit64 */
	RETURN(SECCOMP_RET_ALLOW),
};

static const struct sock_filter arm64[] = {
	ONLY_ARCHITECTURE(AUDIT_ARCH_AARCH64),
	ABSENT(435), /* clone3 */
	SECCOMP_DENIED(DENY_ARM64) NO_NEW_NAMESPACES(220),
	ONLY_KNOWN_FAMILIES(198), /* socket */
	ONLY_KNOWN_FAMILIES(199), /* socketpair */
	ONLY_ITSELF(261),	  /* prlimit64 */
	RETURN(SECCOMP_RET_ALLOW),
};

#define COUNT(table) ((unsigned short)(sizeof(table) / sizeof((table)[0])))

const struct seccomp_table seccomp_x86_64 = {x86_64, COUNT(x86_64)};
const struct seccomp_table seccomp_arm64 = {arm64, COUNT(arm64)};

int seccomp_install(void)
{
#if defined(__x86_64__)
	const struct seccomp_table *table = &seccomp_x86_64;
#elif defined(__aarch64__)
	const struct seccomp_table *table = &seccomp_arm64;
#else
#error "no seccomp table for this architecture"
#endif
	struct sock_fprog program = {
		.len = table->count,
		/* The kernel's structure has no const; it only reads. */
		.filter = (struct sock_filter *)(uintptr_t)table->instructions,
	};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
