#include "kube/yaml_file.h"

#include "tap.h"

#include <string.h>

static const char TEXT[] = "a: &x one\n"
			   "b:\n"
			   "  - c: 'two'\n"
			   "    d: 3\n"
			   "  - *x\n"
			   "e: true\n"
			   "f: ~\n"
			   "g: \"4\"\n"
			   "a: again\n";

static void values_are_found(void)
{
	struct yaml_file yaml;
	struct yaml_file_at root, value;
	struct str text;
	struct err err;
	bool boolean = false;

	cmp_ok(yaml_file_load(&yaml, "f.yaml", str_of(TEXT), &err), "==", 0, "a file");
	root = yaml_file_root(&yaml);
	yaml_file_string(yaml_file_find(root, "a"), "a", &text, &err);
	ok(str_equal(text, STR("one")), "of duplicate keys the first counts");
	yaml_file_string(yaml_file_find(yaml_file_item(yaml_file_find(root, "b"), 0), "c"), "c",
			 &text, &err);
	ok(str_equal(text, STR("two")), "in a list");
	yaml_file_string(yaml_file_item(yaml_file_find(root, "b"), 1), "b", &text, &err);
	ok(str_equal(text, STR("one")), "an alias");
	ok(!yaml_file_item(yaml_file_find(root, "b"), 2).node,
	   "behind the end of a list is nothing");
	yaml_file_string(yaml_file_find(root, "f"), "f", &text, &err);
	cmp_ok(text.n, "==", 0, "null is empty");
	yaml_file_string(yaml_file_find(root, "g"), "g", &text, &err);
	ok(str_equal(text, STR("4")), "a quoted number is a string");
	cmp_ok(yaml_file_string(yaml_file_find(yaml_file_find(root, "x"), "y"), "y", &text, &err),
	       "==", 0, "what is not there is empty, however deep");
	cmp_ok(yaml_file_bool(yaml_file_find(root, "e"), "e", &boolean, &err), "==", 0,
	       "a boolean");
	ok(boolean, "which is true");
	ok(yaml_file_key(root, 1, &text, &value) && str_equal(text, STR("b")),
	   "keys in their order");
	ok(!yaml_file_key(root, 7, &text, &value), "and an end of them");
	cmp_ok(yaml_file_string(yaml_file_find(yaml_file_item(yaml_file_find(root, "b"), 0), "d"),
				"d", &text, &err),
	       "==", -1, "a number is no string");
	is(err.message, "f.yaml:4: d has to be a string: put it in quotes",
	   "the message says where");
	cmp_ok(yaml_file_string(yaml_file_find(root, "b"), "b", &text, &err), "==", -1,
	       "a list is no string");
	cmp_ok(yaml_file_bool(yaml_file_find(root, "a"), "a", &boolean, &err), "==", -1,
	       "a word is no boolean");
	is(err.message, "f.yaml:1: a has to be true or false", "the message says where");
	ok(yaml_file_number(yaml_file_find(yaml_file_item(yaml_file_find(root, "b"), 0), "d"),
			    &text) &&
		   str_equal(text, STR("3")),
	   "a number as it is written");
	ok(yaml_file_number(yaml_file_find(root, "f"), &text) && text.n == 0, "null is empty");
	ok(yaml_file_number(yaml_file_find(root, "x"), &text) && text.n == 0,
	   "and so is what is not there");
	ok(!yaml_file_number(yaml_file_find(root, "g"), &text), "a quoted number is no number");
	ok(!yaml_file_number(yaml_file_find(root, "e"), &text), "nor is a boolean");
	ok(!yaml_file_number(yaml_file_find(root, "b"), &text), "nor is a list");
	yaml_file_free(&yaml);
	yaml_file_free(&yaml);
}

static void odd_files_are_refused(void)
{
	static const struct {
		const char *text, *message;
	} ROWS[] = {
		{"a: [", "^f:2: "},
		{"a: b: c", "^f:1: "},
		{"- a", "^f:1: the file has to be a mapping"},
		{"a: *nobody", "^f:1: found undefined alias"},
		{"\xff\xfe\xfd", "^f:1: "},
		{"a: \"\\0\"", NULL},
	};
	struct yaml_file yaml;
	struct str text;
	struct err err;

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		int result = yaml_file_load(&yaml, "f", str_of(ROWS[i].text), &err);

		cmp_ok(result, "==", ROWS[i].message ? -1 : 0, "%s", ROWS[i].text);
		if (ROWS[i].message)
			like(err.message, ROWS[i].message, "%s", err.message);
		else
			cmp_ok(yaml_file_string(yaml_file_find(yaml_file_root(&yaml), "a"), "a",
						&text, &err),
			       "==", -1, "a NUL in a string: %s", err.message);
		yaml_file_free(&yaml);
	}
	cmp_ok(yaml_file_load(&yaml, "f", STR(""), &err), "==", 0, "an empty file is fine");
	ok(!yaml_file_find(yaml_file_root(&yaml), "a").node, "and has nothing in it");
	yaml_file_free(&yaml);
}

/* Nine lines that would be 10^9 strings, were aliases copied. */
static void aliases_are_shared(void)
{
	static const char BOMB[] = "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
				   "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
				   "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
				   "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
				   "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
				   "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";
	static char deep[200000];
	struct yaml_file yaml;
	struct err err;

	cmp_ok(yaml_file_load(&yaml, "f", str_of(BOMB), &err), "==", 0,
	       "a bomb of aliases is small");
	yaml_file_free(&yaml);
	memset(deep, '[', sizeof(deep) - 1);
	memcpy(deep, "a: ", 3);
	cmp_ok(yaml_file_load(&yaml, "f", str_of(deep), &err), "==", -1, "depth is no danger: %s",
	       err.message);
}

int main(void)
{
	values_are_found();
	odd_files_are_refused();
	aliases_are_shared();
	done_testing();
}
