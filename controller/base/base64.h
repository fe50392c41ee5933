/*
 * base64: RFC 4648 section 4, with padding, as JSON's `byte` format in Kubernetes has it.
 *
 * Output that is no UTF-8 goes into status this way, and certificates and data sources come in.
 * What is read is read strictly: full padding, no stray bits under it, nothing behind it, so that
 * one value has one text. Only line breaks and blanks may be let through, and only when asked for.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "buf.h"
#include "err.h"
#include "str.h"

#include <stddef.h>

enum base64_blanks {
	BASE64_REFUSE_BLANKS,
	BASE64_SKIP_BLANKS, /* spaces, tabs, CR and LF anywhere: as kubeconfig files and PEM wrap */
};

/* Characters that `length` bytes become: four for every three, the last ones padded. */
size_t base64_encoded_length(size_t length);

/* Appends the text of `bytes`, all or nothing: 0, or -1 when the limit would be passed. */
int base64_encode(struct buf *b, struct str bytes);

/*
 * Appends the bytes that `text` stands for, all or nothing. ERR_INVALID names the offset of the
 * first character that can't stand there, never the text; ERR_TOO_LARGE: the limit would be passed.
 */
int base64_decode(struct buf *b, struct str text, enum base64_blanks blanks, struct err *err);

#endif
