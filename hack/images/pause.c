/*
 * pause: the first process of a Pod's sandbox. It holds the Pod's namespaces open, reaps orphans
 * where the Pod shares its process namespace, and leaves at once when it is told to.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>

int main(void)
{
	sigset_t wanted;
	int signal;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGCHLD);
	/* Blocked and waited for: a signal between two waits is never lost. */
	if (sigprocmask(SIG_BLOCK, &wanted, NULL) != 0) {
		perror("pause: sigprocmask");
		return 1;
	}
	while (sigwait(&wanted, &signal) == 0 && signal == SIGCHLD)
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	return 0;
}
