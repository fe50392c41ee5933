#include "leftovers.h"

#include "folder.h"
#include "text.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/*
 * "42 (name of at most 15 bytes) S …": the name may hold anything, a parenthesis too, so the state
 * stands behind the last one.
 */
static bool is_alive(const char *process)
{
	char path[32], stat[512];
	struct text t = text_in(path, sizeof(path));
	const char *end;

	text_add(&t, "/proc/");
	text_add(&t, process);
	text_add(&t, "/stat");
	if (text_read_file(path, stat, sizeof(stat)) < 0)
		return false;
	end = strrchr(stat, ')');
	return end && end[1] == ' ' && end[2] != 'Z' && end[2] != 'X';
}

uint32_t leftovers_count(void)
{
	struct folder proc;
	const char *name;
	uint32_t count = 0;

	if (folder_open(&proc, AT_FDCWD, "/proc") < 0)
		return 0;
	while ((name = folder_next(&proc)))
		count += folder_number(name) > 1 && is_alive(name);
	folder_close(&proc);
	return count;
}
