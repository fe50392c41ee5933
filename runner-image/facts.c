#include "facts.h"

#include "jail.h"
#include "options.h"
#include "seal.h"
#include "text.h"
#include "watch.h"

#include <assert.h>
#include <sys/utsname.h>
#include <unistd.h>

/* cgroup v1: quota and period in two files, -1 for none; v2: both in one, "max" for none. */
static uint32_t cpu_limit_milli(void)
{
	char quota[64], period[64];
	const char *at = quota, *period_at = period;
	uint64_t quota_us, period_us;

	if (text_read_file("/sys/fs/cgroup/cpu.max", quota, sizeof(quota)) == 0) {
		quota_us = text_read_number(&at);
		while (*at == ' ')
			at++;
		period_us = text_read_number(&at);
	} else {
		if (text_read_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, sizeof(quota)) <
			    0 ||
		    text_read_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, sizeof(period)) <
			    0)
			return 0;
		quota_us = text_read_number(&at);
		period_us = text_read_number(&period_at);
	}
	return period_us > 0 && quota_us / period_us < 4096
		       ? (uint32_t)(quota_us * 1000 / period_us)
		       : 0;
}

struct str facts_write(const struct options *options, const struct jail *jail,
		       const struct watch *watch, uint32_t boot_us, uint8_t *out)
{
	struct utsname kernel;
	char kernel_text[128];
	struct text t = text_in(kernel_text, sizeof(kernel_text));
	struct hello hello = {
		.build = STR(SANDBOXTASK_VERSION),
		.uid = geteuid(),
		.memory_limit_bytes = watch->limit_bytes,
		.cpu_limit_milli = cpu_limit_milli(),
		.bundle_bytes_max = options->bundle_bytes,
		.outcome_bytes_max = options->outcome_bytes,
		.boot_us = boot_us,
	};
	struct str facts;
	struct err err;
	int result;

	if (uname(&kernel) == 0) {
		text_add(&t, kernel.sysname);
		text_add(&t, " ");
		text_add(&t, kernel.release);
		text_add(&t, " ");
		text_add(&t, kernel.machine);
	}
	hello.kernel = str_of(kernel_text);
	hello.layers_count = seal_layers(jail, hello.layers);
	result = hello_encode(&hello, out, &facts, &err);
	/* All that goes in is made here, within the bounds of the table. */
	assert(result == 0);
	return facts;
}
