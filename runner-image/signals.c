#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's own structure. */
struct kernel_sigaction {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

void signals_ignore(uint64_t mask)
{
	for (int number = 1; number <= SIGNALS_MAX; number++) {
		const struct kernel_sigaction action = {
			.handler = mask & SIGNALS_BIT(number) ? SIG_IGN : SIG_DFL};

		if (number != SIGKILL && number != SIGSTOP)
			syscall(SYS_rt_sigaction, number, &action, NULL, sizeof(action.mask));
	}
}

int signals_block(uint64_t mask)
{
	return (int)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}
