/*
 * excerpt: what of a stream stands in the task's status.
 *
 * The runner keeps the head (three quarters) and the tail (one quarter) of a stream, up to the
 * task's limit. The status has room for 64 KiB, and for 128 KiB as it is stored in etcd, where some
 * characters take six bytes. What fits stands there whole; of more, again head and tail, and the
 * whole goes into SandboxOutput objects (output.h).
 *
 * It is text if every byte of it is part of a UTF-8 character; then it is cut on characters. Any
 * other byte makes it base64, uncut.
 */
#ifndef BUILD_EXCERPT_H
#define BUILD_EXCERPT_H

#include "base/buf.h"
#include "core/ending.h"

#include <stdbool.h>
#include <stdint.h>

#define EXCERPT_BYTES_MAX  (64u << 10)
#define EXCERPT_STORED_MAX (128u << 10)

struct excerpt {
	struct buf bytes;   /* head, then tail */
	size_t head_bytes;  /* of these, before the place where the middle is left out */
	bool is_text;	    /* else it has to be base64 */
	bool needs_outputs; /* more was kept than stands here */
};

/* To be freed. Where nothing is left out, as `bytes` are all of the stream, all is head. */
void excerpt_make(struct excerpt *e, const struct ending_stream *stream);
void excerpt_free(struct excerpt *e);

/* Bytes of the stream that are in neither place: of the outputs and this text, what there is. */
uint64_t excerpt_omitted(const struct excerpt *e, const struct ending_stream *stream,
			 bool has_outputs, bool has_text);

/* Bytes of the stream that were kept. */
uint64_t excerpt_kept(const struct ending_stream *stream);

/* Appends bytes `from` to `to` (exclusive) of what was kept, head and tail taken as one. */
int excerpt_append(struct buf *out, const struct ending_stream *stream, uint64_t from, uint64_t to);

#endif
