/*
 * golden: compares JSON that a test has built with tests/golden/NAME.json, in a layout for people.
 * UPDATE_GOLDEN=1 writes the files instead; git diff then shows what has changed.
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "base/buf.h"
#include "base/json.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

#define GOLDEN_BYTES_MAX (4 << 20)

static inline void golden_indent(struct buf *out, int depth)
{
	buf_append_char(out, '\n');
	for (int i = 0; i < depth; i++)
		buf_append_str(out, STR("  "));
}

/* Recursion is bounded by json_check, which every text passes first. */
static inline void golden_layout(struct buf *out, struct str value, int depth)
{
	bool is_object = json_kind(value) == JSON_OBJECT;
	struct json_walk walk = json_walk(value);
	struct str key, item;
	int count = 0;

	if (!is_object && json_kind(value) != JSON_ARRAY) {
		buf_append_str(out, value);
		return;
	}
	buf_append_char(out, is_object ? '{' : '[');
	while (json_next(&walk, &key, &item)) {
		if (count++ > 0)
			buf_append_char(out, ',');
		golden_indent(out, depth + 1);
		if (is_object) {
			buf_append_str(out, key);
			buf_append_str(out, STR(": "));
		}
		golden_layout(out, item, depth + 1);
	}
	if (count > 0)
		golden_indent(out, depth);
	buf_append_char(out, is_object ? '}' : ']');
}

static inline void golden_read(struct buf *out, const char *path)
{
	char chunk[4096];
	FILE *file = fopen(path, "r");
	size_t n;

	if (!file)
		return;
	while ((n = fread(chunk, 1, sizeof(chunk), file)) > 0)
		buf_append(out, chunk, n);
	fclose(file);
}

static inline void golden_write(const struct buf *text, const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(text->data, 1, text->length, file) != text->length || fclose(file))
		fail("writing %s", path);
}

static inline void golden(const char *name, struct str json)
{
	struct buf built, wanted;
	struct err err;
	char path[256];

	snprintf(path, sizeof(path), "tests/golden/%s.json", name);
	buf_init(&built, GOLDEN_BYTES_MAX);
	buf_init(&wanted, GOLDEN_BYTES_MAX);
	if (json_check(json, &err) < 0)
		fail("%s is JSON: %s", name, err.message);
	golden_layout(&built, json, 0);
	buf_append_char(&built, '\n');
	if (getenv("UPDATE_GOLDEN"))
		golden_write(&built, path);
	golden_read(&wanted, path);
	is_bytes(built.data, built.length, wanted.data, wanted.length, "%s is as in %s", name,
		 path);
	buf_free(&built);
	buf_free(&wanted);
}

#endif
