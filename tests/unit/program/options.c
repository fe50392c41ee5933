#include "options.h"

#include "fake_io.h"
#include "tap.h"

#include <string.h>

#define ARGUMENTS_MAX 8

/* Reads flags that are separated by blanks, and then the file, whose name is c.yaml. */
static int read_all(struct options *options, const char *flags, const char *file, struct err *err)
{
	static char words[512];
	char *argv[ARGUMENTS_MAX] = {words};
	struct fake_io fake;
	int argc = 1, result;

	snprintf(words, sizeof(words), "program %s", flags);
	for (char *at = strchr(words, ' '); at && at[1]; at = strchr(at, ' ')) {
		*at++ = '\0';
		argv[argc++] = at;
	}
	fake_io_init(&fake);
	fake_io_file(&fake, "c.yaml", file);
	options_init(options);
	result = options_read_flags(options, argc, argv, err);
	if (result == 0)
		result = options_read_file(options, &fake.io, err);
	fake_io_free(&fake);
	return result;
}

static void flags_win_over_the_file_and_that_over_defaults(void)
{
	struct options options;
	struct err err;

	cmp_ok(read_all(&options, "", NULL, &err), "==", 0, "nothing needs to be said");
	cmp_ok(options.action, "==", OPTIONS_RUN, "then the program runs");
	is(options.kubeconfig, "", "without a kubeconfig");
	cmp_ok(options.tasks_max, "==", MANAGER_TASKS_DEFAULT, "with the default of a number");
	cmp_ok(options.log_level, "==", LOG_INFO, "of a level");
	is(options.listen_address, "0.0.0.0", "and of an address");
	options_free(&options);

	cmp_ok(read_all(&options,
			"--max-tasks 7 --config=c.yaml --log-level=warning --listen-address ::1",
			"# of ours\nmaxTasks: 5\nmaxTransfers: 3\nlistenPort: 0\n"
			"identity: replica-1\nleaseNamespace: sandboxtask-system\n"
			"kubeconfig: /etc/kubeconfig\nlogLevel: error\n",
			&err),
	       "==", 0, "all can be said");
	cmp_ok(options.tasks_max, "==", 7, "a flag wins over the file");
	cmp_ok(options.log_level, "==", LOG_WARNING, "wherever it stands");
	is(options.listen_address, "::1", "an address of IPv6");
	cmp_ok(options.transfers_max, "==", 3, "the file wins over the default");
	cmp_ok(options.listen_port, "==", 0, "0 where it is in the bounds");
	is(options.identity, "replica-1", "texts");
	is(options.lease_namespace, "sandboxtask-system", "names");
	is(options.kubeconfig, "/etc/kubeconfig", "paths");
	options_free(&options);

	cmp_ok(read_all(&options, "--config c.yaml --identity=",
			"maxTasks:\nlistenAddress: \"\"\nlogLevel: ~\nidentity: x\n", &err),
	       "==", 0, "an empty value is as good as none");
	cmp_ok(options.tasks_max, "==", MANAGER_TASKS_DEFAULT, "for numbers");
	is(options.listen_address, "0.0.0.0", "for texts");
	cmp_ok(options.log_level, "==", LOG_INFO, "for levels");
	is(options.identity, "", "and in a flag");
	options_free(&options);
	options_free(&options);
}

static void actions_are_flags(void)
{
	static const struct {
		const char *flags;
		enum options_action action;
	} ROWS[] = {{"--help", OPTIONS_HELP},
		    {"-h", OPTIONS_HELP},
		    {"--max-tasks 3 --version", OPTIONS_VERSION}};
	struct options options;
	struct err err;

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		cmp_ok(read_all(&options, ROWS[i].flags, NULL, &err), "==", 0, "%s", ROWS[i].flags);
		cmp_ok(options.action, "==", ROWS[i].action, "is an action");
		options_free(&options);
	}
}

static void faults_are_named_with_place_limit_and_cure(void)
{
	static const struct {
		const char *sentence, *flags, *file, *message;
	} ROWS[] = {
		{"an unknown flag", "--max-task 3", NULL,
		 "unknown flag \"--max-task\": --help lists them"},
		{"an argument that is no flag", "run", NULL,
		 "unknown flag \"run\": --help lists them"},
		{"a flag without its value", "--max-tasks", NULL, "--max-tasks needs a value"},
		{"a flag that is there twice", "--max-tasks 3 --max-tasks=3", NULL,
		 "--max-tasks is there twice: leave one out"},
		{"two files", "--config a --config b", NULL,
		 "--config is there twice: leave one out"},
		{"a file without a name", "--config=", NULL, "--config has to be a path"},
		{"a number of letters", "--max-tasks many", NULL,
		 "--max-tasks has to be a number from 1 to 10000"},
		{"a number below its minimum", "--max-tasks 0", NULL,
		 "--max-tasks has to be a number from 1 to 10000"},
		{"a number above its maximum", "--max-transfers 257", NULL,
		 "--max-transfers has to be a number from 1 to 256"},
		{"a negative number", "--listen-port=-1", NULL,
		 "--listen-port has to be a number from 0 to 65535"},
		{"a level that is none", "--log-level loud", NULL,
		 "--log-level has to be debug, info, warning or error"},
		{"a name in place of an address", "--listen-address localhost", NULL,
		 "--listen-address has to be an IPv4 or IPv6 address"},
		{"a namespace with a capital", "--lease-namespace Mine", NULL,
		 "--lease-namespace has to be a namespace's name: at most 63 small letters, "
		 "digits and -"},
		{"a namespace that ends in -", "--lease-namespace mine-", NULL,
		 "--lease-namespace has to be a namespace's name: at most 63 small letters, "
		 "digits and -"},
		{"an identity with a slash", "--identity a/b", NULL,
		 "--identity has to be at most 255 letters, digits and . _ -"},
		{"a file that is not there", "--config x.yaml", NULL,
		 "opening x.yaml: No such file or directory"},
		{"a file that is no YAML", "--config c.yaml", "maxTasks: [", "c.yaml:2: did not "},
		{"a file that is no mapping", "--config c.yaml", "- maxTasks",
		 "c.yaml:1: the file has to be a mapping of keys"},
		{"an unknown key", "--config c.yaml", "\nmaxTask: 3\n",
		 "c.yaml:2: unknown key \"maxTask\": the keys are kubeconfig, leaseNamespace, "
		 "identity, maxTasks, maxTransfers, listenAddress, listenPort, logLevel"},
		{"a key that is there twice", "--config c.yaml", "maxTasks: 3\nmaxTasks: 3\n",
		 "c.yaml:2: maxTasks is there twice: leave one out"},
		{"a number in quotes", "--config c.yaml", "maxTasks: \"3\"\n",
		 "c.yaml:1: maxTasks has to be a number from 1 to 10000, without quotes"},
		{"a list in place of a number", "--config c.yaml", "maxTasks: [3]\n",
		 "c.yaml:1: maxTasks has to be a number from 1 to 10000, without quotes"},
		{"a number in place of a text", "--config c.yaml", "identity: 3\n",
		 "c.yaml:1: identity has to be a string: put it in quotes"},
		{"a number of another spelling", "--config c.yaml", "listenPort: 8e3\n",
		 "c.yaml:1: listenPort has to be a number from 0 to 65535"},
		{"a value that a flag overrules", "--config c.yaml --max-tasks 3", "maxTasks: 0\n",
		 "c.yaml:1: maxTasks has to be a number from 1 to 10000"},
	};
	struct options options;
	struct err err;

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		cmp_ok(read_all(&options, ROWS[i].flags, ROWS[i].file, &err), "==", -1,
		       "%s is refused", ROWS[i].sentence);
		err.message[strlen(ROWS[i].message)] = '\0';
		is(err.message, ROWS[i].message, "%s: with its place and the cure",
		   ROWS[i].sentence);
		options_free(&options);
	}
}

static void what_was_found_fills_gaps(void)
{
	static const char MESSAGE[] = "leaseNamespace has to be set: what was found is not a "
				      "namespace's name: at most 63 small letters, digits and -";
	struct options options;
	struct err err;

	read_all(&options, "--identity me", NULL, &err);
	cmp_ok(options_set_found(&options, "identity", STR("host"), &err), "==", 0, "what is set");
	is(options.identity, "me", "stays");
	cmp_ok(options_set_found(&options, "leaseNamespace", STR(""), &err), "==", -1,
	       "nothing found is an error");
	is(err.message, MESSAGE, "that says what to set");
	cmp_ok(options_set_found(&options, "leaseNamespace", STR("A B"), &err), "==", -1,
	       "what was found is judged");
	is(err.message, MESSAGE, "in the same way");
	cmp_ok(options_set_found(&options, "leaseNamespace", STR("ns"), &err), "==", 0, "else it");
	is(options.lease_namespace, "ns", "counts");
	options_free(&options);
}

static void texts_have_limits(void)
{
	static char file[OPTIONS_FILE_BYTES_MAX + 2], flag[600];
	struct options options;
	struct err err;

	memset(file, '#', sizeof(file) - 1);
	cmp_ok(read_all(&options, "--config c.yaml", file, &err), "==", -1, "a file too large");
	like(err.message, "c.yaml is too large", "says so");
	options_free(&options);
	snprintf(flag, sizeof(flag), "--identity %0255d", 0);
	cmp_ok(read_all(&options, flag, NULL, &err), "==", 0, "a text at its limit");
	options_free(&options);
	snprintf(flag, sizeof(flag), "--identity %0256d", 0);
	cmp_ok(read_all(&options, flag, NULL, &err), "==", -1, "and one byte above");
	options_free(&options);
}

static void help_has_every_row(void)
{
#define X_FLAG(kind, member, key, flag, ...) "  " flag ", " key ": ",
	static const char *const ROWS[] = {OPTIONS_TABLE(X_FLAG)};
	struct buf text;

	buf_init(&text, OPTIONS_HELP_BYTES_MAX);
	options_help(&text);
	cmp_ok(text.length, ">", 0, "there is room for it");
	for (size_t i = 0; i < OPTIONS_COUNT; i++)
		ok(strstr(text.data, ROWS[i]), "%s", ROWS[i]);
	like(text.data, "--max-tasks, maxTasks: a number from 1 to 10000; default 100\n      How ",
	     "with bounds, default and what it is for");
	ok(strstr(text.data, "--help\n      Prints this.\n"), "to the end");
	buf_free(&text);
}

int main(void)
{
	flags_win_over_the_file_and_that_over_defaults();
	actions_are_flags();
	faults_are_named_with_place_limit_and_cure();
	what_was_found_fills_gaps();
	texts_have_limits();
	help_has_every_row();
	done_testing();
}
