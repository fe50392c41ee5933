#include "kube/target.h"

#include "tap.h"

#include <string.h>

static const struct target_resource PODS = {"", "v1", "pods", true};
static const struct target_resource TASKS = {"sandboxtask.io", "v1beta1", "sandboxtasks", true};
static const struct target_resource CLASSES = {"sandboxtask.io", "v1beta1", "sandboxclasses",
					       false};

static const struct {
	const char *rule;
	const char *prefix;
	const struct target_resource *resource;
	const char *in_namespace, *name, *subresource;
	const char *wanted; /* NULL: an error */
} ROWS[] = {
	{"an object of the core", "", &PODS, "ns", "pod", NULL, "/api/v1/namespaces/ns/pods/pod"},
	{"a subresource", "", &PODS, "ns", "pod", "attach",
	 "/api/v1/namespaces/ns/pods/pod/attach"},
	{"a collection", "", &PODS, "ns", "", NULL, "/api/v1/namespaces/ns/pods"},
	{"all namespaces", "", &TASKS, "", "", NULL, "/apis/sandboxtask.io/v1beta1/sandboxtasks"},
	{"a kind in no namespace", "", &CLASSES, "", "c", NULL,
	 "/apis/sandboxtask.io/v1beta1/sandboxclasses/c"},
	{"a server with a path", "/k8s/clusters/c-x", &PODS, "ns", "", NULL,
	 "/k8s/clusters/c-x/api/v1/namespaces/ns/pods"},
	{"what is not a letter is encoded", "", &PODS, "n s", "a/../b?c#d%\xc3\xa9", NULL,
	 "/api/v1/namespaces/n%20s/pods/a%2F..%2Fb%3Fc%23d%25%C3%A9"},
	{"a dot is no name", "", &PODS, "ns", ".", NULL, NULL},
	{"two dots neither", "", &PODS, "..", "pod", NULL, NULL},
	{"an object needs its namespace", "", &PODS, "", "pod", NULL, NULL},
	{"a kind in none has none", "", &CLASSES, "ns", "c", NULL, NULL},
};

static void paths_are_built(void)
{
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		struct target target;
		struct err err;

		target_init(&target);
		target_object(&target, ROWS[i].prefix, ROWS[i].resource,
			      str_of(ROWS[i].in_namespace), str_of(ROWS[i].name),
			      ROWS[i].subresource);
		if (ROWS[i].wanted) {
			cmp_ok(target_check(&target, &err), "==", 0, "%s", ROWS[i].rule);
			is(target.text.data, ROWS[i].wanted, "%s", ROWS[i].rule);
		} else {
			cmp_ok(target_check(&target, &err), "==", -1, "%s", ROWS[i].rule);
			is(err_code_name(err.code), "Invalid", "%s", err.message);
		}
		target_free(&target);
	}
}

static void queries_are_encoded(void)
{
	struct target target;
	struct err err;

	target_init(&target);
	target_object(&target, "", &PODS, STR("ns"), STR("p"), "attach");
	target_query(&target, "labelSelector", STR("a in (b,c),d!=e&f=+"));
	target_query(&target, "stdin", STR("true"));
	target_query(&target, "empty", STR(""));
	cmp_ok(target_check(&target, &err), "==", 0, "three parameters");
	is(target.text.data,
	   "/api/v1/namespaces/ns/pods/p/attach"
	   "?labelSelector=a%20in%20%28b%2Cc%29%2Cd%21%3De%26f%3D%2B"
	   "&stdin=true&empty=",
	   "with nothing that ends one early");
	target_free(&target);
}

static void too_long_is_an_error(void)
{
	static char name[TARGET_BYTES_MAX];
	struct target target;
	struct err err;

	memset(name, 'a', sizeof(name));
	target_init(&target);
	target_object(&target, "", &PODS, STR("ns"), (struct str){name, sizeof(name)}, NULL);
	target_query(&target, "a", STR("b"));
	cmp_ok(target_check(&target, &err), "==", -1, "not cut, refused");
	is(err_code_name(err.code), "TooLarge", "%s", err.message);
	target_free(&target);
}

int main(void)
{
	paths_are_built();
	queries_are_encoded();
	too_long_is_an_error();
	done_testing();
}
