#include "launch.h"

#include <string.h>
#include <sys/mman.h>

/* Small, but enough that every limit can be seen to hold by the verifier. */
static const struct launch_limits placeholder = {
	.scratch_bytes = 1u << 20,
	.scratch_inodes = 256,
	.processes = 16,
	.open_files = 64,
	.file_bytes = 1u << 20,
	.cpu_seconds = 60,
};

struct launch *launch_map(void)
{
	struct launch *launch = mmap(NULL, sizeof(*launch), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (launch == MAP_FAILED)
		return NULL;
	launch->limits = placeholder;
	return launch;
}

void launch_clear(struct launch *launch)
{
	launch->arg_count = launch->env_count = launch->file_count = 0;
	launch->args[0] = launch->env[0] = NULL;
	launch->strings_length = 0;
}

/* Copies `a`, `separator` (if not NUL) and `b` behind each other; NULL when there is no room. */
static char *keep(struct launch *launch, struct str a, char separator, struct str b)
{
	char *start = launch->strings + launch->strings_length, *at = start;
	size_t room = sizeof(launch->strings) - launch->strings_length;

	if (a.n + b.n + 2 > room || (a.n > 0 && memchr(a.p, '\0', a.n)) ||
	    (b.n > 0 && memchr(b.p, '\0', b.n)))
		return NULL;
	if (a.n > 0)
		at = mempcpy(at, a.p, a.n);
	if (separator)
		*at++ = separator;
	if (b.n > 0)
		at = mempcpy(at, b.p, b.n);
	*at++ = '\0';
	launch->strings_length += (size_t)(at - start);
	return start;
}

int launch_add_arg(struct launch *launch, struct str arg)
{
	char *text;

	if (launch->arg_count == LAUNCH_ARGS_MAX)
		return -1;
	text = keep(launch, arg, '\0', (struct str){NULL, 0});
	if (!text)
		return -1;
	launch->args[launch->arg_count++] = text;
	launch->args[launch->arg_count] = NULL;
	return 0;
}

int launch_add_env(struct launch *launch, struct str name, struct str value)
{
	char *text;

	if (launch->env_count == LAUNCH_ENV_MAX)
		return -1;
	text = keep(launch, name, '=', value);
	if (!text)
		return -1;
	launch->env[launch->env_count++] = text;
	launch->env[launch->env_count] = NULL;
	return 0;
}

int launch_add_file(struct launch *launch, struct str path, struct str bytes, mode_t mode)
{
	char *text;

	if (launch->file_count == LAUNCH_FILES_MAX)
		return -1;
	text = keep(launch, path, '\0', (struct str){NULL, 0});
	if (!text)
		return -1;
	launch->files[launch->file_count++] = (struct launch_file){text, bytes.p, bytes.n, mode};
	return 0;
}
