/* Texts, files and folders without allocation: text.c, folder.c, mountinfo.c. */
#include "text.h"

#include "folder.h"
#include "mountinfo.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static void texts(void)
{
	char memory[12];
	struct text t = text_in(memory, sizeof(memory));
	const char *digits = "0123x";

	text_add(&t, "a ");
	text_add_number(&t, 0);
	is(memory, "a 0", "words and numbers are put together");
	text_add_number(&t, UINT64_MAX);
	is(memory, "a 018446744", "what does not fit is cut");
	text_add(&t, "more");
	is(memory, "a 018446744", "and nothing comes behind it");
	cmp_ok(text_read_number(&digits), "==", 123, "digits are read");
	is(digits, "x", "up to what is none");
	cmp_ok(text_read_number(&digits), "==", 0, "no digits are 0");
}

static void files(void)
{
	char name[] = "/tmp/text-test-XXXXXX", small[6], large[64];
	int fd = mkstemp(name);

	cmp_ok(write(fd, "eight by", 8), "==", 8, "a file is made");
	close(fd);
	cmp_ok(text_read_file(name, large, sizeof(large)), "==", 0, "a file is read");
	is(large, "eight by", "whole");
	cmp_ok(text_read_file(name, small, sizeof(small)), "==", 0, "a file over the room is read");
	is(small, "eight", "as far as there is room");
	unlink(name);
	cmp_ok(text_read_file(name, large, sizeof(large)), "==", -1, "a file that is gone");
	cmp_ok(errno, "==", ENOENT, "has its errno");
}

static void folders(void)
{
	char path[] = "/tmp/folder-test-XXXXXX", name[32];
	struct folder f;
	unsigned found = 0;
	int at;

	ok(mkdtemp(path) != NULL, "a folder is made");
	at = open(path, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "a-file-with-a-name-%d", i);
		close(openat(at, name, O_CREAT | O_WRONLY, 0600));
	}
	cmp_ok(symlinkat("/", at, "link"), "==", 0, "with a link in it");
	cmp_ok(folder_open(&f, AT_FDCWD, path), "==", 0, "a folder is opened");
	while (folder_next(&f))
		found++;
	folder_close(&f);
	cmp_ok(found, "==", 201, "every entry comes once, over several reads");
	cmp_ok(folder_open(&f, at, "link"), "==", -1, "a link to a folder is not followed");
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "a-file-with-a-name-%d", i);
		unlinkat(at, name, 0);
	}
	unlinkat(at, "link", 0);
	close(at);
	rmdir(path);
	cmp_ok(folder_number("42"), "==", 42, "a number is a process");
	cmp_ok(folder_number("42x") + folder_number("self"), "==", 0, "other entries are none");
}

/* A table as the kernel writes it, read from a file in place of /proc/self/mountinfo. */
static void mounts(void)
{
	static const char lines[] =
		"22 27 0:21 / /proc rw,nosuid,nodev - proc proc rw\n"
		"23 27 0:22 / /with\\040space\\134 ro,relatime shared:1 - sysfs sysfs rw\n"
		"24 27 0:23 / / ro - 9p none rw\n";
	char name[] = "/tmp/mountinfo-test-XXXXXX";
	struct mountinfo table = {.fd = mkstemp(name)};
	struct mount m;

	cmp_ok(write(table.fd, lines, sizeof(lines) - 1), "==", sizeof(lines) - 1, "a table");
	lseek(table.fd, 0, SEEK_SET);
	unlink(name);
	cmp_ok(mountinfo_next(&table, &m), "==", 1, "a first mount");
	is(m.path, "/proc", "its path");
	cmp_ok(m.flags, "==", MS_NOSUID | MS_NODEV, "its flags");
	cmp_ok(mountinfo_next(&table, &m), "==", 1, "a second mount");
	is(m.path, "/with space\\", "blanks and backslashes are read");
	cmp_ok(m.flags, "==", MS_RDONLY | MS_RELATIME, "its own flags, not the file system's");
	cmp_ok(mountinfo_next(&table, &m), "==", 1, "a third mount");
	cmp_ok(mountinfo_next(&table, &m), "==", 0, "and the end");
	mountinfo_close(&table);
	cmp_ok(mountinfo_open(&table), "==", 0, "this machine's table is opened");
	for (int more = 1; more > 0;)
		more = mountinfo_next(&table, &m);
	cmp_ok(mountinfo_next(&table, &m), "==", 0, "and read to its end");
	mountinfo_close(&table);
	ok(mountinfo_is_below("/dev/shm", "/dev") && mountinfo_is_below("/dev", "/dev") &&
		   !mountinfo_is_below("/device", "/dev") && !mountinfo_is_below("/", "/dev"),
	   "below means the folder or in it");
}

int main(void)
{
	texts();
	files();
	folders();
	mounts();
	done_testing();
}
