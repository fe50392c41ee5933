/*
 * The whole of both tables, run by an interpreter of the classic BPF that seccomp uses: every call
 * of each architecture, with the arguments that matter, gets the answer it should.
 */
#include "seccomp.h"

#include "tap.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBERS_MAX 1024 /* above every call that exists */

/* What a table does with one call; ~0 when it runs off its end or uses what seccomp has not. */
static unsigned interpret(const struct seccomp_table *table, const struct seccomp_data *data)
{
	unsigned a = 0;

	for (unsigned at = 0; at < table->count; at++) {
		const struct sock_filter *i = &table->instructions[at];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (i->k % 4 != 0 || i->k + 4 > sizeof(*data))
				return ~0u;
			memcpy(&a, (const char *)data + i->k, 4);
			break;
		case BPF_JMP | BPF_JEQ | BPF_K: at += a == i->k ? i->jt : i->jf; break;
		case BPF_JMP | BPF_JGE | BPF_K: at += a >= i->k ? i->jt : i->jf; break;
		case BPF_JMP | BPF_JSET | BPF_K: at += a & i->k ? i->jt : i->jf; break;
		case BPF_RET | BPF_K: return i->k;
		default: return ~0u;
		}
	}
	return ~0u;
}

struct architecture {
	const char *name;
	const struct seccomp_table *table;
	unsigned audit_arch;
	int clone, clone3, socket, socketpair, prlimit;
};

static unsigned ask(const struct architecture *arch, int number, unsigned long long argument)
{
	const struct seccomp_data data = {
		.nr = number, .arch = arch->audit_arch, .args = {argument}};

	return interpret(arch->table, &data);
}

#define ERRNO(e) (SECCOMP_RET_ERRNO | (e))

static void denied_calls(const struct architecture *arch, bool is_arm64)
{
	const struct {
		const char *name;
		int x86_64, arm64;
	} rows[] = {
#define ROW(name, x86_64, arm64) {#name, x86_64, arm64},
		SECCOMP_DENIED(ROW)
#undef ROW
	};
	bool denied[NUMBERS_MAX] = {0};
	unsigned wrong = 0;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int number = is_arm64 ? rows[i].arm64 : rows[i].x86_64;

		if (number < 0)
			continue;
		assert(number < NUMBERS_MAX);
		denied[number] = true;
		if (ask(arch, number, 0) != ERRNO(EPERM))
			diag("%s is let through", rows[i].name);
		wrong += ask(arch, number, 0) != ERRNO(EPERM);
	}
	cmp_ok(wrong, "==", 0, "%s: every call of the table is refused with EPERM", arch->name);
	wrong = 0;
	for (int number = 0; number < NUMBERS_MAX; number++) {
		if (denied[number] || number == arch->clone || number == arch->clone3 ||
		    number == arch->socket || number == arch->socketpair || number == arch->prlimit)
			continue;
		wrong += ask(arch, number, ~0ull) != SECCOMP_RET_ALLOW;
	}
	cmp_ok(wrong, "==", 0, "%s: every other call is allowed, whatever its argument",
	       arch->name);
}

/*
 * A number that was written wrongly would refuse another call than the one it names. Each column is
 * held against the kernel's own by the compiler of its architecture: make runner-arm64.
 */
#ifdef __x86_64__
#define NUMBER(x86_64, arm64) (x86_64)
#else
#define NUMBER(x86_64, arm64) (arm64)
#define SYS_iopl	      -1
#define SYS_ioperm	      -1
#define SYS_modify_ldt	      -1
#define SYS_uselib	      -1
#define SYS__sysctl	      -1
#endif
#define SAME(name, x86_64, arm64) _Static_assert(SYS_##name == NUMBER(x86_64, arm64), #name);
SECCOMP_DENIED(SAME)
SAME(clone, 56, 220)
SAME(clone3, 435, 435)
SAME(socket, 41, 198)
SAME(socketpair, 53, 199)
SAME(prlimit64, 302, 261)

static void clones(const struct architecture *arch)
{
	const unsigned namespaces[] = {0x00000080, 0x00020000, 0x02000000, 0x04000000,
				       0x08000000, 0x10000000, 0x20000000, 0x40000000};
	unsigned refused = 0;

	for (unsigned i = 0; i < 8; i++)
		refused += ask(arch, arch->clone, namespaces[i] | 17) == ERRNO(EPERM);
	cmp_ok(refused, "==", 8, "%s: clone with any namespace flag is EPERM", arch->name);
	cmp_ok(ask(arch, arch->clone, 17), "==", SECCOMP_RET_ALLOW, "%s: fork is allowed",
	       arch->name);
	cmp_ok(ask(arch, arch->clone, 0x003d0f00), "==", SECCOMP_RET_ALLOW,
	       "%s: a thread as glibc makes it is allowed", arch->name);
	cmp_ok(ask(arch, arch->clone3, 0), "==", ERRNO(ENOSYS),
	       "%s: clone3, which hides its flags, does not exist", arch->name);
}

static void sockets(const struct architecture *arch)
{
	for (int call = 0; call < 2; call++) {
		int number = call == 0 ? arch->socket : arch->socketpair;
		unsigned allowed = 0, refused = 0;

		for (unsigned family = 0; family < 64; family++) {
			unsigned answer = ask(arch, number, family);

			allowed += answer == SECCOMP_RET_ALLOW;
			refused += answer == ERRNO(EAFNOSUPPORT);
		}
		ok(ask(arch, number, AF_UNIX) == SECCOMP_RET_ALLOW &&
			   ask(arch, number, AF_INET) == SECCOMP_RET_ALLOW &&
			   ask(arch, number, AF_INET6) == SECCOMP_RET_ALLOW &&
			   ask(arch, number, AF_NETLINK) == SECCOMP_RET_ALLOW,
		   "%s: Unix, IPv4, IPv6 and netlink sockets are allowed (%d)", arch->name, call);
		ok(allowed == 4 && refused == 60, "%s: every other family is EAFNOSUPPORT (%d)",
		   arch->name, call);
	}
}

static void limits_of_others(const struct architecture *arch)
{
	cmp_ok(ask(arch, arch->prlimit, 0), "==", SECCOMP_RET_ALLOW,
	       "%s: a program sets and reads limits of its own", arch->name);
	cmp_ok(ask(arch, arch->prlimit, 1), "==", ERRNO(EPERM), "%s: those of init are EPERM",
	       arch->name);
	cmp_ok(ask(arch, arch->prlimit, 77), "==", ERRNO(EPERM), "%s: those of any other are EPERM",
	       arch->name);
}

static void other_architectures(const struct architecture *arch)
{
	const unsigned others[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_X86_64,
				   AUDIT_ARCH_AARCH64, 0};
	unsigned killed = 0;

	for (unsigned i = 0; i < 5; i++) {
		const struct seccomp_data data = {.nr = 1, .arch = others[i]};

		killed += others[i] != arch->audit_arch &&
			  interpret(arch->table, &data) == SECCOMP_RET_KILL_PROCESS;
	}
	cmp_ok(killed, "==", 4, "%s: a call of another architecture kills", arch->name);
}

/* In a child, since a filter can't be taken off again. */
static void for_real(void)
{
	struct rlimit limit;
	int status;
	pid_t child = fork();

	if (child == 0) {
		int wrong = seccomp_install() != 0;

		wrong += !(syscall(SYS_unshare, 0) == -1 && errno == EPERM);
		wrong += !(syscall(SYS_clone3, NULL, 0) == -1 && errno == ENOSYS);
		wrong += !(socket(AF_PACKET, SOCK_RAW, 0) == -1 && errno == EAFNOSUPPORT);
		wrong += socket(AF_INET, SOCK_STREAM, 0) < 0;
		wrong += getrlimit(RLIMIT_NOFILE, &limit) != 0;
		wrong += !(prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit) == -1 && errno == EPERM);
		_exit(wrong);
	}
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "this machine's table is taken by the kernel and does what it says");
}

int main(void)
{
	const struct architecture x86_64 = {
		"x86_64", &seccomp_x86_64, AUDIT_ARCH_X86_64, 56, 435, 41, 53, 302};
	const struct architecture arm64 = {
		"arm64", &seccomp_arm64, AUDIT_ARCH_AARCH64, 220, 435, 198, 199, 261};

	denied_calls(&x86_64, false);
	denied_calls(&arm64, true);
	clones(&x86_64);
	clones(&arm64);
	sockets(&x86_64);
	sockets(&arm64);
	limits_of_others(&x86_64);
	limits_of_others(&arm64);
	other_architectures(&x86_64);
	other_architectures(&arm64);
	cmp_ok(ask(&x86_64, (int)(SECCOMP_X32_BIT | 1), 0), "==", ERRNO(ENOSYS),
	       "x86_64: the x32 calls do not exist");
	for_real();
	done_testing();
}
