#include "watch.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char usage_path[] = "/tmp/watch-usage-XXXXXX", sentry_path[] = "/tmp/watch-sentry-XXXXXX",
	    cpu_path[] = "/tmp/watch-cpu-XXXXXX";

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

int main(void)
{
	const char *usage[] = {"/nowhere", usage_path, NULL}, *limit[] = {usage_path, NULL};
	const struct watch_files files = {usage, limit, sentry_path, cpu_path};
	struct watch watch;

	close(mkstemp(usage_path));
	close(mkstemp(sentry_path));
	close(mkstemp(cpu_path));
	put(usage_path, "1000000\n");
	put(sentry_path, "Alloc:   9 kB\nTotalAlloc: 10 kB\nSys:              1000 kB\nx: 5\n");
	put(cpu_path, "5000000000\n");
	watch_open(&watch, &files);
	ok(watch_sees_memory(&watch), "the first file that exists is read");
	cmp_ok(watch.limit_bytes, "==", 1000000, "the limit is read");
	watch_begin(&watch);
	watch_look(&watch);
	cmp_ok(watch.memory_now, "==", 0, "what was used before is not the program's");
	put(usage_path, "3000000\n");
	put(sentry_path, "Alloc: 9 kB\nTotalAlloc: 10 kB\nSys: 2000 kB\n");
	put(cpu_path, "8000000000\n");
	watch_look(&watch);
	cmp_ok(watch.memory_now, "==", 2000000 + 1000 * 1024,
	       "application memory and the sentry's heap are added");
	cmp_ok(watch.cpu_ms, ">=", 2900, "CPU time is counted");
	cmp_ok(watch.cpu_ms, "<=", 3000, "without the runner's own");
	put(usage_path, "900000\n");
	put(sentry_path, "Alloc: 9 kB\nTotalAlloc: 10 kB\nSys: 900 kB\n");
	watch_look(&watch);
	cmp_ok(watch.memory_now, "==", 0, "less than before is nothing, not a huge number");
	cmp_ok(watch.memory_peak, "==", 2000000 + 1000 * 1024, "the peak stays");
	put(usage_path, "9223372036854771712\n");
	watch_open(&watch, &files);
	cmp_ok(watch.limit_bytes, "==", 0, "a limit beyond all memory is none");
	unlink(usage_path);
	unlink(sentry_path);
	unlink(cpu_path);
	watch_open(&watch, &files);
	ok(!watch_sees_memory(&watch), "without the file memory is not seen");
	watch_begin(&watch);
	watch_look(&watch);
	ok(watch.memory_now == 0 && watch.cpu_ms == 0, "and nothing is claimed");
	done_testing();
}
