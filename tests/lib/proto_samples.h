/*
 * proto_samples: one bundle, one outcome and one HELLO with every field set, for tests that need a
 * whole one. The golden vectors of tests/unit/proto/ are of these.
 */
#ifndef TESTS_PROTO_SAMPLES_H
#define TESTS_PROTO_SAMPLES_H

#include "proto/bundle.h"
#include "proto/hello.h"
#include "proto/outcome.h"

#include <string.h>

#define SAMPLE_SESSION 0x0000123456700001u

/* The run's UID 00112233-4455-6677-8899-aabbccddeeff. */
static inline void sample_run_id(uint8_t run_id[PROTO_RUN_ID_BYTES])
{
	for (int i = 0; i < PROTO_RUN_ID_BYTES; i++)
		run_id[i] = (uint8_t)(i * 0x11);
}

static inline void sample_bundle(struct bundle *b)
{
	*b = (struct bundle){
		.mode = BUNDLE_FUNCTION,
		.language = STR("python"),
		.entrypoint = STR("handler"),
		.argv = {STR("python3"), STR("main.py"), STR("--n=1"), STR("")},
		.argv_count = 4,
		.env = {{STR("A"), STR("1")}, {STR("EMPTY"), STR("")}},
		.env_count = 2,
		.memory_bytes = 256u << 20,
		.tmp_bytes = 64u << 20,
		.tmp_inodes = 16384,
		.processes = 64,
		.open_files = 256,
		.file_bytes = 16u << 20,
		.cpu_seconds = 30,
		.cpus = 2,
		.stdout_bytes = 1u << 20,
		.stderr_bytes = 256u << 10,
		.on_overflow = OVERFLOW_FAIL,
		.install_log_bytes = 64u << 10,
		.result_bytes = 128u << 10,
		.start_ms = 5000,
		.install_ms = 60000,
		.run_ms = 30000,
		.parts =
			{
				{PART_CODE, STR("main.py"), 0644, STR("print(1)\n")},
				{PART_STDIN, {0}, 0, STR("in")},
				{PART_PARAMS, {0}, 0, STR("{\"a\":null}")},
				{PART_FILE, STR("data/x.csv"), 0444, STR("1,2\n")},
			},
		.parts_count = 4,
	};
}

static inline struct stream sample_stream(const char *head, const char *tail, uint64_t omitted)
{
	struct stream s = {.head = str_of(head), .tail = str_of(tail)};
	struct sha256 hash;

	s.total = s.head.n + s.tail.n + omitted;
	sha256_init(&hash);
	sha256_update(&hash, s.head.p, s.head.n);
	sha256_update(&hash, s.tail.p, s.tail.n);
	sha256_final(&hash, s.sha256);
	return s;
}

static inline void sample_outcome(struct outcome *o)
{
	*o = (struct outcome){
		.verdict = VERDICT_KILLED,
		.signal = 9,
		.killed_for = KILLED_FOR_RUN_TIME,
		.phase = PHASE_RUNNING,
		.partial = 1,
		.streams = {sample_stream("out: ", "end\n", 1000), sample_stream("err\n", "", 0),
			    sample_stream("installed\n", "", 0),
			    sample_stream("{\"r\":1.0}", "", 0)},
		.files = {{STR("plot.png"), 0644, STR("PNG"), {0}}},
		.files_count = 1,
		.skipped = {{STR("\xFF\xFE"), SKIP_BAD_NAME}},
		.skipped_count = 1,
		.skipped_more = 7,
		.start_ms = 25,
		.install = {900, 500, 100, 80u << 20, 9, 1},
		.run = {30000, 29000, 400, 200u << 20, 5, 2},
		.limit_hits = 1u << LIMIT_PROCESSES | 1u << LIMIT_TMP_INODES,
		.layers = {{STR("gvisor"), LAYER_HELD, STR("runsc")},
			   {STR("seccomp"), LAYER_NOT_SUPPORTED, {0}}},
		.layers_count = 2,
		.memory_enforced = 1,
		.memory_limit_bytes = 512u << 20,
	};
	for (int i = 0; i < SHA256_BYTES; i++)
		o->bundle_sha256[i] = (uint8_t)i;
	sha256("PNG", 3, o->files[0].sha256);
}

/* A program that printed and exited: the smallest outcome. */
static inline void sample_plain_outcome(struct outcome *o, const char *text)
{
	*o = (struct outcome){
		.verdict = VERDICT_EXITED,
		.phase = PHASE_RUNNING,
		.streams = {sample_stream(text, "", 0), sample_stream("", "", 0)},
	};
}

static inline void sample_hello(struct hello *h)
{
	*h = (struct hello){
		.build = STR("0.1.0+abcdef0"),
		.kernel = STR("4.19.0-gvisor"),
		.uid = 65534,
		.memory_limit_bytes = 512u << 20,
		.cpu_limit_milli = 1500,
		.bundle_bytes_max = 1u << 20,
		.outcome_bytes_max = 2u << 20,
		.boot_us = 15000,
		.layers = {{STR("gvisor"), LAYER_HELD, STR("sentry-meminfo")},
			   {STR("networkNamespace"), LAYER_MISSING, {0}}},
		.layers_count = 2,
	};
}

#endif
