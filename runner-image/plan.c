#include "plan.h"

#include "launch.h"
#include "text.h"

#include <string.h>

#define FILE_MODE_DEFAULT 0644

bool plan_is_supported(const struct bundle *bundle)
{
	return bundle->mode == BUNDLE_SCRIPT && bundle->install_ms == 0;
}

/* True when the bundle sets this variable from entry `from` on. */
static bool is_set(const struct bundle *bundle, struct str name, size_t from)
{
	for (size_t i = from; i < bundle->env_count; i++)
		if (str_equal(bundle->env[i].name, name))
			return true;
	return false;
}

/* LANG and PYTHONUNBUFFERED: text is UTF-8, and what was written before a kill is not lost. */
static int add_own_variables(const struct bundle *bundle, struct launch *launch)
{
	char cpus[8];
	struct text t = text_in(cpus, sizeof(cpus));
	const struct {
		const char *name, *value;
	} own[] = {
		{"PATH", LAUNCH_PATH},
		{"HOME", LAUNCH_HOME},
		{"TMPDIR", "/tmp"},
		{"XDG_CACHE_HOME", LAUNCH_HOME "/.cache"},
		{"MPLCONFIGDIR", LAUNCH_HOME "/.config/matplotlib"},
		{"LANG", "C.UTF-8"},
		{"PYTHONUNBUFFERED", "1"},
		/* The node's processors are seen, the limit is not. */
		{"PYTHON_CPU_COUNT", cpus},
		{"OMP_NUM_THREADS", cpus},
		{"OPENBLAS_NUM_THREADS", cpus},
		{"MKL_NUM_THREADS", cpus},
		{"NUMEXPR_NUM_THREADS", cpus},
	};

	text_add_number(&t, bundle->cpus);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!is_set(bundle, str_of(own[i].name), 0) &&
		    launch_add_env(launch, str_of(own[i].name), str_of(own[i].value)) < 0)
			return -1;
	return 0;
}

/* Of a name that comes twice, the last one counts, as in a shell. */
static int add_variables(const struct bundle *bundle, struct launch *launch)
{
	for (size_t i = 0; i < bundle->env_count; i++)
		if (!is_set(bundle, bundle->env[i].name, i + 1) &&
		    launch_add_env(launch, bundle->env[i].name, bundle->env[i].value) < 0)
			return -1;
	return 0;
}

static int add_files(const struct bundle *bundle, struct launch *launch)
{
	for (size_t i = 0; i < bundle->parts_count; i++) {
		const struct bundle_part *part = &bundle->parts[i];
		mode_t mode = part->mode ? part->mode : FILE_MODE_DEFAULT;

		if (part->role != PART_CODE && part->role != PART_FILE)
			continue;
		if (launch_add_file(launch, part->path, part->data, mode) < 0)
			return -1;
	}
	return 0;
}

static uint64_t in_pages(uint64_t bytes)
{
	return (bytes + LAUNCH_PAGE_BYTES - 1) / LAUNCH_PAGE_BYTES * LAUNCH_PAGE_BYTES;
}

/*
 * The limits are what the program may use: what stands in the tmpfs before it begins is added. Size
 * 0 would mean no limit to the kernel, so it is never less than a page.
 */
static void add_room_for_files(struct launch *launch)
{
	struct launch_limits *limits = &launch->limits;

	limits->scratch_bytes = in_pages(limits->scratch_bytes) + LAUNCH_PAGE_BYTES;
	limits->scratch_inodes += LAUNCH_OWN_INODES;
	for (size_t i = 0; i < launch->file_count; i++) {
		limits->scratch_bytes += in_pages(launch->files[i].length);
		limits->scratch_inodes++;
		for (const char *c = launch->files[i].path; *c; c++)
			limits->scratch_inodes += *c == '/';
	}
}

int plan_fill(const struct bundle *bundle, struct launch *launch)
{
	launch_clear(launch);
	launch->limits = (struct launch_limits){
		.scratch_bytes = bundle->tmp_bytes,
		.scratch_inodes = bundle->tmp_inodes,
		.processes = bundle->processes,
		.open_files = bundle->open_files,
		.file_bytes = bundle->file_bytes,
		.cpu_seconds = bundle->cpu_seconds,
	};
	for (size_t i = 0; i < bundle->argv_count; i++)
		if (launch_add_arg(launch, bundle->argv[i]) < 0)
			return -1;
	if (add_own_variables(bundle, launch) < 0 || add_variables(bundle, launch) < 0)
		return -1;
	if (add_files(bundle, launch) < 0)
		return -1;
	add_room_for_files(launch);
	return 0;
}

struct str plan_input(const struct bundle *bundle)
{
	for (size_t i = 0; i < bundle->parts_count; i++)
		if (bundle->parts[i].role == PART_STDIN)
			return bundle->parts[i].data;
	return (struct str){NULL, 0};
}
