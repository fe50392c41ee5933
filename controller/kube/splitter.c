#include "splitter.h"

#include <string.h>

void splitter_init(struct splitter *splitter, size_t object_limit)
{
	*splitter = (struct splitter){0};
	buf_init(&splitter->object, object_limit);
}

void splitter_free(struct splitter *splitter)
{
	buf_free(&splitter->object);
}

void splitter_reset(struct splitter *splitter)
{
	buf_clear(&splitter->object);
	splitter->depth = 0;
	splitter->is_in_string = splitter->is_escaped = false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* True when this byte ends the object. */
static bool take(struct splitter *splitter, char c)
{
	if (splitter->is_in_string) {
		if (splitter->is_escaped)
			splitter->is_escaped = false;
		else if (c == '\\')
			splitter->is_escaped = true;
		else if (c == '"')
			splitter->is_in_string = false;
		return false;
	}
	if (c == '"')
		splitter->is_in_string = true;
	else if (c == '{' || c == '[')
		splitter->depth++;
	else if (c == '}' || c == ']')
		splitter->depth--;
	return splitter->depth == 0;
}

int splitter_next(struct splitter *splitter, struct str *bytes, struct str *object, struct err *err)
{
	size_t length = 0;
	bool is_whole = false;

	/* The object of the last call has been used. */
	if (splitter->depth == 0) {
		buf_clear(&splitter->object);
		while (bytes->n > 0 && is_blank(bytes->p[0]))
			*bytes = str_slice(*bytes, 1, bytes->n);
		if (bytes->n > 0 && bytes->p[0] != '{')
			return err_set(err, ERR_PROTOCOL,
				       "the stream has something else than objects");
	}
	while (length < bytes->n && !is_whole)
		is_whole = take(splitter, bytes->p[length++]);
	if (buf_append(&splitter->object, bytes->p, length) < 0)
		return err_set(err, ERR_TOO_LARGE,
			       "an object of the stream has more than %zu bytes",
			       splitter->object.limit);
	*bytes = str_slice(*bytes, length, bytes->n);
	if (!is_whole)
		return 0;
	*object = buf_str(&splitter->object);
	return 1;
}
