/*
 * upload: the sending half of go-back-N, without I/O or clock.
 *
 * An OFFER goes first, then DATA from where the runner is known to be, at most a window beyond it.
 * A STATE says how far the runner has come; 2 s without such progress, and it begins again from
 * there with an OFFER, which in any phase asks the runner to say where it is.
 */
#ifndef PROTO_UPLOAD_H
#define PROTO_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UPLOAD_WINDOW_BYTES (64u << 10) /* of DATA beyond what the runner has */
#define UPLOAD_RESEND_MS    2000

/* Zeroed: nothing sent yet. */
struct upload {
	uint64_t total;
	uint64_t acknowledged; /* bytes that the runner has */
	uint64_t sent;	       /* bytes sent since the last OFFER */
	bool offered;	       /* OFFER is out: a STATE from now on is about this upload */
	int64_t resend_ms;
};

enum upload_step {
	UPLOAD_NOTHING, /* the window is full, or all is sent */
	UPLOAD_OFFER,
	UPLOAD_DATA,
};

/* Begins (again) with an OFFER; `received` is where the runner seems to be. */
void upload_begin(struct upload *u, uint64_t total, uint64_t received);

/* A STATE said so. Less than before means that the runner began again. Ignored before OFFER. */
void upload_acknowledge(struct upload *u, int64_t now_ms, uint64_t received);

/* What is to be sent now; it counts as sent. For UPLOAD_DATA `*length` bytes from `*offset` on. */
enum upload_step upload_next(struct upload *u, int64_t now_ms, uint64_t *offset, size_t *length);

/* When upload_next has something at the latest; in the past: now. */
int64_t upload_deadline(const struct upload *u);

#endif
