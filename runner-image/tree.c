#include "tree.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

void tree_kill(void)
{
	assert(getpid() == 1);
	kill(-1, SIGKILL);
}

bool tree_collect(pid_t init)
{
	bool found = false;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		found = found || pid == init;
	return found;
}

bool tree_is_empty(void)
{
	assert(getpid() == 1);
	return kill(-1, 0) < 0 && errno == ESRCH;
}
