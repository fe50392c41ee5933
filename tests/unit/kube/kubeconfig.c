#include "kube/kubeconfig.h"

#include "fake_io.h"
#include "tap.h"

#include <string.h>

#define CLUSTER(name, more) "- name: " name "\n  cluster:\n    server: https://" name ":6443\n" more
#define USER(name, more)    "- name: " name "\n  user:\n" more
#define CONTEXT(name, cluster, user)                                                              \
	"- name: " name "\n  context: {cluster: " cluster ", user: " user ", namespace: ns-" name \
	"}\n"

static const char FIRST[] =
	"current-context: one\n"
	"clusters:\n" CLUSTER("alpha", "    certificate-authority: ca.crt\n") "users:\n" USER(
		"anna", "    token: t-anna\n") "contexts:\n" CONTEXT("one", "alpha", "anna")
		CONTEXT("two", "beta", "berta") CONTEXT("lost", "gamma", "anna")
			CONTEXT("nobody", "alpha", "''");
static const char SECOND[] =
	"current-context: two\n"
	"clusters:\n" CLUSTER("beta", "    tls-server-name: kubernetes\n")
		CLUSTER("alpha", "    tls-server-name: never\n") "users:\n" USER(
			"berta", "    tokenFile: tokens/berta\n    token: old\n")
			USER("anna", "    token: never\n");

static int load(struct config *config, struct fake_io *fake, const char *paths, const char *context,
		struct err *err)
{
	*config = (struct config){0};
	return kubeconfig_load(config, &fake->io, paths, false, context, err);
}

static void files_are_merged(struct fake_io *fake)
{
	struct config config;
	struct err err;

	fake_io_file(fake, "/a/config", FIRST);
	fake_io_file(fake, "/a/ca.crt", "CA\n");
	fake_io_file(fake, "/b/config", SECOND);
	fake_io_file(fake, "/b/tokens/berta", "t-berta\n");
	cmp_ok(load(&config, fake, "/none:/a/config:/b/config:/a/config", NULL, &err), "==", 0,
	       "several files, some missing, some twice");
	is(config.host, "alpha", "the first current-context counts");
	cmp_ok(config.port, "==", 6443, "the port");
	ok(!config.server_name, "the first entry of a name has all of it");
	ok(str_equal(secret_reveal(&config.ca.text), STR("CA")),
	   "a relative path is the file's own");
	is(config.ca.path, "/a/ca.crt", "and is kept, to be read again");
	ok(str_equal(secret_reveal(&config.token.text), STR("t-anna")), "the first user of a name");
	is(config.in_namespace, "ns-one", "the context's namespace");
	config_free(&config);

	cmp_ok(load(&config, fake, "/a/config:/b/config", "two", &err), "==", 0, "another context");
	is(config.host, "beta", "whose cluster stands in another file");
	is(config.server_name, "kubernetes", "tls-server-name");
	ok(str_equal(secret_reveal(&config.token.text), STR("t-berta")),
	   "tokenFile wins over token");
	is(config.token.path, "/b/tokens/berta", "relative to its own file");
	config_free(&config);

	cmp_ok(load(&config, fake, "/a/config", "nobody", &err), "==", 0,
	       "a context without a user");
	ok(secret_is_empty(&config.token.text), "is anonymous");
	config_free(&config);
}

/* One file, named /c, whose cluster or user is what the row says. */
static const struct {
	const char *rule;
	const char *text;
	const char *message; /* NULL: it is fine */
} ROWS[] = {
	{"JSON is YAML",
	 "{\"current-context\":\"c\","
	 "\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"x\"}}],"
	 "\"clusters\":[{\"name\":\"x\",\"cluster\":{\"server\":\"https://[::1]:1/p/\"}}]}",
	 NULL},
#define BASE(cluster, user)                             \
	"current-context: c\ncontexts:\n" CONTEXT(      \
		"c", "x", "u") "clusters:\n- name: x\n" \
			       "  cluster:\n" cluster "users:\n- name: u\n  user:\n" user
#define SERVER "    server: https://x\n"
	{"data wins over files",
	 BASE(SERVER "    certificate-authority: none\n    certificate-authority-data: Q0E=\n",
	      "    token: t\n"),
	 NULL},
	{"a URL without https", BASE("    server: http://x\n", "    token: t\n"),
	 "^/c:[0-9]+: cluster x: server: the server's URL has to begin with https://"},
	{"no server", BASE("    a: b\n", "    token: t\n"), "^/c: cluster x: server: "},
	{"a port that is none", BASE("    server: https://x:0\n", "    token: t\n"),
	 "no valid host and port"},
	{"a port that is a word", BASE("    server: https://x:a\n", "    token: t\n"),
	 "no valid host and port"},
	{"a query in the URL", BASE("    server: https://x/?a\n", "    token: t\n"),
	 "a character that"},
	{"a token that is a number", BASE(SERVER, "    token: 123\n"),
	 "^/c:[0-9]+: user u: token has to be a string: put it in quotes"},
	{"an exec plugin", BASE(SERVER, "    exec: {command: aws}\n"),
	 "^/c:[0-9]+: user u: exec is not supported: use a token"},
	{"a password", BASE(SERVER, "    username: a\n    password: b\n"),
	 "username is not supported"},
	{"a proxy", BASE(SERVER "    proxy-url: http://p\n", "    token: t\n"),
	 "proxy-url is not supported"},
	{"impersonation", BASE(SERVER, "    as: root\n"), "user u: as is not supported"},
	{"data that is no base64",
	 BASE(SERVER "    certificate-authority-data: '*'\n", "    token: t\n"),
	 "^/c:[0-9]+: cluster x: certificate-authority-data: not base64"},
	{"a file that is not there",
	 BASE(SERVER "    certificate-authority: gone\n", "    token: t\n"),
	 "cluster x: certificate-authority: opening /gone"},
	{"a certificate without a key", BASE(SERVER, "    client-certificate-data: Q0E=\n"),
	 "a client certificate needs its key"},
	{"insecure with a CA",
	 BASE(SERVER "    insecure-skip-tls-verify: true\n    certificate-authority-data: Q0E=\n",
	      "    token: t\n"),
	 "exclude each other"},
	{"insecure that is no boolean",
	 BASE(SERVER "    insecure-skip-tls-verify: 'yes'\n", "    token: t\n"),
	 "has to be true or false"},
	{"no current-context", "clusters: []\n",
	 "has no current-context: choose one with kubectl config"},
	{"a context that is not there", "current-context: z\n", "no context named \"z\""},
	{"a cluster that is not there", "current-context: c\ncontexts:\n" CONTEXT("c", "x", "u"),
	 "no cluster named \"x\""},
	{"what is no YAML", "a: [", "^/c:2: "},
};

static void each_file_is_read_or_refused(struct fake_io *fake)
{
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		struct config config;
		struct err err;

		fake_io_file(fake, "/c", ROWS[i].text);
		cmp_ok(load(&config, fake, "/c", NULL, &err), "==", ROWS[i].message ? -1 : 0, "%s",
		       ROWS[i].rule);
		if (ROWS[i].message)
			like(err.message, ROWS[i].message, "%s", err.message);
		else
			ok(config.host != NULL, "the server is %s", config.host);
		config_free(&config);
	}
}

static void a_named_file_has_to_be_there(struct fake_io *fake)
{
	struct config config = {0};
	struct err err;

	cmp_ok(kubeconfig_load(&config, &fake->io, "/none", true, NULL, &err), "==", -1,
	       "by a flag");
	is(err_code_name(err.code), "NotFound", "%s", err.message);
	cmp_ok(load(&config, fake, "/none:/nowhere", NULL, &err), "==", -1, "or one of several");
	is(err_code_name(err.code), "NotFound", "%s", err.message);
	cmp_ok(load(&config, fake, "", NULL, &err), "==", -1, "an empty list has none");
}

int main(void)
{
	struct fake_io fake;

	fake_io_init(&fake);
	files_are_merged(&fake);
	each_file_is_read_or_refused(&fake);
	a_named_file_has_to_be_there(&fake);
	fake_io_free(&fake);
	done_testing();
}
