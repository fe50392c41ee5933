#include "proto/outcome.h"

#include "flatten.h"
#include "proto_samples.h"
#include "tap.h"

#include <assert.h>
#include <string.h>

#define BYTES_MAX 8192

static uint8_t manifest[BYTES_MAX];
static uint8_t whole[BYTES_MAX];

static int encode(const struct outcome *o, struct str *bytes, struct err *err)
{
	struct object object;

	if (outcome_encode(o, manifest, sizeof(manifest), &object, err) < 0)
		return -1;
	*bytes = flatten(&object, whole, sizeof(whole));
	return 0;
}

/* How a run ended, and whether that can be. */
static void a_verdict_and_its_details_agree(void)
{
	static const struct {
		uint8_t verdict, exit_code, signal, killed_for, stage;
		uint16_t error_number;
		uint8_t partial;
		bool good;
		const char *name;
	} rows[] = {
		{VERDICT_EXITED, 0, 0, 0, 0, 0, 0, true, "exit 0"},
		{VERDICT_EXITED, 137, 0, 0, 0, 0, 0, true, "exit 137 is no signal"},
		{VERDICT_EXITED, 0, 9, 0, 0, 0, 0, false, "exited by a signal"},
		{VERDICT_EXITED, 0, 0, KILLED_FOR_MEMORY, 0, 0, 0, false, "exited, yet killed"},
		{VERDICT_EXITED, 0, 0, 0, STAGE_EXEC, 2, 0, false, "exited without a start"},
		{VERDICT_EXITED, 0, 0, 0, 0, 2, 0, false, "an errno of nothing"},
		{VERDICT_EXITED, 0, 0, 0, 0, 0, 1, false, "exit 0 of half a run"},
		{VERDICT_SIGNALLED, 0, 11, 0, 0, 0, 0, true, "SIGSEGV"},
		{VERDICT_SIGNALLED, 0, 0, 0, 0, 0, 0, false, "signalled by none"},
		{VERDICT_SIGNALLED, 1, 11, 0, 0, 0, 0, false, "signalled, yet exited"},
		{VERDICT_SIGNALLED, 0, 9, KILLED_FOR_CANCEL, 0, 0, 0, false, "signalled by us"},
		{VERDICT_SIGNALLED, 0, 11, 0, 0, 0, 1, false, "signalled of half a run"},
		{VERDICT_KILLED, 0, 9, KILLED_FOR_RUN_TIME, 0, 0, 0, true, "killed for time"},
		{VERDICT_KILLED, 3, 0, KILLED_FOR_CANCEL, 0, 0, 0, true, "exited on our SIGTERM"},
		{VERDICT_KILLED, 0, 0, KILLED_FOR_MEMORY, 0, 0, 0, true, "killed without a trace"},
		{VERDICT_KILLED, 3, 9, KILLED_FOR_MEMORY, 0, 0, 0, false, "ended in two ways"},
		{VERDICT_KILLED, 0, 9, 0, 0, 0, 0, false, "killed for nothing"},
		{VERDICT_KILLED, 0, 9, KILLED_FOR_SHUTDOWN, 0, 0, 1, true, "the Pod goes: partial"},
		{VERDICT_KILLED, 0, 9, KILLED_FOR_SHUTDOWN, 0, 0, 0, false, "and not marked"},
		{VERDICT_VANISHED, 0, 0, 0, 0, 0, 0, true, "no record"},
		{VERDICT_VANISHED, 0, 0, 0, 0, 0, 1, true, "no record, partial"},
		{VERDICT_VANISHED, 1, 0, 0, 0, 0, 0, false, "no record, yet an exit code"},
		{VERDICT_VANISHED, 0, 9, 0, 0, 0, 0, false, "no record, yet a signal"},
		{VERDICT_NOT_STARTED, 0, 0, 0, STAGE_EXEC, 2, 0, true, "ENOENT at exec"},
		{VERDICT_NOT_STARTED, 0, 0, 0, STAGE_BUDGET, 0, 0, true, "no errno needed"},
		{VERDICT_NOT_STARTED, 0, 0, 0, 0, 0, 0, false, "not started nowhere"},
		{VERDICT_NOT_STARTED, 1, 0, 0, STAGE_EXEC, 2, 0, false, "not started, yet exited"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct outcome o, read;
		struct str bytes;
		struct err err = {0};
		int result;

		sample_plain_outcome(&o, "x");
		o.verdict = rows[i].verdict;
		o.exit_code = rows[i].exit_code;
		o.signal = rows[i].signal;
		o.killed_for = rows[i].killed_for;
		o.stage = rows[i].stage;
		o.detail = STR("what was left, or failed"); /* may stand beside any verdict */
		o.error_number = rows[i].error_number;
		o.partial = rows[i].partial;
		result = encode(&o, &bytes, &err);
		if (!rows[i].good) {
			ok(result < 0, "%s: is not written: %s", rows[i].name, err.message);
			continue;
		}
		ok(result == 0 && outcome_decode(bytes, &read, &err) == 0 &&
			   read.exit_code == o.exit_code && read.signal == o.signal,
		   "%s: is written and read%s", rows[i].name, err.message);
	}
}

typedef void spoil(struct outcome *o);

static void bad_verdict(struct outcome *o)
{
	o->verdict = VERDICT_MAX + 1;
}
static void bad_phase(struct outcome *o)
{
	o->phase = PHASE_DONE;
}
static void too_high_signal(struct outcome *o)
{
	o->signal = 65;
}
static void bad_partial(struct outcome *o)
{
	o->partial = 2;
}
static void kept_more(struct outcome *o)
{
	o->streams[STREAM_STDERR].total--;
}
static void kept_far_more(struct outcome *o)
{
	o->streams[STREAM_STDOUT].total = 3;
}
static void half_a_result(struct outcome *o)
{
	o->streams[STREAM_RESULT].total++;
}
static void file_outside(struct outcome *o)
{
	o->files[0].path = STR("../plot.png");
}
static void file_without_name(struct outcome *o)
{
	o->files[0].path.n = 0;
}
static void file_twice(struct outcome *o)
{
	o->files[1] = o->files[2] = o->files[0];
	o->files[1].path = STR("other");
	o->files_count = 3;
}
static void setuid_file(struct outcome *o)
{
	o->files[0].mode = 06755;
}
static void skipped_for_nothing(struct outcome *o)
{
	o->skipped[0].reason = 0;
}
static void layer_twice(struct outcome *o)
{
	o->layers[1].name = o->layers[0].name;
}
static void result_in_two(struct outcome *o)
{
	o->streams[STREAM_RESULT] = sample_stream("a", "b", 0);
}

static void what_breaks_a_rule_is_not_written(void)
{
	static const struct {
		spoil *spoil;
		const char *message;
	} rows[] = {
		{bad_verdict, "outcome.verdict contradicts"},
		{bad_phase, "outcome.phase is 6, not within 4 and 5"},
		{too_high_signal, "outcome.signal is 65"},
		{bad_partial, "outcome.partial is 2"},
		{kept_more, "outcome.streams\\[1\\] keeps more than it had"},
		{kept_far_more, "outcome.streams\\[0\\] keeps more than it had"},
		{half_a_result, "outcome's result is kept in part"},
		{result_in_two, "outcome's result is kept in part"},
		{file_outside, "outcome.files has a bad path"},
		{file_without_name, "outcome.files has a bad path"},
		{file_twice, "or one twice"},
		{setuid_file, "outcome: file.mode is 3565"},
		{skipped_for_nothing, "outcome: skipped.reason is 0"},
		{layer_twice, "outcome.layers has a name twice"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct outcome o;
		struct str bytes;
		struct err err = {0};

		sample_outcome(&o);
		rows[i].spoil(&o);
		ok(encode(&o, &bytes, &err) < 0, "row %zu is refused", i);
		like(err.message, rows[i].message, "row %zu says why", i);
	}
}

/* Replaces the first `from` by `to`, of one length, in the written sample, as a hostile runner
 * could. */
static int decode_with(const char *from, const char *to, size_t length, struct err *err)
{
	static struct outcome o;
	struct str bytes;
	bool found = false;

	sample_outcome(&o);
	encode(&o, &bytes, err);
	for (size_t i = 0; i + length <= bytes.n && !found; i++) {
		found = memcmp(whole + i, from, length) == 0;
		if (found)
			memcpy(whole + i, to, length);
	}
	assert(found);
	return outcome_decode(bytes, &o, err);
}

#define TOTAL(n) "\1\0\x08\0\0\0" n "\0\0\0\0\0\0"
#define HEAD(n)	 "\2\0\4\0\0\0" n
/* What a status can't hold: its numbers are signed. */
#define TOTAL_OF_ALL_BITS "\1\0\x08\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
#define PEAK(high)	  "\4\0\x08\0\0\0\0\0\x80\x0C\0\0\0" high
#define LEFTOVERS(high)	  "\6\0\4\0\0\0\2\0\0" high

static void what_a_hostile_runner_writes_is_refused(void)
{
	static const struct {
		const char *from, *to;
		size_t length;
		const char *message;
	} rows[] = {
		{"\1\0\1\0\0\0\2", "\1\0\1\0\0\0\0", 7, "verdict contradicts"},
		{"\1\0\1\0\0\0\2", "\1\0\1\0\0\0\5", 7, "outcome.verdict is 5"},
		{"\4\0\1\0\0\0\1", "\4\0\1\0\0\0\7", 7, "NULL"},
		{"out: end", "out: eXd", 8, "NULL"}, /* omitted bytes: only the whole hash knows */
		{"err\n", "erR\n", 4, "outcome.streams\\[1\\] has another hash"},
		{"installed\n", "Installed\n", 10, "outcome.streams\\[2\\] has another hash"},
		{"{\"r\":1.0}", "{\"r\":2.0}", 9, "outcome.streams\\[3\\] has another hash"},
		{"1.0}PNG", "1.0}PNg", 7, "outcome.files\\[0\\] has another hash"},
		{TOTAL("\x04\0"), TOTAL("\x03\0"), 14, "streams\\[1\\] keeps more than it had"},
		{HEAD("\4\0\0\0"), HEAD("\5\0\0\0"), 10, "keeps more than it had|truncated"},
		{HEAD("\4\0\0\0"), HEAD("\3\0\0\0"), 10, "bytes behind its parts|has another hash"},
		{HEAD("\4\0\0\0"), HEAD("\xFF\xFF\xFF\xFF"), 10, "stream.head.n is 4294967295"},
		{HEAD("\4\0\0\0"), HEAD("\0\0\0\x01"), 10, "is truncated"},
		{TOTAL("\x04\0"), TOTAL_OF_ALL_BITS, 14, "stream.total is 18446744073709551615"},
		{PEAK("\0"), PEAK("\x80"), 14, "usage.memory_peak_bytes is 9223372037064491008"},
		{LEFTOVERS("\0"), LEFTOVERS("\x80"), 10, "usage.leftovers is 2147483650"},
		{"plot.png", "/lot.png", 8, "bad path"},
		{"plot.png", "plot\0png", 8, "file.path has a NUL"},
		{"plot.png", "plot\xFFpng", 8, "file.path is not UTF-8"},
		{"seccomp", "secc\xFFmp", 7, "layer.name is not UTF-8"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err err = {0};
		int result = decode_with(rows[i].from, rows[i].to, rows[i].length, &err);

		if (strcmp(rows[i].message, "NULL") == 0) {
			ok(result == 0, "row %zu can't be told from the truth", i);
			continue;
		}
		ok(result < 0, "row %zu is refused", i);
		like(err.message, rows[i].message, "row %zu says why", i);
		cmp_ok(err.code, "==", ERR_PROTOCOL, "row %zu is the other side's mistake", i);
	}
}

static void a_cut_outcome_is_refused_at_every_length(void)
{
	static struct outcome o, read, zero;
	struct str bytes;
	struct err err;
	bool refused = true;

	sample_outcome(&o);
	encode(&o, &bytes, &err);
	for (size_t length = 0; length < bytes.n; length++) {
		refused &= outcome_decode(str_slice(bytes, 0, length), &read, &err) < 0;
		refused &= memcmp(&read, &zero, sizeof(zero)) == 0;
	}
	ok(refused, "and leaves nothing behind");
	whole[bytes.n++] = 'x';
	ok(outcome_decode(bytes, &read, &err) < 0, "one byte more is refused too");
	is(err.message, "outcome has bytes behind its parts", "and named");
}

static void omitted_bytes_are_what_is_missing(void)
{
	struct stream s = sample_stream("head", "tail", 1000);

	cmp_ok(outcome_omitted(&s), "==", 1000, "between head and tail");
	s = sample_stream("all", "", 0);
	cmp_ok(outcome_omitted(&s), "==", 0, "none when all is kept");
	s = (struct stream){.total = UINT64_MAX};
	cmp_ok(outcome_omitted(&s) == UINT64_MAX, "==", 1, "all when nothing is kept");
}

int main(void)
{
	a_verdict_and_its_details_agree();
	what_breaks_a_rule_is_not_written();
	what_a_hostile_runner_writes_is_refused();
	a_cut_outcome_is_refused_at_every_length();
	omitted_bytes_are_what_is_missing();
	done_testing();
}
