#include "kube/kube_object.h"

#include "tap.h"

#include <string.h>

#define META \
	"\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"7\"}"

static void objects_are_read(void)
{
	struct kube_object object;
	struct err err;

	cmp_ok(kube_object_read(STR("{\"kind\":\"Pod\"," META ",\"spec\":{}}"), &object, &err),
	       "==", 0, "an object");
	is(object.name, "a", "its name");
	is(object.in_namespace, "n", "its namespace");
	is(object.uid, "u", "its uid");
	is(object.resource_version, "7", "its version");
	ok(str_equal(object.raw, STR("{\"kind\":\"Pod\"," META ",\"spec\":{}}")), "and all of it");
	cmp_ok(kube_object_read_row(STR("{\"cells\":[\"x\"],\"object\":{" META "}}"), &object,
				    &err),
	       "==", 0, "a row of a Table");
	is(object.name, "a", "its name");
	ok(str_starts_with(object.raw, STR("{\"cells\"")), "with its cells");
	cmp_ok(kube_object_read(STR("{\"metadata\":{\"name\":\"a\",\"uid\":\"u\","
				    "\"resourceVersion\":\"7\"}}"),
				&object, &err),
	       "==", 0, "an object in no namespace");
	is(object.in_namespace, "", "has an empty one");
}

static void what_has_no_identity_is_refused(void)
{
	static const char *const TEXTS[] = {
		"{}",
		"[]",
		"{\"metadata\":null}",
		"{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}}",
		"{\"metadata\":{\"name\":\"\",\"uid\":\"u\",\"resourceVersion\":\"7\"}}",
		"{\"metadata\":{\"name\":5,\"uid\":\"u\",\"resourceVersion\":\"7\"}}",
		"{\"metadata\":{\"name\":\"a\\u0000b\",\"uid\":\"u\",\"resourceVersion\":\"7\"}}",
		"{\"metadata\":{\"name\":\"a\",\"uid\":\"u\",\"resourceVersion\":"
		"\"12345678901234567890123456789012345678901234567890123456789012345\"}}",
	};
	struct kube_object object = {.name = "untouched"};
	struct err err;

	for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
		cmp_ok(kube_object_read(str_of(TEXTS[i]), &object, &err), "==", -1, "%s", TEXTS[i]);
		is(err_code_name(err.code), "Protocol", "%s", err.message);
	}
	is(object.name, "untouched", "and nothing is read of it");
	cmp_ok(kube_object_read_row(STR("{\"cells\":[]}"), &object, &err), "==", -1,
	       "a row without object");
}

static void versions_are_found(void)
{
	char version[KUBE_OBJECT_VERSION_SIZE];
	struct err err;

	kube_object_read_version(STR("{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"12\"},"
				     "\"spec\":{\"containers\":null},\"status\":{}}"),
				 version, &err);
	is(version, "12", "of a bookmark with null lists");
	kube_object_read_version(
		STR("{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"1\"},\"rows\":["
		    "{\"object\":{\"metadata\":{\"resourceVersion\":\"13\"}}}]}"),
		version, &err);
	is(version, "13", "of a Table's bookmark, in its row");
	kube_object_read_version(
		STR("{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"14\"},\"rows\":[]}"),
		version, &err);
	is(version, "14", "or in the Table");
	cmp_ok(kube_object_read_version(STR("{\"metadata\":{}}"), version, &err), "==", -1,
	       "or nowhere");
}

static void lists_are_read(void)
{
	struct kube_object_list list;
	struct err err;

	cmp_ok(kube_object_read_list(
		       STR("{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"x\"},"
			   "\"items\":[1]}"),
		       &list, &err),
	       "==", 0, "a page");
	is(list.resource_version, "9", "its version");
	ok(str_equal(list.continue_token, STR("\"x\"")), "its token");
	ok(str_equal(list.items, STR("[1]")), "its items");
	kube_object_read_list(STR("{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"\"},"
				  "\"columnDefinitions\":[2],\"rows\":[]}"),
			      &list, &err);
	cmp_ok(list.continue_token.n, "==", 0, "an empty token is none");
	ok(str_equal(list.columns, STR("[2]")), "a Table has columns");
	cmp_ok(kube_object_read_list(STR("{\"metadata\":{\"resourceVersion\":\"9\"}}"), &list,
				     &err),
	       "==", -1, "without items it is no list");
	cmp_ok(kube_object_read_list(STR("{\"metadata\":{\"resourceVersion\":"), &list, &err),
	       "==", -1, "nor when it breaks off");
	is(err_code_name(err.code), "Protocol", "%s", err.message);
}

static void events_are_read(void)
{
	static const char *const TYPES[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
	enum kube_object_event type;
	char json[64];
	struct str value;
	struct err err;

	for (int i = 0; i < 5; i++) {
		snprintf(json, sizeof(json), "{\"object\":{\"a\":%d},\"type\":\"%s\"}", i,
			 TYPES[i]);
		cmp_ok(kube_object_read_event(str_of(json), &type, &value, &err), "==", 0, "%s",
		       TYPES[i]);
		cmp_ok(type, "==", i, "is told apart");
		cmp_ok(value.n, "==", strlen("{\"a\":0}"), "with its object");
	}
	cmp_ok(kube_object_read_event(STR("{\"type\":\"NEW\",\"object\":{}}"), &type, &value, &err),
	       "==", -1, "an unknown type is an error");
	cmp_ok(kube_object_read_event(STR("{\"type\":\"ADDED\"}"), &type, &value, &err), "==", -1,
	       "no object is an error");
	cmp_ok(kube_object_read_event(STR("{\"type\":\"ADDED\",\"object\":{]}"), &type, &value,
				      &err),
	       "==", -1, "what is no JSON is an error");
	is(err_code_name(err.code), "Protocol", "%s", err.message);
}

static void versions_have_an_order(void)
{
	static const struct {
		const char *sentence, *a, *b;
		bool is_newer;
	} rows[] = {
		{"a greater number is newer", "10", "9", true},
		{"a smaller one is not", "9", "10", false},
		{"the same one is not", "10", "10", false},
		{"numbers may be large", "18446744073709551615", "18446744073709551614", true},
		{"any is newer than none", "1", "", true},
		{"none is newer than nothing", "", "1", false},
		{"of what is no number another one is newer", "b", "a", true},
		{"in both directions", "a", "b", true},
		{"but not the same", "a", "a", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(kube_object_is_newer(str_of(rows[i].a), str_of(rows[i].b)) == rows[i].is_newer,
		   "%s", rows[i].sentence);
}

int main(void)
{
	versions_have_an_order();
	objects_are_read();
	what_has_no_identity_is_refused();
	versions_are_found();
	lists_are_read();
	events_are_read();
	done_testing();
}
