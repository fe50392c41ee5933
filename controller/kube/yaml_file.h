/*
 * yaml_file: reading a YAML (or JSON) file of ours: kubeconfig, the controller's configuration.
 *
 * A thin layer over libyaml's documents, which keep the line of every node, so that an error can
 * say where. Who reads a file limits its size; its depth is limited here; aliases are shared by
 * libyaml and not copied, and what is read follows a fixed path of keys.
 */
#ifndef KUBE_YAML_FILE_H
#define KUBE_YAML_FILE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <yaml.h>

#define YAML_FILE_DEPTH_MAX 64

struct yaml_file {
	char *path; /* for messages */
	yaml_document_t document;
	bool is_loaded;
};

/* A node with its document; `node` NULL is "not there" and may be asked for anything. */
struct yaml_file_at {
	struct yaml_file *yaml;
	yaml_node_t *node;
};

/* One document, whose root is a mapping, or nothing at all. ERR_INVALID names path and line. */
int yaml_file_load(struct yaml_file *yaml, const char *path, struct str text, struct err *err);
void yaml_file_free(struct yaml_file *yaml);

struct yaml_file_at yaml_file_root(struct yaml_file *yaml);

/* The value of a key of a mapping; of duplicate keys the first. */
struct yaml_file_at yaml_file_find(struct yaml_file_at at, const char *key);

/* The n-th item of a sequence, from 0. */
struct yaml_file_at yaml_file_item(struct yaml_file_at at, size_t n);

/* The n-th key of a mapping, as a string, from 0; false behind the last. */
bool yaml_file_key(struct yaml_file_at at, size_t n, struct str *key, struct yaml_file_at *value);

/*
 * The text of a scalar, empty when the node is not there or null. A plain number or boolean is no
 * string, as in Go: `token: 123` is an error. Borrowed until yaml_file_free.
 */
int yaml_file_string(struct yaml_file_at at, const char *what, struct str *text, struct err *err);

/* The same of a plain number, for a caller who knows its bounds. False for anything else that is
 * there: a string, though it be "4", is no number. */
bool yaml_file_number(struct yaml_file_at at, struct str *text);

/* `value` is untouched when the node is not there. */
int yaml_file_bool(struct yaml_file_at at, const char *what, bool *value, struct err *err);

/* ERR_INVALID, with "path:line: " before the text. */
int yaml_file_fail(struct yaml_file_at at, struct err *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
