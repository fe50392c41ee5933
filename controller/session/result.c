#include "result.h"

#include <inttypes.h>
#include <string.h>

static const char *const STREAM_NAMES[STREAM_COUNT] = {
	[STREAM_STDOUT] = "stdout",
	[STREAM_STDERR] = "stderr",
	[STREAM_INSTALL_LOG] = "install log",
	[STREAM_RESULT] = "result",
};

static int check(const struct outcome *outcome, const struct result_limits *limits,
		 const uint8_t *bundle_sha256, struct err *err)
{
	for (int i = 0; i < STREAM_COUNT; i++) {
		uint64_t kept = (uint64_t)outcome->streams[i].head.n + outcome->streams[i].tail.n;

		if (kept > limits->kept_bytes[i])
			return err_set(err, ERR_PROTOCOL,
				       "the outcome has %" PRIu64 " bytes of %s, at most %" PRIu64
				       " were asked for",
				       kept, STREAM_NAMES[i], limits->kept_bytes[i]);
	}
	if (bundle_sha256 && memcmp(outcome->bundle_sha256, bundle_sha256, SHA256_BYTES) != 0)
		return err_set(err, ERR_PROTOCOL, "the outcome is of another bundle");
	return 0;
}

int result_read(struct str bytes, const struct result_limits *limits, const uint8_t *bundle_sha256,
		struct outcome *outcome, struct err *err)
{
	if (outcome_decode(bytes, outcome, err) < 0)
		return err_wrap(err, "the outcome can't be read");
	if (check(outcome, limits, bundle_sha256, err) == 0)
		return 0;
	*outcome = (struct outcome){0};
	return -1;
}
