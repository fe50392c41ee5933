#include "decode_lease.h"

#include "base/rfc3339.h"
#include "fields.h"

#include <stddef.h>
#include <string.h>

struct read {
	struct str version, holder;
	struct lease_record record;
};

static int read_time(struct fields *f, const struct fields_row *field, struct str value, void *into)
{
	static const struct fields_row token = {.max = RFC3339_SIZE};
	struct str text;

	if (fields_token(f, &token, value, &text) < 0)
		return -1;
	if (!rfc3339_parse(text, (int64_t *)(void *)((char *)into + field->offset)))
		return fields_refuse(f, "must be a time in UTC");
	return 0;
}

static const struct fields_row metadata[] = {
	FIELD_TOKEN("resourceVersion", struct read, version, LEASE_VERSION_SIZE - 1),
	FIELD_END,
};

static const struct fields_row spec[] = {
	FIELD_TOKEN("holderIdentity", struct read, holder, LEASE_HOLDER_SIZE - 1),
	FIELD_NUMBER("leaseDurationSeconds", struct read, record.duration_seconds, 0, INT32_MAX),
	FIELD_NUMBER("leaseTransitions", struct read, record.transitions, 0, INT32_MAX),
	{FIELD_AT("acquireTime", read_time, struct read, record.acquired_us)},
	{FIELD_AT("renewTime", read_time, struct read, record.renewed_us)},
	FIELD_END,
};

static const struct fields_row object[] = {
	FIELD_WITHIN("metadata", metadata),
	FIELD_WITHIN("spec", spec),
	FIELD_END,
};

int decode_lease(struct lease_record *record, char version[LEASE_VERSION_SIZE], struct str json,
		 struct err *err)
{
	struct read read = {0};
	struct fields f;
	struct buf texts;
	int result = -1;

	if (fields_begin(&f, &texts, json, err) == 0 && fields_read(&f, object, json, &read) == 0 &&
	    fields_require(read.version, "metadata.resourceVersion", err) == 0) {
		*record = read.record;
		memcpy(record->holder, read.holder.p ? read.holder.p : "", read.holder.n);
		record->holder[read.holder.n] = '\0';
		memcpy(version, read.version.p, read.version.n);
		version[read.version.n] = '\0';
		result = 0;
	}
	buf_free(&texts);
	return result;
}
