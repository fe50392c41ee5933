#include "core/language.h"

#include "tap.h"

static const struct row {
	const char *name, *language;
	bool is_known;
} rows[] = {
	{"python is run", "python", true},
	{"its versions are runtimes, not languages", "python3", false},
	{"names are exact", "Python", false},
	{"what no row names is not run", "node", false},
	{"nor is the empty name", "", false},
};

int main(void)
{
	const struct language *python = language_find(STR("python"));

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok((language_find(str_of(rows[i].language)) != NULL) == rows[i].is_known, "%s",
		   rows[i].name);
	ok(str_equal(python->program, STR("python3")), "by its interpreter");
	ok(str_equal(python->file, STR("main.py")), "from a file of its usual name");
	done_testing();
}
