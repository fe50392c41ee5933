/*
 * output: SandboxOutput objects, for what of a stream the status has no room.
 *
 * A stream's kept bytes are cut into parts of 768 KiB, whatever stands there. A part's name comes
 * from the Pod, the stream and its place, so that whoever writes it again meets it: AlreadyExists
 * with the same hash and owner is as good as written.
 */
#ifndef BUILD_OUTPUT_H
#define BUILD_OUTPUT_H

#include "base/buf.h"
#include "base/err.h"
#include "core/ending.h"
#include "pod.h"

#include <stdbool.h>
#include <stdint.h>

#define OUTPUT_PART_BYTES_MAX (768u << 10)
#define OUTPUT_BYTES_MAX      (2u << 20) /* of a manifest: base64 takes a third more */
#define OUTPUT_NAME_SIZE      (POD_NAME_SIZE + 16)
#define OUTPUT_PARTS_MAX      64 /* of a stream, in the status */

/* What the status says about a part. */
struct output_ref {
	char name[OUTPUT_NAME_SIZE];
	uint64_t bytes;
	char sha256[65];
};

struct output_request {
	struct str task_name, task_namespace, task_uid;
	const char *pod_name;
	const char *stream_name; /* "stdout" or "stderr" */
	const struct ending_stream *stream;
	int index; /* from 0 */
};

/* How many parts a stream has; those of a stream that fits the status are not needed. */
int output_count(const struct ending_stream *stream);

/* Appends the manifest of a part, and says how the status refers to it. */
int output_write(struct buf *text, const struct output_request *request, struct output_ref *ref,
		 struct err *err);

/* Whether a live SandboxOutput is the part that `ref` describes, of this task. Checked JSON. */
bool output_is(struct str live, const struct output_ref *ref, struct str task_uid);

#endif
