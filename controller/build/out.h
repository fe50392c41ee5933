/*
 * out: writes JSON in the order of its calls, so that building a manifest reads like the manifest.
 *
 *	out_open(&o, "metadata");
 *	out_text(&o, "name", name);
 *	out_close(&o);
 *
 * Keys are literals of ours; inside of a list, and for the object itself, the key is NULL. Text
 * must be UTF-8 and goes through our escaper, byte for byte. What is raw must be JSON already.
 *
 * Nothing returns an error: one that happens is kept, everything after it is left out, and
 * out_finish reports it. There are two: the text passes its limit, or a value is no UTF-8.
 */
#ifndef BUILD_OUT_H
#define BUILD_OUT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define OUT_DEPTH_MAX 16

struct out {
	struct buf *text; /* the caller's; its limit is the manifest's */
	char closers[OUT_DEPTH_MAX];
	int depth;
	bool needs_comma;
	bool failed;
	struct err err;
};

/* Appends to `text` from where it is. */
void out_init(struct out *o, struct buf *text);

/* Everything must be closed again. 0, or -1 with the first error. */
int out_finish(struct out *o, struct err *err);

void out_open(struct out *o, const char *key);
void out_open_list(struct out *o, const char *key);
void out_close(struct out *o);

void out_text(struct out *o, const char *key, struct str value);
void out_word(struct out *o, const char *key, const char *value); /* a C string */
void out_number(struct out *o, const char *key, int64_t value);
void out_flag(struct out *o, const char *key, bool value);
void out_raw(struct out *o, const char *key, struct str json);
void out_base64(struct out *o, const char *key, struct str bytes);

/* Leave the member out when there is nothing to say: an empty slice, a number below 0. */
void out_text_if(struct out *o, const char *key, struct str value);
void out_number_if(struct out *o, const char *key, int64_t value);
void out_raw_if(struct out *o, const char *key, struct str json);

/* Kubernetes quantities: "500m", "256Mi". */
void out_cpu(struct out *o, const char *key, int64_t milli);
void out_bytes(struct out *o, const char *key, int64_t bytes);

/* Times as metav1.Time (seconds) and metav1.MicroTime. */
void out_time(struct out *o, const char *key, int64_t unix_us);
void out_micro_time(struct out *o, const char *key, int64_t unix_us);

#endif
