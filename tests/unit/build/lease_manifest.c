#include "build/lease_manifest.h"

#include "core/decode_lease.h"

#include "golden.h"
#include "tap.h"

#include <string.h>

int main(void)
{
	struct lease_step step = {
		.action = LEASE_UPDATE,
		.record = {.holder = "host_1",
			   .duration_seconds = 8,
			   .acquired_us = 1767323045000006,
			   .renewed_us = 1767323046000000,
			   .transitions = 3},
		.version = "99",
	};
	char version[LEASE_VERSION_SIZE];
	struct lease_record read;
	struct buf text;
	struct err err;

	buf_init(&text, LEASE_MANIFEST_BYTES_MAX);
	ok(lease_manifest_write(&text, STR("sandboxtask-system"), &step, &err) == 0,
	   "an update is written");
	golden("lease", buf_str(&text));
	ok(decode_lease(&read, version, buf_str(&text), &err) == 0, "and can be read");
	ok(memcmp(&read.acquired_us, &step.record.acquired_us, sizeof(int64_t)) == 0 &&
		   read.renewed_us == step.record.renewed_us && read.transitions == 3 &&
		   strcmp(read.holder, "host_1") == 0 && strcmp(version, "99") == 0,
	   "as it was");
	buf_clear(&text);
	step.action = LEASE_CREATE;
	lease_manifest_write(&text, STR("sandboxtask-system"), &step, &err);
	ok(!strstr(text.data, "resourceVersion"), "a creation carries no version");
	buf_free(&text);
	done_testing();
}
