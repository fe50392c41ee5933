#include "core/fields.h"

#include "objects.h"
#include "tap.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KIB 1024

struct inner {
	struct str text;
};

struct outer {
	struct str text, token, object, array;
	int64_t number, cpu, bytes;
	bool boolean, choice, presence;
	struct inner inner;
	struct str texts[2];
	size_t texts_count;
	struct inner items[2];
	size_t items_count;
};

static const struct fields_row inner_table[] = {
	FIELD_TEXT("text", struct inner, text),
	FIELD_END,
};

static const struct fields_row table[] = {
	FIELD_TEXT("text", struct outer, text),
	FIELD_TOKEN("token", struct outer, token, 5),
	FIELD_NUMBER("number", struct outer, number, -3, 9007199254740993),
	FIELD_CPU("cpu", struct outer, cpu, 10, 2000),
	FIELD_BYTES("bytes", struct outer, bytes, 1, 4 * KIB),
	FIELD_CHOICE("choice", struct outer, choice, "Yes", "No"),
	FIELD_PRESENCE("presence", struct outer, presence),
	{FIELD_AT("boolean", fields_boolean, struct outer, boolean)},
	FIELD_WITHIN_MEMBER("inner", struct outer, inner, inner_table),
	FIELD_RAW_OBJECT("object", struct outer, object, 10),
	FIELD_RAW_ARRAY("array", struct outer, array, 10),
	FIELD_LIST_OF(fields_texts, "texts", struct outer, texts, texts_count, 2, NULL),
	FIELD_LIST_OF(fields_objects, "items", struct outer, items, items_count, 2, inner_table),
	FIELD_END,
};

static int read(struct outer *outer, struct buf *texts, const char *json, struct err *err)
{
	struct fields f;

	*outer = (struct outer){.number = -1};
	return fields_begin(&f, texts, json_of(json), err) < 0
		       ? -1
		       : fields_read(&f, table, json_of(json), outer);
}

static void members_are_read_by_their_kind(void)
{
	struct outer o;
	struct buf texts;
	struct err err;

	ok(read(&o, &texts,
		"{'text':'a\\u0000\\u00e9','token':'abc','number':9007199254740993,'cpu':'1500m',"
		"'bytes':'2Ki','choice':'Yes','presence':{},'boolean':true,'inner':{'text':'in'},"
		"'object':{'a':1},'array':[1, 2],'texts':['x','y'],'items':[{'text':'z'},{}]}",
		&err) == 0,
	   "an object with every kind of member is read");
	is_bytes(o.text.p, o.text.n, "a\0\xc3\xa9", 4, "text is unescaped, U+0000 kept");
	is_bytes(o.token.p, o.token.n, "abc", 3, "a token");
	ok(o.number == 9007199254740993, "an integer above 2^53, to the last digit");
	cmp_ok(o.cpu, "==", 1500, "CPU in thousandths");
	cmp_ok(o.bytes, "==", 2 * KIB, "bytes");
	ok(o.choice && o.presence && o.boolean, "truth in three forms");
	is_bytes(o.inner.text.p, o.inner.text.n, "in", 2, "a member of an object within");
	is_bytes(o.object.p, o.object.n, "{\"a\":1}", 7, "an object as it stands");
	is_bytes(o.array.p, o.array.n, "[1, 2]", 6, "a list as it stands");
	cmp_ok(o.texts_count, "==", 2, "a list of strings");
	is_bytes(o.texts[1].p, o.texts[1].n, "y", 1, "in its order");
	cmp_ok(o.items_count, "==", 2, "a list of objects");
	is_bytes(o.items[0].text.p, o.items[0].text.n, "z", 1, "with their members");
	buf_free(&texts);
}

static void absent_null_and_unknown_change_nothing(void)
{
	struct outer o;
	struct buf texts;
	struct err err;

	ok(read(&o, &texts, "{'number':null,'token':null,'later':{'x':[1]}}", &err) == 0,
	   "null and unknown keys are accepted");
	cmp_ok(o.number, "==", -1, "null leaves the member as it was");
	cmp_ok(o.token.n, "==", 0, "so does absence");
	buf_free(&texts);
	ok(read(&o, &texts, "{'number':1,'number':2,'Number':3}", &err) == 0,
	   "duplicate keys are accepted, as everybody does");
	cmp_ok(o.number, "==", 2, "the last counts, and case matters");
	buf_free(&texts);
	ok(read(&o, &texts, "{'cpu':1,'bytes':1e3}", &err) == 0, "a quantity may be a number");
	cmp_ok(o.cpu, "==", 1000, "of CPUs");
	cmp_ok(o.bytes, "==", 1000, "of bytes, with an exponent");
	buf_free(&texts);
}

static const struct {
	const char *name, *json, *message;
} refusals[] = {
	{"an array for an object", "[]", "^: must be an object$"},
	{"a number for a text", "{'text':1}", "^text: must be a string$"},
	{"half of a surrogate pair", "{'text':'\\ud800'}",
	 "^text: holds half of a surrogate pair$"},
	{"a token that is too long", "{'token':'abcdef'}", "^token: must have at most 5 bytes$"},
	{"a token with a quote", "{'token':'a\\\"'}", "^token: must be printable ASCII"},
	{"a token with a backslash", "{'token':'a\\\\'}", "^token: must be printable ASCII"},
	{"a token with a line break", "{'token':'a\\n'}", "^token: must be printable ASCII"},
	{"a token beyond ASCII", "{'token':'\\u00e9'}", "^token: must be printable ASCII"},
	{"a text for a number", "{'number':'1'}",
	 "^number: must be an integer from -3 to 9007199254740993$"},
	{"a fraction for an integer", "{'number':1.0}", "^number: must be an integer"},
	{"a number under its bound", "{'number':-4}", "^number: must be an integer"},
	{"a number over its bound", "{'number':9007199254740994}", "^number: must be an integer"},
	{"a word for a boolean", "{'boolean':'true'}", "^boolean: must be true or false$"},
	{"a word that is no choice", "{'choice':'yes'}", "^choice: must be No or Yes$"},
	{"a quantity that is none", "{'cpu':'1x'}",
	 "^cpu: must be a quantity from 10m to 2, such as 500m$"},
	{"a quantity under its bound", "{'cpu':'9m'}", "^cpu: must be a quantity from 10m to 2"},
	{"a quantity over its bound", "{'bytes':'5Ki'}",
	 "^bytes: must be a quantity from 1 to 4Ki, such as 256Mi$"},
	{"a negative quantity", "{'bytes':'-1'}", "^bytes: must be a quantity"},
	{"a wrong type within an object", "{'inner':{'text':[]}}",
	 "^inner\\.text: must be a string$"},
	{"an array for an object within", "{'inner':[]}", "^inner: must be an object$"},
	{"a raw object that is none", "{'object':[]}", "^object: must be an object$"},
	{"a raw list that is none", "{'array':{}}", "^array: must be a list$"},
	{"a raw value that is too large", "{'array':[1,2,3,4,5]}",
	 "^array: must have at most 10 bytes of JSON$"},
	{"one string too many", "{'texts':['a','b','c']}", "^texts: must have at most 2 items$"},
	{"a list that is none", "{'texts':{}}", "^texts: must be a list$"},
	{"a wrong item", "{'texts':['a',2]}", "^texts\\[1\\]: must be a string$"},
	{"a wrong member of an item", "{'items':[{},{'text':1}]}",
	 "^items\\[1\\]\\.text: must be a string$"},
	{"text that is no JSON", "{'a'", "."},
};

static void what_is_wrong_is_named_by_its_path(void)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct outer o;
		struct buf texts;
		struct err err = {0};

		ok(read(&o, &texts, refusals[i].json, &err) < 0, "%s is refused", refusals[i].name);
		like(err.message, refusals[i].message, "  and named");
		cmp_ok(err.code, "==", ERR_INVALID, "  as invalid");
		buf_free(&texts);
	}
}

static void sizes_are_bounded(void)
{
	static char large[FIELDS_BYTES_MAX + 1];
	struct fields f;
	struct buf texts;
	struct err err;

	ok(fields_begin(&f, &texts, (struct str){large, sizeof(large)}, &err) < 0,
	   "an object of more than 3 MiB is refused");
	cmp_ok(err.code, "==", ERR_TOO_LARGE, "as too large, before it is read");
	buf_free(&texts);
	memset(large, ' ', sizeof(large));
	memcpy(large, "{}", 2);
	ok(fields_begin(&f, &texts, (struct str){large, FIELDS_BYTES_MAX}, &err) == 0,
	   "one of exactly that is not");
	buf_free(&texts);
}

/* Under sanitizers: a path that ends anywhere near the end of its room stays inside. */
static void paths_of_any_length_stay_inside(void)
{
	static const struct fields_row deep[] = {
		{.key = "k", .read = fields_object, .fields = deep},
		FIELD_END,
	};
	struct buf text;
	struct err err;

	for (int depth = 1; depth < 120; depth++) {
		struct fields f = {.err = &err};

		buf_init(&text, 4096);
		for (int i = 0; i < depth; i++)
			buf_append_str(&text, STR("{\"k\":"));
		buf_append_char(&text, '1');
		for (int i = 0; i < depth; i++)
			buf_append_char(&text, '}');
		if (fields_read(&f, deep, buf_str(&text), NULL) == 0 ||
		    strlen(f.path) != f.path_length || f.path_length >= FIELDS_PATH_SIZE)
			fail("depth %d", depth);
		buf_free(&text);
	}
	pass("a path of any length is within its room");
}

static void long_paths_are_cut(void)
{
	struct fields f = {0};
	static const struct fields_row deep[] = {
		{.key = "a-key-of-some-length", .read = fields_object, .fields = deep},
		FIELD_END,
	};
	char json[4096] = "";
	struct buf text;
	struct err err;

	buf_init(&text, sizeof(json));
	for (int i = 0; i < 20; i++)
		buf_append_str(&text, STR("{\"a-key-of-some-length\":"));
	buf_append_char(&text, '1');
	for (int i = 0; i < 20; i++)
		buf_append_char(&text, '}');
	f.err = &err;
	ok(fields_read(&f, deep, buf_str(&text), NULL) < 0, "a wrong type far inside is refused");
	cmp_ok(f.path_length, "<", FIELDS_PATH_SIZE, "with as much of the path as fits");
	buf_free(&text);
}

int main(void)
{
	members_are_read_by_their_kind();
	absent_null_and_unknown_change_nothing();
	what_is_wrong_is_named_by_its_path();
	sizes_are_bounded();
	paths_of_any_length_stay_inside();
	long_paths_are_cut();
	done_testing();
}
