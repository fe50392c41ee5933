#include "reason.h"

#include <assert.h>

static const char *const category_names[] = {
#define X(name) [REASON_CATEGORY_##name] = #name,
	REASON_CATEGORIES(X)
#undef X
};

static const struct row {
	const char *name;
	enum reason_category category;
	bool retryable;
	const char *meaning;
	const char *cure;
} rows[REASON_COUNT] = {
#define X(name, category, retryable, meaning, cure) \
	[REASON_##name] = {#name, REASON_CATEGORY_##category, retryable, meaning, cure},
	REASONS(X)
#undef X
};

static const struct row *row_of(enum reason reason)
{
	assert(reason > REASON_NONE && reason < REASON_COUNT);
	return &rows[reason];
}

const char *reason_name(enum reason reason)
{
	return row_of(reason)->name;
}

const char *reason_category(enum reason reason)
{
	return category_names[row_of(reason)->category];
}

bool reason_is_retryable(enum reason reason)
{
	return row_of(reason)->retryable;
}

const char *reason_meaning(enum reason reason)
{
	return row_of(reason)->meaning;
}

const char *reason_cure(enum reason reason)
{
	return row_of(reason)->cure;
}

enum reason reason_of_name(struct str name)
{
	for (enum reason reason = REASON_NONE + 1; reason < REASON_COUNT; reason++)
		if (str_equal(str_of(rows[reason].name), name))
			return reason;
	return REASON_NONE;
}
