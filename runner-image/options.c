#include "options.h"

#include "seal.h"

#include <stdbool.h>

#define BUNDLE_BYTES_DEFAULT  (16u << 20)
#define OUTCOME_BYTES_DEFAULT ((1280u << 10) + SEAL_MANIFEST_BYTES_MAX)
#define SPOOL_BYTES_MAX	      (1ull << 30)
#define GRACE_SECONDS_DEFAULT 30
#define GRACE_SECONDS_MAX     3600

/* True when `arg` is "--name=<number>" with a number from 1 to `max`. */
static bool read_number(struct str arg, struct str name, uint64_t max, uint64_t *value)
{
	uint64_t number;

	if (!str_starts_with(arg, name) ||
	    !str_to_uint(str_slice(arg, name.n, arg.n), max, &number) || number == 0)
		return false;
	*value = number;
	return true;
}

int options_read(struct options *options, int argc, char *const argv[], struct err *err)
{
	uint64_t grace_seconds = GRACE_SECONDS_DEFAULT;
	struct options read = {BUNDLE_BYTES_DEFAULT, OUTCOME_BYTES_DEFAULT, 0};

	for (int i = 1; i < argc; i++) {
		struct str arg = str_of(argv[i]);

		if (!read_number(arg, STR("--bundle-bytes="), SPOOL_BYTES_MAX,
				 &read.bundle_bytes) &&
		    !read_number(arg, STR("--outcome-bytes="), SPOOL_BYTES_MAX,
				 &read.outcome_bytes) &&
		    !read_number(arg, STR("--grace-seconds="), GRACE_SECONDS_MAX, &grace_seconds))
			return err_set(err, ERR_INVALID, "bad option: %s", argv[i]);
	}
	if (read.outcome_bytes <= SEAL_MANIFEST_BYTES_MAX)
		return err_set(err, ERR_INVALID, "--outcome-bytes is at most the manifest's %u",
			       SEAL_MANIFEST_BYTES_MAX);
	read.grace_ms = grace_seconds * 1000;
	*options = read;
	return 0;
}
