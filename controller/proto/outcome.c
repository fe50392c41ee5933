#include "outcome.h"

#include <string.h>

#define STREAM_ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct stream, tag, presence, type, member, minimum, maximum)
#define USAGE_ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct usage, tag, presence, type, member, minimum, maximum)
#define FILE_ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct outcome_file, tag, presence, type, member, minimum, maximum)
#define SKIPPED_ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct outcome_skipped, tag, presence, type, member, minimum, maximum)
#define ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct outcome, tag, presence, type, member, minimum, maximum)

static const struct field stream_fields[] = {STREAM_TABLE(STREAM_ROW)};
static const struct schema stream_schema = SCHEMA_OF("stream", struct stream, stream_fields);

static const struct field usage_fields[] = {USAGE_TABLE(USAGE_ROW)};
static const struct schema usage_schema = SCHEMA_OF("usage", struct usage, usage_fields);

static const struct field file_fields[] = {OUTCOME_FILE_TABLE(FILE_ROW)};
static const struct schema outcome_file_schema =
	SCHEMA_OF("file", struct outcome_file, file_fields);

static const struct field skipped_fields[] = {OUTCOME_SKIPPED_TABLE(SKIPPED_ROW)};
static const struct schema outcome_skipped_schema =
	SCHEMA_OF("skipped", struct outcome_skipped, skipped_fields);

static const struct field fields[] = {OUTCOME_TABLE(ROW)};
static const struct schema outcome_schema = SCHEMA_OF("outcome", struct outcome, fields);

uint64_t outcome_omitted(const struct stream *s)
{
	return s->total - s->head.n - s->tail.n;
}

/* --- Rules across fields, the same for writing and reading. */

static bool how_it_ended_is_sound(const struct outcome *o)
{
	bool failed_to_start = o->stage != STAGE_NONE;
	bool was_killed = o->killed_for != KILLED_FOR_NOTHING;

	if (!failed_to_start && o->error_number != 0)
		return false;
	switch ((enum outcome_verdict)o->verdict) {
	case VERDICT_EXITED: return !o->signal && !was_killed && !failed_to_start;
	case VERDICT_SIGNALLED:
		return !o->exit_code && o->signal && !was_killed && !failed_to_start;
	case VERDICT_KILLED: return !(o->exit_code && o->signal) && was_killed && !failed_to_start;
	case VERDICT_VANISHED:
		return !o->exit_code && !o->signal && !was_killed && !failed_to_start;
	case VERDICT_NOT_STARTED:
		return !o->exit_code && !o->signal && !was_killed && failed_to_start;
	}
	return false;
}

/* What was cut off from outside never looks like an end of the program's own, and is always marked.
 */
static bool partial_is_sound(const struct outcome *o)
{
	if (o->killed_for == KILLED_FOR_SHUTDOWN)
		return o->partial;
	return !o->partial || o->verdict == VERDICT_KILLED || o->verdict == VERDICT_VANISHED;
}

static bool stream_is_sound(const struct stream *s)
{
	return s->head.n <= s->total && s->tail.n <= s->total - s->head.n;
}

static bool result_is_sound(const struct stream *s)
{
	return s->tail.n == 0 && (s->head.n == 0 || s->head.n == s->total);
}

static bool files_are_sound(const struct outcome *o)
{
	for (size_t i = 0; i < o->files_count; i++) {
		if (!manifest_path_is_inside(o->files[i].path))
			return false;
		for (size_t j = 0; j < i; j++)
			if (str_equal(o->files[i].path, o->files[j].path))
				return false;
	}
	return true;
}

static int check(const struct outcome *o, enum err_code code, struct err *err)
{
	if (!how_it_ended_is_sound(o))
		return err_set(err, code, "outcome.verdict contradicts how it ended");
	if (!partial_is_sound(o))
		return err_set(err, code, "outcome.partial contradicts the verdict");
	for (size_t i = 0; i < STREAM_COUNT; i++)
		if (!stream_is_sound(&o->streams[i]))
			return err_set(err, code, "outcome.streams[%zu] keeps more than it had", i);
	if (!result_is_sound(&o->streams[STREAM_RESULT]))
		return err_set(err, code, "outcome's result is kept in part");
	if (!files_are_sound(o))
		return err_set(err, code, "outcome.files has a bad path, or one twice");
	if (!layers_are_distinct(o->layers, o->layers_count))
		return err_set(err, code, "outcome.layers has a name twice");
	return 0;
}

int outcome_encode(const struct outcome *o, uint8_t *manifest, size_t size, struct object *object,
		   struct err *err)
{
	if (check(o, ERR_INVALID, err) < 0 ||
	    manifest_encode(&outcome_schema, o, manifest, size, object, err) < 0)
		return -1;
	for (size_t i = 0; i < STREAM_COUNT; i++) {
		object_add(object, o->streams[i].head);
		object_add(object, o->streams[i].tail);
	}
	for (size_t i = 0; i < o->files_count; i++)
		object_add(object, o->files[i].data);
	object_seal(object);
	return 0;
}

/* --- Reading */

static int take_parts(struct str parts, struct outcome *o, struct err *err)
{
	for (size_t i = 0; i < STREAM_COUNT; i++)
		if (!manifest_take(&parts, &o->streams[i].head) ||
		    !manifest_take(&parts, &o->streams[i].tail))
			return err_set(err, ERR_PROTOCOL, "outcome.streams[%zu] is truncated", i);
	for (size_t i = 0; i < o->files_count; i++)
		if (!manifest_take(&parts, &o->files[i].data))
			return err_set(err, ERR_PROTOCOL, "outcome.files[%zu] is truncated", i);
	if (parts.n > 0)
		return err_set(err, ERR_PROTOCOL, "outcome has bytes behind its parts");
	return 0;
}

/* The hash of two pieces, one behind the other. */
static bool hash_fits(struct str a, struct str b, const uint8_t wanted[SHA256_BYTES])
{
	struct sha256 hash;
	uint8_t digest[SHA256_BYTES];

	sha256_init(&hash);
	sha256_update(&hash, a.p, a.n);
	sha256_update(&hash, b.p, b.n);
	sha256_final(&hash, digest);
	return memcmp(digest, wanted, SHA256_BYTES) == 0;
}

/* An absent record (no install phase, no result) is all zero, and says nothing. */
static bool stream_is_absent(const struct stream *s)
{
	static const uint8_t zero[SHA256_BYTES];

	return s->total == 0 && memcmp(s->sha256, zero, SHA256_BYTES) == 0;
}

static int check_hashes(const struct outcome *o, struct err *err)
{
	for (size_t i = 0; i < STREAM_COUNT; i++) {
		const struct stream *s = &o->streams[i];

		if (i >= STREAM_INSTALL_LOG && stream_is_absent(s))
			continue;
		if (outcome_omitted(s) == 0 && !hash_fits(s->head, s->tail, s->sha256))
			return err_set(err, ERR_PROTOCOL, "outcome.streams[%zu] has another hash",
				       i);
	}
	for (size_t i = 0; i < o->files_count; i++)
		if (!hash_fits(o->files[i].data, (struct str){NULL, 0}, o->files[i].sha256))
			return err_set(err, ERR_PROTOCOL, "outcome.files[%zu] has another hash", i);
	return 0;
}

static int decode(struct str bytes, struct outcome *o, struct err *err)
{
	struct str parts;

	if (manifest_decode(&outcome_schema, bytes, OUTCOME_MANIFEST_BYTES_MAX, o, &parts, err) < 0)
		return -1;
	if (take_parts(parts, o, err) < 0 || check(o, ERR_PROTOCOL, err) < 0)
		return -1;
	return check_hashes(o, err);
}

int outcome_decode(struct str bytes, struct outcome *o, struct err *err)
{
	if (decode(bytes, o, err) == 0)
		return 0;
	memset(o, 0, sizeof(*o));
	return -1;
}
