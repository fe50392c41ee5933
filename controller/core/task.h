/*
 * task: what the core knows of a SandboxTask, decoded from its JSON (decode.h). Limits are those of
 * crd/sandboxtasks.yaml. All strings borrow from that JSON or from `texts`; text of the user is
 * decoded to its bytes and may hold U+0000.
 */
#ifndef CORE_TASK_H
#define CORE_TASK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TASK_ARGS_MAX	    64
#define TASK_ENV_MAX	    64
#define TASK_CONDITIONS_MAX 16
#define TASK_UID_SIZE	    37 /* characters of a UID with its NUL */

/* Of a number that the user has not given. */
#define TASK_NOT_GIVEN (-1)

#define TASK_PHASES(X) \
	X(Pending) X(Queued) X(Starting) X(Installing) X(Running) X(Succeeded) X(Failed)

enum task_phase {
#define X(name) TASK_##name,
	TASK_PHASES(X)
#undef X
		TASK_PHASE_UNKNOWN /* a newer controller's: not final, whatever it means */
};

struct task_env {
	struct str name, value;
};

struct task_spec {
	struct str class_name, language, runtime; /* empty when not given */
	struct str code, stdin_text;
	struct str args[TASK_ARGS_MAX];
	size_t arg_count;
	struct task_env env[TASK_ENV_MAX];
	size_t env_count;
	int64_t cpu_milli, memory_bytes, tmp_bytes; /* TASK_NOT_GIVEN: the class's default */
	int64_t start_seconds, run_seconds;
	int64_t stdout_bytes, stderr_bytes;
	bool fail_on_overflow;
};

struct task_condition {
	struct str type, status, reason, transition_time;
};

struct task_status {
	enum task_phase phase;
	struct str reason, message;
	struct str started_at; /* empty: no mark, so no code of the task has ever run */
	int64_t attempt;       /* Pods that were given up, or with the mark: the one that runs */
	struct str pod_uid, pod_name, pod_namespace, session, plan_sha256;
	int64_t queue_position; /* TASK_NOT_GIVEN when absent */
	struct task_condition conditions[TASK_CONDITIONS_MAX];
	size_t condition_count;
};

struct task {
	struct str name, namespace, uid, resource_version;
	bool deleting;	       /* has a deletionTimestamp */
	struct str created_at; /* RFC 3339 */
	struct task_spec spec;
	struct task_status status;
	/* Bytes that metadata and spec take in etcd, where the API server escapes more than we do.
	 */
	size_t stored_bytes;
	/* Not empty: the spec is not what the schema promises, and this says where. */
	char spec_error[ERR_MESSAGE_SIZE];
	struct buf texts;
};

static inline bool task_is_terminal(const struct task *task)
{
	return task->status.phase == TASK_Succeeded || task->status.phase == TASK_Failed;
}

static inline bool task_is_marked(const struct task *task)
{
	return task->status.started_at.n > 0;
}

#endif
