/*
 * replay: turns a fuzz target into a test. Gives it every file of its corpus, and every beginning
 * of each, in a heap block without a byte behind it. Meant to run under sanitizers.
 *
 * The program NAME.t reads tests/fuzz/corpus/NAME/, from the top of the tree.
 */
#include "base/buf.h"
#include "exact.h"
#include "fuzz.h"
#include "tap.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define INPUT_BYTES_MAX (1 << 20)

/* Beginnings are tried up to this length: a target that is linear makes this quadratic. */
#define BEGINNING_BYTES_MAX 2048

static void give(struct str input)
{
	struct str copy = exact_copy(input);

	LLVMFuzzerTestOneInput((const uint8_t *)copy.p, copy.n);
	exact_free(copy);
}

static bool read_file(const char *path, struct buf *content)
{
	char chunk[4096];
	size_t length;
	bool whole = true;
	FILE *file = fopen(path, "rb");

	if (!file)
		return false;
	while (whole && (length = fread(chunk, 1, sizeof(chunk), file)) > 0)
		whole = buf_append(content, chunk, length) == 0;
	whole = whole && !ferror(file);
	fclose(file);
	return whole;
}

static void replay(const char *folder, const char *name)
{
	struct buf path, content;

	buf_init(&path, 1000);
	buf_init(&content, INPUT_BYTES_MAX);
	buf_printf(&path, "%s/%s", folder, name);
	if (!read_file(path.data, &content)) {
		fail("%s can be read, and has at most %d bytes", path.data, INPUT_BYTES_MAX);
	} else {
		for (size_t n = 0; n < content.length && n < BEGINNING_BYTES_MAX; n++)
			give(str_slice(buf_str(&content), 0, n));
		give(buf_str(&content));
		pass("%s", name);
	}
	buf_free(&path);
	buf_free(&content);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* "json" for "…/json.t" */
static struct str target_of(const char *program)
{
	const char *slash = strrchr(program, '/');
	struct str name = str_of(slash ? slash + 1 : program);

	return str_ends_with(name, STR(".t")) ? str_slice(name, 0, name.n - 2) : name;
}

int main(int argc, char **argv)
{
	struct dirent **entries = NULL;
	char folder[200];
	int count;

	(void)argc;
	snprintf(folder, sizeof(folder), "tests/fuzz/corpus/%.*s", STR_ARGS(target_of(argv[0])));
	count = scandir(folder, &entries, is_visible, alphasort);
	cmp_ok(count, ">", 0, "%s has files", folder);
	for (int i = 0; i < count; i++) {
		replay(folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	done_testing();
}
