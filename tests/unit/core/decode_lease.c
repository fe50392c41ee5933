#include "core/decode_lease.h"

#include "base/rfc3339.h"

#include "objects.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static void a_lease_is_read(void)
{
	char version[LEASE_VERSION_SIZE], text[RFC3339_SIZE];
	struct lease_record record;
	struct err err;

	ok(decode_lease(
		   &record, version,
		   json_of("{'metadata':{'name':'l','resourceVersion':'123'},'spec':{"
			   "'holderIdentity':'me_1','leaseDurationSeconds':8,'leaseTransitions':7,"
			   "'acquireTime':'2026-01-02T03:04:05.000006Z',"
			   "'renewTime':'2026-01-02T03:04:06.700000Z'}}"),
		   &err) == 0,
	   "a Lease is read");
	is(version, "123", "its version");
	is(record.holder, "me_1", "its holder");
	ok(record.duration_seconds == 8 && record.transitions == 7, "its numbers");
	rfc3339_format(text, record.acquired_us, RFC3339_MICROSECONDS);
	is(text, "2026-01-02T03:04:05.000006Z", "when it was acquired");
	rfc3339_format(text, record.renewed_us, RFC3339_MICROSECONDS);
	is(text, "2026-01-02T03:04:06.700000Z", "when it was renewed");
}

static void what_is_absent_is_empty(void)
{
	char version[LEASE_VERSION_SIZE];
	struct lease_record record;
	struct err err;

	ok(decode_lease(
		   &record, version,
		   json_of("{'metadata':{'resourceVersion':'1'},'spec':{'holderIdentity':null}}"),
		   &err) == 0,
	   "a Lease may be empty");
	is(record.holder, "", "without a holder");
	cmp_ok(record.duration_seconds, "==", 0, "or a duration");
}

static void what_is_wrong_is_an_error(void)
{
	static const char *const rows[][2] = {
		{"{}", "^metadata.resourceVersion: is missing"},
		{"[]", "must be an object"},
		{"{'metadata':{'resourceVersion':'123456789012345678901234'}}",
		 "^metadata.resourceVersion: must have at most 23 bytes"},
		{"{'metadata':{'resourceVersion':'1'},'spec':{'renewTime':'now'}}",
		 "^spec.renewTime: must be a time in UTC"},
		{"{'metadata':{'resourceVersion':'1'},'spec':{'renewTime':7}}",
		 "^spec.renewTime: must be a string"},
		{"{'metadata':{'resourceVersion':'1'},'spec':{'leaseDurationSeconds':-1}}",
		 "^spec.leaseDurationSeconds: must be an integer"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char version[LEASE_VERSION_SIZE];
		struct lease_record record;
		struct err err = {0};

		ok(decode_lease(&record, version, json_of(rows[i][0]), &err) < 0, "%s is an error",
		   rows[i][0]);
		like(err.message, rows[i][1], "  that names it");
	}
}

static void a_holder_has_its_limit(void)
{
	char name[LEASE_HOLDER_SIZE + 1] = "", json[1024], version[LEASE_VERSION_SIZE];
	struct lease_record record;
	struct err err;

	memset(name, 'h', LEASE_HOLDER_SIZE);
	for (int more = 0; more < 2; more++) {
		snprintf(json, sizeof(json),
			 "{'metadata':{'resourceVersion':'1'},'spec':{'holderIdentity':'%.*s'}}",
			 LEASE_HOLDER_SIZE - 1 + more, name);
		ok((decode_lease(&record, version, json_of(json), &err) < 0) == more,
		   more ? "one more is refused" : "a holder of 255 bytes is read");
	}
}

int main(void)
{
	a_holder_has_its_limit();
	a_lease_is_read();
	what_is_absent_is_empty();
	what_is_wrong_is_an_error();
	done_testing();
}
