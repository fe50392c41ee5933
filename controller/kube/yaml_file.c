#include "yaml_file.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/*
 * libyaml looks at every open bracket for every token: a file of brackets alone would take it
 * hours. Those in strings are counted, too; no file of ours has so many that aren't closed.
 */
static bool is_too_deep(struct str text)
{
	int depth = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '[' || text.p[i] == '{')
			depth++;
		else if (text.p[i] == ']' || text.p[i] == '}')
			depth--;
		if (depth > YAML_FILE_DEPTH_MAX)
			return true;
	}
	return false;
}

int yaml_file_load(struct yaml_file *yaml, const char *path, struct str text, struct err *err)
{
	yaml_parser_t parser;
	int result = 0;

	if (is_too_deep(text))
		return err_set(err, ERR_TOO_LARGE, "%s: more than %d brackets are open at once",
			       path, YAML_FILE_DEPTH_MAX);
	*yaml = (struct yaml_file){.path = mem_copy_string(path, strlen(path))};
	yaml_parser_initialize(&parser);
	yaml_parser_set_input_string(&parser, (const unsigned char *)(text.p ? text.p : ""),
				     text.n);
	if (yaml_parser_load(&parser, &yaml->document))
		yaml->is_loaded = true;
	else
		result = err_set(err, ERR_INVALID, "%s:%zu: %s", path, parser.problem_mark.line + 1,
				 parser.problem ? parser.problem : "not YAML");
	yaml_parser_delete(&parser);
	if (result == 0 && yaml_file_root(yaml).node &&
	    yaml_file_root(yaml).node->type != YAML_MAPPING_NODE)
		result = yaml_file_fail(yaml_file_root(yaml), err,
					"the file has to be a mapping of keys");
	if (result < 0)
		yaml_file_free(yaml);
	return result;
}

void yaml_file_free(struct yaml_file *yaml)
{
	if (yaml->is_loaded)
		yaml_document_delete(&yaml->document);
	free(yaml->path);
	*yaml = (struct yaml_file){0};
}

struct yaml_file_at yaml_file_root(struct yaml_file *yaml)
{
	return (struct yaml_file_at){yaml, yaml_document_get_root_node(&yaml->document)};
}

static struct str text_of(const yaml_node_t *node)
{
	if (!node || node->type != YAML_SCALAR_NODE)
		return (struct str){NULL, 0};
	return (struct str){(const char *)node->data.scalar.value, node->data.scalar.length};
}

static struct yaml_file_at node_at(struct yaml_file_at at, int index)
{
	return (struct yaml_file_at){at.yaml, yaml_document_get_node(&at.yaml->document, index)};
}

bool yaml_file_key(struct yaml_file_at at, size_t n, struct str *key, struct yaml_file_at *value)
{
	yaml_node_pair_t *pair;

	if (!at.node || at.node->type != YAML_MAPPING_NODE)
		return false;
	pair = at.node->data.mapping.pairs.start + n;
	if (pair >= at.node->data.mapping.pairs.top)
		return false;
	*key = text_of(node_at(at, pair->key).node);
	*value = node_at(at, pair->value);
	return true;
}

struct yaml_file_at yaml_file_find(struct yaml_file_at at, const char *key)
{
	struct yaml_file_at value;
	struct str name;

	for (size_t n = 0; yaml_file_key(at, n, &name, &value); n++)
		if (str_equal(name, str_of(key)))
			return value;
	return (struct yaml_file_at){at.yaml, NULL};
}

struct yaml_file_at yaml_file_item(struct yaml_file_at at, size_t n)
{
	yaml_node_item_t *item;

	if (!at.node || at.node->type != YAML_SEQUENCE_NODE)
		return (struct yaml_file_at){at.yaml, NULL};
	item = at.node->data.sequence.items.start + n;
	if (item >= at.node->data.sequence.items.top)
		return (struct yaml_file_at){at.yaml, NULL};
	return node_at(at, *item);
}

static bool is_plain(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static bool is_one_of(struct str text, const char *const words[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal(text, str_of(words[i])))
			return true;
	return false;
}

static bool is_null(const yaml_node_t *node)
{
	static const char *const WORDS[] = {"", "~", "null", "Null", "NULL"};

	return !node || (is_plain(node) && is_one_of(text_of(node), WORDS, 5));
}

static bool is_boolean(struct str text)
{
	static const char *const WORDS[] = {"true", "True", "TRUE", "false", "False", "FALSE"};

	return is_one_of(text, WORDS, 6);
}

/* What Go's YAML would take for a number: all of it in the alphabet of one, and a digit. */
static bool is_number(struct str text)
{
	bool has_digit = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c >= '0' && c <= '9')
			has_digit = true;
		else if (!strchr("+-.eE_", c))
			return false;
	}
	return has_digit;
}

int yaml_file_string(struct yaml_file_at at, const char *what, struct str *text, struct err *err)
{
	struct str value = text_of(at.node);

	if (is_null(at.node)) {
		*text = (struct str){"", 0};
		return 0;
	}
	if (at.node->type != YAML_SCALAR_NODE)
		return yaml_file_fail(at, err, "%s has to be a string", what);
	if (is_plain(at.node) && (is_number(value) || is_boolean(value)))
		return yaml_file_fail(at, err, "%s has to be a string: put it in quotes", what);
	if (memchr(value.p, '\0', value.n))
		return yaml_file_fail(at, err, "%s holds a NUL", what);
	*text = value;
	return 0;
}

bool yaml_file_number(struct yaml_file_at at, struct str *text)
{
	struct str value = is_null(at.node) ? STR("") : text_of(at.node);

	if (!is_null(at.node) && (!is_plain(at.node) || !is_number(value)))
		return false;
	*text = value;
	return true;
}

int yaml_file_bool(struct yaml_file_at at, const char *what, bool *value, struct err *err)
{
	struct str text = text_of(at.node);

	if (is_null(at.node))
		return 0;
	if (!is_plain(at.node) || !is_boolean(text))
		return yaml_file_fail(at, err, "%s has to be true or false", what);
	*value = text.p[0] == 't' || text.p[0] == 'T';
	return 0;
}

int yaml_file_fail(struct yaml_file_at at, struct err *err, const char *format, ...)
{
	char text[ERR_MESSAGE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!at.node)
		return err_set(err, ERR_INVALID, "%s: %s", at.yaml->path, text);
	return err_set(err, ERR_INVALID, "%s:%zu: %s", at.yaml->path, at.node->start_mark.line + 1,
		       text);
}
