#include "hello.h"

#include <assert.h>

#define ROW(tag, presence, type, member, minimum, maximum) \
	FIELD(struct hello, tag, presence, type, member, minimum, maximum)
static const struct field fields[] = {HELLO_TABLE(ROW)};

static const struct schema hello_schema = SCHEMA_OF("hello", struct hello, fields);

static int check(const struct hello *h, enum err_code code, struct err *err)
{
	if (layers_are_distinct(h->layers, h->layers_count))
		return 0;
	return err_set(err, code, "hello.layers has a name twice");
}

int hello_encode(const struct hello *h, uint8_t *out, struct str *facts, struct err *err)
{
	struct tlv_writer w = {.out = out, .size = HELLO_FACTS_BYTES_MAX};

	if (check(h, ERR_INVALID, err) < 0 || record_encode(&hello_schema, h, &w, err) < 0)
		return -1;
	/* The bounds of all fields add up to less. */
	assert(!w.full);
	*facts = (struct str){(const char *)out, w.length};
	return 0;
}

int hello_decode(struct str facts, struct hello *h, struct err *err)
{
	if (record_decode(&hello_schema, facts, h, err) < 0)
		return -1;
	if (check(h, ERR_PROTOCOL, err) == 0)
		return 0;
	*h = (struct hello){0};
	return -1;
}
