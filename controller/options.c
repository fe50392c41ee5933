#include "options.h"

#include "base/mem.h"
#include "kube/yaml_file.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BOUNDS_SIZE 128

enum kind { PATH, NAME, IDENTITY, ADDRESS, NUMBER, LEVEL };

static const struct row {
	enum kind kind;
	size_t offset; /* of the member */
	const char *key, *flag, *default_text;
	int64_t min, max;
	const char *explanation;
} ROWS[OPTIONS_COUNT] = {
#define X_ROW(kind, member, key, flag, default_text, min, max, explanation) \
	{kind, offsetof(struct options, member), key, flag, default_text, min, max, explanation},
	OPTIONS_TABLE(X_ROW)
#undef X_ROW
};

static const char *const LEVELS[] = {
	[LOG_DEBUG] = "debug",
	[LOG_INFO] = "info",
	[LOG_WARNING] = "warning",
	[LOG_ERROR] = "error",
};

/* --- Values. --- */

/* What a value has to be, for messages and for --help. */
static void describe(const struct row *row, char text[BOUNDS_SIZE])
{
	long long min = row->min, max = row->max;

	switch (row->kind) {
	case PATH: snprintf(text, BOUNDS_SIZE, "a path of at most %lld bytes", max); break;
	case NAME:
		snprintf(text, BOUNDS_SIZE,
			 "a namespace's name: at most %lld small letters, digits and -", max);
		break;
	case IDENTITY:
		snprintf(text, BOUNDS_SIZE, "at most %lld letters, digits and . _ -", max);
		break;
	case ADDRESS: snprintf(text, BOUNDS_SIZE, "an IPv4 or IPv6 address"); break;
	case NUMBER: snprintf(text, BOUNDS_SIZE, "a number from %lld to %lld", min, max); break;
	case LEVEL: snprintf(text, BOUNDS_SIZE, "debug, info, warning or error"); break;
	}
}

static bool has_only(struct str text, const char *more)
{
	for (size_t i = 0; i < text.n; i++)
		if (!(text.p[i] >= 'a' && text.p[i] <= 'z') &&
		    !(text.p[i] >= '0' && text.p[i] <= '9') &&
		    !memchr(more, text.p[i], strlen(more)))
			return false;
	return true;
}

static bool is_label(struct str text)
{
	return has_only(text, "-") && text.p[0] != '-' && text.p[text.n - 1] != '-';
}

static bool is_address(struct str text)
{
	char address[INET6_ADDRSTRLEN];
	struct in6_addr bytes;

	if (text.n >= sizeof(address))
		return false;
	snprintf(address, sizeof(address), "%.*s", STR_ARGS(text));
	return inet_pton(AF_INET, address, &bytes) == 1 ||
	       inet_pton(AF_INET6, address, &bytes) == 1;
}

static bool is_sound_text(const struct row *row, struct str text)
{
	if ((int64_t)text.n < row->min || (int64_t)text.n > row->max)
		return false;
	switch (row->kind) {
	case NAME: return is_label(text);
	case IDENTITY: return has_only(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-");
	case ADDRESS: return is_address(text);
	case PATH:
	case NUMBER:
	case LEVEL: break;
	}
	return true;
}

static bool set_level(enum log_level *level, struct str text)
{
	for (size_t i = 0; i < sizeof(LEVELS) / sizeof(LEVELS[0]); i++) {
		if (str_equal(text, str_of(LEVELS[i]))) {
			*level = (enum log_level)i;
			return true;
		}
	}
	return false;
}

static bool set_number(int64_t *number, const struct row *row, struct str text)
{
	uint64_t value;

	if (!str_to_uint(text, (uint64_t)row->max, &value) || (int64_t)value < row->min)
		return false;
	*number = (int64_t)value;
	return true;
}

static bool set_text(char **member, const struct row *row, struct str text)
{
	if (text.n > 0 && !is_sound_text(row, text))
		return false;
	free(*member);
	*member = mem_copy_string(text.n > 0 ? text.p : "", text.n);
	return true;
}

static void *member_of(struct options *options, const struct row *row)
{
	return (char *)options + row->offset;
}

/* False, and nothing is changed, when the value is not what describe() says. */
static bool set(struct options *options, const struct row *row, struct str text)
{
	if (text.n == 0)
		text = str_of(row->default_text);
	switch (row->kind) {
	case NUMBER: return set_number(member_of(options, row), row, text);
	case LEVEL: return set_level(member_of(options, row), text);
	case PATH:
	case NAME:
	case IDENTITY:
	case ADDRESS: return set_text(member_of(options, row), row, text);
	}
	return false;
}

void options_init(struct options *options)
{
	*options = (struct options){.action = OPTIONS_RUN};
	for (size_t i = 0; i < OPTIONS_COUNT; i++) {
		bool is_sound = set(options, &ROWS[i], STR(""));

		assert(is_sound); /* the table's own defaults */
	}
}

static bool is_text(const struct row *row)
{
	return row->kind != NUMBER && row->kind != LEVEL;
}

void options_free(struct options *options)
{
	for (size_t i = 0; i < OPTIONS_COUNT; i++)
		if (is_text(&ROWS[i]))
			free(*(char **)member_of(options, &ROWS[i]));
	free(options->config_path);
	*options = (struct options){0};
}

/* --- Flags. --- */

static const struct row *row_of_flag(struct str flag)
{
	for (size_t i = 0; i < OPTIONS_COUNT; i++)
		if (str_equal(flag, str_of(ROWS[i].flag)))
			return &ROWS[i];
	return NULL;
}

static int set_flag(struct options *options, const struct row *row, struct str value,
		    struct err *err)
{
	bool *is_flagged = &options->is_flagged[row - ROWS];
	char wanted[BOUNDS_SIZE];

	if (*is_flagged)
		return err_set(err, ERR_INVALID, "%s is there twice: leave one out", row->flag);
	*is_flagged = true;
	if (set(options, row, value))
		return 0;
	describe(row, wanted);
	return err_set(err, ERR_INVALID, "%s has to be %s", row->flag, wanted);
}

static int set_config_path(struct options *options, struct str value, struct err *err)
{
	if (options->config_path)
		return err_set(err, ERR_INVALID, "--config is there twice: leave one out");
	if (value.n == 0)
		return err_set(err, ERR_INVALID, "--config has to be a path");
	options->config_path = mem_copy_string(value.p, value.n);
	return 0;
}

/* Reads the flag at argv[*at] and moves on to its last argument. */
static int read_flag(struct options *options, int argc, char *const argv[], int *at,
		     struct err *err)
{
	struct str value = str_of(argv[*at]), flag = str_split(&value, '=');
	const struct row *row = row_of_flag(flag);

	if (!row && !str_equal(flag, STR("--config")))
		return err_set(err, ERR_INVALID, "unknown flag \"%.*s\": --help lists them",
			       STR_ARGS(flag));
	if (!value.p) {
		if (*at + 1 >= argc)
			return err_set(err, ERR_INVALID, "%.*s needs a value", STR_ARGS(flag));
		value = str_of(argv[++*at]);
	}
	return row ? set_flag(options, row, value, err) : set_config_path(options, value, err);
}

int options_read_flags(struct options *options, int argc, char *const argv[], struct err *err)
{
	for (int at = 1; at < argc; at++) {
		if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0)
			options->action = OPTIONS_HELP;
		else if (strcmp(argv[at], "--version") == 0)
			options->action = OPTIONS_VERSION;
		else if (read_flag(options, argc, argv, &at, err) < 0)
			return -1;
	}
	return 0;
}

/* --- The file. --- */

static const struct row *row_of_key(struct str key)
{
	for (size_t i = 0; i < OPTIONS_COUNT; i++)
		if (str_equal(key, str_of(ROWS[i].key)))
			return &ROWS[i];
	return NULL;
}

static int fail_unknown(struct yaml_file_at value, struct str key, struct err *err)
{
	struct buf keys;

	buf_init(&keys, ERR_MESSAGE_SIZE);
	for (size_t i = 0; i < OPTIONS_COUNT; i++)
		buf_printf(&keys, "%s%s", i > 0 ? ", " : "", ROWS[i].key);
	yaml_file_fail(value, err, "unknown key \"%.*s\": the keys are %s", STR_ARGS(key),
		       keys.data);
	buf_free(&keys);
	return -1;
}

/* The text of a value of the right type. */
static int read_value(const struct row *row, struct yaml_file_at value, struct str *text,
		      struct err *err)
{
	char wanted[BOUNDS_SIZE];

	if (row->kind != NUMBER)
		return yaml_file_string(value, row->key, text, err);
	if (yaml_file_number(value, text))
		return 0;
	describe(row, wanted);
	return yaml_file_fail(value, err, "%s has to be %s, without quotes", row->key, wanted);
}

static int read_key(struct options *options, struct str key, struct yaml_file_at value,
		    bool was_there[OPTIONS_COUNT], struct err *err)
{
	const struct row *row = row_of_key(key);
	struct options judge = {0}, *target = options;
	char wanted[BOUNDS_SIZE];
	struct str text;
	bool is_sound;

	if (!row)
		return fail_unknown(value, key, err);
	if (was_there[row - ROWS])
		return yaml_file_fail(value, err, "%s is there twice: leave one out", row->key);
	was_there[row - ROWS] = true;
	if (read_value(row, value, &text, err) < 0)
		return -1;
	/* What a flag has decided is judged all the same, so that the file's faults show. */
	if (options->is_flagged[row - ROWS])
		target = &judge;
	is_sound = set(target, row, text);
	options_free(&judge);
	if (is_sound)
		return 0;
	describe(row, wanted);
	return yaml_file_fail(value, err, "%s has to be %s", row->key, wanted);
}

static int read_keys(struct options *options, struct yaml_file *yaml, struct err *err)
{
	bool was_there[OPTIONS_COUNT] = {false};
	struct yaml_file_at value;
	struct str key;

	for (size_t n = 0; yaml_file_key(yaml_file_root(yaml), n, &key, &value); n++)
		if (read_key(options, key, value, was_there, err) < 0)
			return -1;
	return 0;
}

int options_read_file(struct options *options, struct io *io, struct err *err)
{
	struct yaml_file yaml = {0};
	struct buf text;
	int result = 0;

	if (!options->config_path)
		return 0;
	buf_init(&text, OPTIONS_FILE_BYTES_MAX);
	if (io->read_file(io, options->config_path, &text, err) < 0 ||
	    yaml_file_load(&yaml, options->config_path, buf_str(&text), err) < 0 ||
	    read_keys(options, &yaml, err) < 0)
		result = -1;
	yaml_file_free(&yaml);
	buf_free(&text);
	return result;
}

/* --- What was found. --- */

int options_set_found(struct options *options, const char *key, struct str value, struct err *err)
{
	const struct row *row = row_of_key(str_of(key));
	char wanted[BOUNDS_SIZE];

	assert(row && is_text(row));
	if (str_of(*(char **)member_of(options, row)).n > 0)
		return 0;
	if (value.n > 0 && set(options, row, value))
		return 0;
	describe(row, wanted);
	return err_set(err, ERR_INVALID, "%s has to be set: what was found is not %s", key, wanted);
}

/* --- Help. --- */

void options_help(struct buf *text)
{
	char wanted[BOUNDS_SIZE];

	buf_append_str(text,
		       STR("Runs the SandboxTasks of a Kubernetes cluster.\n\n"
			   "usage: sandboxtask-controller [--config FILE] [FLAG VALUE]...\n\n"
			   "The file is a YAML mapping. Each flag is a key of it as well, and wins "
			   "over it.\n\n"));
	for (size_t i = 0; i < OPTIONS_COUNT; i++) {
		const struct row *row = &ROWS[i];

		describe(row, wanted);
		buf_printf(text, "  %s, %s: %s", row->flag, row->key, wanted);
		if (row->default_text[0])
			buf_printf(text, "; default %s", row->default_text);
		buf_printf(text, "\n      %s\n", row->explanation);
	}
	buf_append_str(text, STR("\n  --config FILE\n      The configuration file.\n"
				 "  --version\n      Prints the version.\n"
				 "  --help\n      Prints this.\n"));
}
