/*
 * reason: the enum of the table in reasons.h, and what its rows say.
 */
#ifndef CORE_REASON_H
#define CORE_REASON_H

#include "base/str.h"
#include "reasons.h"

#include <stdbool.h>

enum reason {
	REASON_NONE, /* not ended yet, or no cause is known */
#define X(name, category, retryable, meaning, cure) REASON_##name,
	REASONS(X)
#undef X
		REASON_COUNT
};

enum reason_category {
#define X(name) REASON_CATEGORY_##name,
	REASON_CATEGORIES(X)
#undef X
};

/* None of these accepts REASON_NONE; the texts are static. */
const char *reason_name(enum reason reason);
const char *reason_category(enum reason reason);
bool reason_is_retryable(enum reason reason);
const char *reason_meaning(enum reason reason);
const char *reason_cure(enum reason reason);

/* The reason of that name; REASON_NONE for any other text, which a newer controller may write. */
enum reason reason_of_name(struct str name);

#endif
