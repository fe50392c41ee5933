#include "proto/bundle.h"

#include "flatten.h"
#include "proto_samples.h"
#include "tap.h"

#include <assert.h>
#include <string.h>

#define BYTES_MAX 8192

static uint8_t manifest[BYTES_MAX];
static uint8_t whole[BYTES_MAX];

static int encode(const struct bundle *b, struct str *bytes, struct err *err)
{
	struct object o;

	if (bundle_encode(b, manifest, sizeof(manifest), &o, err) < 0)
		return -1;
	*bytes = flatten(&o, whole, sizeof(whole));
	return 0;
}

/* Each row spoils the sample in one way. */
typedef void spoil(struct bundle *b);

static void no_argv(struct bundle *b)
{
	b->argv_count = 0;
}
static void empty_program(struct bundle *b)
{
	b->argv[0].n = 0;
}
static void bad_text(struct bundle *b)
{
	b->argv[1] = (struct str){"a\0b", 3};
}
static void long_argument(struct bundle *b)
{
	b->argv[1] = (struct str){(char *)whole, 4097};
}
static void empty_name(struct bundle *b)
{
	b->env[0].name.n = 0;
}
static void equals_in_name(struct bundle *b)
{
	b->env[0].name = STR("A=B");
}
static void bad_mode(struct bundle *b)
{
	b->mode = BUNDLE_MODE_MAX + 1;
}
static void no_language(struct bundle *b)
{
	b->language.n = 0;
}
static void no_memory(struct bundle *b)
{
	b->memory_bytes = 0;
}
static void tmp_over_memory(struct bundle *b)
{
	b->tmp_bytes = b->memory_bytes + 1;
}
static void no_processes(struct bundle *b)
{
	b->processes = 0;
}
static void two_files(struct bundle *b)
{
	b->open_files = 2;
}
static void no_cpus(struct bundle *b)
{
	b->cpus = 0;
}
static void bad_overflow(struct bundle *b)
{
	b->on_overflow = OVERFLOW_MAX + 1;
}
static void no_run_budget(struct bundle *b)
{
	b->run_ms = 0;
}
static void no_parts(struct bundle *b)
{
	b->parts_count = 0;
}
static void no_code(struct bundle *b)
{
	b->parts[0].role = PART_FILE;
}
static void two_codes(struct bundle *b)
{
	b->parts[1] = b->parts[0];
}
static void two_stdins(struct bundle *b)
{
	b->parts[2] = b->parts[1];
}
static void out_of_order(struct bundle *b)
{
	struct bundle_part stdin_part = b->parts[1];

	b->parts[1] = b->parts[2];
	b->parts[2] = stdin_part;
}
static void bad_role(struct bundle *b)
{
	b->parts[3].role = PART_ROLE_MAX + 1;
}
static void code_in_a_folder(struct bundle *b)
{
	b->parts[0].path = STR("a/main.py");
}
static void code_without_name(struct bundle *b)
{
	b->parts[0].path.n = 0;
}
static void stdin_with_path(struct bundle *b)
{
	b->parts[1].path = STR("x");
}
static void stdin_with_mode(struct bundle *b)
{
	b->parts[1].mode = 0600;
}
static void file_outside(struct bundle *b)
{
	b->parts[3].path = STR("../x");
}
static void setuid_file(struct bundle *b)
{
	b->parts[3].mode = 04755;
}
static void file_over_code(struct bundle *b)
{
	b->parts[3].path = b->parts[0].path;
}
static void script_with_entrypoint(struct bundle *b)
{
	b->mode = BUNDLE_SCRIPT;
}
static void function_without_entrypoint(struct bundle *b)
{
	b->entrypoint.n = 0;
}
static void lint_with_params(struct bundle *b)
{
	b->mode = BUNDLE_LINT;
	b->entrypoint.n = 0;
}

static void what_breaks_a_rule_is_not_written(void)
{
	static const struct {
		spoil *spoil;
		const char *message;
	} rows[] = {
		{no_argv, "bundle.argv names no program"},
		{empty_program, "bundle.argv names no program"},
		{bad_text, "bundle.argv has a NUL"},
		{long_argument, "bundle.argv is 4097"},
		{empty_name, "bundle.env has a name that is empty"},
		{equals_in_name, "or has '='"},
		{bad_mode, "don't fit its mode"},
		{no_language, "bundle.language is 0"},
		{no_memory, "bundle.tmp_bytes is over memory_bytes"},
		{tmp_over_memory, "bundle.tmp_bytes is over memory_bytes"},
		{no_processes, "bundle.processes is 0"},
		{two_files, "bundle.open_files is 2"},
		{no_cpus, "bundle.cpus is 0"},
		{bad_overflow, "bundle.on_overflow is 2"},
		{no_run_budget, "bundle.run_ms is 0"},
		{no_parts, "bundle.parts are not code"},
		{no_code, "bundle.parts are not code"},
		{two_codes, "bundle.parts are not code"},
		{two_stdins, "bundle.parts are not code"},
		{out_of_order, "bundle.parts are not code"},
		{bad_role, "bundle.parts\\[3\\] has a bad path"},
		{code_in_a_folder, "bundle.parts\\[0\\] has a bad path or mode"},
		{code_without_name, "bundle.parts\\[0\\] has a bad path or mode"},
		{stdin_with_path, "bundle.parts\\[1\\] has a bad path or mode"},
		{stdin_with_mode, "bundle.parts\\[1\\] has a bad path or mode"},
		{file_outside, "bundle.parts\\[3\\] has a bad path or mode"},
		{setuid_file, "bundle: part.mode is 2541"},
		{file_over_code, "bundle.parts have a path twice"},
		{script_with_entrypoint, "bundle.entrypoint or params don't fit its mode"},
		{function_without_entrypoint, "bundle.entrypoint or params don't fit its mode"},
		{lint_with_params, "bundle.entrypoint or params don't fit its mode"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bundle b;
		struct str bytes;
		struct err err = {0};

		sample_bundle(&b);
		rows[i].spoil(&b);
		ok(encode(&b, &bytes, &err) < 0, "row %zu is refused", i);
		like(err.message, rows[i].message, "row %zu says why", i);
	}
}

/* Replaces the bytes `from` by `to`, of one length, in the written sample. */
static int decode_with(const char *from, const char *to, size_t length, struct err *err)
{
	struct bundle b;
	struct str bytes;
	unsigned found = 0;

	sample_bundle(&b);
	encode(&b, &bytes, err);
	for (size_t i = 0; i + length <= bytes.n && length > 0; i++)
		if (memcmp(whole + i, from, length) == 0) {
			memcpy(whole + i, to, length);
			found++;
			break;
		}
	assert(found == 1);
	return bundle_decode(bytes, &b, err);
}

static void what_breaks_a_rule_is_not_read(void)
{
	static const struct {
		const char *from, *to;
		size_t length;
		const char *message;
	} rows[] = {
		{"\1\0\1\0\0\0\1", "\1\0\1\0\0\0\0", 7, "don't fit its mode"},
		{"\1\0\1\0\0\0\1", "\1\0\1\0\0\0\7", 7, "bundle.mode is 7"},
		{"main.py\3", "ma/n.py\3", 8, "bad path or mode"},
		{"data/x.csv", "/ata/x.csv", 10, "bad path or mode"},
		{"data/x.csv", "data/x\0csv", 10, "bundle: part.path has a NUL"},
		{"\1\0\0\0A", "\1\0\0\0=", 5, "or has '='"},
		{"\4\0\4\0\0\0\x09\0\0\0", "\4\0\4\0\0\0\x0A\0\0\0", 10,
		 "parts\\[3\\] is truncated"},
		{"\4\0\4\0\0\0\x09\0\0\0", "\4\0\4\0\0\0\x08\0\0\0", 10, "bytes behind its parts"},
		{"\4\0\4\0\0\0\x09\0\0\0", "\4\0\4\0\0\0\xFF\xFF\xFF\xFF", 10, "not within"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err err = {0};

		ok(decode_with(rows[i].from, rows[i].to, rows[i].length, &err) < 0,
		   "row %zu is refused", i);
		cmp_ok(err.code, "==", ERR_PROTOCOL, "row %zu is the other side's mistake", i);
		like(err.message, rows[i].message, "row %zu says why", i);
	}
}

static void a_cut_bundle_is_refused_at_every_length(void)
{
	struct bundle b, read, zero = {0};
	struct str bytes;
	struct err err;
	bool refused = true;

	sample_bundle(&b);
	encode(&b, &bytes, &err);
	for (size_t length = 0; length < bytes.n; length++) {
		refused &= bundle_decode(str_slice(bytes, 0, length), &read, &err) < 0;
		refused &= memcmp(&read, &zero, sizeof(zero)) == 0;
	}
	ok(refused, "and leaves nothing behind");
	whole[bytes.n] = 'x';
	bytes.n++;
	ok(bundle_decode(bytes, &read, &err) < 0, "one byte more is refused too");
}

static void the_least_that_each_mode_needs(void)
{
	static const struct {
		uint8_t mode;
		const char *entrypoint;
		size_t parts;
		bool good;
		const char *name;
	} rows[] = {
		{BUNDLE_SCRIPT, "", 1, true, "a script needs its code"},
		{BUNDLE_SCRIPT, "", 2, true, "and may have stdin"},
		{BUNDLE_SCRIPT, "", 3, false, "but no params"},
		{BUNDLE_LINT, "", 1, true, "lint needs the code"},
		{BUNDLE_LINT, "", 3, false, "and takes no params"},
		{BUNDLE_FUNCTION, "f", 1, true, "a function needs its name"},
		{BUNDLE_FUNCTION, "f", 3, true, "and may have params"},
		{BUNDLE_FUNCTION, "", 3, false, "params alone name no function"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bundle b, read;
		struct str bytes = {NULL, 0};
		struct err err = {0};
		int result;

		sample_bundle(&b);
		b.mode = rows[i].mode;
		b.entrypoint = str_of(rows[i].entrypoint);
		b.parts_count = rows[i].parts;
		b.env_count = 0;
		result = encode(&b, &bytes, &err);
		ok((result == 0) == rows[i].good, "%s", rows[i].name);
		ok(!rows[i].good || bundle_decode(bytes, &read, &err) == 0, "%s, when read",
		   rows[i].name);
	}
}

static void the_largest_counts_fit(void)
{
	static char names[BUNDLE_PARTS_MAX][4];
	struct bundle b, read;
	struct str bytes;
	struct err err = {0};

	sample_bundle(&b);
	for (b.argv_count = 0; b.argv_count < BUNDLE_ARGV_MAX; b.argv_count++)
		b.argv[b.argv_count] = STR("a");
	for (b.env_count = 0; b.env_count < BUNDLE_ENV_MAX; b.env_count++)
		b.env[b.env_count] = (struct bundle_env){STR("E"), {0}};
	for (; b.parts_count < BUNDLE_PARTS_MAX; b.parts_count++) {
		char *name = names[b.parts_count];

		snprintf(name, 4, "f%zu", b.parts_count);
		b.parts[b.parts_count] =
			(struct bundle_part){PART_FILE, str_of(name), 0444, STR("z")};
	}
	ok(encode(&b, &bytes, &err) == 0, "they are written: %s", err.message);
	ok(bundle_decode(bytes, &read, &err) == 0, "and read: %s", err.message);
	ok(read.argv_count == BUNDLE_ARGV_MAX && read.env_count == BUNDLE_ENV_MAX &&
		   read.parts_count == BUNDLE_PARTS_MAX,
	   "all of them");
}

int main(void)
{
	what_breaks_a_rule_is_not_written();
	what_breaks_a_rule_is_not_read();
	a_cut_bundle_is_refused_at_every_length();
	the_least_that_each_mode_needs();
	the_largest_counts_fit();
	done_testing();
}
