/* From a bundle to what the jail is told: plan.c and launch.c. */
#include "plan.h"

#include "launch.h"
#include "tap.h"

#include <string.h>

static struct bundle small_bundle(void)
{
	return (struct bundle){
		.language = STR("python"),
		.argv = {STR("python3"), STR("main.py")},
		.argv_count = 2,
		.cpus = 3,
		.memory_bytes = 1 << 20,
		.tmp_bytes = 5000,
		.tmp_inodes = 10,
		.processes = 7,
		.open_files = 9,
		.file_bytes = 11,
		.cpu_seconds = 13,
		.parts = {{PART_CODE, STR("main.py"), 0, STR("print(1)")},
			  {PART_STDIN, {NULL, 0}, 0, STR("input")},
			  {PART_FILE, STR("a/b/c"), 0600, STR("")}},
		.parts_count = 3,
	};
}

/* The value of a variable, NULL when it is not set; dies when it is set twice. */
static const char *value_of(const struct launch *launch, const char *name)
{
	const char *found = NULL;
	size_t length = strlen(name);

	for (size_t i = 0; i < launch->env_count; i++) {
		if (strncmp(launch->env[i], name, length) != 0 || launch->env[i][length] != '=')
			continue;
		if (found)
			return "set twice";
		found = launch->env[i] + length + 1;
	}
	return found;
}

static void command_and_files(struct launch *launch)
{
	struct bundle b = small_bundle();

	cmp_ok(plan_fill(&b, launch), "==", 0, "a small bundle fits");
	is(launch->args[0], "python3", "the command comes as it is");
	is(launch->args[1], "main.py", "with its arguments");
	ok(launch->args[2] == NULL, "and ends as exec wants it");
	cmp_ok(launch->file_count, "==", 2, "code and files are written, stdin is not");
	is(launch->files[0].path, "main.py", "the code has its own name");
	cmp_ok(launch->files[0].mode, "==", 0644, "and a mode when it has none");
	ok(launch->files[0].bytes == b.parts[0].data.p, "its bytes stay where they are");
	cmp_ok(launch->files[1].mode, "==", 0600, "a file has the mode it was given");
	ok(str_equal(plan_input(&b), STR("input")), "stdin is the bundle's");
	b.parts_count = 1;
	cmp_ok(plan_input(&b).n, "==", 0, "without that part it is empty");
}

static void limits(struct launch *launch)
{
	struct bundle b = small_bundle();

	plan_fill(&b, launch);
	cmp_ok(launch->limits.scratch_bytes, "==", 8192 + 4096 + 4096,
	       "tmp is the plan's in whole pages, one page, and the files");
	cmp_ok(launch->limits.scratch_inodes, "==", 10 + LAUNCH_OWN_INODES + 2 + 2,
	       "inodes are the plan's, ours, the files' and their folders'");
	ok(launch->limits.processes == 7 && launch->limits.open_files == 9 &&
		   launch->limits.file_bytes == 11 && launch->limits.cpu_seconds == 13,
	   "the other limits come as they are");
	b.tmp_bytes = 0;
	b.parts[0].data = STR("");
	plan_fill(&b, launch);
	cmp_ok(launch->limits.scratch_bytes, ">", 0, "tmp 0 is never size 0, which has no limit");
}

static void environment(struct launch *launch)
{
	struct bundle b = small_bundle();

	plan_fill(&b, launch);
	is(value_of(launch, "PATH"), LAUNCH_PATH, "PATH is ours");
	is(value_of(launch, "HOME"), "/tmp/home", "HOME is on the private tmpfs");
	is(value_of(launch, "LANG"), "C.UTF-8", "text is UTF-8");
	is(value_of(launch, "OMP_NUM_THREADS"), "3", "thread counts are the CPU limit");
	ok(!value_of(launch, "SHELL"), "nothing of the runner's environment is there");
	b.env[0] = (struct bundle_env){STR("HOME"), STR("/work")};
	b.env[1] = (struct bundle_env){STR("A"), STR("first")};
	b.env[2] = (struct bundle_env){STR("A"), STR("x=y=z")};
	b.env[3] = (struct bundle_env){STR("EMPTY"), STR("")};
	b.env_count = 4;
	plan_fill(&b, launch);
	is(value_of(launch, "HOME"), "/work", "the bundle's variables replace ours");
	is(value_of(launch, "A"), "x=y=z", "of two with one name the last counts");
	is(value_of(launch, "EMPTY"), "", "an empty value is a value");
}

static void too_much(struct launch *launch)
{
	static char large[LAUNCH_STRINGS_BYTES_MAX];
	struct bundle b = small_bundle();

	memset(large, 'x', sizeof(large));
	b.argv[1] = (struct str){large, sizeof(large)};
	cmp_ok(plan_fill(&b, launch), "==", -1, "texts that don't fit are refused");
	launch_clear(launch);
	cmp_ok(launch_add_arg(launch, (struct str){"a\0b", 3}), "==", -1,
	       "a text with a NUL is refused");
	cmp_ok(launch_add_env(launch, STR("N"), (struct str){"\0", 1}), "==", -1,
	       "so is a value with one");
	for (int i = 0; i < LAUNCH_ARGS_MAX; i++)
		launch_add_arg(launch, STR("x"));
	cmp_ok(launch_add_arg(launch, STR("x")), "==", -1, "one argument too many is refused");
	for (int i = 0; i < LAUNCH_ENV_MAX; i++)
		launch_add_env(launch, STR("x"), STR("y"));
	cmp_ok(launch_add_env(launch, STR("x"), STR("y")), "==", -1,
	       "one variable too many is refused");
	for (int i = 0; i < LAUNCH_FILES_MAX; i++)
		launch_add_file(launch, STR("x"), STR("y"), 0644);
	cmp_ok(launch_add_file(launch, STR("x"), STR("y"), 0644), "==", -1,
	       "one file too many is refused");
}

static void support(void)
{
	struct bundle b = small_bundle();

	ok(plan_is_supported(&b), "a script is supported");
	b.mode = BUNDLE_FUNCTION;
	ok(!plan_is_supported(&b), "a function is not");
	b.mode = BUNDLE_SCRIPT;
	b.install_ms = 1;
	ok(!plan_is_supported(&b), "an install phase is not");
}

int main(void)
{
	struct launch *launch = launch_map();

	command_and_files(launch);
	limits(launch);
	environment(launch);
	too_much(launch);
	support();
	done_testing();
}
