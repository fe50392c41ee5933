#include "kubeconfig.h"

#include "base/base64.h"
#include "base/mem.h"
#include "yaml_file.h"

#include <stdlib.h>
#include <string.h>

struct files {
	struct yaml_file yaml[KUBECONFIG_FILES_MAX];
	size_t count;
};

/* What is being read: an entry of a list, by the name that an error calls it. */
struct entry {
	struct yaml_file_at at;
	const char *kind; /* "cluster" */
	struct str name;
};

static void files_free(struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		yaml_file_free(&files->yaml[i]);
}

/* --- Reading the files. --- */

static bool is_read_already(const struct files *files, struct str path)
{
	for (size_t i = 0; i < files->count; i++)
		if (str_equal(str_of(files->yaml[i].path), path))
			return true;
	return false;
}

static int read_one(struct files *files, struct io *io, struct str path, bool must_exist,
		    struct err *err)
{
	char *name = mem_copy_string(path.p, path.n);
	struct buf text;
	int result;

	buf_init(&text, KUBECONFIG_BYTES_MAX);
	result = io->read_file(io, name, &text, err);
	if (result < 0 && err->code == ERR_NOT_FOUND && !must_exist)
		result = 0;
	else if (result == 0)
		result = yaml_file_load(&files->yaml[files->count], name, buf_str(&text), err);
	if (result == 0 && files->yaml[files->count].path)
		files->count++;
	mem_wipe(text.data, text.length);
	buf_free(&text);
	free(name);
	return result;
}

static int read_all(struct files *files, struct io *io, const char *paths, bool must_exist,
		    struct err *err)
{
	struct str rest = str_of(paths);

	if (rest.n >= KUBECONFIG_PATHS_SIZE)
		return err_set(err, ERR_TOO_LARGE, "KUBECONFIG has more than %d bytes",
			       KUBECONFIG_PATHS_SIZE - 1);
	while (rest.p) {
		struct str path = must_exist ? rest : str_split(&rest, ':');

		if (must_exist)
			rest.p = NULL;
		if (path.n == 0 || is_read_already(files, path))
			continue;
		if (files->count == KUBECONFIG_FILES_MAX)
			return err_set(err, ERR_TOO_LARGE, "KUBECONFIG names more than %d files",
				       KUBECONFIG_FILES_MAX);
		if (read_one(files, io, path, must_exist, err) < 0)
			return -1;
	}
	return 0;
}

/* --- Finding entries. --- */

/* Looks for `lists`[name=…].`kind` through the files in their order. */
static int find_entry(struct files *files, const char *lists, const char *kind, struct str wanted,
		      struct entry *entry, struct err *err)
{
	for (size_t i = 0; i < files->count; i++) {
		struct yaml_file_at list = yaml_file_find(yaml_file_root(&files->yaml[i]), lists),
				    item;

		for (size_t n = 0; (item = yaml_file_item(list, n)).node; n++) {
			struct str name;

			if (yaml_file_string(yaml_file_find(item, "name"), "name", &name, err) < 0)
				return err_wrap(err, "%s", lists);
			if (!str_equal(name, wanted))
				continue;
			*entry = (struct entry){yaml_file_find(item, kind), kind, name};
			return 0;
		}
	}
	return err_set(err, ERR_NOT_FOUND, "no %s named \"%.*s\" in the kubeconfig", kind,
		       STR_ARGS(wanted));
}

static int get(const struct entry *entry, const char *key, struct str *text, struct err *err)
{
	char what[128];

	snprintf(what, sizeof(what), "%s %.*s: %s", entry->kind,
		 (int)(entry->name.n < 64 ? entry->name.n : 64), entry->name.p, key);
	return yaml_file_string(yaml_file_find(entry->at, key), what, text, err);
}

static int get_copy(const struct entry *entry, const char *key, char **copy, struct err *err)
{
	struct str text;

	if (get(entry, key, &text, err) < 0)
		return -1;
	free(*copy);
	*copy = text.n > 0 ? mem_copy_string(text.p, text.n) : NULL;
	return 0;
}

static int current_context(struct files *files, struct str *name, struct err *err)
{
	for (size_t i = 0; i < files->count; i++) {
		struct yaml_file_at at =
			yaml_file_find(yaml_file_root(&files->yaml[i]), "current-context");

		if (yaml_file_string(at, "current-context", name, err) < 0)
			return -1;
		if (name->n > 0)
			return 0;
	}
	return err_set(err, ERR_NOT_FOUND,
		       "the kubeconfig has no current-context: choose one with kubectl config "
		       "use-context, or name one");
}

/* --- Texts and files. --- */

/* A relative path belongs to the folder of the file that it stands in. */
static char *resolve_path(const struct entry *entry, struct str path)
{
	const char *file = entry->at.yaml->path, *slash = strrchr(file, '/');
	struct buf whole;

	buf_init(&whole, KUBECONFIG_PATHS_SIZE * 2);
	if (path.p[0] != '/' && slash)
		buf_append(&whole, file, (size_t)(slash - file) + 1);
	buf_append_str(&whole, path);
	return whole.data;
}

static int decode_data(const struct entry *entry, const char *key, struct str data,
		       struct config_text *text, struct err *err)
{
	struct buf decoded;
	int result;

	buf_init(&decoded, SECRET_BYTES_MAX);
	result = base64_decode(&decoded, data, BASE64_SKIP_BLANKS, err);
	if (result < 0)
		result = yaml_file_fail(yaml_file_find(entry->at, key), err, "%s %.*s: %s: %s",
					entry->kind, STR_ARGS(entry->name), key,
					"not base64, or too long");
	else
		result = secret_set(&text->text, buf_str(&decoded), err);
	mem_wipe(decoded.data, decoded.length);
	buf_free(&decoded);
	return result;
}

/* `data_key` holds the text itself (in base64), else `file_key` names a file. */
static int get_text(const struct entry *entry, struct io *io, const char *data_key,
		    const char *file_key, struct config_text *text, struct err *err)
{
	struct str data, path;

	if (get(entry, data_key, &data, err) < 0 || get(entry, file_key, &path, err) < 0)
		return -1;
	if (data.n > 0)
		return decode_data(entry, data_key, data, text, err);
	if (path.n == 0)
		return 0;
	text->path = resolve_path(entry, path);
	if (config_read(io, text, err) < 0)
		return err_wrap(err, "%s %.*s: %s", entry->kind, STR_ARGS(entry->name), file_key);
	return 0;
}

/* --- The three kinds of entries. --- */

static int refuse(const struct entry *entry, const char *const keys[], const char *cure,
		  struct err *err)
{
	for (; *keys; keys++) {
		struct yaml_file_at at = yaml_file_find(entry->at, *keys);

		if (at.node)
			return yaml_file_fail(at, err, "%s %.*s: %s is not supported: %s",
					      entry->kind, STR_ARGS(entry->name), *keys, cure);
	}
	return 0;
}

static int read_cluster(struct config *config, struct io *io, const struct entry *cluster,
			struct err *err)
{
	static const char *const UNSUPPORTED[] = {"proxy-url", NULL};
	struct yaml_file_at server = yaml_file_find(cluster->at, "server");
	struct str url;

	if (refuse(cluster, UNSUPPORTED, "the API server has to be reachable directly", err) < 0 ||
	    get(cluster, "server", &url, err) < 0)
		return -1;
	if (config_set_server(config, url, err) < 0) {
		struct err cause = *err;

		return yaml_file_fail(server, err, "cluster %.*s: server: %s",
				      STR_ARGS(cluster->name), cause.message);
	}
	if (get_copy(cluster, "tls-server-name", &config->server_name, err) < 0 ||
	    yaml_file_bool(yaml_file_find(cluster->at, "insecure-skip-tls-verify"),
			   "insecure-skip-tls-verify", &config->insecure_skip_verify, err) < 0 ||
	    get_text(cluster, io, "certificate-authority-data", "certificate-authority",
		     &config->ca, err) < 0)
		return -1;
	if (config->insecure_skip_verify && !secret_is_empty(&config->ca.text))
		return yaml_file_fail(
			cluster->at, err,
			"cluster %.*s: insecure-skip-tls-verify and a certificate authority "
			"exclude each other: remove one",
			STR_ARGS(cluster->name));
	return 0;
}

static int read_user(struct config *config, struct io *io, const struct entry *user,
		     struct err *err)
{
	static const char *const UNSUPPORTED[] = {
		"exec",	  "auth-provider", "username",	    "password", "as",
		"as-uid", "as-groups",	   "as-user-extra", NULL};
	struct str token;

	if (refuse(user, UNSUPPORTED, "use a token, a tokenFile or a client certificate", err) <
		    0 ||
	    get_text(user, io, "client-certificate-data", "client-certificate",
		     &config->client_cert, err) < 0 ||
	    get_text(user, io, "client-key-data", "client-key", &config->client_key, err) < 0)
		return -1;
	if (secret_is_empty(&config->client_cert.text) != secret_is_empty(&config->client_key.text))
		return yaml_file_fail(
			user->at, err,
			"user %.*s: a client certificate needs its key, and a key its "
			"certificate",
			STR_ARGS(user->name));
	if (get(user, "token", &token, err) < 0)
		return -1;
	if (secret_set(&config->token.text, token, err) < 0)
		return err_wrap(err, "user %.*s: token", STR_ARGS(user->name));
	if (get(user, "tokenFile", &token, err) < 0)
		return -1;
	if (token.n == 0)
		return 0;
	config->token.path = resolve_path(user, token);
	return config_read(io, &config->token, err);
}

static int read_context(struct config *config, struct io *io, struct files *files,
			const char *wanted, struct err *err)
{
	struct str name = str_of(wanted), cluster_name, user_name;
	struct entry context, cluster, user;

	if (!wanted && current_context(files, &name, err) < 0)
		return -1;
	if (find_entry(files, "contexts", "context", name, &context, err) < 0 ||
	    get(&context, "cluster", &cluster_name, err) < 0 ||
	    get(&context, "user", &user_name, err) < 0 ||
	    get_copy(&context, "namespace", &config->in_namespace, err) < 0 ||
	    find_entry(files, "clusters", "cluster", cluster_name, &cluster, err) < 0 ||
	    read_cluster(config, io, &cluster, err) < 0)
		return -1;
	if (!config->in_namespace)
		config->in_namespace = mem_copy_string("", 0);
	/* A context without a user is an anonymous one. */
	if (user_name.n == 0)
		return 0;
	if (find_entry(files, "users", "user", user_name, &user, err) < 0)
		return -1;
	return read_user(config, io, &user, err);
}

int kubeconfig_load(struct config *config, struct io *io, const char *paths, bool must_exist,
		    const char *context, struct err *err)
{
	struct files files = {0};
	struct config read = {0};
	int result = read_all(&files, io, paths, must_exist, err);

	if (result == 0 && files.count == 0)
		result = err_set(err, ERR_NOT_FOUND, "no kubeconfig at %s", paths);
	if (result == 0)
		result = read_context(&read, io, &files, context, err);
	files_free(&files);
	if (result < 0) {
		config_free(&read);
		return -1;
	}
	*config = read;
	return 0;
}
