#include "output.h"

#include "base/hex.h"
#include "base/json.h"
#include "base/json_string.h"
#include "base/sha256.h"
#include "excerpt.h"
#include "out.h"
#include "owner.h"

#include <assert.h>
#include <stdio.h>

int output_count(const struct ending_stream *stream)
{
	return (int)((excerpt_kept(stream) + OUTPUT_PART_BYTES_MAX - 1) / OUTPUT_PART_BYTES_MAX);
}

static void describe(const struct output_request *r, struct str part, struct output_ref *ref)
{
	uint8_t digest[SHA256_BYTES];

	sha256(part.p, part.n, digest);
	hex_encode(ref->sha256, digest, sizeof(digest));
	ref->bytes = part.n;
	snprintf(ref->name, sizeof(ref->name), "%s-%s-%d", r->pod_name, r->stream_name, r->index);
}

static void write_metadata(struct out *o, const struct output_request *r,
			   const struct output_ref *ref)
{
	out_open(o, "metadata");
	out_open(o, "labels");
	out_word(o, "app.kubernetes.io/managed-by", "sandboxtask");
	out_text(o, "sandboxtask.io/task-uid", r->task_uid);
	out_close(o);
	out_word(o, "name", ref->name);
	out_text(o, "namespace", r->task_namespace);
	owner_write(o, r->task_name, r->task_uid);
	out_close(o);
}

static void write_object(struct out *o, const struct output_request *r,
			 const struct output_ref *ref, struct str part)
{
	out_open(o, NULL);
	out_word(o, "apiVersion", "sandboxtask.io/v1beta1");
	out_word(o, "kind", "SandboxOutput");
	write_metadata(o, r, ref);
	out_open(o, "task");
	out_text(o, "name", r->task_name);
	out_text(o, "uid", r->task_uid);
	out_close(o);
	out_word(o, "stream", r->stream_name);
	out_number(o, "index", r->index);
	out_number(o, "bytes", (int64_t)part.n);
	out_word(o, "sha256", ref->sha256);
	out_base64(o, "data", part);
	out_close(o);
}

int output_write(struct buf *text, const struct output_request *r, struct output_ref *ref,
		 struct err *err)
{
	uint64_t from = (uint64_t)r->index * OUTPUT_PART_BYTES_MAX;
	struct out o;
	struct buf part;
	int result;

	assert(r->index >= 0 && r->index < output_count(r->stream));
	buf_init(&part, OUTPUT_PART_BYTES_MAX);
	result = excerpt_append(&part, r->stream, from, from + OUTPUT_PART_BYTES_MAX);
	assert(result == 0);
	describe(r, buf_str(&part), ref);
	out_init(&o, text);
	write_object(&o, r, ref, buf_str(&part));
	buf_free(&part);
	result = out_finish(&o, err);
	return result;
}

bool output_is(struct str live, const struct output_ref *ref, struct str task_uid)
{
	struct str sha256, task, uid;

	return json_find(live, STR("sha256"), &sha256) &&
	       json_string_equal(sha256, str_of(ref->sha256)) &&
	       json_find(live, STR("task"), &task) && json_find(task, STR("uid"), &uid) &&
	       json_string_equal(uid, task_uid);
}
