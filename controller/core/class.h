/*
 * class: what the core knows of a SandboxClass, decoded from its JSON (decode.h). Limits are those
 * of crd/sandboxclasses.yaml, which also fills in the defaults. Strings borrow as in task.h.
 */
#ifndef CORE_CLASS_H
#define CORE_CLASS_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLASS_RUNTIMES_MAX 32

struct class_runtime {
	struct str name, language, image;
	struct str env; /* JSON: an array of {name, value}; empty when there is none */
};

/* What a task gets without asking, and the most that it may ask for. */
struct class_range {
	int64_t by_default, max;
};

struct class
{
	struct str name, uid;
	int64_t generation;
	struct class_runtime runtimes[CLASS_RUNTIMES_MAX];
	size_t runtime_count;
	struct str runtime_class_name;
	bool gvisor_required;	    /* isolation.sandbox, which has no other value yet */
	bool memory_limit_required; /* isolation: the sandbox must see the Pod's limit */
	struct str pod_namespace;   /* empty: the task's own */
	int64_t run_as_user;	    /* TASK_NOT_GIVEN: the image's, or the cluster assigns one */
	struct class_range cpu_milli, memory_bytes, tmp_bytes;
	struct class_range start_seconds, run_seconds;
	struct class_range stdout_bytes, stderr_bytes;
	int64_t open_files, processes, tmp_inodes;
	int64_t file_size;   /* TASK_NOT_GIVEN: as large as tmp */
	int64_t cpu_seconds; /* TASK_NOT_GIVEN: no limit but the run's time */
	int64_t overhead_cpu_milli, overhead_memory_bytes, overhead_storage_bytes;
	int64_t max_tasks, max_tasks_per_namespace;
	int64_t hold_seconds;
	/* JSON, as it came: an object, or empty when not given. */
	struct str namespace_selector, node_selector, labels, annotations;
	/* JSON arrays, likewise. */
	struct str tolerations, image_pull_secrets;
	struct str priority_class_name;
	int64_t cpu_request_percent; /* of the Pod's CPU limit */
	struct buf texts;
};

#endif
