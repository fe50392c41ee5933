/*
 * plan: everything that decides how one task will be run, frozen.
 *
 * It is made from the task and its class when the Pod is made, written into an annotation of the
 * Pod, and made again before the mark: a Pod whose annotation differs is given up. The mark holds
 * the plan's SHA-256; from then on the annotation, which has to hash to it, is the plan, whatever
 * becomes of the class.
 *
 * The text is canonical: JSON with all keys, in one order, without white space. It holds hashes of
 * the user's input, never the input.
 *
 * What the class adds to the Pod for others (labels, annotations) is no part of it; a changed class
 * changes the generation, which is.
 */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include "base/buf.h"
#include "base/err.h"
#include "class.h"
#include "task.h"

#include <stdbool.h>
#include <stdint.h>

#define PLAN_BYTES_MAX	  (128u << 10) /* half of what all annotations of an object may take */
#define PLAN_SHA256_SIZE  65	       /* hex digits and a NUL */
#define PLAN_BUNDLE_BYTES (5u << 18)   /* no task and runtime make a larger bundle: 1.25 MiB */
#define PLAN_RECORD_BYTES (64u << 10)  /* of an outcome, beside the streams */

/*
 * X(kind, name, key): the fields in the order of the text. TEXT is a string, HASH a SHA-256 in hex,
 * NUMBER an integer (TASK_NOT_GIVEN: none), FLAG a boolean, JSON a value as the class has it.
 */
#define PLAN_FIELDS(X)                                            \
	X(TEXT, class_name, "className")                          \
	X(TEXT, class_uid, "classUID")                            \
	X(NUMBER, class_generation, "classGeneration")            \
	X(TEXT, runtime, "runtime")                               \
	X(TEXT, language, "language")                             \
	X(TEXT, image, "image")                                   \
	X(TEXT, runtime_class_name, "runtimeClassName")           \
	X(TEXT, pod_namespace, "podNamespace")                    \
	X(NUMBER, run_as_user, "runAsUser")                       \
	X(FLAG, memory_limit_required, "memoryLimitRequired")     \
	X(NUMBER, cpu_milli, "cpuMilli")                          \
	X(NUMBER, memory_bytes, "memoryBytes")                    \
	X(NUMBER, tmp_bytes, "tmpBytes")                          \
	X(NUMBER, start_seconds, "startSeconds")                  \
	X(NUMBER, run_seconds, "runSeconds")                      \
	X(NUMBER, hold_seconds, "holdSeconds")                    \
	X(NUMBER, stdout_bytes, "stdoutBytes")                    \
	X(NUMBER, stderr_bytes, "stderrBytes")                    \
	X(FLAG, fail_on_overflow, "failOnOverflow")               \
	X(NUMBER, open_files, "openFiles")                        \
	X(NUMBER, processes, "processes")                         \
	X(NUMBER, tmp_inodes, "tmpInodes")                        \
	X(NUMBER, file_size, "fileSize")                          \
	X(NUMBER, cpu_seconds, "cpuSeconds")                      \
	X(NUMBER, overhead_cpu_milli, "overheadCPUMilli")         \
	X(NUMBER, cpu_request_percent, "cpuRequestPercent")       \
	X(NUMBER, overhead_memory_bytes, "overheadMemoryBytes")   \
	X(NUMBER, overhead_storage_bytes, "overheadStorageBytes") \
	X(TEXT, priority_class_name, "priorityClassName")         \
	X(JSON, node_selector, "nodeSelector")                    \
	X(JSON, tolerations, "tolerations")                       \
	X(JSON, image_pull_secrets, "imagePullSecrets")           \
	X(HASH, code_sha256, "codeSHA256")                        \
	X(HASH, stdin_sha256, "stdinSHA256")                      \
	X(HASH, args_sha256, "argsSHA256")                        \
	X(HASH, env_sha256, "envSHA256")                          \
	X(HASH, runtime_env_sha256, "runtimeEnvSHA256")

#define PLAN_TYPE_TEXT(name)   struct str name;
#define PLAN_TYPE_HASH(name)   struct str name;
#define PLAN_TYPE_NUMBER(name) int64_t name;
#define PLAN_TYPE_FLAG(name)   bool name;
#define PLAN_TYPE_JSON(name)   struct str name;

/* Strings borrow from `text` and live as long as the plan. */
struct plan {
#define X(kind, name, key) PLAN_TYPE_##kind(name)
	PLAN_FIELDS(X)
#undef X
	struct buf text;	       /* as it stands in the annotation */
	char sha256[PLAN_SHA256_SIZE]; /* of `text` */
};

/* What a valid task (validate.h) of this class gets. */
void plan_make(struct plan *plan, const struct task *task, const struct class *class);

/*
 * The runtime that runs the task: the one it names, else the class's first of its language, which
 * is python when it names neither. NULL: the class has none.
 */
const struct class_runtime *plan_runtime(const struct task_spec *spec, const struct class *class);

/* The plan that an annotation holds. ERR_INVALID names the field: it is no plan of this version. */
int plan_read(struct plan *plan, struct str text, struct err *err);

/* Accepts a zeroed plan. */
void plan_free(struct plan *plan);

/* The SHA-256 of a plan's text, in hex. */
void plan_hash(struct str text, char sha256[PLAN_SHA256_SIZE]);

/* What the Pod gets: the program's share and ours (design: sizes). */
int64_t plan_pod_cpu_milli(const struct plan *plan);
int64_t plan_pod_cpu_request_milli(const struct plan *plan); /* what of it is its alone */
int64_t plan_pod_memory_bytes(const struct plan *plan);
int64_t plan_pod_storage_bytes(const struct plan *plan);
int64_t plan_outcome_bytes(const struct plan *plan);
int64_t plan_deadline_seconds(const struct plan *plan);

#endif
