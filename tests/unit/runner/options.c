#include "options.h"

#include "seal.h"
#include "tap.h"

#include <string.h>

static int read_options(struct options *options, struct err *err, const char *one, const char *two)
{
	char a[64], b[64], *argv[] = {a, a, b};

	snprintf(a, sizeof(a), "%s", one);
	snprintf(b, sizeof(b), "%s", two);
	return options_read(options, 1 + (*one != '\0') + (*two != '\0'), argv, err);
}

static void refused(const char *option, const char *why)
{
	struct options options = {1, 2, 3};
	struct err err;

	cmp_ok(read_options(&options, &err, option, ""), "==", -1, "%s: %s is refused", option,
	       why);
	ok(options.bundle_bytes == 1 && options.grace_ms == 3, "%s: nothing is changed", option);
}

int main(void)
{
	struct options options;
	struct err err;

	cmp_ok(read_options(&options, &err, "", ""), "==", 0, "no option is needed");
	cmp_ok(options.grace_ms, "==", 30000, "the grace period is Kubernetes' 30 s");
	cmp_ok(read_options(&options, &err, "--bundle-bytes=123", "--grace-seconds=5"), "==", 0,
	       "options can be given");
	cmp_ok(options.bundle_bytes, "==", 123, "the bundle's room is as told");
	cmp_ok(options.grace_ms, "==", 5000, "the grace is told in seconds");
	cmp_ok(read_options(&options, &err, "--outcome-bytes=16385", ""), "==", 0,
	       "an outcome needs room for its manifest and one byte");
	refused("--outcome-bytes=16384", "room for the manifest alone");
	refused("--bundle-bytes=0", "no room");
	refused("--bundle-bytes=1073741825", "more than a gibibyte");
	refused("--bundle-bytes=", "no number");
	refused("--bundle-bytes=12x", "something behind a number");
	refused("--bundle-bytes", "no value");
	refused("--no-gate", "what does not exist");
	refused("-h", "any other word");
	done_testing();
}
