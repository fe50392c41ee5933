/*
 * language: how a program in a language is run: what the interpreter is called and what the file
 * with the code. A class may name any language; what is in no row here can't be run.
 */
#ifndef CORE_LANGUAGE_H
#define CORE_LANGUAGE_H

#include "base/str.h"

/* X(name, program, file): the program is looked for in the PATH of the runtime. */
#define LANGUAGES(X) X("python", "python3", "main.py")

struct language {
	struct str name, program, file;
};

/* NULL: none of that name. */
const struct language *language_find(struct str name);

#endif
