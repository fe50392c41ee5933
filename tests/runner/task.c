#include "task.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static void die(const char *what, struct str about) __attribute__((noreturn));
static void die(const char *what, struct str about)
{
	fprintf(stderr, "client: %s: %.*s\n", what, STR_ARGS(about));
	exit(2);
}

struct str task_read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	size_t length = 0, n;

	if (!file)
		die("can't open", str_of(path));
	do {
		bytes = mem_resize(bytes, length + 65536, 1);
		n = fread(bytes + length, 1, 65536, file);
		length += n;
	} while (n > 0);
	fclose(file);
	return (struct str){bytes, length};
}

static struct str read_file(struct str path)
{
	CLEANUP(mem_freep) char *text = mem_copy_string(path.p, path.n);

	return task_read_file(text);
}

/* "name path" and "path" alike: the name is empty for stdin. */
static void add_part(struct bundle *bundle, enum bundle_role role, struct str value)
{
	struct bundle_part *part = &bundle->parts[bundle->parts_count++];

	if (bundle->parts_count > BUNDLE_PARTS_MAX)
		die("too many parts", value);
	part->role = (uint8_t)role;
	if (role != PART_STDIN) {
		part->path = str_split(&value, ' ');
		part->mode = 0644;
	}
	part->data = read_file(value);
}

static void add_env(struct bundle *bundle, struct str value)
{
	if (bundle->env_count == BUNDLE_ENV_MAX)
		die("too many variables", value);
	bundle->env[bundle->env_count].name = str_split(&value, '=');
	bundle->env[bundle->env_count++].value = value;
}

/* The numbers: a key, and where its value goes. */
static bool set_number(struct task *task, struct str key, struct str value)
{
	struct bundle *b = &task->bundle;
	const struct {
		const char *key;
		void *member;
		size_t size;
	} numbers[] = {
#define NUMBER(key, member) {key, &(member), sizeof(member)}
		NUMBER("mode", b->mode),
		NUMBER("memory-bytes", b->memory_bytes),
		NUMBER("tmp-bytes", b->tmp_bytes),
		NUMBER("tmp-inodes", b->tmp_inodes),
		NUMBER("processes", b->processes),
		NUMBER("open-files", b->open_files),
		NUMBER("file-bytes", b->file_bytes),
		NUMBER("cpu-seconds", b->cpu_seconds),
		NUMBER("cpus", b->cpus),
		NUMBER("stdout-bytes", b->stdout_bytes),
		NUMBER("stderr-bytes", b->stderr_bytes),
		NUMBER("on-overflow", b->on_overflow),
		NUMBER("start-ms", b->start_ms),
		NUMBER("install-ms", b->install_ms),
		NUMBER("run-ms", b->run_ms),
		NUMBER("attempt", task->attempt),
		NUMBER("session", task->session),
		NUMBER("cancel-grace-ms", task->cancel_grace_ms),
		NUMBER("cancel-at-bytes", task->cancel_at_bytes),
		NUMBER("leave-at-bytes", task->leave_at_bytes),
		NUMBER("cancel-early", task->cancel_early),
		NUMBER("release", task->release),
#undef NUMBER
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t number;

		if (!str_equal(key, str_of(numbers[i].key)))
			continue;
		if (!str_to_uint(value, UINT64_MAX, &number))
			die("not a number", value);
		/* Little-endian, as every machine we build for: the low bytes come first. */
		memcpy(numbers[i].member, &number, numbers[i].size);
		return true;
	}
	return false;
}

static void set(struct task *task, struct str key, struct str value)
{
	struct bundle *b = &task->bundle;

	if (str_equal(key, STR("code")))
		add_part(b, PART_CODE, value);
	else if (str_equal(key, STR("stdin")))
		add_part(b, PART_STDIN, value);
	else if (str_equal(key, STR("file")))
		add_part(b, PART_FILE, value);
	else if (str_equal(key, STR("env")))
		add_env(b, value);
	else if (str_equal(key, STR("stop-at")))
		task->stop_at = value;
	else if (str_equal(key, STR("run-id")))
		memcpy(task->run_id, value.p, value.n < 16 ? value.n : 16);
	else if (str_equal(key, STR("arg")) && b->argv_count < BUNDLE_ARGV_MAX)
		b->argv[b->argv_count++] = value;
	else if (!set_number(task, key, value))
		die("no such key", key);
}

void task_read(struct task *task, const char *path)
{
	struct str rest = task_read_file(path);

	*task = (struct task){
		.attempt = 1,
		.session = 1 << 20,
		.run_id = "sixteen bytes!!",
		.bundle = {.language = STR("python"),
			   .memory_bytes = 256u << 20,
			   .tmp_bytes = 16u << 20,
			   .tmp_inodes = 16384,
			   .processes = 64,
			   .open_files = 256,
			   .file_bytes = 64u << 20,
			   .cpus = 1,
			   .stdout_bytes = 1u << 20,
			   .stderr_bytes = 256u << 10,
			   .start_ms = 20000,
			   .run_ms = 60000},
	};
	while (rest.n > 0) {
		struct str value = str_split(&rest, '\n');
		struct str key = str_split(&value, ' ');

		if (key.n > 0)
			set(task, key, value);
	}
}
