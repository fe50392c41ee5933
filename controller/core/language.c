#include "language.h"

#include <stddef.h>

#define X(name, program, file)              \
	{{"" name, sizeof(name) - 1},       \
	 {"" program, sizeof(program) - 1}, \
	 {"" file, sizeof(file) - 1}},
static const struct language languages[] = {LANGUAGES(X)};
#undef X

const struct language *language_find(struct str name)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (str_equal(languages[i].name, name))
			return &languages[i];
	return NULL;
}
