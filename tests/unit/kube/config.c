#include "kube/config.h"

#include "fake_io.h"
#include "tap.h"

static const struct {
	const char *url, *host;
	int port;
	const char *prefix;
} URLS[] = {
	{"https://a", "a", 443, ""},
	{"https://a/", "a", 443, ""},
	{"https://a:6443", "a", 6443, ""},
	{"https://10.0.0.1:6443/k8s/clusters/c-x/", "10.0.0.1", 6443, "/k8s/clusters/c-x"},
	{"https://[fd00::1]", "fd00::1", 443, ""},
	{"https://[fd00::1]:6443/p", "fd00::1", 6443, "/p"},
	{"https://", NULL, 0, NULL},
	{"https:///p", NULL, 0, NULL},
	{"https://a:", NULL, 0, NULL},
	{"https://a:65536", NULL, 0, NULL},
	{"https://[::1", NULL, 0, NULL},
	{"https://[::1]x", NULL, 0, NULL},
	{"https://user:secret@a", NULL, 0, NULL},
	{"http://a", NULL, 0, NULL},
	{"a:6443", NULL, 0, NULL},
	{"", NULL, 0, NULL},
};

static void urls_are_taken_apart(void)
{
	for (size_t i = 0; i < sizeof(URLS) / sizeof(URLS[0]); i++) {
		struct config config = {0};
		struct err err;
		int result = config_set_server(&config, str_of(URLS[i].url), &err);

		cmp_ok(result, "==", URLS[i].host ? 0 : -1, "\"%s\"", URLS[i].url);
		is(config.host, URLS[i].host, "its host");
		cmp_ok(config.port, "==", URLS[i].port, "its port");
		is(config.prefix, URLS[i].prefix, "its path");
		config_free(&config);
	}
}

static void a_pod_knows_its_server(void)
{
	struct config_pod pod = {"fd00::1", "443", "/sa"};
	struct config config = {0};
	struct fake_io fake;
	struct err err;

	fake_io_init(&fake);
	cmp_ok(config_in_cluster(&config, &fake.io, &pod, &err), "==", -1, "without a token");
	like(err.message, "^the service account of this Pod: opening /sa/token",
	     "it says what is missing");
	fake_io_file(&fake, "/sa/token", " t\n");
	fake_io_file(&fake, "/sa/ca.crt", "CA\n");
	cmp_ok(config_in_cluster(&config, &fake.io, &pod, &err), "==", 0, "with token and CA");
	is(config.host, "fd00::1", "an IPv6 address");
	ok(str_equal(secret_reveal(&config.token.text), STR("t")), "the token without blanks");
	is(config.in_namespace, "", "without the namespace's file");
	config_free(&config);
	fake_io_file(&fake, "/sa/namespace", "ns");
	config_in_cluster(&config, &fake.io, &pod, &err);
	is(config.in_namespace, "ns", "and with it");
	config_free(&config);
	fake_io_file(&fake, "/sa/token", "\n");
	cmp_ok(config_in_cluster(&config, &fake.io, &pod, &err), "==", -1,
	       "an empty token is an error");
	pod.port = "https";
	cmp_ok(config_in_cluster(&config, &fake.io, &pod, &err), "==", -1,
	       "so is a port that is none");
	pod.host = NULL;
	cmp_ok(config_in_cluster(&config, &fake.io, &pod, &err), "==", -1, "without an address");
	is(err_code_name(err.code), "NotFound", "this is no Pod");
	fake_io_free(&fake);
}

static void files_are_read_again(void)
{
	struct config_text text = {0};
	struct fake_io fake;
	struct err err;

	fake_io_init(&fake);
	cmp_ok(config_read(&fake.io, &text, &err), "==", 0, "a text without a file stays");
	text.path = strdup("/t");
	fake_io_file(&fake, "/t", "one");
	config_read(&fake.io, &text, &err);
	fake_io_file(&fake, "/t", "two");
	config_read(&fake.io, &text, &err);
	ok(str_equal(secret_reveal(&text.text), STR("two")), "a file is read anew");
	fake_io_file(&fake, "/t", NULL);
	cmp_ok(config_read(&fake.io, &text, &err), "==", -1, "one that is gone is an error");
	ok(str_equal(secret_reveal(&text.text), STR("two")), "and the old text stays");
	free(text.path);
	secret_free(&text.text);
	fake_io_free(&fake);
}

int main(void)
{
	urls_are_taken_apart();
	a_pod_knows_its_server();
	files_are_read_again();
	done_testing();
}
