#include "core/language.h"

#include "tap.h"

int main(void)
{
	static const char *const unknown[] = {"", "Python", "python3", "pythonx", "pytho", "ruby"};
	const struct language *python = language_find(STR("python"));

	ok(python, "python can be run");
	ok(str_equal(python->name, STR("python")), "by its own name");
	ok(str_equal(python->file, STR("main.py")), "as main.py");
	ok(python->program.n > 0, "by a program");
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		ok(!language_find(str_of(unknown[i])), "\"%s\" can't be run", unknown[i]);
	done_testing();
}
